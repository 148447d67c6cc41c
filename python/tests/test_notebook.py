"""What notebooks show."""

import sys
import types

import retold
from retold import _progress

STORY = "The ferry to Naxos left late because of the storm. Passengers waited at the quay until noon."


def test_tables_and_findings_are_shown_as_html():
    pages = [{"id": f"<{number}>", "text": STORY} for number in range(30)]
    found = retold.dedup(pages)
    table = found.dropped._repr_html_()
    assert table.count("<tr>") == 1 + 20 and "and 9 more rows" in table
    assert "&lt;1&gt;" in table and "<1>" not in table
    shown = found._repr_html_()
    assert shown.startswith("<p>retold.Findings: 30 pages, 29 dropped")
    assert "<h4>pairs</h4>" in shown and "<h4>clusters</h4>" in shown and "<h4>dropped</h4>" in shown
    # Members of a cluster are a long list, which is cut.
    assert "…</td>" in shown
    nothing = retold.dedup([{"id": "a", "text": STORY}])
    assert "<table>" not in nothing._repr_html_()


def test_notebooks_have_bars(monkeypatch):
    shell = types.SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    bars = []

    class Bar:
        def __init__(self, total, desc):
            self.total, self.desc, self.n, self.closed = total, desc, 0, False
            bars.append(self)

        def refresh(self):
            pass

        def close(self):
            self.closed = True

    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=Bar))
    monkeypatch.setitem(sys.modules, "tqdm", types.SimpleNamespace(auto=sys.modules["tqdm.auto"]))
    assert isinstance(_progress.shown(), _progress.Bars)
    bar = _progress.shown()
    bar("", 0, 0)
    bar("read", 3, 10)
    bar("read", 10, 10)
    bar("join", 0, 0)
    assert [(one.desc, one.total, one.n, one.closed) for one in bars] == [("read", 10, 10, True), ("join", None, 0, False)]
    retold.dedup([{"id": str(number), "text": STORY} for number in range(3000)], progress=True)
    shell.kernel = None
    del shell.kernel
    assert isinstance(_progress.shown(), _progress.Line)
    # Without tqdm there is the line.
    shell.kernel = object()
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    assert isinstance(_progress.shown(), _progress.Line)
