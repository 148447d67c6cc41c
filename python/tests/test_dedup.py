"""`retold.dedup` gives the tables of `retold dedup`, whatever the pages come as."""

import datetime
import inspect
import json
import pickle
import random
import threading

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest
import retold

TABLES = ("pairs", "clusters", "dropped", "rejects")


def tables(found):
    """The tables as the command writes them."""
    found = {name: getattr(found, name).to_pylist() for name in TABLES}
    for row in found["dropped"]:
        del row["row"]
        # Lines have it only of collections.
        if row["parts"] is None:
            del row["parts"]
    return found


@pytest.fixture(scope="module")
def fixture(records, tmp_path_factory, command):
    """The shared pages as a file, and what the command says of it."""
    folder = tmp_path_factory.mktemp("fixture")
    file = folder / "pages.jsonl"
    file.write_text("".join(json.dumps(page) + "\n" for page in records) + '{"id": "no text"}\n')
    return file, command(folder / "out", file)


def test_results_equal_those_of_the_command_on_files(examples, command, tmp_path):
    expected = command(tmp_path / "out", examples)
    found = retold.dedup(examples)
    assert tables(found) == {name: expected[name] for name in TABLES}
    assert len(expected["pairs"]) > 10 and len(expected["dropped"]) > 5
    summary = found.summary
    assert {key: summary[key] for key in ("records", "pairs", "clusters", "relations", "lost", "sketches")} == {
        key: expected["summary"][key] for key in ("records", "pairs", "clusters", "relations", "lost", "sketches")
    }
    gone = set(found.dropped.column("id"))
    assert len(found.kept) == summary["records"]["kept"] and not gone & set(found.kept.column("id"))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"method": "shingle", "drop": "duplicate", "canonical": "earliest"},
        {"method": "period", "cluster": "components", "params": {"threshold": 0.5}},
        {"method": "tfidf", "canonical": "first"},
        {"preset": "dwdcs", "params": {"hubs": 40}},
        {"preset": "patent"},
        {"own": 0},
        {"own": "50,20%", "drop": "overlaps"},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::retold.RetoldWarning")
def test_results_equal_those_of_the_command_under_options(fixture, records, command, tmp_path, options):
    file, expected = fixture
    if options:
        given = [(f"--{name}", value) for name, value in options.items() if name != "params"]
        given += [("--param", f"{name}={value}") for name, value in options.get("params", {}).items()]
        expected = command(tmp_path / "out", file, *[word for pair in given for word in pair])
    for reject in expected["rejects"]:
        # The command names its own option.
        reject["reason"] = reject["reason"].replace("--text-field which", "text_field= which")
    assert tables(retold.dedup(file, **options)) == {name: expected[name] for name in TABLES}
    # Dicts are a file of the name `pages`, and so are the ids of pages that have none.
    assert expected["rejects"] == [
        {"source": "pages.jsonl", "record": len(records) + 1, "reason": expected["rejects"][0]["reason"]}
    ]
    from_dicts = json.dumps(tables(retold.dedup(iter([*records, {"id": "no text"}]), **options)))
    assert from_dicts == json.dumps({name: expected[name] for name in TABLES}).replace("pages.jsonl", "pages")


def frames(pages):
    yield "pyarrow", pages
    yield "pyarrow reader", pages.to_reader()
    yield "polars", polars.DataFrame(pages)
    yield "pandas", pages.to_pandas()
    yield "duckdb", duckdb.sql("SELECT * FROM pages")
    yield "a lazy frame of polars", polars.LazyFrame(pages)
    yield "a dict of lists", pages.to_pydict()
    yield "a dict of columns", {"text": pages["text"], "html": pages.to_pandas()["html"]} | {
        name: polars.from_arrow(pages[name]) for name in ("id", "url", "date")
    }


def test_every_frame_goes_in_and_every_table_comes_out(records):
    expected = tables(retold.dedup(records))
    table = pyarrow.Table.from_pylist([{"id": None, "html": None, "date": None} | page for page in records])
    for name, frame in frames(table):
        found = retold.dedup(frame)
        assert tables(found) == expected, name
    dropped = found.dropped.to_pylist()
    assert len(dropped) > 5
    assert pyarrow.table(found.dropped).to_pylist() == dropped
    assert polars.DataFrame(found.dropped).to_dicts() == dropped
    # pandas 2, the last for Python 3.10, has no from_arrow.
    if hasattr(pandas.DataFrame, "from_arrow"):
        frame = pandas.DataFrame.from_arrow(found.dropped)
        # In pandas, a missing integer is NaN.
        assert frame.astype(object).where(frame.notna(), None).to_dict("records") == dropped
    gone = found.dropped
    columns = "id, canonical, relation, cluster, cluster_size, lost, parts, row"
    assert duckdb.sql(f"SELECT {columns} FROM gone").fetchall() == [tuple(row.values()) for row in dropped]
    assert pyarrow.table(found.clusters).column("members").to_pylist() == found.clusters.column("members")


def test_clusters_say_how_many_agree(tmp_path):
    story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon."
    sites = [("a", "one.example", "2024-01-02"), ("b", "one.example", "2024-01-05"), ("c", "two.example", None)]
    pages = [{"id": id, "url": f"https://{site}/{id}", "date": date, "text": story} for id, site, date in sites]
    [cluster] = retold.dedup(pages).clusters.to_pylist()
    first, last = "2024-01-02T00:00:00Z", "2024-01-05T00:00:00Z"
    agreement = {"pages": 2, "sites": 2, "inputs": 1, "first_date": first, "last_date": last, "lost": 0}
    assert cluster == {"cluster": 0, "canonical": "a", "members": ["a", "b", "c"]} | agreement
    (tmp_path / "pages.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages))
    with pytest.raises(retold.RetoldError, match="2 of the 3 pages .66.7 %. would be dropped, and the limit is 60 %"):
        retold.dedup(tmp_path / "pages.jsonl", out=tmp_path / "out", stop_if=["dropped=60%"])
    assert not (tmp_path / "out").exists()


def test_columns_of_other_types(tmp_path):
    story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon."
    day = datetime.datetime(2024, 1, 2)
    table = pyarrow.table(
        {
            "id": [1, 2, 3],
            "body": pyarrow.array([story, story + " More.", None]).dictionary_encode(),
            "date": pyarrow.array([day, day - datetime.timedelta(1), None], pyarrow.timestamp("us")),
        }
    )
    found = retold.dedup(table, text_field="body", canonical="earliest")
    assert found.dropped.to_pylist() == [
        {"id": "1", "canonical": "2", "relation": "duplicate", "cluster": 0, "cluster_size": 2, "lost": 0, "parts": None, "row": 0}
    ]
    assert found.rejects.column("record") == [3]
    pyarrow.parquet.write_table(table, tmp_path / "pages.parquet")
    with pytest.raises(retold.UsageError, match="column `id` holds Int64, not strings"):
        retold.dedup(table, text_field="id")
    with pytest.raises(retold.UsageError, match="among id, body, date"):
        retold.dedup(table)


def test_bytes_and_values_that_pandas_has():
    html = "<p>记者从市气象台获悉，今天夜间到明天白天，本市大部分地区有中到大雨。请市民出行注意安全。".encode("gbk")
    found = retold.dedup([{"id": "a", "html": html, "date": float("nan")}, {"id": "b", "html": html.decode("gbk")}])
    assert found.pairs.column("similarity") == [1.0]
    lone = retold.dedup([{"id": "a", "text": "fine"}, {"id": "b", "text": "\ud800"}])
    assert "invalid UTF-8" in lone.rejects.column("reason")[0]


def test_an_output_folder(examples, tmp_path):
    found = retold.dedup(examples, out=tmp_path / "out")
    kept = {path.name for path in (tmp_path / "out" / "kept").rglob("*.html")}
    assert kept == {name for name in found.kept.column("id") if name.endswith(".html")}
    with pytest.raises(retold.UsageError, match="not empty"):
        retold.dedup(examples, out=tmp_path / "out")
    retold.dedup(examples, out=tmp_path / "out", force=True)
    with pytest.raises(retold.UsageError, match="inside the output folder"):
        retold.dedup(tmp_path / "out" / "kept", out=tmp_path / "out", force=True)
    with pytest.raises(retold.UsageError, match="out="):
        retold.dedup([{"text": "a"}], out=tmp_path / "other")


def test_errors_by_kind(tmp_path):
    with pytest.raises(retold.UsageError, match="there is no option `treshold`; there are: "):
        retold.dedup([], treshold=1)
    with pytest.raises(retold.UsageError, match="no method is called `none`"):
        retold.Model(method="none")
    with pytest.raises(retold.UsageError, match="no page could be read"):
        retold.dedup([])
    with pytest.raises(retold.UsageError, match="page 2: a page is a dict"):
        retold.dedup([{"text": "a"}, 3])
    with pytest.raises(retold.UsageError, match="a path, an Arrow table, a dict of columns or an iterable"):
        retold.dedup(3)
    with pytest.raises(retold.UsageError, match="a model has its own options"):
        retold.dedup([{"text": "a"}], model=retold.Model(), drop="both")
    with pytest.raises(retold.FileError, match="cannot read"):
        retold.Model.load(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(retold.CorruptError, match="this is no model"):
        retold.Model.load(tmp_path / "bad.json")
    for kind in (retold.UsageError, retold.FileError, retold.CorruptError, retold.InternalError):
        assert issubclass(kind, retold.RetoldError)


def test_own_sets_the_parameters_of_the_method():
    params = retold.Model(own="50,20%").options["params"]
    assert (params["own_words"], params["own_share"]) == (50, 0.2)
    params = retold.Model(own=0, params={"own_share": 0.1}).options["params"]
    assert (params["own_words"], params["own_share"]) == (0, 0.1)
    with pytest.raises(retold.UsageError, match="`shingle` does not look at passages"):
        retold.Model(method="shingle", own=0)
    with pytest.raises(retold.UsageError, match="own=half: WORDS"):
        retold.dedup([], own="half")


def test_warnings(records):
    with pytest.warns(retold.RetoldWarning, match="^canonical=earliest: .* have no date"):
        retold.dedup(records, canonical="earliest")


@pytest.mark.parametrize(
    "pages, told",
    [
        (pandas.Series(["a"]), r'a pandas.*Series is one column without a name: pass \{"text": column\}'),
        (polars.Series(["a"]), r'a polars.*Series is one column without a name: pass \{"text": column\}'),
        (pyarrow.array(["a"]), "a pyarrow.*Array is one column"),
        (pyarrow.chunked_array([["a"]]), "a pyarrow.*ChunkedArray is one column"),
        (["The ferry left late.", "It came back."], r'cannot read `The ferry left late.`: .*; a str is taken as a path, texts are passed as \[\{"text"'),
        ("The ferry " * 100, "cannot read `The ferry .{70}…`: .*; a str is taken as a path"),
        ([{"text": "a"}, "b"], r'page 2: a page is a dict here, not str: pass \{"text": ...\}'),
        ([b"<p>a"], r'page 1: a page is a dict here, not bytes: pass \{"html": ...\}'),
        ({"text": "a"}, r"a dict is taken as columns, .* but `text` is of type str; one page is passed in a list, as \[page\]"),
        ({"text": ["a", "b"], "id": ["x"]}, "columns have different lengths: `text` 2, `id` 1"),
        ({"body": ["a"]}, "neither a column `text` nor `html` among body: name it with text_field="),
    ],
)
def test_what_is_no_table_of_pages_is_refused_by_name(pages, told):
    with pytest.raises(retold.UsageError, match=told) as error:
        retold.dedup(pages)
    assert len(str(error.value)) < 250


def test_an_error_of_a_stream_is_its_own():
    class Broken:
        def __arrow_c_stream__(self, requested_schema=None):
            raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        retold.dedup(Broken())


def test_what_pandas_has_for_no_value_is_none():
    page = {"id": pandas.NA, "text": "A page.", "date": pandas.NaT, "url": float("nan")}
    assert retold.dedup([page]).kept.column("id") == ["pages#1"]


def test_a_number_that_python_does_not_write_ends_no_call():
    huge = 10**5000
    pages = [{"id": huge, "text": "A page.", "title": huge}, {"text": huge}, {"text": [huge]}, {"id": [huge], "text": "Another one."}]
    found = retold.dedup(pages)
    assert found.kept.column("id") == [hex(huge), "pages#4"]
    assert [row["reason"].split(": ")[1] for row in found.rejects] == [
        "field `text` is a number, not a string",
        "field `text` is a list, not a string",
    ]
    assert retold.text({"id": huge, "text": "A page."}).id == hex(huge)


def test_bytes_with_a_suffix(records, tmp_path):
    expected = tables(retold.dedup(records))
    for memory in (1 << 30, "1G", "1024m", str(1 << 30)):
        assert tables(retold.dedup(records, memory=memory, temp_dir=tmp_path)) == expected
    with pytest.raises(retold.UsageError, match="^memory=16777216: too little"):
        retold.dedup(records, memory="16M", temp_dir=tmp_path)
    for wrong in ("4X", "much", "", "0", -1, 4.5):
        with pytest.raises(retold.UsageError, match=f"^memory={wrong}: a number of bytes .*expected|^memory={wrong}: a number of bytes from 1"):
            retold.dedup(records, memory=wrong)
    found = retold.dedup([{"text": "a" * 2000}, {"text": "b"}], max_record_size="1K")
    assert found.summary["parameters"]["max_record_size"] == 1024
    assert found.rejects.column("reason") == ["larger than max_record_size= (1024 bytes)"]
    with pytest.raises(retold.UsageError, match="^max_record_size=1T: a number of bytes expected"):
        retold.Model(max_record_size="1T")


def test_messages_have_the_names_of_python(tmp_path):
    table, full = tmp_path / "pages.csv", tmp_path / "full"
    table.write_text("a,b\n1,2\n")
    full.mkdir()
    (full / "own").touch()
    told = {
        "say with text_field= which one holds the text$": {},
        "^user_dict=no words: ": {"user_dict": "no words"},
        "^synonyms=none: ": {"synonyms": "none"},
        "^extract=precise is not built in; .* or use extract=main$": {"extract": "precise"},
        "^out=s3://a: ": {"out": "s3://a"},
        "^out=.*: the folder is not empty; name another, or add force=True to replace": {"out": full, "text_field": "a"},
        "is inside the output folder .*; name another folder with out=$": {"out": tmp_path, "text_field": "a"},
    }
    for message, options in told.items():
        with pytest.raises(retold.UsageError, match=message):
            retold.dedup(table, **options)
    reasons = []
    list(retold.read(table, on_reject=lambda *reject: reasons.append(reject[2])))
    assert len(reasons) == 1 and "say with text_field= which" in reasons[0]
    text = [{"text": "The ferry left late."}]
    (tmp_path / "some.jsonl").write_text('{"id": "a", "text": "The ferry left late."}\n')
    (tmp_path / "no.jsonl").write_text('{"id": "a", "no_question": 1}\n')
    (tmp_path / "half" / ".retold-resume").mkdir(parents=True)
    calls = {
        "there is an interrupted run; continue it with `retold dedup .*resume`, or add force=True": lambda: retold.dedup(
            tmp_path / "some.jsonl", out=tmp_path / "half"
        ),
        "make one with retold.Index.create.path.": lambda: retold.Index(tmp_path / "none"),
        "name it as preset, .*`preset=dwdcs`": lambda: retold.Model(method="dwdcs"),
        "^min_words=0: ": lambda: retold.blocks(text, min_words=0),
        "^passage_words=0: ": lambda: retold.blocks(text, unit="passage", passage_words=0),
        "^max_df=1: ": lambda: retold.passages(text, max_df=1),
        "^source_overlap=3: ": lambda: retold.passages(text, source_overlap=3),
        "name the field with question_fields=": lambda: retold.decontaminate(tmp_path / "some.jsonl", tmp_path / "no.jsonl", out=tmp_path / "out"),
        "name the field with size_field=, .* retold.dedup.annotate=True.": lambda: retold.sample(tmp_path / "some.jsonl", {1: 1}, out=tmp_path / "out"),
    }
    for message, call in calls.items():
        with pytest.raises(retold.UsageError, match=message) as error:
            call()
        assert "--" not in str(error.value).replace("`retold dedup --resume`", "")
    # What is no option stays as it is.
    with pytest.raises(retold.UsageError, match="there is no option `--text-fields`"):
        retold.dedup(table, **{"--text-fields": "a"})


def test_rows_lead_back_to_what_was_passed(records, tmp_path):
    pages = [*records, {"id": "no text"}, {"text": "After the reject."}, *records]
    for given in (pages, iter(pages), pyarrow.Table.from_pylist([{"id": None, "html": None} | page for page in pages])):
        found = retold.dedup(given)
        kept, dropped = found.kept.column("row"), found.dropped.column("row")
        rejected = [record - 1 for record in found.rejects.column("record")]
        assert kept == sorted(kept) and sorted(kept + dropped + rejected) == list(range(len(pages)))
        for row in [*found.kept, *found.dropped]:
            page = pages[row["row"]]
            # Ids that were there before have got a number.
            own = page.get("id") or page.get("url") or f"pages#{row['row'] + 1}"
            assert row["id"] == own or row["id"].startswith(f"{own}#"), row
        assert any(row["id"] == "s0#2" for row in [*found.kept, *found.dropped])
        clean = [pages[row] for row in kept]
        # No kept page repeats another, except a collection within a larger one: as a part of that it stays, but without the stories
        # that are gone now the larger one is no collection.
        again = [(row["id"], row["canonical"], row["relation"]) for row in retold.dedup(clean).dropped]
        assert again == [("digest", "digest-more", "contained_by")]
    file = tmp_path / "pages.jsonl"
    file.write_text("".join(json.dumps(page) + "\n" for page in pages))
    assert {*retold.dedup(file).kept.column("row"), *retold.dedup(file).dropped.column("row")} == {None}


def many(count):
    """Pages that share a text by threes."""
    for number in range(count):
        words = random.Random(number // 3)
        story = " ".join(f"w{words.randrange(5000)}" for _ in range(300))
        yield {"id": str(number), "text": f"{story} end {number}."}


def test_progress_is_shown_and_other_threads_go_on():
    seen, ticks, done = [], [], threading.Event()

    def beside():
        while not done.wait(0.001):
            ticks.append(1)

    thread = threading.Thread(target=beside)
    thread.start()
    found = retold.dedup(list(many(6000)), progress=lambda *what: seen.append(what))
    done.set()
    thread.join()
    assert len(found.dropped) == 4000
    assert seen and {type(value) for what in seen for value in what} == {str, int}
    # With the interpreter's lock held, the other thread would have stood still.
    assert len(ticks) > 10


def test_an_exception_of_progress_stops_the_run():
    def stop(stage, done, total):
        raise LookupError(stage)

    with pytest.raises(LookupError):
        retold.dedup(list(many(20000)), progress=stop)


def test_signatures_show_options_and_defaults():
    shown = inspect.signature(retold.dedup).parameters
    assert shown["method"].default == "coverage" and shown["alarm_size"].default == 1000
    assert shown["fold"].default == ["nfkc", "case", "simplify"]
    model = inspect.signature(retold.Model).parameters
    assert all(shown[name].default == parameter.default for name, parameter in model.items())
    assert "kept" not in model and set(model) < set(shown)


def test_what_is_written_can_be_set_beside_a_model(records):
    model = retold.dedup(records).model
    marked = retold.dedup(records, model=model, mark=True)
    assert len(marked.dropped) == 0 and marked.summary["parameters"]["mark"] is True
    assert "mark" not in marked.model.options


def test_filters_and_orders_of_preference_look_at_fields(tmp_path):
    story = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon. It was the last boat of the day."
    named = [("a", "en", 1), ("b", "de", 3), ("c", "en", 2)]
    pages = [{"id": id, "text": story, "lang": lang, "score": score} for id, lang, score in named]

    def gone(**options):
        return [(row["id"], row["canonical"]) for row in retold.dedup(pages, **options).dropped]

    assert gone() == [("b", "a"), ("c", "a")]
    assert gone(within=["lang"]) == [("c", "a")]
    assert gone(across="lang", canonical="field:score:desc") == [("a", "b"), ("c", "b")]
    assert gone(within=["lang"], drop="all") == [("a", "c"), ("c", "a")]
    assert pyarrow.table(retold.dedup(pyarrow.Table.from_pylist(pages), within=["lang"]).dropped).column("id").to_pylist() == ["c"]
    model = retold.Model(within=["lang"])
    assert model.compare(pages[0], pages[1]) is None and model.compare(pages[0], pages[2]).relation == "duplicate"
    assert model.explain(pages[0], pages[1])["filter"] == "within=lang: the pages differ in it"
    text = pickle.loads(pickle.dumps(model.text(pages[1])))
    assert model.compare(pages[0], text) is None
