"""The reader of docs/reference/sketch.md reads what the library writes, and refuses what it refuses."""

import contextlib
import io
import pathlib
import re

import pytest
import retold

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/reference/sketch.md"


@pytest.fixture(scope="module")
def documented():
    """What the page's code defines, and what it prints."""
    names, said = {}, io.StringIO()
    with contextlib.redirect_stdout(said):
        for block in re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.S | re.M):
            exec(compile(block, PAGE.name, "exec"), names)
    return names | {"said": said.getvalue()}


def refused(read, data):
    try:
        read(data)
    except (ValueError, retold.RetoldError):
        return True
    return False


def test_the_example_is_what_the_page_says(documented):
    lines = re.search(r"^```hex\n(.*?)^```$", PAGE.read_text(), re.S | re.M)[1].splitlines()
    assert bytes.fromhex("".join(line.split()[0] for line in lines)) == documented["data"]
    assert len(documented["data"]) == 163
    keys = [int(line.split()[-1]) for line in lines if line.split()[1] == "key"]
    assert keys == list(documented["sketch"]["keys"])
    assert f"```\n{documented['said']}```" in PAGE.read_text()


@pytest.mark.parametrize("method", ["coverage", "period", "shingle", "agglomerate", "simhash", "codet", "concept", "tfidf"])
def test_the_reader_agrees_with_the_library(documented, records, method):
    read = documented["read_sketch"]
    pages = [page for page in records if "text" in page or "html" in page]
    model = retold.Model(method=method).learn(pages)
    with_keys = 0
    for page in pages:
        sketch = model.sketch(page)
        data = sketch.to_bytes()
        fields = read(data)
        assert (list(fields["keys"]), fields["site"], fields["chars"]) == (sketch.keys, sketch.site, sketch.chars)
        assert (fields["text_hash"] is None) == (page.get("text") == "")
        with_keys += bool(fields["keys"])
        assert all(refused(read, data[:end]) for end in range(len(data))) and refused(read, data + b"x")
    assert with_keys > 10
    copies = [read(model.sketch({"text": text}).to_bytes())["text_hash"] for text in ("A  Ferry.", "a ferry.", "A boat.")]
    assert copies[0] == copies[1] != copies[2]


def test_what_the_library_refuses_the_reader_refuses(documented):
    read, data = documented["read_sketch"], documented["data"]
    for at in range(len(data)):
        for value in (0, 1, 2, 0x7F, 0xFF):
            damaged = data[:at] + bytes([value]) + data[at + 1 :]
            assert refused(read, damaged) == refused(retold.Sketch.from_bytes, damaged), (at, value)
