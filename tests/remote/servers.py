"""A web server with ranges, a small Hugging Face hub and a proxy in front of an S3 server. All fail on purpose: faults are listed for a path, and
each happens as often as it is listed."""

import base64
import hashlib
import http.client
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

SHA = "0123456789abcdef0123456789abcdef01234567"
TOKEN = "hf_secret"


class Server:
    """What is served, the faults that are left, and what was asked for."""

    def __init__(self, files=None, upstream=None):
        self.files = files or {}
        self.upstream = upstream
        self.faults = {}
        self.asked = []
        self.etags = True
        self.ranges = True
        self.lock = threading.Lock()
        self.changed = {}
        # What was uploaded to the hub's store, and the commits that came.
        self.store = {}
        self.commits = []
        handler = type("Bound", (Handler,), {"server_state": self})
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"
        # The same server by another name, which is another host.
        self.other = f"http://localhost:{self.http.server_address[1]}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def fault(self, path):
        with self.lock:
            for end, faults in self.faults.items():
                if path.endswith(end) and faults:
                    return faults.pop(0)
        return None

    def close(self):
        self.http.shutdown()
        self.http.server_close()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        state, path = self.server_state, unquote(urlsplit(self.path).path)
        with state.lock:
            headers = {name.lower(): value for name, value in self.headers.items()}
            state.asked.append((self.command, self.path, headers))
        if state.upstream:
            return self.forward(path)
        if self.command in ("POST", "PUT"):
            return self.write(path)
        if path.startswith("/api/"):
            return self.hub(path)
        if "/resolve/" in path:
            return self.resolve(path)
        path = path.removeprefix("/cdn")
        if path not in state.files:
            return self.answer(404, b"")
        return self.send_file(path, state.files[path])

    do_HEAD = do_PUT = do_DELETE = do_POST = do_GET

    def answer(self, status, body, headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def cut(self, status, body, headers):
        """Half of what was promised, and the end of the connection."""
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2])
        self.wfile.flush()
        self.close_connection = True
        self.connection.close()

    def send_file(self, path, content):
        state = self.server_state
        fault = state.fault(path)
        if fault == "503":
            return self.answer(503, b"later", [("Retry-After", "0")])
        if fault == "changed":
            state.files[path] = content = content.replace(b"council", b"COUNCIL")
        size = len(content)
        headers = []
        if state.etags:
            tag = '"' + hashlib.md5(content).hexdigest() + '"'
            headers.append(("ETag", tag))
            if self.headers.get("If-Match", tag) != tag:
                return self.answer(412, b"")
        if not state.ranges or "Range" not in self.headers:
            return self.answer(200, content, headers)
        start, end = self.headers["Range"].removeprefix("bytes=").split("-")
        start, end = int(start), min(int(end), size - 1)
        if start >= size:
            return self.answer(416, b"", [("Content-Range", f"bytes */{size}")])
        total = size + 7 if fault == "wrong length" else size
        headers.append(("Content-Range", f"bytes {start}-{end}/{total}"))
        body = content[start : end + 1]
        if fault == "cut":
            return self.cut(206, body, headers)
        if fault == "short":
            return self.answer(206, body[: len(body) // 2], headers)
        if fault == "slow":
            time.sleep(2)
        return self.answer(206, body, headers)

    def hub(self, path):
        state = self.server_state
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return self.answer(401, b"")
        if state.fault(path) == "503":
            return self.answer(503, b"later")
        if path == "/api/datasets/org/name/revision/v1":
            return self.answer(200, json.dumps({"sha": SHA}).encode())
        if "/tree/" not in path:
            return self.answer(404, b"")
        folder = path.removeprefix(f"/api/datasets/org/name/tree/{SHA}").strip("/")
        query = parse_qs(urlsplit(self.path).query)
        found = {}
        for name, content in sorted(state.files.items()):
            below = name.strip("/")
            if folder and not below.startswith(folder + "/"):
                continue
            rest = below[len(folder) :].strip("/")
            if "recursive" in query or "/" not in rest:
                found[below] = {"type": "file", "path": below, "size": len(content), "oid": "0"}
            else:
                top = (folder + "/" + rest.split("/")[0]).strip("/")
                found[top] = {"type": "directory", "path": top, "size": 0, "oid": "0"}
        # Two a page.
        at = int(query.get("cursor", ["0"])[0])
        page = list(found.values())[at : at + 2]
        headers = []
        if at + 2 < len(found):
            more = "recursive=true&" if "recursive" in query else ""
            link = f"<{state.url}{path}?{more}cursor={at + 2}>; rel=\"next\""
            headers.append(("Link", link))
        return self.answer(200, json.dumps(page).encode(), headers)

    def write(self, path):
        """What changes a data set: each part of it as the hub's own tools use it."""
        state = self.server_state
        body = self.rfile.read(int(self.headers["Content-Length"]))
        fault = state.fault(path)
        if fault == "drop":
            self.close_connection = True
            return self.connection.close()
        if fault:
            return self.answer(int(fault), b"later", [("Retry-After", "0")])
        if path.startswith("/store/"):
            # The token is not for the store.
            if "Authorization" in self.headers:
                return self.answer(400, b"")
            state.store[path.removeprefix("/store/")] = body
            return self.answer(200, b"", [("ETag", '"' + hashlib.md5(body).hexdigest() + '"')])
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return self.answer(401, b"")
        if path == "/api/datasets/org/name/commit/v1":
            return self.commit([json.loads(line) for line in body.splitlines()])
        told = json.loads(body)
        if path == "/api/datasets/org/name/preupload/v1":
            files = [{"path": f["path"], "uploadMode": "lfs" if f["size"] > 3000 else "regular", "shouldIgnore": False} for f in told["files"]]
            return self.answer(200, json.dumps({"files": files}).encode())
        if path == "/datasets/org/name.git/info/lfs/objects/batch":
            return self.answer(200, json.dumps({"objects": [self.lfs(**o) for o in told["objects"]]}).encode())
        oid = told["oid"]
        if path == f"/complete/{oid}":
            parts = [state.store.pop(f"{oid}-{part['partNumber']}") for part in told["parts"]]
            tags = ['"' + hashlib.md5(part).hexdigest() + '"' for part in parts]
            if tags == [part["etag"] for part in told["parts"]]:
                state.store[oid] = b"".join(parts)
        whole = hashlib.sha256(state.store.get(oid, b"")).hexdigest() == oid
        return self.answer(200 if whole else 422, b"{}")

    def lfs(self, oid, size):
        state = self.server_state
        if oid in state.store:
            return {"oid": oid, "size": size}
        href, header = f"{state.other}/store/{oid}", {"x-of": "hub"}
        if size > 4000:
            header = {"chunk_size": "2500"} | {f"{n + 1:05}": f"{href}-{n + 1}" for n in range(-(-size // 2500))}
            href = f"{state.url}/complete/{oid}"
        actions = {"upload": {"href": href, "header": header}, "verify": {"href": f"{state.url}/verify/{oid}"}}
        return {"oid": oid, "size": size, "actions": actions}

    def commit(self, lines):
        state, files = self.server_state, dict(self.server_state.files)
        if lines[0]["key"] != "header" or lines[0]["value"]["parentCommit"] != SHA:
            return self.answer(400, b"")
        for line in lines[1:]:
            value = line["value"]
            name = "/" + value["path"]
            if line["key"] == "file":
                files[name] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                files[name] = state.store[value["oid"]]
                assert len(files[name]) == value["size"] and value["algo"] == "sha256"
            else:
                assert line["key"] == "deletedFile"
                del files[name]
        state.files = files
        state.commits.append(lines)
        return self.answer(200, json.dumps({"success": True, "commitOid": "1" * 40}).encode())

    def resolve(self, path):
        state = self.server_state
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return self.answer(401, b"")
        below = path.removeprefix(f"/datasets/org/name/resolve/{SHA}")
        return self.answer(302, b"", [("Location", f"{state.other}/cdn{below}?signature=secret")])

    def forward(self, path):
        state = self.server_state
        fault = state.fault(path) if self.command == "GET" else None
        if fault == "503":
            return self.answer(503, b"<Error><Code>SlowDown</Code></Error>")
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        if callable(fault):
            fault()
        upstream = http.client.HTTPConnection(state.upstream, timeout=60)
        upstream.request(self.command, self.path, body, dict(self.headers))
        answer = upstream.getresponse()
        content = answer.read()
        skip = {"content-length", "connection", "transfer-encoding", "server", "date"}
        headers = [(n, v) for n, v in answer.getheaders() if n.lower() not in skip]
        if self.command == "HEAD":
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in skip - {"content-length"}:
                    self.send_header(name, value)
            self.end_headers()
            return None
        if fault == "cut":
            return self.cut(answer.status, content, headers)
        if fault == "slow":
            time.sleep(2)
        return self.answer(answer.status, content, headers)
