"""DuckDB, Polars and datasets ask an index, and find near-duplicates, as Python does."""

import importlib.util
import json

import duckdb
import polars
import pyarrow
import pytest
import retold
import retold.duckdb

STORY = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon. The captain said that it was the last boat of the day."
BEGIN = STORY.partition(" The captain")[0]
MORE = " Nobody of the nineteen sailors was hurt, the company told reporters on Tuesday, and the next boat leaves in the morning."
OTHER = "A new bridge was opened on Monday by the mayor, and traffic no longer has to take the long way round the lake."


@pytest.fixture
def index(tmp_path):
    with retold.Index.create(tmp_path / "index") as made:
        made.add({"text": [STORY]})
        yield made


def test_an_index_says_what_it_has_seen(index, tmp_path):
    # The page of the index has the id that the first of these would get.
    assert index.query({"text": [STORY]})[0]["matches"] == []
    seen = index.seen({"text": [STORY, BEGIN, STORY + MORE, OTHER, None, ""]})
    assert seen.column("status") == ["repeat", "repeat", "adds", "new", "rejected", "new"]
    assert seen.column("id") == ["pages#1"] * 3 + [None] * 3
    assert seen.column("relation") == ["duplicate", "contained_by", "contains", None, None, None]
    assert seen.column("similarity")[0] == 1.0 and seen.column("added_words") == [0, 0, 21, None, None, None]
    assert len(index) == 1
    # Without texts, the best match decides.
    with retold.Index.create(tmp_path / "sketches", texts=False) as sketches:
        sketches.add([{"id": "a", "text": STORY}])
        seen = sketches.seen({"text": [STORY, OTHER]})
        assert seen.column("status") == ["repeat", "new"] and seen.column("id") == ["a", None]


def test_duckdb_asks_an_index(index):
    con = duckdb.connect()
    retold.duckdb.register(con, index)
    pages = pyarrow.table({"n": range(6), "text": [STORY, None, STORY + MORE, OTHER, "", BEGIN]})
    rows = con.sql("SELECT n, retold_seen(text) AS seen FROM pages ORDER BY n").fetchall()
    told = [seen and (seen["status"], seen["id"], seen["added_words"]) for _, seen in rows]
    assert told == [("repeat", "pages#1", 0), None, ("adds", "pages#1", 21), ("new", None, None), ("new", None, None), ("repeat", "pages#1", 0)]
    # The answers are not kept, and the function can be replaced.
    index.add([{"id": "b", "text": OTHER}])
    retold.duckdb.register(con, index)
    assert con.sql("SELECT retold_seen(text).id FROM pages WHERE n = 3").fetchall() == [("b",)]


def test_duckdb_asks_in_batches_on_all_threads(index):
    con = duckdb.connect()
    retold.duckdb.register(con, index)
    con.execute("CREATE TABLE many AS SELECT i AS n, CASE WHEN i % 3 = 0 THEN $1 WHEN i % 3 = 1 THEN $2 || i END AS text FROM range(30000) r(i)", [STORY, OTHER])
    counts = con.sql("SELECT retold_seen(text).status AS status, count(*) FROM many GROUP BY status ORDER BY status").fetchall()
    assert counts == [("new", 10000), ("repeat", 10000), (None, 10000)]


@pytest.mark.filterwarnings("ignore::retold.RetoldWarning")
def test_duckdb_finds_what_python_finds(records):
    pages = [page | {"id": page.get("id", f"none{number}"), "n": number} for number, page in enumerate(records[:-1])]
    local = retold.dedup(pages, canonical="earliest,longest")
    rows = pyarrow.Table.from_pylist([{"html": None, "date": None} | page for page in pages])
    con = duckdb.connect()
    con.execute("CREATE TABLE pages AS FROM rows")
    found = retold.duckdb.dedup(con, "pages", canonical="earliest,longest")
    gone = [(row["id"], row["canonical"], row["relation"]) for row in local.dropped]
    assert len(gone) > 5 and found.dropped.project("id, canonical, relation").order("id").fetchall() == sorted(gone)
    # All columns of the rows, and no others.
    assert found.kept.columns == con.table("pages").columns
    assert [id for id, in found.kept.project("id").order("id").fetchall()] == sorted(local.kept.column("id"))
    assert found.summary["records"] == local.summary["records"] and found.model.options["canonical"] == "earliest,longest"
    assert repr(found) == repr(local).replace("retold.", "retold.duckdb.")
    assert len(found.clusters.fetchall()) == len(local.clusters) and len(found.pairs.fetchall()) == len(local.pairs)
    assert found.explain(gone[0][0])["dropped"]["canonical"] == gone[0][1]
    query = "SELECT n AS number, text AS body, html, url, date FROM pages WHERE text IS NOT NULL AND id != 'empty'"
    numbered = retold.duckdb.dedup(con, query, id_field="number", text_field="body")
    model = retold.duckdb.dedup(con, query, model=numbered.model)
    assert numbered.dropped.fetchall() == model.dropped.fetchall() and numbered.kept.project("typeof(number)").fetchall()[0] == ("BIGINT",)


def test_duckdb_needs_ids(tmp_path):
    con = duckdb.connect()
    (tmp_path / "pages.jsonl").write_text("".join(json.dumps({"id": id, "text": STORY}) + "\n" for id in "aab"))
    file = f"'{tmp_path}/pages.jsonl'"
    with pytest.raises(retold.UsageError, match="2 pages have the id `a`: ids must be there and unique"):
        retold.duckdb.dedup(con, file)
    with pytest.raises(retold.UsageError, match="1 pages have no id"):
        retold.duckdb.dedup(con, "SELECT NULL AS id, 'A page.' AS text")
    with pytest.raises(retold.UsageError, match="no column for ids among text: name one with id_field= or url_field="):
        retold.duckdb.dedup(con, "SELECT 'A page.' AS text")
    assert retold.duckdb.dedup(con, f"SELECT row_number() OVER () AS id, text FROM {file}").kept.fetchall() == [(1, STORY)]


def test_polars_asks_an_index_and_finds_duplicates(index):
    pages = polars.DataFrame({"n": range(3), "text": [STORY, OTHER, STORY + MORE]})
    seen = pages.with_columns(polars.DataFrame(index.seen(pages)).to_struct("seen"))
    assert seen["seen"].struct.field("status").to_list() == ["repeat", "new", "adds"]

    def ask(batch):
        return batch.with_columns(polars.DataFrame(index.seen(batch)).to_struct("seen"))

    lazy = pages.lazy().map_batches(ask, schema=seen.schema, streamable=True)
    assert lazy.filter(polars.col("seen").struct.field("status") != "repeat").collect()["n"].to_list() == [1, 2]
    found = retold.dedup(pages.lazy())
    assert pages[found.kept.column("row")]["n"].to_list() == [1, 2]


@pytest.mark.skipif(importlib.util.find_spec("datasets") is None, reason="no datasets")
def test_a_dataset_of_hugging_face_is_a_table(index):
    import datasets

    dataset = datasets.Dataset.from_dict({"n": [0, 1, 2], "text": [STORY, OTHER, STORY + MORE]})
    found = retold.dedup(dataset)
    assert dataset.select(found.kept.column("row"))["n"] == [1, 2]
    # After a selection, the rows are those of the selection.
    part = dataset.select([2, 0])
    assert part.select(retold.dedup(part).kept.column("row"))["n"] == [2]
    marked = dataset.map(lambda batch: {"seen": index.seen({"text": batch["text"]}).column("status")}, batched=True)
    assert marked["seen"] == ["repeat", "new", "adds"]
    with pytest.raises(retold.UsageError, match="DatasetDict"):
        retold.dedup(datasets.DatasetDict({"train": dataset}))
