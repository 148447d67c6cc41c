"""The index, as Python sees it: what goes in one by one comes out as from a run."""

import datetime

import pytest
import retold


def rows(table):
    return sorted(str({name: value for name, value in row.items() if name != "row"}) for row in table)


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
        assert {*found.kept.column("row"), *found.dropped.column("row")} == {None}
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


def test_stories(tmp_path):
    def told(name, days):
        text = " ".join(f"{name}{at}" for at in range(60))
        return [{"id": f"{name}-{day}", "text": text, "title": name, "date": f"2026-11-{day:02}", "url": f"http://s{day}.example/{name}"} for day in days]

    with retold.Index.create(tmp_path / "index") as index:
        index.add([*told("ferry", (1, 2, 3)), *told("bridge", (4, 5)), *told("alone", (6,))])
        ferry = {
            "id": "ferry-1",
            "title": "ferry",
            "url": "http://s1.example/ferry",
            "pages": 3,
            "excerpts": 0,
            "longer": 0,
            "round_ups": 0,
            "sites": 3,
            "first_seen": "2026-11-01T00:00:00Z",
            "last_seen": "2026-11-03T00:00:00Z",
        }
        stories = index.stories()
        assert stories[0] == ferry and [story["id"] for story in stories] == ["ferry-1", "bridge-4"]
        assert [story["id"] for story in index.stories(sort="recent")] == ["bridge-4", "ferry-1"]
        assert index.stories(limit=1) == [ferry]
        for since in ("2026-11-04", datetime.date(2026, 11, 4), datetime.datetime(2026, 11, 4, tzinfo=datetime.timezone.utc)):
            assert [story["id"] for story in index.stories(since=since)] == ["bridge-4"]
        story = index.story("ferry-2")
        assert {name: story[name] for name in ("id", "sites", "first_seen", "last_seen")} == {
            "id": "ferry-1",
            "sites": 3,
            "first_seen": ferry["first_seen"],
            "last_seen": ferry["last_seen"],
        }
        assert [(page["id"], page["what"], page["site"]) for page in story["timeline"]] == [
            ("ferry-1", "first", "s1.example"),
            ("ferry-2", "copied", "s2.example"),
            ("ferry-3", "copied", "s3.example"),
        ]
        assert {page["part"] for page in story["timeline"]} == {"page"} and story["timeline"][1]["of"] == "ferry-1"
        [row] = index.story("ferry-2", skip=1, limit=1, edits=True)["timeline"]
        assert row["id"] == "ferry-2" and row["edits"]["added"] == 0
        assert [page["id"] for page in index.story("alone-6")["timeline"]] == ["alone-6"]
        with pytest.raises(retold.UsageError, match="no page of the index has the id `none`"):
            index.story("none")
        with pytest.raises(retold.UsageError, match="^since=yesterday: a date expected"):
            index.stories(since="yesterday")
        with pytest.raises(retold.UsageError, match='^sort=age: "size", "recent" or "growth" expected'):
            index.stories(sort="age")
