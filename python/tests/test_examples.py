"""The scripts in `examples/`, on small data."""

import pathlib
import subprocess
import sys

import polars
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
