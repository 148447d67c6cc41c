"""Benchmarks are found in a corpus, and kept pages are sampled, as the commands do."""

import json
import os
import subprocess

import pytest
import retold

QUESTION = "A ferry carries 14 lorries to Naxos and takes 9 of them back in the evening. How many lorries stay on the island for the night?"
STORY = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon."


@pytest.fixture
def corpus(tmp_path):
    pages = [("forum", f"Who can solve this? {QUESTION}"), ("a", STORY), ("b", STORY + " Read more."), ("c", "A bridge was opened on Monday.")]
    (tmp_path / "pages.jsonl").write_text("".join(json.dumps({"id": id, "text": text}) + "\n" for id, text in pages))
    (tmp_path / "gsm_test.jsonl").write_text(json.dumps({"task": QUESTION, "key": "5 lorries"}) + "\n")
    return tmp_path


def command(*arguments):
    binary = os.environ.get("RETOLD")
    if not binary:
        pytest.skip("no command: RETOLD names it")
    subprocess.run([binary, *map(str, arguments)], check=True, capture_output=True)


def test_decontaminate_is_that_of_the_command(corpus):
    pages, benchmark = corpus / "pages.jsonl", corpus / "gsm_test.jsonl"
    summary = retold.decontaminate(pages, [benchmark], out=corpus / "mine", question_fields=["problem", "task"], answer_fields=["key"])
    assert summary["records"]["kept"] == 3 and summary["benchmarks"][0]["items_found"] == 1
    command("decontaminate", pages, "--benchmarks", benchmark, "-o", corpus / "theirs", "--question-field", "problem,task", "--answer-field", "key", "-q")
    for name in ("contaminated.jsonl", "rejects.jsonl", "kept/pages.jsonl"):
        assert (corpus / "mine" / name).read_bytes() == (corpus / "theirs" / name).read_bytes()
    theirs = json.loads((corpus / "theirs/summary.json").read_text())
    assert {**summary, "run": None} == {**theirs, "run": None}
    with pytest.raises(retold.UsageError, match="threshold"):
        retold.decontaminate(pages, benchmark, out=corpus / "other", threshold=0)
    with pytest.raises(TypeError, match="name files"):
        retold.decontaminate([{"text": STORY}], benchmark, out=corpus / "other")


def test_sample_is_that_of_the_command(corpus):
    pages = corpus / "pages.jsonl"
    retold.dedup(pages, out=corpus / "run")
    told = retold.sample(corpus / "run", {1: 1, 2: 3}, out=corpus / "mine")
    assert told == {"pages": 3, "written": 5, "left": 0, "rejected": 0, "folders": 3}
    command("sample", corpus / "run", "--weights", "1:1,2:3", "-o", corpus / "theirs", "-q")
    for copy in ("copy-1", "copy-3"):
        assert (corpus / "mine" / copy / "pages.jsonl").read_bytes() == (corpus / "theirs" / copy / "pages.jsonl").read_bytes()
    # Two pages tell one story, both in one file.
    told = retold.sample(corpus / "run", {1: 1, 2: 3}, by="inputs", out=corpus / "inputs")
    assert (told["written"], told["folders"]) == (3, 1)
    with pytest.raises(retold.UsageError, match="weights"):
        retold.sample(corpus / "run", {2: 1}, out=corpus / "other")
    with pytest.raises(retold.UsageError, match="by: unknown variant `feeds`"):
        retold.sample(corpus / "run", {1: 1}, by="feeds", out=corpus / "other")
