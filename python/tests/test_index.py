"""The index, as Python sees it: what goes in one by one comes out as from a run."""

import pytest
import retold


def rows(table):
    return sorted(map(str, table.to_pylist()))


def test_pages_added_in_parts_are_exported_as_a_run_finds_them(records, tmp_path):
    pages = [page | {"id": page.get("id", f"none{number}")} for number, page in enumerate(records[:-1])]
    model = retold.Model().learn(pages)
    with retold.Index.create(tmp_path / "index", model=model) as index:
        said = index.add(pages[:10]) + index.add(iter(pages[10:]), commit=3) + index.add([{"id": "none"}])
        assert [answer["status"] for answer in said] == ["new"] * len(pages) + ["rejected"]
        assert "neither field" in said[-1]["reason"]
        assert len(index) == len(pages) == index.stats["pages"]
        expected = retold.dedup(pages, model=model)
        found = index.export()
        for name in ("pairs", "clusters", "dropped"):
            assert rows(getattr(found, name)) == rows(getattr(expected, name))
        assert len(found.pairs) > 5 and "run" in found.summary
        with pytest.raises(retold.RetoldError, match="a Python program"):
            retold.Index(tmp_path / "index", write=True)


def test_query_remove_and_errors(tmp_path):
    story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon. It was the last."
    with retold.Index.create(tmp_path / "index", canonical="first") as index:
        index.add([{"id": "a", "text": story, "url": "http://naxos.example/a"}])
        other = retold.Index(tmp_path / "index")
        [answer] = other.query([{"id": "b", "text": story + " Read more."}])
        assert [(match["id"], match["relation"]) for match in answer["matches"]] == [("a", "duplicate")]
        assert other["a"]["site"] == "naxos.example" and "a" in other and "b" not in other
        with pytest.raises(KeyError):
            other["b"]
        with pytest.raises(retold.UsageError, match="not open for writing"):
            other.remove(["a"])
        assert index.add([{"id": "a", "text": story}, {"id": "b", "text": story}])[0]["status"] in ("unchanged", "replaced")
        assert index.explain("a", "b")["exact"]
        assert index.remove(["a", "c"]) == [True, False]
        index.compact()
        index.learn()
        assert index.model.learnt == 1
        other.refresh()
        assert "a" not in other and len(other) == 1
    assert len(retold.Index(tmp_path / "index", write=True)) == 1
    with pytest.raises(retold.RetoldError):
        retold.Index(tmp_path / "none")
