"""Attacks on the command that $RETOLD names, by the servers that it reads from.

A proxy on loopback plays the internet: it answers for every host that ends in `.example`, so that redirects from there to loopback can be
tried without the net. What is on loopback itself is "the machine": nothing there may be asked because a server says so."""

import collections
import json
import os
import pathlib
import socket
import subprocess
import threading
import time
import unittest
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from xml.sax.saxutils import escape

from remote_test import FILES, Case, rows
from servers import SHA

RETOLD = os.environ["RETOLD"]
KEY, SECRET, SESSION, TOKEN = "AKIAHOSTILE", "s3cr3tkeyofaws", "s3ss10noken", "hf_secrettoken"
PASSWORD, SIGNATURE = "p4ssw0rd", "s1gn4ture"
SECRETS = [KEY, SECRET, SESSION, TOKEN, PASSWORD, SIGNATURE]
CONTENT = rows([*range(0, 280), *range(0, 20)])


class Net:
    """Answers by host and path: `routes["host/path"]` or `routes["host"]` is a function that gets the handler."""

    def __init__(self):
        self.routes, self.asked = {}, []
        handler = type("Bound", (Handler,), {"net": self})
        self.http = Quiet(("0.0.0.0", 0), handler)
        self.port = self.http.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self):
        self.http.shutdown()
        self.http.server_close()


class Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A client that leaves is no error here."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    net = None

    def log_message(self, *_):
        pass

    def do_GET(self):
        at = urllib.parse.urlsplit(self.path)
        self.host = at.hostname or "machine"
        self.at, self.query = urllib.parse.unquote(at.path), urllib.parse.parse_qs(at.query)
        self.given = {name.lower(): value for name, value in self.headers.items()}
        self.net.asked.append((self.host, self.path, self.given))
        routes = self.net.routes
        route = routes.get(self.host + self.at) or routes.get(self.host)
        try:
            route(self) if route else self.answer(404, b"")
        except OSError:
            self.close_connection = True

    do_HEAD = do_PUT = do_POST = do_DELETE = do_GET

    def head(self, status, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()

    def answer(self, status, body, **headers):
        self.head(status, Content_Length=len(body), **headers)
        if self.command != "HEAD":
            self.wfile.write(body)

    def range(self, size):
        if "range" not in self.given:
            return None
        start, end = self.given["range"].removeprefix("bytes=").split("-")
        return int(start), min(int(end), size - 1)

    def file(self, content=CONTENT, **headers):
        """What an honest server does."""
        headers = {"ETag": '"1"'} | headers
        asked = self.range(len(content))
        if not asked:
            return self.answer(200, content, **headers)
        start, end = asked
        return self.answer(206, content[start : end + 1], Content_Range=f"bytes {start}-{end}/{len(content)}", **headers)


def endless(handler, status=200, **headers):
    """A body without an end, in chunks."""
    handler.head(status, Transfer_Encoding="chunked", **headers)
    piece = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    while True:
        handler.wfile.write(piece)


def to(location, status=302):
    return lambda handler: handler.answer(status, b"", Location=location)


def first(count, one, then):
    """Answers so often in one way, and then in another."""
    left = [one] * count

    def route(handler):
        return (left.pop() if left else then)(handler)

    return route


def listed(keys, token=None, sizes=None):
    """A part of a bucket's list."""
    found = "".join(
        f"<Contents><Key>{escape(key)}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>&quot;1&quot;</ETag>"
        f"<Size>{sizes[at] if sizes else len(CONTENT)}</Size></Contents>"
        for at, key in enumerate(keys)
    )
    more = f"<NextContinuationToken>{token}</NextContinuationToken>" if token else ""
    more += f"<IsTruncated>{'true' if token else 'false'}</IsTruncated>"
    return f'<?xml version="1.0"?><ListBucketResult><Name>b</Name><KeyCount>{len(keys)}</KeyCount>{more}{found}</ListBucketResult>'.encode()


def bucket(keys, **more):
    """An honest bucket with these objects."""

    def route(handler):
        if "list-type" in handler.query:
            return handler.answer(200, listed(keys, **more))
        if handler.at.removeprefix("/b/") in keys:
            return handler.file(Last_Modified="Thu, 01 Jan 2026 00:00:00 GMT")
        return handler.answer(404, b"")

    return route


def hub(files=(("a.jsonl", len(CONTENT)),), file=Handler.file, next_page=None):
    """A hub with these files."""

    def route(handler):
        if "/revision/" in handler.at:
            return handler.answer(200, json.dumps({"sha": SHA}).encode())
        if "/tree/" in handler.at:
            listed = [{"type": "file", "path": path, "size": size} for path, size in files]
            headers = {"Link": f'<{next_page}>; rel="next"'} if next_page else {}
            return handler.answer(200, json.dumps(listed).encode(), **headers)
        return file(handler)

    return route


class Hostile(Case):
    def setUp(self):
        super().setUp()
        self.net, self.machine = Net(), Net()
        self.addCleanup(self.net.close)
        self.addCleanup(self.machine.close)
        self.machine.routes["machine"] = lambda handler: handler.file(rows([1, 2]))
        self.env = {
            "HTTP_PROXY": f"http://proxy:{PASSWORD}@127.0.0.1:{self.net.port}",
            "http_proxy": f"http://proxy:{PASSWORD}@127.0.0.1:{self.net.port}",
            "NO_PROXY": f"127.0.0.1,localhost,::1,0.0.0.0,169.254.169.254,10.0.0.1,{socket.gethostname()}",
            "AWS_ENDPOINT_URL": "http://bucket.example",
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_SESSION_TOKEN": SESSION,
            "AWS_REGION": "us-east-1",
            "HF_ENDPOINT": "http://hub.example",
            "HF_TOKEN": TOKEN,
        }
        (self.folder / "same").mkdir()
        (self.folder / "same/a.jsonl").write_bytes(CONTENT)

    def attack(self, *inputs, codes=(2, 3), within=60, command=("dedup",)):
        """Runs the command. It ends in time, and nothing says what gives access; the answer is what it said."""
        self.runs += 1
        out = self.folder / f"out{self.runs}"
        env = {k: v for k, v in os.environ.items() if not k.startswith(("AWS_", "HF_"))} | self.env
        arguments = [RETOLD, *command, *inputs, "-v", "-o", str(out)]
        started = time.monotonic()
        ran = subprocess.run(arguments, cwd=self.folder, env=env, capture_output=True, timeout=within)
        self.took = time.monotonic() - started
        said = (ran.stdout + ran.stderr).decode()
        self.assertIn(ran.returncode, codes, said)
        self.assertNotIn("panicked", said)
        self.assertNotIn("\x1b", said)
        self.assertLess(len(said), 20_000)
        self.discreet(said, "messages")
        for path in self.folder.rglob("*"):
            if path.is_file() and path.is_relative_to(out):
                self.discreet(path.read_bytes().decode(errors="replace"), path)
        self.out = out
        return said

    def discreet(self, text, where):
        for secret in SECRETS:
            self.assertNotIn(secret, text, where)

    def alone(self):
        self.assertEqual(self.machine.asked, [], "a server on the machine was asked")

    def near(self):
        """Places that no server on the net may lead to."""
        port = self.machine.port
        hosts = ["127.0.0.1", "localhost", "2130706433", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "169.254.169.254", "10.0.0.1"]
        name = socket.gethostname()
        try:
            address = socket.gethostbyname(name)
            # Here the name itself does not tell.
            if address.startswith(("127.", "10.", "172.", "192.168.")):
                hosts.append(name)
        except OSError:
            print("skipped: this machine's name has no address")
        return [f"http://{host}:{port}/a.jsonl" for host in hosts] + ["file:///etc/passwd", "ftp://a.example/"]


class Redirects(Hostile):
    def test_the_proxy_is_the_net(self):
        self.net.routes["web.example"] = Handler.file
        self.attack("http://web.example/a.jsonl", codes=(0,))
        self.same(self.dedup("same/a.jsonl"), self.out)

    def test_web_servers_lead_to_nothing_near(self):
        for near in self.near():
            self.net.routes["web.example"] = to(near)
            said = self.attack("http://web.example/a.jsonl", within=20)
            self.assertIn("cannot read INPUT http://web.example/a.jsonl: the server redirects to", said)
            # Also after some answers that were honest, and on the way over others.
            self.net.routes["web.example"] = first(1, Handler.file, to("http://other.example/x"))
            self.net.routes["other.example"] = to(near, 307)
            self.assertIn("the server redirects to", self.attack("http://web.example/a.jsonl", within=20))
        self.alone()

    def test_hubs_lead_to_nothing_near(self):
        for near in self.near()[::2]:
            self.net.routes["hub.example"] = hub(file=to(near))
            self.assertIn("the server redirects to", self.attack("hf://datasets/o/n/a.jsonl", within=20))
            self.net.routes["hub.example"] = to(near)
            self.assertIn("the server redirects to", self.attack("hf://datasets/o/n/a.jsonl", within=20))
        self.alone()

    def test_buckets_lead_to_nothing_near(self):
        for near in self.near():
            for name in ["s3://b/in", "s3://b/in/a.jsonl"]:
                self.net.routes["bucket.example"] = to(near, 307)
                self.assertIn("the server redirects to", self.attack(name, within=20))
            self.net.routes["bucket.example"] = bucket(["in/a.jsonl"])
            self.net.routes["bucket.example/b/in/a.jsonl"] = to(near)
            self.assertIn("the server redirects to", self.attack("s3://b/in", within=20))
            del self.net.routes["bucket.example/b/in/a.jsonl"]
        self.alone()

    def test_what_gives_access_goes_to_nobody_else(self):
        self.net.routes |= {
            "web.example": to("http://other.example/a.jsonl"),
            "bucket.example": bucket(["in/a.jsonl"]),
            "bucket.example/b/in/a.jsonl": to("http://other.example/a.jsonl"),
            "hub.example": hub(file=to("http://other.example/a.jsonl")),
            "other.example": lambda handler: handler.file(Last_Modified="Thu, 01 Jan 2026 00:00:00 GMT"),
        }
        local = self.dedup("same/a.jsonl")
        for url in [f"http://me:{PASSWORD}@web.example/a.jsonl?X-Signature={SIGNATURE}", "s3://b/in/a.jsonl", "hf://datasets/o/n/a.jsonl"]:
            self.net.asked.clear()
            self.attack(url, codes=(0,))
            self.same(local, self.out)
            elsewhere = [(path, given) for host, path, given in self.net.asked if host == "other.example"]
            self.assertGreater(len(elsewhere), 0)
            for path, given in elsewhere:
                # The proxy's own password is for the proxy.
                given.pop("proxy-authorization", None)
                self.discreet(json.dumps([path, given]), "a request to another server")
                self.assertNotIn("referer", given)
                self.assertFalse([name for name in given if name.startswith(("x-amz", "auth", "cookie"))], given)

    def test_redirects_without_an_end(self):
        self.net.routes["web.example"] = lambda handler: handler.answer(302, b"", Location=f"/{len(self.net.asked)}")
        self.assertIn("too many redirects", self.attack("http://web.example/a.jsonl", within=20))
        self.assertLess(len(self.net.asked), 20)

    def test_what_the_user_names_may_be_near(self):
        self.machine.routes |= {"machine/a.jsonl": to(f"http://localhost:{self.machine.port}/b.jsonl"), "machine/b.jsonl": Handler.file}
        self.attack(f"{self.machine.url}/a.jsonl", codes=(0,))


class Lists(Hostile):
    def bucket(self, *keys, code=2, name="s3://b/in", **more):
        self.net.routes["bucket.example"] = bucket(keys, **more)
        return self.attack(name, codes=(code,))

    def test_lists_that_do_not_end(self):
        keys = [f"in/{number}.jsonl" for number in range(1000)]
        self.assertIn("the same names again and again", self.bucket(*keys, token="t"))
        # A part without an end, and one that promises more than there can be.
        self.net.routes["bucket.example"] = self.net.routes["hub.example"] = endless
        self.assertIn("more than 67108864 bytes", self.attack("s3://b/in/", codes=(2,)))
        self.attack("hf://datasets/o/n", codes=(2,))

        def promise(handler):
            handler.close_connection = True
            handler.head(200, Content_Length=1 << 62)

        self.net.routes["bucket.example"] = first(1, promise, bucket(["in/a.jsonl"]))
        self.net.routes["hub.example"] = first(1, promise, hub())
        self.attack("s3://b/in/", codes=(0,))
        self.attack("hf://datasets/o/n", codes=(0,))

    def test_lists_of_a_hub_that_do_not_end(self):
        files = [(f"{number}.jsonl", 5) for number in range(1000)]
        self.net.routes["hub.example"] = hub(files, next_page="http://hub.example/api/datasets/o/n/tree/x?cursor=1")
        self.assertIn("the same names again and again", self.attack("hf://datasets/o/n", codes=(2,)))
        self.net.routes["hub.example"] = hub([], next_page="/api/datasets/o/n/tree/x?cursor=1")
        self.assertIn("lists nothing again and again", self.attack("hf://datasets/o/n", codes=(2,)))

    def test_the_next_part_is_on_the_same_server(self):
        self.net.routes["hub.example"] = hub(next_page=f"{self.machine.url}/tree/steal")
        self.net.routes["hub.example/tree/steal"] = hub([("b.jsonl", len(CONTENT))])
        self.attack("hf://datasets/o/n", codes=(0,))
        self.assertEqual(sorted(path.name for path in (self.out / "kept").rglob("*.jsonl")), ["a.jsonl", "b.jsonl"])
        self.alone()

    ODD = ["in/../../escaped.jsonl", "in//etc/escaped.jsonl", "in/a\\..\\..\\escaped.jsonl", "in/" + "l" * 300 + ".jsonl", "in/./escaped.jsonl"]

    def test_odd_names(self):
        for key in self.ODD + ["/in/escaped.jsonl", "../escaped.jsonl"]:
            self.net.routes["hub.example"] = hub([(key, len(CONTENT)), ("in/a.jsonl", len(CONTENT))])
            self.net.routes["bucket.example"] = bucket([key, "in/a.jsonl"])
            for name in ["s3://b/in/", "s3://b/in/*", "hf://datasets/o/n/in/*", "hf://datasets/o/n"]:
                self.attack(name, codes=(0, 2))
            found = [path for path in self.folder.rglob("*") if "escaped" in path.name]
            for path in found:
                self.assertIn("kept", path.relative_to(self.folder).parts, path)
        outside = [path for path in self.folder.parent.iterdir() if "escaped" in path.name]
        self.assertEqual(outside + list(pathlib.Path("/etc").glob("escaped*")), [])

    def test_names_that_a_terminal_would_obey(self):
        key = "in/\x07\u202eevil\x7f.jsonl"
        self.net.routes["hub.example"] = hub([("in/\x1b]0;evil\x07.jsonl", len(CONTENT))], file=lambda handler: handler.answer(410, b""))
        self.attack("hf://datasets/o/n")
        self.net.routes["bucket.example"] = bucket([key.replace("\x07", "")], sizes=[1 << 61])
        said = self.attack("s3://b/in")
        self.assertNotIn("\u202e", said)

    def test_sizes_that_lie(self):
        keys = ["in/a.jsonl", "in/b.jsonl"]
        for sizes in [[1 << 63, 1 << 63], [(1 << 64) - 1, 1], [1 << 60, 1]]:
            self.assertIn("the server says that the files have", self.bucket(*keys, sizes=sizes))
            self.net.routes["hub.example"] = hub(list(zip(keys, sizes)))
            self.assertIn("the server says that the files have", self.attack("hf://datasets/o/n", codes=(2,)))
        for size in [-1, 1 << 64, "many"]:
            self.bucket(*keys, sizes=[size, 1])
        for size in [5, len(CONTENT) + 5, 1 << 50]:
            self.assertIn("changed during the run", self.bucket(*keys, sizes=[size, len(CONTENT)]))
            self.net.routes["hub.example"] = hub([("in/a.jsonl", size)])
            self.assertIn("changed during the run", self.attack("hf://datasets/o/n", codes=(2,)))

    def test_many_names(self):
        """A part of a list after the other, with new names in each."""
        count = 40

        def route(handler):
            if "list-type" not in handler.query:
                return handler.answer(404, b"")
            at = int(handler.query.get("continuation-token", ["0"])[0])
            keys = [f"in/{at}-{number}.txt" for number in range(1000)]
            return handler.answer(200, listed(keys, at + 1 if at < count else None, [0] * 1000))

        self.net.routes["bucket.example"] = route
        self.attack("s3://b/in", codes=(0, 2))


class Ranges(Hostile):
    """Answers that lie, once or always: the run ends with an error, or has the bytes that it should."""

    def lies(self):
        size = len(CONTENT)

        def answer(status=206, body=None, said=None, **headers):
            def route(handler):
                start, end = handler.range(size) or (0, size - 1)
                content = CONTENT[start : end + 1]
                names = {"Content_Range": (said or "bytes {0}-{1}/{2}").format(start, end, size), "ETag": '"1"'}
                names |= {name: value for name, value in headers.items()}
                names = {name: value for name, value in names.items() if value is not None}
                return handler.answer(status, body(content) if body else content, **names)

            return route

        def without_end(status):
            def route(handler):
                start, end = handler.range(size) or (0, size - 1)
                endless(handler, status, Content_Range=f"bytes {start}-{end}/{size}", ETag='"1"')

            return route

        half = lambda content: content[: len(content) // 2]
        return {
            "no range": answer(200, lambda _: CONTENT, Content_Range=None),
            "no range, and less": answer(200, half, Content_Range=None),
            "no range, and more": answer(200, lambda _: CONTENT + b"{}\n", Content_Range=None),
            "no range named": answer(Content_Range=None),
            "another start": answer(said="bytes 7-{1}/{2}"),
            "another end": answer(said="bytes {0}-7/{2}"),
            "no number": answer(said="bytes x-y/z"),
            "largest end": answer(said="bytes 0-18446744073709551615/{2}"),
            "end before start": answer(said="bytes 5-3/{2}"),
            "other unit": answer(said="pages 0-1/2"),
            "another size": answer(said="bytes {0}-{1}/9999999"),
            "size unknown": answer(said="bytes {0}-{1}/*"),
            "less": answer(body=half),
            "nothing": answer(body=lambda _: b""),
            "more": answer(body=lambda content: content + b"{}\n"),
            "another version": answer(ETag='"2"'),
            "no version": answer(ETag=None),
            "packed": answer(Content_Encoding="gzip"),
            "parts": answer(Content_Type="multipart/byteranges; boundary=x", Content_Range=None),
            "not satisfiable": answer(416, lambda _: b"", said="bytes */5"),
            "no content": answer(204, lambda _: b""),
            "not modified": answer(304, lambda _: b""),
            "endless range": without_end(206),
            "endless": without_end(200),
        }

    def test_web(self):
        local = self.dedup("same/a.jsonl")
        for name, lie in self.lies().items():
            for answered in [0, 1]:
                with self.subTest(name, answered=answered):
                    self.net.routes["web.example"] = first(answered, Handler.file, first(1, lie, Handler.file))
                    self.ends_or_equals(local, "http://web.example/a.jsonl")

    def test_hub(self):
        local = self.dedup("same/a.jsonl")
        for name, lie in self.lies().items():
            with self.subTest(name):
                self.net.routes["hub.example"] = hub(file=first(1, lie, Handler.file))
                self.ends_or_equals(local, "hf://datasets/o/n/a.jsonl")

    def test_bucket(self):
        local = self.dedup("same/a.jsonl")
        for name, lie in self.lies().items():
            with self.subTest(name):
                dated = lambda handler: handler.file(Last_Modified="Thu, 01 Jan 2026 00:00:00 GMT")
                self.net.routes["bucket.example"] = bucket(["in/a.jsonl"])
                # The size is asked for first.
                self.net.routes["bucket.example/b/in/a.jsonl"] = first(1, dated, first(1, lie, dated))
                self.ends_or_equals(local, "s3://b/in/a.jsonl")

    def ends_or_equals(self, local, url):
        self.attack(url, codes=(0, 2, 3))
        if (self.out / "summary.json").exists():
            self.same(local, self.out)
        # Nothing but what was promised was taken: an endless body would have held the run.
        self.assertLess(self.took, 50)

    def test_lies_without_an_end(self):
        for name in ["endless range", "endless", "more", "nothing"]:
            lie = self.lies()[name]
            with self.subTest(name):
                self.net.routes["web.example"] = first(1, Handler.file, lie)
                self.assertIn("http://web.example/a.jsonl", self.attack("http://web.example/a.jsonl", within=120))

    def test_a_server_that_stops_in_the_middle(self):
        """It is left after half a minute without a byte, and asked for the rest."""

        def stops(handler):
            start, end = handler.range(len(CONTENT))
            handler.head(206, Content_Range=f"bytes {start}-{end}/{len(CONTENT)}", Content_Length=end - start + 1, ETag='"1"')
            handler.wfile.write(CONTENT[start : start + 1000])
            handler.wfile.flush()
            time.sleep(60)

        local = self.dedup("same/a.jsonl")
        self.net.routes["web.example"] = first(1, Handler.file, first(1, stops, Handler.file))
        self.attack("http://web.example/a.jsonl", codes=(0,))
        self.same(local, self.out)
        self.assertEqual(self.net.asked[-1][2]["range"], f"bytes=1000-{len(CONTENT) - 1}")


class Secrets(Hostile):
    """What gives access is in no message and no file; `attack` looks."""

    URL = f"http://me:{PASSWORD}@web.example/a.jsonl?X-Signature={SIGNATURE}"

    def test_runs_that_end_well(self):
        self.net.routes |= {"web.example": Handler.file, "bucket.example": bucket(["in/a.jsonl"]), "hub.example": hub()}
        (self.folder / "names").write_text(self.URL + "\n")
        for inputs in [[self.URL], ["s3://b/in"], ["hf://datasets/o/n/a.jsonl"], ["--files-from", "names"], ["same/a.jsonl", "--against", self.URL]]:
            self.attack(*inputs, "--report-text", codes=(0,))

    def test_records_that_cannot_be_read(self):
        self.net.routes["web.example"] = lambda handler: handler.file(CONTENT + b"not json\n")
        self.attack(self.URL, codes=(1,))
        self.assertIn("a.jsonl", (self.out / "rejects.jsonl").read_text())

    def test_runs_that_are_interrupted(self):
        for number, (url, routes) in enumerate(
            [
                (self.URL, {"web.example": first(2, Handler.file, lambda handler: handler.answer(410, b""))}),
                ("hf://datasets/o/n/a.jsonl", {"hub.example": hub(file=first(1, Handler.file, lambda handler: handler.answer(410, b"")))}),
            ]
        ):
            self.net.routes |= routes
            self.attack(url, "--resume", "--remote-cache", "0", codes=(3,))
            self.assertTrue((self.out / ".retold-resume").exists())

    def test_servers_that_repeat_the_request(self):
        def echo(status, kind):
            def route(handler):
                told = json.dumps({"asked": handler.path, **handler.given}) + "\x1b[2J" * 1000
                return handler.answer(status, told.encode(), Content_Type=kind)

            return route

        for status in [200, 400, 401, 403, 404, 409, 412, 418, 451]:
            for kind in ["application/json", "text/plain"]:
                self.net.routes = {host: echo(status, kind) for host in ["web.example", "bucket.example", "hub.example"]}
                for url in [self.URL.replace("a.jsonl", "b"), "s3://b/in", "s3://b/in/a.jsonl", "hf://datasets/o/n"]:
                    self.attack(url, codes=(0, 1, 2, 3) if "web" in url else (2, 3))

    def test_redirects_that_repeat_the_request(self):
        def echo(handler):
            return handler.answer(302, b"", Location=f"http://10.0.0.1/{handler.given.get('authorization', '')}?{urllib.parse.quote(handler.path)}")

        self.net.routes = {host: echo for host in ["web.example", "bucket.example", "hub.example"]}
        for url in [self.URL, "s3://b/in", "hf://datasets/o/n"]:
            self.assertIn("redirects to 10.0.0.1", self.attack(url))

    def test_urls_that_are_not_read(self):
        for url in [
            f"ftp://me:{PASSWORD}@web.example/a?X={SIGNATURE}",
            f"HTTPS://me:{PASSWORD}@web.example/a?X={SIGNATURE}",
            f"s3://{KEY}:{SECRET}@b/in",
            f"http://me:x/{PASSWORD}@web.example/a",
            f"http://me:{PASSWORD}@web.example:port/a?{SIGNATURE}",
            f"http://me:{PASSWORD}@/a?{SIGNATURE}",
            f"http://me:{PASSWORD}@nowhere.invalid/a?{SIGNATURE}",
        ]:
            self.attack(url)
            self.attack("same/a.jsonl", "--against", url)


if __name__ == "__main__":
    unittest.main(verbosity=1)
