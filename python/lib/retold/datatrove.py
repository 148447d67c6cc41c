"""A step of a datatrove pipeline that drops copies: `retold.datatrove.Dedup`. It needs datatrove (tested with 0.10)."""

import abc
import contextlib
import inspect
import pickle
import tempfile

from datatrove.pipeline.base import PipelineStep

from ._options import options_of
from ._retold import UsageError, dedup

__all__ = ["Dedup"]


class Dedup(PipelineStep, metaclass=abc.ABCMeta):
    """Forwards the documents that `retold.dedup` keeps, unchanged and in order. Dropped documents go to
    `exclusion_writer` if given, with `retold_canonical` and `retold_relation` in their metadata.

    The step finds copies among the documents of one task, so run the pipeline with `tasks=1` (Retold uses all cores). Ids must be
    unique; `url` and `date` come from the metadata. Documents are stored in a temporary file. Options are those of `retold.dedup`,
    except those for output files.

    Statistics are `total`, `forwarded`, `dropped`, and `dropped_duplicate` and so on for each relation. Lengths are measured on
    forwarded documents. The time covers finding copies, without the steps before and after.

    >>> from datatrove.data import Document
    >>> from retold.datatrove import Dedup
    >>> story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon."
    >>> [document.id for document in Dedup().run([Document(story, "a"), Document(story, "b")])]
    ['a']
    """

    name = "Retold"
    type = "🫂 - DEDUP"

    def __init__(self, exclusion_writer=None, **options):
        super().__init__()
        known = inspect.signature(Dedup).parameters
        for name in options:
            if name not in known:
                raise UsageError(f"there is no option `{name}`; there are: {', '.join(known)}")
        self.exclusion_writer, self.options = exclusion_writer, options

    def run(self, data, rank=0, world_size=1):
        if world_size != 1:
            raise UsageError(f"copies of documents of other tasks would stay: run this step with tasks=1, not {world_size}")
        with tempfile.TemporaryFile() as spool, self.exclusion_writer or contextlib.nullcontext() as writer:
            ids = set()
            for document in data or ():
                if document.id in ids:
                    raise UsageError(f"two documents have the id `{document.id}`: ids must be unique")
                ids.add(document.id)
                pickle.dump(document, spool)

            def documents():
                spool.seek(0)
                return (pickle.load(spool) for _ in range(len(ids)))

            # Earlier steps have finished, so this is the time of this step alone.
            with self.track_time("task"):
                found = dedup(map(_page, documents()), **self.options)
                dropped = {row["id"]: row for row in found.dropped}
            for document in documents():
                gone = dropped.get(document.id)
                if not gone:
                    self.stat_update("total", "forwarded")
                    self.update_doc_stats(document)
                    yield document
                    continue
                self.stat_update("total", "dropped", f"dropped_{gone['relation']}")
                if writer:
                    document.metadata |= {"retold_canonical": gone["canonical"], "retold_relation": gone["relation"]}
                    writer.write(document, rank)


def _page(document):
    more = {name: document.metadata.get(name) for name in ("url", "date")}
    return {"id": document.id, "text": document.text} | more


#: Options of `retold.dedup` for output files.
_FILES = ("out", "force", "kept", "mark", "annotate", "annotate_as", "stories", "revisits", "names", "tables", "report_text", "alarm_size", "stop_if")

Dedup.__init__.__signature__ = options_of(Dedup.__init__, dedup, without=_FILES)
Dedup.__signature__ = inspect.Signature(list(Dedup.__init__.__signature__.parameters.values())[1:])
