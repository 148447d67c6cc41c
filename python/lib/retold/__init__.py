"""Finds pages that tell the same story: near-duplicates, reprints and pages contained in others.

>>> import retold
>>> story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon."
>>> found = retold.dedup([{"id": "a", "text": story}, {"id": "b", "text": story + " Read more tomorrow."}])
>>> found.dropped.to_pylist()
[{'id': 'a', 'canonical': 'b', 'relation': 'duplicate', 'cluster': 0, 'cluster_size': 2, 'lost': 0, 'parts': None, 'row': 0}]

`retold.dedup` finds near-duplicates, `retold.Model` judges pairs of pages, and `retold.explain` says why two pages are related.
`retold.passages` finds passages that pages have in common, `retold.blocks` finds blocks that many pages have in common.
`retold.Index` stores pages and finds out which of them a new page repeats. `retold.decontaminate` removes pages with benchmark
questions from a corpus, `retold.sample` samples or repeats kept pages. `retold.spark` finds near-duplicates on Apache Spark, `retold.duckdb` in
DuckDB.
"""

from ._retold import (
    Blocks,
    CorruptError,
    FileError,
    Findings,
    Index,
    InternalError,
    Judgement,
    Model,
    Passages,
    RetoldError,
    RetoldWarning,
    Sketch,
    Table,
    Text,
    UsageError,
    Verdict,
    __version__,
    blocks,
    decontaminate,
    dedup,
    explain,
    passages,
    read,
    sample,
    text,
)

__all__ = [
    "Blocks",
    "CorruptError",
    "FileError",
    "Findings",
    "Index",
    "InternalError",
    "Judgement",
    "Model",
    "Passages",
    "RetoldError",
    "RetoldWarning",
    "Sketch",
    "Table",
    "Text",
    "UsageError",
    "Verdict",
    "__version__",
    "decontaminate",
    "blocks",
    "dedup",
    "explain",
    "passages",
    "read",
    "sample",
    "text",
]
