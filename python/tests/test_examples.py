"""The scripts in `examples/`, on small data."""

import gzip
import os
import pathlib
import subprocess
import sys

import polars
import pyarrow.parquet
import pytest
import retold

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


def run(script, *arguments, **more):
    done = subprocess.run(
        [sys.executable, EXAMPLES / script, *map(str, arguments)], capture_output=True, text=True, timeout=300, **more
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_clean_a_parquet_corpus(records, tmp_path):
    pages = [{"id": str(number), "text": page.get("text")} for number, page in enumerate(records)]
    polars.DataFrame(pages).write_parquet(tmp_path / "corpus.parquet")
    said = run("clean_parquet.py", tmp_path / "corpus.parquet", tmp_path / "clean.parquet")
    found = retold.dedup(pages)
    clean = polars.read_parquet(tmp_path / "clean.parquet")
    assert clean["id"].to_list() == found.kept.column("id") and clean.height < len(pages)
    assert f"{len(pages)} pages, {clean.height} kept" in said


def warc(pages):
    """A WARC file of responses, each record a gzip member, as Common Crawl writes them."""
    for page in pages:
        html = page["html"].encode()
        body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + html
        head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {page['url']}\r\nWARC-Date: 2024-01-02T03:04:05Z\r\n"
        head += f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(body)}\r\n\r\n"
        yield gzip.compress(head.encode() + body + b"\r\n\r\n")


def test_dedup_a_crawl_on_spark(tmp_path):
    pytest.importorskip("pyspark")
    stories = [" ".join(f"word{story}x{at}" for at in range(120)) for story in range(4)]
    pages = [
        {"url": f"http://site{at % 3}.example/{at}", "html": f"<html><body><p>{stories[at % 4]}. Page {at // 4}.</p></body></html>"}
        for at in range(12)
    ]
    (tmp_path / "warcs").mkdir()
    for number in range(2):
        (tmp_path / "warcs" / f"{number}.warc.gz").write_bytes(b"".join(warc(pages[number * 6 : number * 6 + 6])))
    out = tmp_path / "out"
    env = os.environ | {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    said = run("commoncrawl_spark.py", tmp_path / "warcs", out, "--master", "local[2]", "--partitions", 2, env=env, cwd=tmp_path)
    kept = pyarrow.parquet.read_table(out / "kept")
    expected = retold.dedup(pyarrow.parquet.read_table(out / "pages"))
    assert len(kept) == 4 and "12 pages, 8 dropped" in said
    assert sorted(kept["id"].to_pylist()) == sorted(expected.kept.column("id"))
