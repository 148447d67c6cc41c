import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def examples():
    return ROOT / "examples" / "pages"


@pytest.fixture(scope="session")
def command():
    """Runs the command `retold` (built by cargo, unless $RETOLD names one); answers the output folder's tables."""
    binary = os.environ.get("RETOLD")

    def run(out, *arguments):
        program = [binary] if binary else ["cargo", "run", "--release", "--locked", "--quiet", "--"]
        arguments = ["dedup", *map(str, arguments), "-o", str(out), "-q"]
        done = subprocess.run(program + arguments, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode in (0, 1), done.stderr
        tables = {name: _lines(out / f"{name}.jsonl") for name in ("pairs", "clusters", "dropped", "rejects")}
        return tables | {"summary": json.loads((out / "summary.json").read_text())}

    return run


def _lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture(scope="session")
def records():
    """Pages that every door is tried with: copies, reprints, parts, a disclaimer on all of a site, pages that overlap, collections, pages
    under one notice, HTML, odd ids."""
    stories = [
        "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon. The captain said "
        "that it was the last boat of the day. Nobody was hurt, and the harbour stayed open for fishing boats.",
        "A new bridge was opened on Monday by the mayor. It crosses the river north of the old town, and took four years to "
        "build. Lorries may use it from Thursday on. The old bridge stays open for people on foot.",
        "记者从市气象台获悉，今天夜间到明天白天，本市大部分地区有中到大雨。请市民出行注意安全，尽量避开低洼路段。"
        "气象部门提醒，强降雨可能引发山洪和城市内涝，请密切关注最新预报。",
    ]
    notice = " All rights reserved by the publisher. Reproduction without written permission is prohibited by law."
    pages = []
    for number, story in enumerate(stories):
        site = f"http://www.site{number}.example/"
        pages += [
            {"id": f"s{number}", "text": story, "url": site + "a", "date": f"2024-01-0{number + 1}"},
            {"id": f"s{number}-copy", "text": story, "url": site + "b"},
            {"id": f"s{number}-reprint", "text": story + notice, "url": "http://other.example/" + str(number)},
            {"id": f"s{number}-half", "text": story[: len(story) * 3 // 5], "url": site + "c"},
            {"url": site + "html", "html": f"<html><title>t</title><body><p>{story}</p><p>{notice}</p></body></html>"},
        ]
    for number in range(14):
        words = " ".join(f"word{number}x{at}" for at in range(40))
        pages.append({"id": f"p{number}", "text": f"{words}.{notice}", "url": f"http://notice.example/{number}"})
    told = lambda topic, count: ", ".join(f"{topic}{at * 7 % 89} of {topic}{at * 13 % 97}" for at in range(count)) + ". "  # noqa: E731
    shared, long_notice = told("comet", 50), told("notice", 40)
    pages += [
        {"id": "overlap-1", "text": f"{shared}\n{told('lake', 25)}", "url": "http://overlap.example/1"},
        {"id": "overlap-2", "text": f"{told('wood', 25)}\n{shared}", "url": "http://overlap.example/2"},
        {"id": "digest", "text": f"{stories[0]}\n{stories[1]}", "url": "http://digest.example/1"},
        {"id": "digest-more", "text": f"{stories[0]}\n{stories[1]}\n{told('news', 30)}", "url": "http://digest.example/2"},
    ]
    pages += [{"id": f"n{number}", "text": f"{told(f'item{number}x', 9)}\n{long_notice}"} for number in range(8)]
    pages += [{"id": "empty", "text": ""}, {"text": "A page without an id."}, {"id": "s0", "text": "An id that is taken."}]
    return pages
