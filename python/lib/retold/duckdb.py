"""Retold in DuckDB: `register` makes the SQL function `retold_seen`, `dedup` finds near-duplicates in a table. It needs duckdb and pyarrow."""

import contextlib

import duckdb
import pyarrow

from . import _retold
from ._options import options_of
from ._retold import UsageError

__all__ = ["Findings", "dedup", "register"]

_SEEN = "STRUCT(status VARCHAR, id VARCHAR, relation VARCHAR, similarity DOUBLE, added_words BIGINT)"
#: Names the column with the ids that results have.
_ID = "retold_id"


def register(connection, index, name="retold_seen"):
    """Makes the SQL function `retold_seen(text)` of an index.

    It says what `index.seen` says of a text: a struct of `status` (`new`, `repeat`, `adds`), `id`, `relation` and `similarity` of the best
    match, and `added_words`; NULL for NULL. DuckDB calls it with some thousand texts at a time. A second call replaces the function.
    """

    def seen(texts):
        return pyarrow.table(index.seen(pyarrow.table({index.model.options["text_field"]: texts}))).to_struct_array()

    with contextlib.suppress(duckdb.InvalidInputException):
        connection.remove_function(name)
    # With side effects: the index grows, so DuckDB may not keep answers.
    connection.create_function(name, seen, ["VARCHAR"], _SEEN, type="arrow", side_effects=True)


class Findings:
    """The results of a run: the relations `kept` (rows of the input), `dropped`, `pairs`, `clusters`, `versions` and `rejects` (columns as in
    the tables of `retold.dedup`), the `summary` and the `model`; `sample` and `explain` show drops, as in `retold.Findings`.
    """

    def __init__(self, connection, found, kept):
        for name in ("dropped", "pairs", "clusters", "versions", "rejects"):
            setattr(self, name, connection.from_arrow(getattr(found, name)))
        self.kept, self.summary, self.model = kept, found.summary, found.model
        self.sample, self.explain = found.sample, found.explain
        self._found = found

    def __repr__(self):
        return repr(self._found).replace("retold.", "retold.duckdb.", 1)


def dedup(connection, pages, **options):
    """Finds near-duplicates, reprints and contained pages in a table.

    `pages` is the name of a table or view, a file in quotes, or a query. It has a column `text` or `html`, and `id` or `url`, and may have
    `date`; ids must be unique. It is read twice and must have the same rows both times. Options are those of `retold.dedup`.
    """
    query = pages if pages.split(None, 1)[0].lower() in ("from", "select", "with") else f"FROM {pages}"
    model = options.get("model")
    names = {"id_field": "id", "url_field": "url"} | (model.options if model else options)
    columns = connection.sql(query).columns
    ids = [names[name] for name in ("id_field", "url_field") if names[name] in columns]
    if not ids:
        raise UsageError(f"no column for ids among {', '.join(columns)}: name one with id_field= or url_field=")
    own = ", ".join(f"nullif({_quoted(name)}::VARCHAR, '')" for name in ids)
    rows = connection.sql(f"SELECT *, coalesce({own}) AS {_ID} FROM ({query})")
    twice = rows.aggregate(f"{_ID}, count(*) AS pages", _ID).filter(f"pages > 1 OR {_ID} IS NULL").limit(1)
    for id, count in twice.fetchall():
        wrong = "have no id" if id is None else f"have the id `{id}`"
        raise UsageError(f"{count} pages {wrong}: ids must be there and unique")
    # With these ids, as strings.
    others = [_quoted(name) for name in columns if name != names["id_field"]]
    found = _retold.dedup(rows.project(", ".join([f"{_ID} AS {_quoted(names['id_field'])}", *others])), **options)
    kept = connection.from_arrow(found.kept).project(f"id AS {_ID}")
    kept = rows.join(kept, _ID, how="semi").project(f"* EXCLUDE ({_ID})")
    return Findings(connection, found, kept)


dedup.__signature__ = options_of(dedup, _retold.dedup, without=("out", "force"))


def _quoted(name):
    return '"' + name.replace('"', '""') + '"'
