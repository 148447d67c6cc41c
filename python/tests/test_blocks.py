"""Blocks are those of the command."""

import json
import os
import pathlib
import subprocess

import pytest
import retold

ROOT = pathlib.Path(__file__).resolve().parents[2]


def pages():
    for n in range(6):
        story = f"Story {n} tells of the {n}th ferry, of the sea and of the storm." if n else "Sold out."
        yield {
            "id": f"p{n}",
            "url": f"http://a.example/{n}",
            "date": f"2026-01-0{9 - n}",
            "score": n % 4,
            "text": f"News of the islands\n\n{story}\n\nShare this page",
        }


@pytest.mark.parametrize("options", [{}, {"scope": "collection", "unit": "line", "keep": "none"}, {"canonical": "field:score:desc,first"}])
def test_tables_are_those_of_the_command(options, tmp_path):
    file = tmp_path / "pages.jsonl"
    file.write_text("".join(json.dumps(page) + "\n" for page in pages()))
    binary = os.environ.get("RETOLD")
    program = [binary] if binary else ["cargo", "run", "--release", "--locked", "--quiet", "--"]
    given = [word for name, value in options.items() for word in ("--" + name, value)]
    command = [*program, "blocks", str(file), "-o", str(tmp_path / "out"), "-q", "--text", *given]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = retold.blocks([file], text=True, **options)
    for name in ("blocks", "spans", "dropped"):
        written = [json.loads(line) for line in (tmp_path / f"out/{name}.jsonl").read_text().splitlines()]
        rows = [{key: value for key, value in row.items() if value is not None} for row in getattr(found, name).to_pylist()]
        for row in written:
            row.pop("reason", None)
        assert rows == written != [], name
    assert "blocks" in repr(found)


def test_spans_are_places_in_the_texts_that_were_passed():
    given = list(pages())
    found = retold.blocks(given, text=True)
    texts = {row["block"]: row["text"] for row in found.blocks.to_pylist()}
    by_id = {page["id"]: page["text"] for page in given}
    spans = found.spans.to_pylist()
    assert len(spans) == 10 and all(row["cut"] for row in spans)
    assert all(by_id[row["id"]][row["begin"] : row["end"]] == texts[row["block"]] for row in spans)
    # The earliest page keeps both; the one with the least words is dropped.
    assert {row["id"] for row in spans} == {"p0", "p1", "p2", "p3", "p4"}
    assert found.dropped.to_pylist()[0]["id"] == "p0"


@pytest.mark.parametrize(
    "options", [{"unit": "word"}, {"scope": "web"}, {"keep": "under:1"}, {"canonical": "newest"}, {"canonical": "rank"}, {"min_words": 0}]
)
def test_values_that_cannot_be_are_refused(options):
    with pytest.raises(retold.UsageError, match=next(iter(options)).replace("_", ".")):
        retold.blocks([{"text": "One."}], **options)
