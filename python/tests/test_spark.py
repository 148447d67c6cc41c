"""`retold.spark.dedup` gives what `retold.dedup` gives, on a cluster of two workers."""

import json
import random
import threading
import time

import pytest
import retold

pyspark = pytest.importorskip("pyspark")

from cluster import cluster, session  # noqa: E402

import retold.spark  # noqa: E402


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    with cluster(tmp_path_factory.mktemp("cluster")) as started:
        yield started


@pytest.fixture(scope="module")
def spark(running, tmp_path_factory):
    started = session(running.url, tmp_path_factory.mktemp("session"))
    yield started
    started.stop()


def tables(local):
    names = ("pairs", "clusters", "dropped")
    rows = {name: getattr(local, name).to_pylist() for name in names}
    for row in rows["dropped"]:
        del row["row"]
    return {name: sorted(map(str, rows[name])) for name in names}


def collected(found):
    names = ("pairs", "clusters", "dropped")
    return {name: sorted(str(row.asDict()) for row in getattr(found, name).collect()) for name in names}


def check(found, local):
    assert collected(found) == tables(local)
    # As local runs call them: the ids of the input's rows.
    assert sorted(row[0] for row in found.kept.select("id").collect()) == sorted(local.kept.column("id"))
    assert found.summary["records"]["kept"] == local.summary["records"]["kept"]
    assert found.summary["records"]["dropped"] == local.summary["records"]["dropped"]
    assert found.summary["pairs"] == local.summary["pairs"] and found.summary["clusters"] == local.summary["clusters"]


def frame(spark, pages, partitions):
    names = ("id", "text", "html", "url", "date")
    rows = [tuple(page.get(name) for name in names) for page in pages]
    return spark.createDataFrame(rows, ", ".join(f"{name} string" for name in names)).repartition(partitions)


def collection(count, notice=""):
    """Families of versions, chains of longer and longer pages, parts and copies; a notice on every page."""
    pages = []
    for number in range(count):
        words = random.Random(number // 5)
        story = [f"w{words.randrange(3000)}" for _ in range(words.randrange(80, 300))]
        own = random.Random(number)
        kind = number % 5
        if kind == 1:
            story = story[: len(story) * 2 // 3]
        if kind == 2:
            story = story + [f"w{own.randrange(3000)}" for _ in range(40)]
        if kind == 3:
            story[own.randrange(len(story))] = "changed"
        if kind == 4 and own.random() < 0.5:
            story = [f"w{own.randrange(3000)}" for _ in range(own.randrange(8, 200))]
        pages.append(
            {
                "id": f"page{number:06}",
                "text": " ".join(story) + "." + notice,
                "url": f"http://site{number % 7}.example/{number}",
                "date": f"2024-01-{1 + number % 28:02}",
            }
        )
    return pages


@pytest.fixture(scope="module")
def pages(records):
    shared = [page | {"id": page.get("id", f"none{number}")} for number, page in enumerate(records[:-1])]
    return collection(600) + shared


def test_executors_have_the_package_from_the_archive(spark):
    def where(batches):
        import pyarrow
        import retold

        for _ in batches:
            yield pyarrow.RecordBatch.from_pydict({"path": [retold.__file__]})

    assert "/packages/retold/" in spark.range(1).mapInArrow(where, "path string").head().path


@pytest.mark.parametrize("partitions", [1, 7, 64])
def test_it_equals_the_local_run(spark, pages, partitions):
    found = retold.spark.dedup(frame(spark, pages, partitions), partitions=min(partitions, 7))
    local = retold.dedup(pages)
    check(found, local)
    assert found.model.to_json() == local.model.to_json()
    assert len(local.pairs) > 400 and found.summary["run"]["shuffled_bytes_per_page"] > 0
    found.unpersist()


@pytest.mark.parametrize(
    "options",
    [
        {"method": "period", "cluster": "components", "canonical": "earliest", "params": {"noise": "idf+site", "idf_min_df": 5}},
        {"method": "shingle", "drop": "duplicate", "exact": False},
        {"preset": "patent"},
        {"method": "coverage", "across": "site", "window": "9d", "canonical": "field:date:desc,url-length", "drop": "all"},
    ],
    ids=lambda options: options.get("method") or options["preset"],
)
def test_it_equals_the_local_run_under_options(spark, pages, options):
    model = retold.Model(**options).learn(pages)
    found = retold.spark.dedup(frame(spark, pages, 3), model=model)
    check(found, retold.dedup(pages, model=model))
    found.unpersist()


def captures():
    """Addresses that were fetched several times: newer texts, challenges, what was cut off, and canonical links."""
    told = random.Random(5)
    challenge = " ".join(f"Step {number} of 20: please show that you are no robot." for number in range(1, 21))
    for number, page in enumerate(collection(150)):
        url = f"http://site{number % 4}.example/{number}"
        old = page | {"url": url}
        yield old
        if number % 2:
            newer = old["text"] + f" Corrected at {number} o'clock, the editors of this page say, and they are sorry for what was wrong before."
            text = told.choice([newer, newer, challenge, old["text"][:60], f"A page about something else, number {number}.", ""])
            date = told.choice(["2024-03-01", "2024-03-01", None, old["date"], "2023-12-31"])
            yield {"id": f"again{number:03}", "url": url + "/?utm_source=x#top", "date": date, "text": text}
        if number % 5 == 0:
            yield {"id": f"third{number:03}", "url": url, "date": "2024-04-01", "text": told.choice([challenge, old["text"] + " One more line of news."])}
        if number % 10 == 0:
            html = f"<link rel=canonical href='{url}'><p>{old['text'][: len(old['text']) // 2]}"
            yield {"id": f"print{number:03}", "url": f"http://print.example/{number}", "html": html}


@pytest.mark.parametrize(
    "options",
    [
        {"same_url": "normalised"},
        {"same_url": "exact", "canonical": "earliest"},
        {"same_url": "canonical", "drop": "all"},
        {"same_url": "normalised", "versions": "keep"},
    ],
    ids=lambda options: "-".join(options.values()),
)
def test_one_page_stands_for_an_address(spark, command, tmp_path, options):
    pages = list(captures())
    (tmp_path / "pages.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages))
    given = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", value)]
    expected = command(tmp_path / "out", tmp_path / "pages.jsonl", *given)
    found = retold.spark.dedup(frame(spark, pages, 5), **options)
    for name in ("pairs", "clusters", "dropped"):
        rows = [row.asDict() for row in getattr(found, name).collect()]
        lines = [{"parts": None} | line if name == "dropped" else line for line in expected[name]]
        assert sorted(map(str, rows)) == sorted(str({field: line[field] for field in rows[0]}) for line in lines), name
    lines = [json.loads(line) for line in (tmp_path / "out" / "versions.jsonl").read_text().splitlines()]
    versions = [(line["newest"], page["id"], page["date"]) for line in lines for page in line["versions"]]
    assert len(versions) >= 60 and sorted(map(tuple, found.versions.collect())) == sorted(versions)
    assert found.summary["same_url"] == expected["summary"]["same_url"]
    for count in ("kept", "dropped"):
        assert found.summary["records"][count] == expected["summary"]["records"][count]
    found.unpersist()


def test_rejects_and_wrong_use(spark):
    rows = [("a", "A page."), ("b", None), (None, "Nameless.")]
    df = spark.createDataFrame(rows, "id string, text string")
    found = retold.spark.dedup(df)
    assert sorted(map(tuple, found.rejects.collect()), key=str) == [
        ("b", "neither field `text` nor `html`; its other fields are: id; say with text_field= which one holds the text"),
        (None, "neither field `id` nor `url`: a page needs an id"),
    ]
    assert [row.id for row in found.kept.collect()] == ["a"]
    with pytest.raises(retold.UsageError, match="2 pages have the id `a`"):
        retold.spark.dedup(df.union(df).where("id = 'a'"))
    with pytest.raises(retold.UsageError, match="no column for pages among id, text"):
        retold.spark.dedup(df, text_field="body")
    with pytest.raises(retold.UsageError, match="document frequencies"):
        retold.spark.dedup(df, method="tfidf")
    with pytest.raises(retold.UsageError, match="a model has its own options"):
        retold.spark.dedup(df, model=retold.Model(), method="period")


def test_one_disclaimer_on_every_page(spark, monkeypatch):
    notice = (
        " This page is protected by copyright. All rights are reserved by the publisher, and no part of it may be copied, "
        "shown or sold without a permission in writing. Errors and omissions excepted. The publisher is not liable for the "
        "content of other sites that this page links to."
    )
    pages = collection(1300, notice)
    local = retold.dedup(pages)
    # Components in rounds, too.
    monkeypatch.setattr(retold.spark, "_ON_DRIVER", 0)
    found = retold.spark.dedup(frame(spark, pages, 4))
    assert found.summary["run"]["heavy_keys"] > 0 and found.summary["run"]["rounds"] > 1 and found.summary["run"]["together"] == len(pages)
    check(found, local)
    found.unpersist()


def test_components_decided_by_themselves(spark, pages, monkeypatch):
    """What is done where those with heavy keys are too many for one task."""
    notice = " ".join(f"clause{number} of the terms" for number in range(12)) + "."
    pages = [page | {"text": f"{page.get('text')} {notice}"} if number % 3 == 0 else page for number, page in enumerate(pages)]
    monkeypatch.setattr(retold.spark, "_TOGETHER", 0)
    found = retold.spark.dedup(frame(spark, pages, 4))
    assert found.summary["run"]["heavy_keys"] > 0 and found.summary["run"]["together"] > 200
    check(found, retold.dedup(pages))
    found.unpersist()


def test_a_worker_dies_in_mid_job(spark, running, pages):
    """Last, as it leaves one worker."""
    # Slow enough to be hit, by a column that has to be computed.
    df = frame(spark, pages, 16)
    tracker, killed = spark.sparkContext.statusTracker(), []

    def kill():
        first = min(tracker.getActiveJobsIds() or [0])
        for _ in range(600):
            stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
            if any(stage and stage.numCompletedTasks > 2 for stage in stages) and max(tracker.getActiveJobsIds() or [0]) > first + 4:
                running.kill_worker()
                killed.append(time.monotonic())
                return
            time.sleep(0.05)

    watcher = threading.Thread(target=kill)
    watcher.start()
    found = retold.spark.dedup(df)
    watcher.join()
    assert killed
    executors = spark.sparkContext._jsc.sc().statusStore().executorList(False)
    assert sum(not executors.apply(at).isActive() for at in range(executors.size())) == 1
    check(found, retold.dedup(pages))
