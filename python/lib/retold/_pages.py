"""Converts dicts to lines of JSON, which the library reads as pages."""

import datetime
import json
from collections.abc import Mapping

from ._retold import UsageError, decoded

#: Python refuses to write integers of more than 4,300 digits; an integer with more bits than this may exceed that.
_BITS = 14_000


def given(pages, fields):
    """Makes pages readable: collects a lazy frame, turns a dict of columns into rows and a dataset of Hugging Face into Arrow batches."""
    if hasattr(pages, "__arrow_c_stream__") or hasattr(pages, "__arrow_c_array__"):
        return pages
    if hasattr(pages, "collect") and hasattr(pages, "collect_schema"):
        return pages.collect()
    if type(pages).__name__.endswith("DatasetDict"):
        raise UsageError(
            f"pages: a {type(pages).__name__} has splits ({', '.join(pages)}): pass one of them, or "
            "datasets.concatenate_datasets([*splits.values()])"
        )
    if getattr(pages, "features", None) and hasattr(pages, "with_format"):
        return _batches(pages)
    if isinstance(pages, Mapping):
        return _rows(pages, fields)
    if hasattr(pages, "to_frame"):
        raise one_column(pages)
    return pages


def _batches(dataset):
    """A dataset of Hugging Face as Arrow batches; rows as dicts would decode pictures and sounds too."""
    import pyarrow

    tables = dataset.with_format("arrow").iter(batch_size=1000)
    return pyarrow.RecordBatchReader.from_batches(dataset.features.arrow_schema, (batch for table in tables for batch in table.to_batches()))


def one_column(pages):
    """The error for a series or an array."""
    kind = type(pages)
    return UsageError(f'pages: a {kind.__module__}.{kind.__qualname__} is one column without a name: pass {{"text": column}} or a table')


def _rows(columns, fields):
    for name, values in columns.items():
        if isinstance(values, (str, bytes, bytearray, Mapping)) or not (hasattr(values, "__len__") and hasattr(values, "__iter__")):
            raise UsageError(
                f"pages: a dict is taken as columns, lists of one length, but `{name}` is of type {type(values).__name__}; one page is "
                "passed in a list, as [page]"
            )
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"`{name}` {length}" for name, length in lengths.items())
        raise UsageError(f"pages: columns have different lengths: {told}")
    text, html = fields[:2]
    if columns and text not in columns and html not in columns:
        named = ", ".join(map(str, columns))
        raise UsageError(f"neither a column `{text}` nor `{html}` among {named}: name it with text_field= or html_field=")
    names = [name for name in dict.fromkeys(fields) if name in columns]
    # Arrow arrays have wrapped values.
    lists = [columns[name].to_pylist() if hasattr(columns[name], "to_pylist") else columns[name] for name in names]
    return (dict(zip(names, row)) for row in zip(*lists))


def line(page, fields):
    """The fields of a dict that are read, as one line of JSON."""
    if not isinstance(page, Mapping):
        raise UsageError(f"a page is a dict, str or bytes, not {type(page).__name__}")
    named = {name: _plain(page[name], name in fields[:2]) for name in fields if name in page}
    # Half of a surrogate pair is not text. As bytes, it is rejected with its position in the record.
    return _json(named).encode("utf-8", "surrogatepass") + b"\n"


def _json(named):
    try:
        return json.dumps(named, ensure_ascii=False, default=_other)
    except (ValueError, RecursionError):
        # An id that is a list or dict, and that Python cannot write as JSON, counts as none.
        simple = {name: value for name, value in named.items() if not isinstance(value, (Mapping, list, tuple))}
        return json.dumps(simple, ensure_ascii=False, default=_other)


def spool(first, rest, fields, path):
    """Writes pages to a JSONL file. `first` is None if there are no pages."""
    with open(path, "wb", buffering=1 << 20) as file:
        if first is None:
            return
        number = 1
        try:
            file.write(_record(first, fields))
            for page in rest:
                number += 1
                file.write(_record(page, fields))
        except UsageError as error:
            raise UsageError(f"page {number}: {error}") from None


def _record(page, fields):
    if isinstance(page, (str, bytes)):
        field = "text" if isinstance(page, str) else "html"
        raise UsageError(f'a page is a dict here, not {type(page).__name__}: pass {{"{field}": ...}}')
    return line(page, fields)


def _plain(value, is_content):
    """A value that JSON can hold. Page contents of a wrong type are replaced by a small value of that type, which is rejected later."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return decoded(bytes(value))
    if isinstance(value, int) and value.bit_length() > _BITS:
        return 0 if is_content else hex(value)
    if isinstance(value, (float, datetime.date)) and value != value:
        # A missing value in pandas.
        return None
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, (Mapping, list, tuple)) and is_content:
        return {} if isinstance(value, Mapping) else []
    return value


def _other(value):
    return None if type(value).__name__ == "NAType" else str(value)
