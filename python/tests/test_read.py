"""`retold.read` gives the fields of pages under the names that its docstring has, and the other fields of records."""

import datetime
import gzip
import json

import pyarrow
import pyarrow.parquet
import pytest
import retold


def read(path, **options):
    return list(retold.read(path, **options))


def test_jsonl(tmp_path):
    file = tmp_path / "pages.jsonl"
    lines = [
        {"key": 7, "body": "The ferry left late.", "metadata": {"url": "http://a.example/1", "n": [1, {"b": None}]}, "score": 0.5, "big": 2**70},
        {"body": "Half: \ud83d", "url": "http://a.example/2", "text": "a caption", "date": "2024-01-02", "ok": True},
        {"html": "<p>The bridge</p>", "title": "Bridge", "nothing": None},
    ]
    # As Python writes what JSON has no number for.
    file.write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"body": "c", "score": NaN}\n')
    assert read(file, id_field="key", text_field="body") == [
        {"id": "7", "url": "http://a.example/1", "text": "The ferry left late.", "big": 2**70, "metadata": lines[0]["metadata"], "score": 0.5},
        {"id": "http://a.example/2", "url": "http://a.example/2", "date": "2024-01-02", "text": "Half: \ufffd", "ok": True},
        {"id": "pages.jsonl#3", "title": "Bridge", "html": "<p>The bridge</p>", "nothing": None},
        {"id": "pages.jsonl#4", "text": "c", "score": None},
    ]
    # A page can be passed on as it is.
    assert retold.dedup(read(file, id_field="key", text_field="body")).kept.column("id")[0] == "7"


def test_csv(tmp_path):
    file = tmp_path / "pages.csv"
    file.write_bytes("name;body;date;n;note\n1;Die Fähre;2024-01-02;007;\n2;\"a;\"\"b\"\"\";;8\n".encode())
    assert read(file, id_field="name", text_field="body") == [
        {"id": "1", "date": "2024-01-02", "text": "Die Fähre", "n": "007", "note": ""},
        {"id": "2", "text": 'a;"b"', "date": "", "n": "8"},
    ]


def test_parquet(tmp_path):
    file = tmp_path / "pages.parquet"
    table = pyarrow.table(
        {
            "id": [1, 2, 3],
            "content": ["The ferry left late.", None, "The bridge"],
            "tags": [["a", "b"], [], None],
            "of": [{"lang": "en", "n": 1}, None, {"lang": "zh", "n": 2}],
            "score": [0.5, None, 2.0],
            "day": [datetime.date(2024, 1, 2)] * 3,
        }
    )
    # Several row groups, and a row that is no page between others.
    pyarrow.parquet.write_table(table, file, row_group_size=2)
    rejected = []
    pages = read(file, text_field="content", on_reject=lambda *told: rejected.append(told[1]))
    assert rejected == [2] and [page["of"] for page in pages] == [{"lang": "en", "n": 1}, {"lang": "zh", "n": 2}]
    assert pages[0] == {"id": "1", "text": "The ferry left late.", "day": "2024-01-02", "of": {"lang": "en", "n": 1}, "score": 0.5, "tags": ["a", "b"]}


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_warc(tmp_path, pack):
    body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=gbk\r\n\r\n" + "<title>渡船</title><p>渡船晚点".encode("gbk")
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/1\r\nWARC-Date: 2024-01-02T03:04:05Z\r\nContent-Type: application/http;msgtype=response\r\nContent-Length: {len(body)}\r\n\r\n"
    file = tmp_path / ("pages.warc" if pack is bytes else "pages.warc.gz")
    file.write_bytes(pack(head.encode() + body + b"\r\n\r\n"))
    assert read(file) == [
        {"id": "http://a.example/1", "url": "http://a.example/1", "date": "2024-01-02T03:04:05Z", "html": "<title>渡船</title><p>渡船晚点"}
    ]


def test_html_and_text(tmp_path):
    (tmp_path / "a.html").write_bytes("<meta charset=latin1><p>Fähre".encode("latin1"))
    (tmp_path / "b.txt").write_text("The ferry left late.")
    assert read(tmp_path) == [{"id": "a.html", "html": "<meta charset=latin1><p>Fähre"}, {"id": "b.txt", "text": "The ferry left late."}]
