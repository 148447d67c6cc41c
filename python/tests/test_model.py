"""The model judges as a run does, and goes through files and processes."""

import itertools
import pickle

import pytest
import retold


def test_judged_pair_by_pair_it_says_what_a_run_says(records):
    found = retold.dedup(records)
    model = found.model
    # As a run settles ids.
    pages = [{**page} for page in records]
    pages[-1]["id"] = "s0#2"
    pages[-2]["id"] = f"pages#{len(pages) - 1}"
    texts = [model.text(page) for page in pages]
    pairs = {}
    for a, b in itertools.combinations(sorted(texts, key=lambda text: text.id), 2):
        verdict = model.compare(a, b)
        if verdict:
            pairs[a.id, b.id] = (verdict.relation, round(verdict.similarity, 6))
    expected = {(row["a"], row["b"]): (row["relation"], row["similarity"]) for row in found.pairs}
    assert pairs.keys() == expected.keys() and len(pairs) > 10
    for pair, (relation, similarity) in pairs.items():
        assert relation == expected[pair][0]
        # Pairs are held in half the bytes.
        assert similarity == pytest.approx(expected[pair][1], abs=2e-6)


def test_it_goes_through_files_json_and_pickle(records, tmp_path):
    model = retold.Model(params={"threshold": 0.7}).learn(records)
    assert model.learnt > 10 and model.options["params"]["threshold"] in (0.7, "0.7")
    model.save(tmp_path / "model.json")
    again = [retold.Model.load(tmp_path / "model.json"), pickle.loads(pickle.dumps(model))]
    for other in [*again, retold.Model.from_json(model.to_json())]:
        assert other.to_json() == model.to_json()
        assert retold.dedup(records, model=other).pairs.to_pylist() == retold.dedup(records, model=model).pairs.to_pylist()


def test_a_learnt_model_is_what_the_run_would_learn(records):
    for method in ("coverage", "period", "tfidf"):
        learnt = retold.Model(method=method).learn(records)
        assert learnt.to_json() == retold.dedup(records, method=method).model.to_json()


def test_sketches_are_bytes():
    model = retold.Model()
    page = {"text": "The ferry to Naxos left late because of the storm.", "url": "http://naxos.example/1"}
    sketch = model.sketch(page)
    assert sketch.site == "naxos.example" and sketch.keys == sorted(sketch.keys)
    again = retold.Sketch.from_bytes(sketch.to_bytes())
    assert again == sketch and hash(again) == hash(sketch)
    with pytest.raises(retold.UsageError, match="not a stored sketch"):
        retold.Sketch.from_bytes(b"\x01\x02")
    judged = model.judge(sketch, again)
    assert (judged.answer, judged.verdict.relation, judged.verdict.length_ratio) == ("yes", "duplicate", 1.0)
    other = model.judge(sketch, model.sketch("Something else."))
    assert (other.answer, other.verdict) == ("no", None)


def test_values_go_through_pickle(records, examples, tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("气象台\n", "utf-8")
    model = retold.Model(method="period", fold=["case"], extract="main", user_dict=words)
    pages = [*records[:10], (examples / "ferry.html").read_bytes(), "plain text"]
    texts = [model.text(page) for page in pages]
    fields = ("visible", "id", "title", "lang", "charset", "date", "url", "site")
    for text, again in zip(texts, pickle.loads(pickle.dumps(texts))):
        assert str(again) == str(text)
        assert [getattr(again, name) for name in fields] == [getattr(text, name) for name in fields]
        sketch = pickle.loads(pickle.dumps(model.sketch(text)))
        assert model.sketch(again) == sketch == model.sketch(text)
        assert pickle.dumps(again) == pickle.dumps(text)
    judged = [model.judge(model.sketch(texts[0]), model.sketch(text)) for text in texts]
    for said, again in zip(judged, pickle.loads(pickle.dumps(judged))):
        assert (again.answer, repr(again)) == (said.answer, repr(said))
    verdict = model.compare(texts[0], texts[1])
    again = pickle.loads(pickle.dumps(verdict))
    fields = ("relation", "similarity", "length_ratio", "shared", "own_a", "own_b")
    assert [getattr(again, name) for name in fields] == [getattr(verdict, name) for name in fields]
    words.unlink()


def test_tables_go_through_pickle_and_findings_say_so(records):
    pyarrow = pytest.importorskip("pyarrow")
    found = retold.dedup([*records, {"id": "no text"}])
    empty = retold.dedup([{"text": "a"}])
    for name in ("pairs", "clusters", "dropped", "kept", "rejects"):
        for table in (getattr(found, name), getattr(empty, name)):
            again = pickle.loads(pickle.dumps(table))
            assert again.to_pylist() == table.to_pylist() and repr(again) == repr(table)
            assert pyarrow.table(again).schema == pyarrow.table(table).schema
    assert len(found.rejects) == 1 and len(found.clusters) > 2
    with pytest.raises(TypeError, match="pickle the tables"):
        pickle.dumps(found)


def test_words_have_to_be_learnt_first():
    with pytest.raises(retold.UsageError, match="document frequencies"):
        retold.Model(method="tfidf").sketch("a page")
    assert retold.explain("one page of words", "one page of words", method="tfidf")["exact"]


def test_text_and_explain(examples):
    text = retold.text((examples / "ferry.html").read_bytes())
    assert text.title and text.charset == "UTF-8" and len(str(text)) > 100 and str(text) in text.visible
    why = retold.explain((examples / "ferry.html").read_bytes(), (examples / "ferry-reprint.html").read_bytes())
    assert why["relation"] == "duplicate" and why["checks"] and why["method"] == "coverage"
    with pytest.raises(retold.UsageError, match="neither field `text` nor `html`"):
        retold.text({"body": "x"})


def test_pages_of_files_are_read_as_a_run_reads_them(examples):
    found = retold.dedup(examples)
    pages = list(retold.read(examples))
    assert len(pages) == found.summary["records"]["read"]
    assert sorted(page["id"] for page in pages) == sorted([*found.kept.column("id"), *found.dropped.column("id")])
    again = retold.dedup(pages)
    assert again.pairs.to_pylist() == found.pairs.to_pylist()


def test_records_that_cannot_be_read_are_told(tmp_path):
    file = tmp_path / "pages.jsonl"
    file.write_text('{"text": "a"}\n{"text": 3}\n')
    told = []
    assert list(retold.read(file, on_reject=lambda *what: told.append(what))) == [{"id": "pages.jsonl#1", "text": "a"}]
    assert told == [("pages.jsonl", 2, "line 2: field `text` is a number, not a string")]
    with pytest.warns(retold.RetoldWarning, match="record 2"):
        list(retold.read(file))
