"""Dicts as lines of JSON, of which the library makes pages."""

import datetime
import json
from collections.abc import Mapping

from ._retold import UsageError, decoded


def line(page, fields):
    """The fields of a dict that are read, as a line of JSON in bytes."""
    if not isinstance(page, Mapping):
        raise UsageError(f"a page is a dict, str or bytes, not {type(page).__name__}")
    named = {name: _plain(page[name]) for name in fields if name in page}
    # Half of a surrogate pair is no text: as bytes it is refused with its place in the record.
    return json.dumps(named, ensure_ascii=False, default=str).encode("utf-8", "surrogatepass") + b"\n"


def spool(first, rest, fields, path):
    """Writes pages to a file of JSON Lines. `first` is None if there is none."""
    with open(path, "wb", buffering=1 << 20) as file:
        if first is None:
            return
        number = 1
        try:
            file.write(line(first, fields))
            for page in rest:
                number += 1
                file.write(line(page, fields))
        except UsageError as error:
            raise UsageError(f"page {number}: {error}") from None


def _plain(value):
    if isinstance(value, (bytes, bytearray, memoryview)):
        return decoded(bytes(value))
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    if isinstance(value, float) and value != value:
        # What pandas has where there is no value.
        return None
    return value
