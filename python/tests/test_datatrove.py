"""The step of a datatrove pipeline, in real pipelines."""

import doctest
import gzip
import inspect
import json
import time

import pytest
import retold

datatrove = pytest.importorskip("datatrove")

from datatrove.executor import LocalPipelineExecutor  # noqa: E402
from datatrove.pipeline.readers import JsonlReader  # noqa: E402
from datatrove.pipeline.writers import JsonlWriter  # noqa: E402
from retold.datatrove import Dedup  # noqa: E402


def documents(folder):
    files = sorted(folder.rglob("*.jsonl.gz"))
    return [json.loads(line) for file in files for line in gzip.open(file, "rt", encoding="utf-8")]


@pytest.fixture
def corpus(records, tmp_path):
    """The records that have text, with ids of their own, in two files."""
    texts = [page for page in records if isinstance(page.get("text"), str) and page["text"]]
    named = [{**page, "id": f"d{number:03}"} for number, page in enumerate(texts)]
    folder = tmp_path / "corpus"
    folder.mkdir()
    for number in range(2):
        lines = [json.dumps(page, ensure_ascii=False) + "\n" for page in named[number::2]]
        (folder / f"{number}.jsonl").write_text("".join(lines), encoding="utf-8")
    return folder


def pipeline(corpus, out, tasks=1, **options):
    step = Dedup(exclusion_writer=JsonlWriter(str(out / "gone")), **options)
    steps = [JsonlReader(str(corpus)), step, JsonlWriter(str(out / "clean"))]
    return LocalPipelineExecutor(steps, tasks=tasks, logging_dir=str(out / "logs"))


@pytest.mark.parametrize("options", [{}, {"canonical": "first", "drop": "duplicate"}])
def test_a_pipeline_keeps_what_dedup_keeps(corpus, tmp_path, options):
    stats = pipeline(corpus, tmp_path, **options).run()
    found = retold.dedup(corpus, **options)
    clean, gone = documents(tmp_path / "clean"), documents(tmp_path / "gone")
    # In the order of reading.
    there = [json.loads(line) for file in sorted(corpus.iterdir()) for line in file.read_text("utf-8").splitlines()]
    kept = set(found.kept.column("id"))
    assert [(page["id"], page["text"]) for page in clean] == [(page["id"], page["text"]) for page in there if page["id"] in kept]
    rows = [(page["id"], page["metadata"]["retold_canonical"], page["metadata"]["retold_relation"]) for page in gone]
    assert sorted(rows) == [(row["id"], row["canonical"], row["relation"]) for row in found.dropped] and rows
    counted = stats.stats[1].stats
    assert (counted["forwarded"].total, counted["dropped"].total) == (len(clean), len(gone))
    relations = [relation for _, _, relation in rows]
    assert {name: counted[f"dropped_{name}"].total for name in set(relations)} == {name: relations.count(name) for name in relations}
    assert counted["doc_len"].total == sum(len(page["text"]) for page in clean)


def test_the_example_of_the_docstring_holds():
    test = doctest.DocTestParser().get_doctest(Dedup.__doc__, {}, "Dedup", None, None)
    assert test.examples and doctest.DocTestRunner(verbose=False).run(test).failed == 0


def test_it_books_its_own_time_only(corpus, tmp_path):
    class Slow(JsonlReader):
        def run(self, *arguments):
            for document in super().run(*arguments):
                time.sleep(0.02)
                yield document

    step = Dedup()
    stats = LocalPipelineExecutor([Slow(str(corpus)), step], tasks=1, logging_dir=str(tmp_path / "logs")).run()
    booked, documents = stats.stats[1].time_stats, stats.stats[1].stats["total"].total
    assert booked.n == 1 and 0 < booked.total < documents * 0.02


def test_options_are_typed_and_checked_at_once(records):
    shown = inspect.signature(Dedup).parameters
    assert shown["method"].default == "coverage" and shown["memory"].default is None and "out" not in shown
    assert set(inspect.signature(retold.Model).parameters) < set(shown)
    for name in ("treshold", "out"):
        with pytest.raises(retold.UsageError, match=f"there is no option `{name}`; there are: exclusion_writer, model"):
            Dedup(**{name: 1})
    with pytest.raises(retold.UsageError, match="no method is called `none`"):
        list(Dedup(method="none").run(iter(())))


def test_several_tasks_and_repeated_ids_are_refused(corpus, tmp_path):
    with pytest.raises(retold.UsageError, match="tasks=1, not 2"):
        list(Dedup().run(iter(()), 0, 2))
    lines = (corpus / "0.jsonl").read_text("utf-8")
    (corpus / "2.jsonl").write_text(lines, encoding="utf-8")
    with pytest.raises(retold.UsageError, match="two documents have the id `d000`"):
        pipeline(corpus, tmp_path).run()


def test_an_empty_corpus_is_an_error_unless_allowed(tmp_path):
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "0.jsonl").write_text("")
    with pytest.raises(retold.UsageError):
        pipeline(tmp_path / "corpus", tmp_path).run()
    pipeline(tmp_path / "corpus", tmp_path / "again", allow_empty=True).run()
    assert documents(tmp_path / "again") == []
