"""Passages are those of the command."""

import json
import os
import pathlib
import subprocess

import pyarrow
import pytest
import retold

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("memory", [None, "600M"])
def test_tables_are_those_of_the_command(records, tmp_path, memory):
    pages = tmp_path / "pages.jsonl"
    pages.write_text("".join(json.dumps(record) + "\n" for record in records))
    binary = os.environ.get("RETOLD")
    program = [binary] if binary else ["cargo", "run", "--release", "--locked", "--quiet", "--"]
    options = ["--min-words", "8", "--min-chars", "15", "--max-df", "10", "--text"]
    command = [*program, "passages", str(pages), "-o", str(tmp_path / "out"), "-q", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = retold.passages(
        [pages], min_words=8, min_chars=15, max_df=10, text=True, extract="main", memory=memory, temp_dir=tmp_path
    )
    for name in ("passages", "pairs", "copies"):
        written = [json.loads(line) for line in (tmp_path / f"out/{name}.jsonl").read_text().splitlines()]
        table = getattr(found, name)
        assert table.to_pylist() == written, name
        assert pyarrow.table(table).num_rows == len(written) > 0
    summary = json.loads((tmp_path / "out/summary.json").read_text())
    assert found.common.to_pylist() == summary["most_common"] != []


def test_values_that_cannot_be_are_refused():
    with pytest.raises(retold.UsageError, match="min.words"):
        retold.passages([{"text": "One."}], min_words=0)
