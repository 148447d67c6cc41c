"""Remote inputs and outputs, through the command that $RETOLD names."""

import gzip
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from servers import SHA, TOKEN, Server

RETOLD = os.environ["RETOLD"]
TABLES = ["pairs.jsonl", "clusters.jsonl", "dropped.jsonl", "rejects.jsonl"]


def story(number):
    return (
        f"The council of village {number} voted on Monday to keep the old library number {number} open. "
        f"Members of the public filled each of the {number + 40} seats in the hall and stayed until {number % 12 + 1} o'clock. "
        f"The mayor said that road {number * 7} would be closed for {number + 3} days after the vote."
    )


def rows(numbers, start=0):
    rows = [json.dumps({"id": f"r{start + at}", "text": story(n)}) for at, n in enumerate(numbers)]
    return ("\n".join(rows) + "\n").encode()


def warc(numbers):
    parts = []
    for number in numbers:
        text = story(number).encode()
        head = f"WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://site/{number}\r\nContent-Length: {len(text)}\r\n\r\n"
        parts.append(head.encode() + text + b"\r\n\r\n")
    return b"".join(parts)


def html(number):
    return f"<html><body><p>{story(number)}</p></body></html>".encode()


FILES = {
    "in/a.jsonl": rows(range(0, 40)),
    "in/b.jsonl.gz": gzip.compress(rows(range(20, 60), 100), mtime=0),
    "in/sub/c.html": html(3),
    "in/sub/d d.html": html(99),
    "in/sub/e.warc.gz": gzip.compress(warc([7, 8, 101]), mtime=0),
    "in/empty.jsonl": b"",
    "in/.hidden/x.jsonl": rows([1]),
    "more/a.jsonl": rows(range(30, 35), 500),
}


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        for name, content in FILES.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        self.env = {"NO_PROXY": "127.0.0.1,localhost"}
        self.runs = 0

    def retold(self, *arguments, code=0, cwd=None):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("AWS_", "HF_"))} | self.env
        ran = subprocess.run([RETOLD, *arguments], cwd=cwd or self.folder, env=env, capture_output=True, text=True, timeout=300)
        self.assertEqual(ran.returncode, code, ran.stdout + ran.stderr)
        for secret in [TOKEN, "s3cr3tkey", "signature=secret", "pass:word"]:
            self.assertNotIn(secret, ran.stdout + ran.stderr)
        return ran.stdout + ran.stderr

    def dedup(self, *arguments, code=0):
        self.runs += 1
        out = self.folder / f"out{self.runs}"
        said = self.retold("dedup", *arguments, "-o", str(out), code=code)
        return out if code == 0 else said

    def same(self, a, b):
        """Equal bytes, but for the summary."""
        for name in TABLES:
            self.assertEqual((a / name).read_bytes(), (b / name).read_bytes(), name)
        self.assertGreater(len((a / "dropped.jsonl").read_bytes()), 0)

        def kept(out):
            files = (path for path in (out / "kept").rglob("*") if path.is_file())
            return {str(path.relative_to(out)): path.read_bytes() for path in files}

        self.assertEqual(kept(a), kept(b))
        for secret in [TOKEN, "s3cr3tkey", "signature=secret", "pass:word"]:
            self.assertNotIn(secret, (b / "summary.json").read_text())

    def parquet(self):
        """A Parquet file, of ids that are texts."""
        rows = [json.dumps({"id": story(n % 50), "text": story(n % 50)}) for n in range(60)]
        (self.folder / "long.jsonl").write_text("\n".join(rows) + "\n")
        out = self.dedup("long.jsonl", "--tables", "parquet")
        return (out / "clusters.parquet").read_bytes()


class Web(Case):
    def setUp(self):
        super().setUp()
        self.server = Server({"/" + name: content for name, content in FILES.items()})
        self.addCleanup(self.server.close)

    def urls(self, *names):
        return [f"{self.server.url}/{name}" for name in names]

    NAMES = ["in/a.jsonl", "in/b.jsonl.gz", "in/sub/e.warc.gz", "in/empty.jsonl"]

    def compare(self):
        local = self.dedup(*self.NAMES)
        remote = self.dedup(*self.urls(*self.NAMES))
        self.same(local, remote)

    def test_equal_bytes_to_the_same_files_locally(self):
        self.compare()
        # The second pass comes from the cache; without one each range is asked for again.
        ranges = [path for _, path, headers in self.server.asked if headers.get("range") != "bytes=0-0"]
        self.assertEqual(len(ranges), len(set(ranges)))
        self.server.asked.clear()
        self.dedup(*self.urls(*self.NAMES), "--remote-cache", "0")
        ranges = [path for _, path, headers in self.server.asked if headers.get("range") != "bytes=0-0"]
        self.assertGreaterEqual(len(ranges), 2 * len(set(ranges)))

    def test_faults_that_pass(self):
        self.server.faults = {
            "a.jsonl": [None, "503", "cut", "cut", "short", "503"],
            "b.jsonl.gz": ["503", "slow", "cut"],
            "e.warc.gz": [None, "short", "cut", "503", "503"],
        }
        self.compare()
        self.assertEqual(sum(map(len, self.server.faults.values())), 0)

    def test_a_cut_connection_goes_on_where_it_was(self):
        self.server.faults = {"a.jsonl": [None, "cut"]}
        self.dedup(*self.urls("in/a.jsonl"))
        size = len(FILES["in/a.jsonl"])
        ranges = [h["range"] for _, _, h in self.server.asked]
        self.assertEqual(ranges, ["bytes=0-0", f"bytes=0-{size - 1}", f"bytes={size // 2}-{size - 1}"])
        self.assertIn("if-match", self.server.asked[-1][2])

    def test_a_changed_file_ends_the_run(self):
        for faults, etags in [([None, "changed"], True), ([None, None, "changed"], True), ([None, None, "changed"], False), ([None, "wrong length"], True)]:
            self.server.files["/in/a.jsonl"] = FILES["in/a.jsonl"]
            self.server.faults = {"a.jsonl": list(faults)}
            self.server.etags = etags
            said = self.dedup(*self.urls("in/a.jsonl", "in/b.jsonl.gz"), "--remote-cache", "0", code=2)
            self.assertIn("/in/a.jsonl: the file changed during the run", said)
            self.assertFalse((self.folder / f"out{self.runs}/summary.json").exists())

    def test_what_never_comes_ends_the_run_and_no_page_is_lost_silently(self):
        self.server.faults = {"a.jsonl": [None] + ["503"] * 50}
        said = self.dedup(*self.urls("in/a.jsonl", "in/b.jsonl.gz"), code=3)
        self.assertIn("/in/a.jsonl: the server answers 503", said)
        self.assertIn("tried 8 times", said)

    def test_a_server_without_ranges(self):
        self.server.ranges = False
        self.compare()

    def test_what_gives_access_is_not_shown(self):
        url = self.server.url.replace("://", "://pass:word@") + "/in/a.jsonl?signature=secret"
        out = self.dedup(url)
        self.assertIn("/in/a.jsonl\"", (out / "summary.json").read_text())
        self.assertNotIn("secret", (out / "summary.json").read_text())
        said = self.dedup(url.replace("a.jsonl", "none"), code=2)
        self.assertIn("404", said)

    def test_parquet_is_read_in_ranges(self):
        content = self.parquet()
        (self.folder / "p.parquet").write_bytes(content)
        self.server.files["/p.parquet"] = content
        self.server.faults = {"p.parquet": [None, "cut", "503", "short"]}
        local = self.dedup("p.parquet", "--text-field", "member")
        self.same(local, self.dedup(*self.urls("p.parquet"), "--text-field", "member"))

    def test_an_interrupted_run_goes_on(self):
        urls = self.urls(*self.NAMES)
        self.server.faults = {"a.jsonl": [None, None] + ["503"] * 9}
        out = self.folder / "resumed"
        self.retold("dedup", *urls, "-o", str(out), "--resume", "--remote-cache", "0", code=3)
        self.assertTrue((out / ".retold-resume").exists())
        self.server.faults = {}
        self.server.asked.clear()
        self.retold("dedup", *urls, "-o", str(out), "--resume", "--remote-cache", "0")
        # What was read is not read again: each file once more, to write what is kept.
        ranges = [path for _, path, headers in self.server.asked if headers.get("range") != "bytes=0-0"]
        self.assertEqual(len(ranges), len(set(ranges)))
        self.same(self.dedup(*self.NAMES), out)

    def test_other_commands_read_urls(self):
        said = self.retold("text", *self.urls("in/sub/c.html"))
        self.assertIn("village 3", said)
        out = self.dedup("in/a.jsonl", "--against", *self.urls("in/b.jsonl.gz"))
        self.assertEqual((out / "dropped.jsonl").read_text().count("\n"), 20)


class Hub(Case):
    def setUp(self):
        super().setUp()
        self.server = Server({"/" + name: content for name, content in FILES.items()})
        self.addCleanup(self.server.close)
        self.env |= {"HF_ENDPOINT": self.server.url, "HF_TOKEN": TOKEN}

    def test_a_folder_a_file_and_a_pattern(self):
        for local, remote in [("in", "in"), ("in", "in/"), ("in/a.jsonl", "in/a.jsonl"), ("in/*", "in/*"), ("*/a.jsonl", "*/a.jsonl")]:
            if local.endswith("a.jsonl") and "*" not in local:
                continue
            self.same(self.dedup(local), self.dedup(f"hf://datasets/org/name@v1/{remote}"))
        out = self.dedup("hf://datasets/org/name@v1/in/a.jsonl", "hf://datasets/org/name@v1/more/a.jsonl")
        self.same(self.dedup("in/a.jsonl", "more/a.jsonl"), out)

    def test_the_revision_is_pinned_and_the_token_stays_on_the_hub(self):
        self.server.faults = {"revision/v1": ["503"], f"tree/{SHA}": ["503"], "a.jsonl": ["503", "cut"]}
        self.same(self.dedup("in"), self.dedup("hf://datasets/org/name@v1/in"))
        files = [(path, headers) for _, path, headers in self.server.asked if "/cdn/" in path]
        self.assertGreater(len(files), 4)
        self.assertFalse(any("authorization" in headers for _, headers in files))
        asked = [path for _, path, _ in self.server.asked if "/resolve/" in path]
        self.assertTrue(all(f"/resolve/{SHA}/" in path for path in asked))

    def test_messages(self):
        self.assertIn("nothing is there", self.dedup("hf://datasets/org/name@v1/in/none.jsonl", code=2))
        self.assertIn("404", self.dedup("hf://datasets/org/name@v2/in", code=2))
        self.assertIn("hf://datasets/ORG/NAME", self.dedup("hf://org/name", code=2))
        self.env["HF_TOKEN"] = "other"
        self.assertIn("access is denied", self.dedup("hf://datasets/org/name@v1/in", code=2))


class HubOut(Case):
    def setUp(self):
        super().setUp()
        self.server = Server({"/notes.txt": b"mine"})
        self.addCleanup(self.server.close)
        self.env |= {"HF_ENDPOINT": self.server.url, "HF_TOKEN": TOKEN}

    def push(self, *arguments, code=0, to="org/name@v1"):
        return self.retold("dedup", *arguments, "-o", f"hf://datasets/{to}", code=code)

    def pushed(self, local):
        """The data set has what a local run keeps, and the card."""
        kept = {f"/{path.relative_to(local)}": path.read_bytes() for path in (local / "kept").rglob("*") if path.is_file()}
        kept["/dropped.jsonl"] = (local / "dropped.jsonl").read_bytes()
        files = dict(self.server.files)
        self.assertEqual(files.pop("/notes.txt"), b"mine")
        card = files.pop("/README.md").decode()
        self.assertEqual(files, kept)
        records = json.loads((local / "summary.json").read_text())["records"]
        self.assertIn(f"| kept | {records['kept']} |\n| dropped | {records['dropped']} |", card)
        return card

    def test_a_data_set_in_one_commit(self):
        local = self.dedup("in")
        self.assertIn("start with hf://datasets/org/name@v1/README.md", self.push("in"))
        card = self.pushed(local)
        self.assertIn("retold dedup in -o hf://datasets/org/name@v1\n", card)
        self.assertEqual(len(self.server.commits), 1)
        kinds = {line["key"] for line in self.server.commits[0]}
        self.assertEqual(kinds, {"header", "file", "lfsFile"})
        # One of the large files went up in parts.
        self.assertTrue(any("/complete/" in path for _, path, _ in self.server.asked))
        # What was kept can be read again, and has no copies.
        again = self.dedup("hf://datasets/org/name@v1/kept/in")
        self.assertEqual((again / "dropped.jsonl").read_bytes(), b"")

    def test_what_is_there_is_not_replaced_unasked(self):
        self.push("in")
        self.assertIn("add --force to replace README.md, dropped.jsonl and kept/", self.push("in", code=2))
        self.push("in/a.jsonl", "in/b.jsonl.gz", "--force")
        self.pushed(self.dedup("in/a.jsonl", "in/b.jsonl.gz"))
        self.assertEqual(len(self.server.commits), 2)

    def test_faults_that_pass(self):
        self.server.faults = {"preupload/v1": [None, "503"], "objects/batch": ["503"], "-2": ["drop", "503"], "revision/v1": ["503"]}
        self.push("in")
        self.pushed(self.dedup("in"))
        self.assertEqual(sum(map(len, self.server.faults.values())), 0)

    def test_a_failure_in_the_middle_changes_nothing(self):
        before = dict(self.server.files)
        for path, fault, said in [
            ("preupload/v1", [None, "403"], "access is denied (403 Forbidden); nothing was changed there"),
            ("objects/batch", ["404"], "the server answers 404 Not Found; nothing was changed there"),
            ("-2", ["403"], "in/a.jsonl: access is denied (403 Forbidden); nothing was changed there"),
            ("commit/v1", ["503"], "the commit was refused: the server answers 503"),
            ("commit/v1", ["412"], "somebody else has changed it since the run began"),
            ("commit/v1", ["drop"], "no answer to the commit"),
        ]:
            self.server.faults = {path: list(fault)}
            self.assertIn(said, self.push("in", code=2), path)
            self.assertEqual(self.server.faults[path], [])
            self.assertEqual((self.server.files, self.server.commits), (before, []))
        # What had come is not sent again.
        self.server.asked.clear()
        self.push("in")
        self.assertFalse(any("/store/" in path for _, path, _ in self.server.asked))

    def test_who_may_not_write_learns_it_before_the_run(self):
        self.server.faults = {"preupload/v1": ["403"]}
        self.assertIn("access is denied", self.push("none.jsonl", code=2))
        self.assertIn("hf repo create org/other --repo-type dataset", self.push("in", to="org/other", code=2))
        self.assertIn("name a data set", self.push("in", to="org/name@v1/data", code=2))
        self.assertIn("is empty", self.push("in", "--no-kept", code=2))
        self.env |= {"HF_TOKEN": "", "HOME": str(self.folder)}
        self.assertIn("set HF_TOKEN", self.push("in", code=2))


class Patterns(Case):
    def test_local_patterns_are_those_of_a_shell(self):
        self.same(self.dedup("in/a.jsonl", "in/b.jsonl.gz", "in/empty.jsonl"), self.dedup("in/*.jsonl*"))
        self.assertIn("none matches it as a pattern", self.dedup("in/*.csv", code=2))


try:
    import logging

    import boto3
    from moto.server import ThreadedMotoServer
except ImportError:
    print("skipped: no S3 server (moto)")
else:

    class Bucket(Case):
        @classmethod
        def setUpClass(cls):
            logging.getLogger("werkzeug").setLevel(logging.ERROR)
            cls.moto = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
            cls.moto.start()
            cls.addClassCleanup(cls.moto.stop)
            host, port = cls.moto.get_host_and_port()
            cls.upstream = f"{host}:{port}"
            access = {"aws_access_key_id": "access", "aws_secret_access_key": "s3cr3tkey", "region_name": "us-east-1"}
            cls.s3 = boto3.client("s3", endpoint_url=f"http://{cls.upstream}", **access)
            cls.s3.create_bucket(Bucket="bucket")

        def setUp(self):
            super().setUp()
            for found in self.s3.list_objects_v2(Bucket="bucket").get("Contents", []):
                self.s3.delete_object(Bucket="bucket", Key=found["Key"])
            for name, content in FILES.items():
                self.put(name, content)
            # Some tools mark folders so.
            self.put("in/sub/", b"")
            self.proxy = Server(upstream=self.upstream)
            self.addCleanup(self.proxy.close)
            self.env |= {
                "AWS_ENDPOINT_URL": self.proxy.url,
                "AWS_ACCESS_KEY_ID": "access",
                "AWS_SECRET_ACCESS_KEY": "s3cr3tkey",
                "AWS_REGION": "us-east-1",
            }

        def put(self, name, content):
            self.s3.put_object(Bucket="bucket", Key=name, Body=content)

        def test_a_folder_a_file_and_a_pattern(self):
            for name in ["in", "in/*", "*/a.jsonl", "in/**/*.jsonl*"]:
                self.same(self.dedup(name), self.dedup(f"s3://bucket/{name}"))
            self.same(self.dedup("in/a.jsonl", "in/b.jsonl.gz"), self.dedup("s3://bucket/in/a.jsonl", "in/b.jsonl.gz"))
            out = self.dedup("in/a.jsonl", "--against", "s3://bucket/in/b.jsonl.gz")
            self.same(self.dedup("in/a.jsonl", "--against", "in/b.jsonl.gz"), out)

        def test_faults_that_pass(self):
            self.proxy.faults = {"a.jsonl": ["503", "cut", "cut"], "b.jsonl.gz": ["503", "503", "slow"]}
            self.same(self.dedup("in"), self.dedup("s3://bucket/in"))
            self.assertEqual(sum(map(len, self.proxy.faults.values())), 0)

        def test_a_changed_object_ends_the_run(self):
            def change():
                self.put("in/a.jsonl", FILES["in/a.jsonl"].replace(b"council", b"COUNCIL"))

            for passes in [[change], [None, change]]:
                self.put("in/a.jsonl", FILES["in/a.jsonl"])
                self.proxy.faults = {"in/a.jsonl": list(passes)}
                said = self.dedup("s3://bucket/in", "--remote-cache", "0", code=2)
                self.assertIn("s3://bucket/in/a.jsonl: the file changed during the run", said)

        def test_parquet(self):
            content = self.parquet()
            (self.folder / "p.parquet").write_bytes(content)
            self.put("p.parquet", content)
            self.proxy.faults = {"p.parquet": ["503", "cut"]}
            local = self.dedup("p.parquet", "--text-field", "member")
            self.same(local, self.dedup("s3://bucket/p.parquet", "--text-field", "member"))

        def test_an_output_folder(self):
            local = self.dedup("in")
            self.retold("dedup", "s3://bucket/in", "-o", "s3://bucket/new/out")
            uploads = [path for method, path, _ in self.proxy.asked if method in ("PUT", "POST")]
            self.assertIn("summary.json", uploads[-1])

            def fetched():
                down = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
                for found in self.s3.list_objects_v2(Bucket="bucket", Prefix="new/out/")["Contents"]:
                    path = down / found["Key"].removeprefix("new/out/")
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(self.s3.get_object(Bucket="bucket", Key=found["Key"])["Body"].read())
                return down

            self.same(local, fetched())
            # What is there is not replaced unasked, and then only what a run wrote.
            said = self.retold("dedup", "s3://bucket/in", "-o", "s3://bucket/new/out", code=2)
            self.assertIn("add --force", said)
            self.put("new/out/notes.txt", b"mine")
            self.retold("dedup", "in/a.jsonl", "in/b.jsonl.gz", "-o", "s3://bucket/new/out", "--force")
            down = fetched()
            self.assertEqual((down / "notes.txt").read_bytes(), b"mine")
            (down / "notes.txt").unlink()
            self.same(self.dedup("in/a.jsonl", "in/b.jsonl.gz"), down)
            self.assertFalse((down / "kept/in").exists())
            # What a run wrote is no input, unless it is named.
            self.same(local, self.dedup("s3://bucket/in"))
            self.assertIn("is the output of a run of retold", self.dedup("s3://bucket/new/out", code=2))
            self.dedup("s3://bucket/new/out/kept")
            self.assertIn("overlap", self.retold("dedup", "s3://bucket/in", "-o", "s3://bucket/in/out", code=2))

        def test_profiles(self):
            aws = self.folder / ".aws"
            aws.mkdir()
            (aws / "credentials").write_text(
                "# keys\n[default]\naws_access_key_id = access\naws_secret_access_key = s3cr3tkey\n\n"
                "[work]\naws_access_key_id=access\naws_secret_access_key=s3cr3tkey\n"
            )
            (aws / "config").write_text(
                f"[default]\nregion = us-east-1\nendpoint_url = {self.proxy.url}\ns3 =\n  max_concurrent_requests = 20\n"
                f"[profile work]\nregion = us-east-1\nendpoint_url = {self.proxy.url}\n[profile led]\nsource_profile = work\n"
            )
            local = self.dedup("in")
            self.env = {"NO_PROXY": self.env["NO_PROXY"], "HOME": str(self.folder)}
            self.same(local, self.dedup("s3://bucket/in"))
            self.env["AWS_PROFILE"] = "work"
            self.same(local, self.dedup("s3://bucket/in"))
            self.env["AWS_PROFILE"] = "led"
            self.assertIn("has no keys of its own; take those that it leads to", self.dedup("s3://bucket/in", code=2))
            self.env["AWS_PROFILE"] = "none"
            self.assertIn("the profile none of AWS_PROFILE is not in", self.dedup("s3://bucket/in", code=2))
            # Others go first, and together.
            self.env |= {"AWS_PROFILE": "work", "AWS_ACCESS_KEY_ID": "other", "AWS_SECRET_ACCESS_KEY": "other"}
            self.same(local, self.dedup("s3://bucket/in"))
            asked = self.proxy.asked[-1][2]["authorization"]
            self.assertIn("Credential=other/", asked)
            (aws / "credentials").write_text("[default\n")
            self.assertIn("credentials: is not an INI file", self.dedup("s3://bucket/in", code=2))

        def test_messages(self):
            self.assertIn("nothing is there", self.dedup("s3://bucket/none", code=2))
            self.assertIn("no object matches", self.dedup("s3://bucket/in/*.csv", code=2))
            self.assertIn("cannot read INPUT s3://other/in", self.dedup("s3://other/in", code=2))
            self.assertIn("is not known", self.dedup("ftp://host/in", code=2))


if __name__ == "__main__":
    unittest.main(verbosity=1)
