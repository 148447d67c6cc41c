"""The recipes for DuckDB, polars, Ray and Daft, run as they are written."""

import contextlib
import importlib.util
import io
import os
import pathlib
import re
import subprocess
import sys

import duckdb
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def sections():
    """The sections of the guide's page on Python, by their headings."""
    parts = re.split(r"^##+ ", (ROOT / "docs/guide/python.md").read_text(), flags=re.M)
    return {part.partition("\n")[0]: part for part in parts}


def cells(table):
    """The rows of a Markdown table, without the line below its head."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    return rows[:1] + rows[2:]


def written(value):
    return "NULL" if value is None else str(value)


def test_the_recipes_run_and_say_what_they_show(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = os.environ.get("RETOLD") or f"cargo run --release --locked --quiet --manifest-path '{ROOT}/Cargo.toml' --"
    text = "".join(sections()[name] for name in ("Recipes", "DuckDB", "polars"))
    # A block, and the table or the output behind it.
    blocks = re.findall(r"^```(sh|sql|python)\n(.*?)^```\n(?:\n((?:\|[^\n]*\n)+)|\n```\n(.*?)^```\n)?", text, re.S | re.M)
    ran, names = [], {}
    for language, block, table, output in blocks:
        ran.append(language)
        if language == "sh":
            subprocess.run(["bash", "-ec", f"retold() {{ {command} \"$@\"; }}\n{block}"], check=True)
        elif language == "sql":
            result = duckdb.sql(block)
            if table:
                assert [result.columns, *([written(value) for value in row] for row in result.fetchall())] == cells(table), block
        else:
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                exec(compile(block, "python.md", "exec"), names)
            assert said.getvalue() == output, block
    assert [ran.count(language) for language in ("sh", "sql", "python")] == [2, 2, 3], ran


@pytest.mark.parametrize("package", ["Ray", "Daft"])
def test_pages_are_checked_in_batches_with(package, tmp_path):
    if importlib.util.find_spec(package.lower()) is None:
        pytest.skip(f"no {package.lower()}")
    page = sections()
    [pages] = re.findall(r"^```sh\n(.*?)^```$", page["Recipes"], re.S | re.M)
    subprocess.run(["bash", "-ec", pages], check=True, cwd=tmp_path)
    # A program of its own, as both send its classes to other processes.
    blocks = [block for name in ("In batches", package) for block in re.findall(r"^```python\n(.*?)^```$", page[name], re.S | re.M)]
    shown = re.findall(r"^```\n\n```\n(.*?)^```$", page[package], re.S | re.M)
    assert len(blocks) == 3 and len(shown) == 2
    (tmp_path / "recipe.py").write_text("".join(blocks))
    done = subprocess.run([sys.executable, "recipe.py"], capture_output=True, text=True, cwd=tmp_path, timeout=300)
    assert done.stdout == "".join(shown), done.stderr
