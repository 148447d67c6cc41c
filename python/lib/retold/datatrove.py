"""A step of a datatrove pipeline that drops copies: `retold.datatrove.Dedup`. It needs datatrove (tested with 0.10)."""

import abc
import contextlib
import pickle
import tempfile
from typing import Any

from datatrove.data import DocumentsPipeline
from datatrove.pipeline.base import PipelineStep
from datatrove.pipeline.writers.disk_base import DiskWriter

from ._retold import UsageError, dedup

__all__ = ["Dedup"]


class Dedup(PipelineStep, metaclass=abc.ABCMeta):
    """Passes on the documents that `retold.dedup` keeps, unchanged and in their order. Those that go are written by
    `exclusion_writer` if there is one, with `retold_canonical` and `retold_relation` in their metadata.

    Copies are found among all documents that one task reads, so the pipeline runs with `tasks=1` (Retold works on all cores). Ids must
    be unique; `url` and `date` come from the metadata. Documents wait in a temporary file. Options are those of `retold.dedup`.
    """

    name = "Retold"
    type = "🫂 - DEDUP"

    def __init__(self, exclusion_writer: DiskWriter | None = None, **options: Any) -> None:
        super().__init__()
        self.exclusion_writer, self.options = exclusion_writer, options

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> DocumentsPipeline:
        if world_size != 1:
            raise UsageError(f"copies of documents of other tasks would stay: run this step with tasks=1, not {world_size}")
        with tempfile.TemporaryFile() as spool, self.exclusion_writer or contextlib.nullcontext() as writer:
            ids: set[str] = set()

            def pages() -> Any:
                for document in data or ():
                    if document.id in ids:
                        raise UsageError(f"two documents have the id `{document.id}`: ids must be unique")
                    ids.add(document.id)
                    pickle.dump(document, spool)
                    more = {name: document.metadata.get(name) for name in ("url", "date")}
                    yield {"id": document.id, "text": document.text} | more

            found = dedup(pages(), **self.options)
            dropped = {row["id"]: row for row in found.dropped}
            spool.seek(0)
            for _ in range(len(ids)):
                document = pickle.load(spool)
                self.stat_update("total")
                gone = dropped.get(document.id)
                self.stat_update("dropped" if gone else "forwarded")
                if not gone:
                    self.update_doc_stats(document)
                    yield document
                elif writer:
                    document.metadata |= {"retold_canonical": gone["canonical"], "retold_relation": gone["relation"]}
                    writer.write(document, rank)
