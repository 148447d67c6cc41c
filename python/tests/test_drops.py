"""Dropped pages with their texts: `found.explain` and `found.sample`."""

import json

import polars
import pytest
import retold

STORY = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon. The captain said that it was the last boat of the day."


def pages():
    texts = [STORY, STORY, STORY + " <b>Read</b> more.", "From our own reporter. " + STORY, "A bridge was opened on Monday.", STORY.partition(" The captain")[0]]
    return [{"id": "abcdef"[at], "text": text} for at, text in enumerate(texts)]


@pytest.fixture(params=["dicts", "a frame", "a file"])
def found(request, tmp_path):
    given = pages()
    if request.param == "a frame":
        given = polars.DataFrame(given)
    if request.param == "a file":
        (tmp_path / "pages.jsonl").write_text("".join(json.dumps(page) + "\n" for page in given))
        given = tmp_path / "pages.jsonl"
    return retold.dedup(given)


def test_a_drop_is_explained(found):
    [gone] = [row for row in found.dropped if row["id"] == "c"]
    why = found.explain("c")
    assert why["dropped"] == {name: gone[name] for name in ("id", "canonical", "relation", "lost", "parts")}
    assert (why["a"]["id"], why["b"]["id"]) == ("c", gone["canonical"]) and why["a"]["text"] == pages()[2]["text"]
    assert why["only_a"] == ["<b>Read</b> more."] and why["only_b"] == ["From our own reporter."] and gone["canonical"] == "d"
    given = {page["id"]: page for page in pages()}
    same = retold.explain(given["c"], given["d"], model=found.model)
    assert {name: why[name] for name in same} == same and why["relation"] == gone["relation"]
    with pytest.raises(retold.UsageError, match="`d` was not dropped"):
        found.explain("d")
    with pytest.raises(retold.UsageError, match="no page has the id `x`"):
        found.explain("x")


def test_a_sample_is_random_and_the_same_for_a_seed(found):
    # Exact copies of the kept page would be left out; there are none, as `d` is longer than all.
    assert sorted(why["dropped"]["id"] for why in found.sample()) == ["a", "b", "c", "f"]
    orders = {tuple(why["dropped"]["id"] for why in found.sample(2, seed=seed)) for seed in range(20)}
    assert len(orders) > 3 and {len(order) for order in orders} == {2}
    assert found.sample(2, seed=1) == found.sample(2, seed=1)


def test_exact_copies_are_no_drops_to_look_at():
    found = retold.dedup([{"text": STORY}, {"text": STORY}])
    assert len(found.dropped) == 1 and found.sample() == []
    assert "only exact copies" in found.sample()._repr_html_()
    assert found.explain("pages#2")["exact"] and found.explain("pages#2")["only_a"] == []
    assert retold.dedup([{"text": STORY}, {"text": STORY}], mark=True).sample() == []


def test_a_collection_has_its_parts():
    bridge = "A new bridge was opened on Monday by the mayor. It crosses the river north of the old town, and took four years to build. Lorries may use it."
    found = retold.dedup([{"id": "a", "text": STORY}, {"id": "b", "text": bridge}, {"id": "c", "text": f"{STORY}\n{bridge}"}])
    [gone] = [row for row in found.dropped if row["relation"] == "collection"]
    why = found.explain(gone["id"])
    assert why["dropped"]["parts"] == gone["parts"] == 2 and "2 kept pages together have all of it" in why._repr_html_()
    # Beside one of them, it has what the other has.
    assert len(" ".join(why["only_a"])) > 100 and why["only_b"] == []


def test_notebooks_show_both_texts(found):
    shown = found.explain("c")._repr_html_()
    assert "<b>c</b> was dropped for <b>d</b>" in shown
    # What only one of them has is marked, and nothing of a page is taken for HTML.
    assert "boat of the day.<mark> &lt;b&gt;Read&lt;/b&gt; more.</mark>" in shown and "<mark>From our own reporter. </mark>The ferry" in shown
    assert shown.count("<mark>") == 2
    assert found.sample()._repr_html_().count("<table>") == 4
    # Long shared text is shortened.
    long = " ".join(f"word{number}" for number in range(2000))
    why = retold.explain(long, long + " and no end")
    assert why["only_a"] == [] and why["only_b"] == ["and no end"]
    assert "word0 " in why._repr_html_() and "word1999<" in why._repr_html_() and "word1000 " not in why._repr_html_()


def test_a_file_that_has_changed_is_named(tmp_path):
    file = tmp_path / "pages.jsonl"
    file.write_text("".join(json.dumps(page) + "\n" for page in pages()))
    found = retold.dedup(file)
    file.write_text(file.read_text().replace("Naxos", "Paros"))
    with pytest.raises(retold.UsageError, match="page `.`: its text is not what it was in the run; run it again"):
        found.explain("c")


def test_an_index_explains_its_own_pages(tmp_path):
    with retold.Index.create(tmp_path / "index") as index:
        index.add(pages())
        with pytest.raises(retold.UsageError, match="pages of an index"):
            index.export().sample()
        assert index.explain("c", "d")["only_a"] == ["<b>Read</b> more."]
