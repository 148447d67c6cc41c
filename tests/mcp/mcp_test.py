"""An index for agents, over both transports: what it answers, and what it makes of damaged messages, large ones, several clients,
cancellation and kills."""

import asyncio
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import urllib.error
import urllib.request

import httpx2
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

RETOLD = os.environ["RETOLD"]
TOKEN = "correct-horse-battery"
STORY = (
    "The ferry to Naxos left three hours late on Monday because of a storm in the southern Aegean. Passengers waited at the quay of Piraeus "
    "until noon, when the wind fell and the captain decided to sail. It was the last boat of the day, and the harbour office had already "
    "told four hundred people to look for a bed in town."
)
NEWS = "Nobody of the nineteen sailors was hurt, the company said on Tuesday, and the damaged bow will be repaired in Syros this week."
OTHER = (
    "The council of Leiden voted on Thursday to close the old swimming pool behind the station. Its roof has leaked since the flood of last "
    "spring, and mending it would cost more than a new one. The clubs that train there were given until the summer to find another place."
)


def new_index(folder):
    subprocess.run([RETOLD, "index", "create", folder], check=True, capture_output=True)
    return str(folder)


@contextlib.contextmanager
def service(folder, *options):
    """A service with a token, and its address."""
    tokens = pathlib.Path(folder).parent / "tokens"
    tokens.touch(mode=0o600)
    tokens.write_text(TOKEN + "\n")
    command = [RETOLD, "serve", folder, "--listen", "127.0.0.1:0", "--token-file", str(tokens), "-q", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as serving:
        try:
            yield serving.stdout.readline().split()[-1]
        finally:
            serving.terminate()


@contextlib.asynccontextmanager
async def over_http(address):
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        async with Client(streamable_http_client(address + "/mcp", http_client=http)) as client:
            yield client


def over_pipes(folder, *options):
    return Client(StdioServerParameters(command=RETOLD, args=["mcp", folder, *options]))


async def ask(client, tool, **arguments):
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    assert json.loads(answer.content[0].text) == answer.structured_content
    return answer.structured_content


async def conversation(client):
    """What an agent does in a day."""
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert sorted(tools) == ["explain", "forget", "remember", "search", "seen", "story"]
    assert tools["seen"].annotations.read_only_hint and not tools["remember"].annotations.read_only_hint
    assert tools["seen"].input_schema["properties"]["text"]["description"]

    assert await ask(client, "seen", text=STORY) == {"status": "new"}
    first = await ask(client, "remember", text=STORY, url="https://a.example/ferry", title="Ferry late", date="2026-11-02")
    assert (first["id"], first["stored"], first["status"]) == ("https://a.example/ferry", "new", "new")
    # The same text elsewhere is a repeat; with a new passage, only this has to be read.
    again = await ask(client, "seen", text=STORY, url="https://b.example/1")
    assert (again["status"], again["of"][0]["id"], again["of"][0]["relation"]) == ("repeat", first["id"], "duplicate")
    assert "adds" not in again
    longer = await ask(client, "remember", text=f"{STORY}\n\n{NEWS}", id="b", date="2026-11-03")
    assert longer["status"] == "adds" and longer["adds"]["passages"] == [NEWS] and longer["adds"]["words"] == 23
    # What several stored texts have together is not new, though none has it all.
    await ask(client, "remember", text=OTHER, id="pool", title="Pool closes", date="2026-11-05")
    both = await ask(client, "seen", text=f"{STORY}\n\n{OTHER}")
    assert both["status"] == "repeat" and {of["id"] for of in both["of"]} >= {"pool", first["id"]}
    assert (await ask(client, "seen", url="https://a.example/ferry"))["status"] == "repeat"
    assert (await ask(client, "seen", url="https://a.example/none"))["status"] == "new"

    told = await ask(client, "explain", a="b", b=first["id"])
    assert (told["relation"], told["only_a"]["passages"], told["only_b"]["words"]) == ("contains", [NEWS], 0)
    assert told["checks"] and told["shared_characters"] > 300
    story = await ask(client, "story", id=first["id"])
    assert [page["id"] for page in story["timeline"]] == [first["id"], "b"]
    found = await ask(client, "search", query="swimming pool")
    assert [page["id"] for page in found["pages"]] == ["pool"]

    listed = [str(resource.uri) for resource in (await client.list_resources()).resources]
    templates = {template.uri_template for template in (await client.list_resource_templates()).resource_templates}
    assert templates == {"retold://page/{id}", "retold://story/{id}"}
    page = await client.read_resource("retold://page/https%3A%2F%2Fa%2Eexample%2Fferry")
    assert STORY in page.contents[0].text and "date: 2026-11-02" in page.contents[0].text
    for uri in listed:
        assert json.loads((await client.read_resource(uri)).contents[0].text)["timeline"]

    assert (await ask(client, "forget", id="pool"))["forgotten"]
    assert not (await ask(client, "forget", id="pool"))["forgotten"]
    assert await ask(client, "seen", text=OTHER) == {"status": "new"}


async def mistakes(client):
    """Errors that a model can read, and errors of the protocol."""
    for tool, arguments, part in [
        ("seen", {}, "`text` or `html`"),
        ("seen", {"text": "x", "html": "x"}, "not both"),
        ("explain", {"a": "none", "b": "none"}, "no page of the index has the id `none`"),
        ("search", {"since": "yesterday"}, "a date expected"),
    ]:
        answer = await client.call_tool(tool, arguments)
        assert answer.is_error and part in answer.content[0].text, answer.content
    for tool, arguments in [("nothing", {}), ("seen", {"txt": STORY}), ("story", {"id": 7})]:
        with pytest.raises(MCPError):
            await client.call_tool(tool, arguments)
    for uri in ["retold://page/none", "retold://other/x", "file:///etc/passwd"]:
        with pytest.raises(MCPError):
            await client.read_resource(uri)


def test_over_pipes(tmp_path):
    async def run():
        async with over_pipes(new_index(tmp_path / "index"), "--write") as client:
            await conversation(client)
            await mistakes(client)

    asyncio.run(run())


def test_over_http(tmp_path):
    async def run():
        with service(new_index(tmp_path / "index"), "--mcp-write") as address:
            async with over_http(address) as client:
                await conversation(client)
                await mistakes(client)

    asyncio.run(run())


def test_it_only_answers_unless_it_may_write(tmp_path):
    folder = new_index(tmp_path / "index")

    async def check(client):
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert "remember" not in names and "seen" in names
        answer = await client.call_tool("remember", {"text": STORY})
        assert answer.is_error and "only answers" in answer.content[0].text

    async def run():
        async with over_pipes(folder) as client:
            await check(client)
        with service(folder) as address:
            async with over_http(address) as client:
                await check(client)

    asyncio.run(run())


def post(address, body, token=TOKEN, **headers):
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(address + "/mcp", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def call(number, tool, **arguments):
    message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    return json.dumps(message).encode()


def test_tokens_sizes_and_damage_over_http(tmp_path):
    with service(new_index(tmp_path / "index"), "--mcp-write", "--max-body", "1M") as address:
        assert post(address, call(1, "seen", text=STORY), token=None)[0] == 401
        assert post(address, call(1, "seen", text=STORY), token="wrong")[0] == 401
        assert post(address, call(1, "seen", text="x" * (1 << 20)))[0] == 413
        for damaged in [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"jsonrpc":"2.0"}', b'{"jsonrpc":"2.0","id":1,"method":"nothing"}', b"[" * 100_000]:
            status, body = post(address, damaged)
            assert 400 <= status < 500 or b'"error"' in body, (damaged[:40], status, body)
        status, body = post(address, call(2, "seen", text=STORY))
        assert status == 200 and json.loads(body)["result"]["structuredContent"] == {"status": "new"}


HELLO = [
    {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]


class Pipes:
    """A server over pipes, spoken to byte by byte."""

    def __init__(self, folder, *options):
        self.process = subprocess.Popen([RETOLD, "mcp", folder, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for message in HELLO:
            self.send(json.dumps(message).encode())
        assert self.answer(0)["result"]["serverInfo"]["name"] == "retold"

    def send(self, line):
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def answer(self, number):
        while line := self.process.stdout.readline():
            message = json.loads(line)
            if message.get("id") == number:
                return message
        raise AssertionError("it has ended")

    def close(self):
        self.process.stdin.close()
        code = self.process.wait(timeout=30)
        self.process.stdout.close()
        return code


def test_damage_size_and_cancellation_over_pipes(tmp_path):
    pipes = Pipes(new_index(tmp_path / "index"), "--write")
    for damaged in [b"", b"{", b"null", b"\xff\xfe\x00", b'{"jsonrpc":"2.0","id":"x"}', b"x" * (17 << 20), b"[" * 100_000]:
        pipes.send(damaged)
    pipes.send(call(1, "seen", text=STORY))
    assert pipes.answer(1)["result"]["structuredContent"] == {"status": "new"}
    # A request that is cancelled at once is not answered, or answered before; the next one is.
    pipes.send(call(2, "seen", text=STORY * 2000))
    pipes.send(json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}).encode())
    pipes.send(call(3, "seen", text=STORY))
    assert pipes.answer(3)["result"]["structuredContent"] == {"status": "new"}
    # A client that closes its end is no failure.
    assert pipes.close() == 0


def test_two_clients_at_once(tmp_path):
    async def remember(address, name):
        async with over_http(address) as client:
            for number in range(20):
                await ask(client, "remember", text=f"{name} {number}: {STORY}", id=f"{name}-{number}")

    async def run():
        with service(new_index(tmp_path / "index"), "--mcp-write") as address:
            await asyncio.gather(remember(address, "one"), remember(address, "two"))
            async with over_http(address) as client:
                for name in ("one", "two"):
                    for number in range(20):
                        assert (await client.read_resource(f"retold://page/{name}%2D{number}")).contents

    asyncio.run(run())


def test_a_second_writer_is_told_who_writes(tmp_path):
    folder = new_index(tmp_path / "index")
    pipes = Pipes(folder, "--write")
    second = subprocess.run([RETOLD, "mcp", folder, "--write"], input=b"", capture_output=True, timeout=30)
    assert second.returncode == 2 and b"retold mcp" in second.stderr, second.stderr
    # Readers are welcome, and see what was written.
    pipes.send(call(1, "remember", text=STORY, id="a"))
    assert pipes.answer(1)["result"]["structuredContent"]["stored"] == "new"
    reader = Pipes(folder)
    reader.send(call(1, "seen", text=STORY))
    assert reader.answer(1)["result"]["structuredContent"]["status"] == "repeat"
    assert (reader.close(), pipes.close()) == (0, 0)


def test_nothing_acknowledged_is_lost_when_it_is_killed(tmp_path):
    folder, stored, number = new_index(tmp_path / "index"), [], 0
    for kill in range(8):
        pipes = Pipes(folder, "--write")
        for _ in range(3 + 2 * kill):
            number += 1
            pipes.send(call(number, "remember", text=f"Number {number}. {STORY}", id=str(number)))
            if "result" in pipes.answer(number):
                stored.append(str(number))
        # One more, which may or may not be stored.
        number += 1
        pipes.send(call(number, "remember", text=f"Number {number}. {STORY}", id=str(number)))
        pipes.process.send_signal(signal.SIGKILL)
        pipes.process.wait()
        pipes.process.stdout.close()
        with contextlib.suppress(BrokenPipeError):
            pipes.process.stdin.close()
    lines = subprocess.run([RETOLD, "index", "changes", folder, "--matches", "0"], check=True, capture_output=True, text=True).stdout.splitlines()
    there = {json.loads(line).get("id") for line in lines}
    assert len(stored) > 70 and set(stored) <= there
    assert subprocess.run([RETOLD, "index", "check", folder], capture_output=True).returncode == 0
