"""`aigen serve --mcp`, called by the official client and by the inspector's command line."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import commands
import mcp_desk
import pytest

pytest.importorskip("mcp")

import httpx2
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.types import ElicitResult

ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}
"""How the client begins, and the revision of the protocol that is then spoken."""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return mcp_desk.project(tmp_path_factory.mktemp("desk")).root


@pytest.fixture(scope="module")
def url(root: Path) -> Iterator[str]:
    with mcp_desk.over_http(root) as found:
        yield found


@pytest.fixture(params=["stdio", "http"])
def reached(
    request: pytest.FixtureRequest, root: Path, tmp_path: Path
) -> Iterator[Callable[[], Any]]:
    """Makes what a client reaches the server by."""
    with ExitStack() as stack:
        if request.param == "http":
            found = request.getfixturevalue("url")
            yield lambda: found
            return
        errors = stack.enter_context((tmp_path / "errors.txt").open("w"))
        program, *words = mcp_desk.COMMAND
        yield lambda: stdio_client(
            StdioServerParameters(
                command=program, args=words, cwd=root, env=mcp_desk.environment()
            ),
            errlog=errors,
        )


def talked(reached: Any, talk: Callable[[Client], Any], **more: Any) -> Any:
    """What a conversation with the server gives."""

    async def run() -> Any:
        async with asyncio.timeout(60), Client(reached(), **more) as client:
            return await talk(client)

    return asyncio.run(run())


def words_of(result: Any) -> str:
    (block,) = result.content
    return str(block.text)


@pytest.mark.parametrize("era", ERAS)
def test_the_list(reached: Any, era: str) -> None:
    async def talk(client: Client) -> Any:
        assert client.protocol_version == ERAS[era]
        return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in talked(reached, talk, mode=era)}
    assert list(tools) == mcp_desk.SERVED
    order = tools["order"].model_dump(by_alias=True, exclude_none=True)
    assert order["title"] == "An order"
    assert order["description"] == "Look an order up."
    assert order["annotations"] == {"title": "An order", "readOnlyHint": True}
    assert order["inputSchema"]["required"] == ["id"]
    assert order["inputSchema"]["additionalProperties"] is False
    assert list(order["outputSchema"]["properties"]) == ["id", "placed", "note"]
    hints = {
        name: tool.annotations.model_dump(exclude_none=True, by_alias=True)
        for name, tool in tools.items()
        if tool.annotations is not None
    }
    assert hints["orders"] == {"readOnlyHint": True, "openWorldHint": False}
    assert hints["refund"] == {"destructiveHint": True, "idempotentHint": False}
    assert hints["mood"]["readOnlyHint"] is True
    assert hints["triage"]["readOnlyHint"] is True  # its tool only reads
    assert hints["reply"]["readOnlyHint"] is False  # its tool does not


def test_results_are_structured(reached: Any) -> None:
    async def talk(client: Client) -> Any:
        asked = [
            ("order", {"id": "A-1", "note": "late"}),
            ("orders", {}),
            ("mood", {"review": "Fine."}),
            ("triage", {"message": "Where is it?"}),
        ]
        return [await client.call_tool(name, arguments) for name, arguments in asked]

    order, orders, mood, triage = talked(reached, talk)
    found = {"id": "A-1", "placed": "2026-01-02", "note": "late"}
    assert order.structured_content == found
    assert json.loads(words_of(order))["note"] == "late"
    assert orders.structured_content == {"result": ["A-0", "A-1"]}
    assert mood.structured_content == {"result": "happy"}
    assert set(triage.structured_content) == {"summary", "urgent"}


FAILURES = {
    "order": ({"id": "A-0"}, "order failed: LookupError: no such order"),
    "orders": ({"many": 1}, "not run: orders has no input many"),
    "mood": ({}, "not run: "),
    "wrong": ({}, "wrong failed: wrong gave a result that is not what its spec says"),
    "wait": ({"seconds": 5}, "wait failed: took longer than 0.4 s"),
    "refund": ({"id": "A", "amount": 1}, "not run: refund needs an approval, and there is nobody"),
    "close_shop": ({}, "not run: close_shop needs a person, and there is nobody to ask"),
}


def test_failures_are_results(reached: Any) -> None:
    async def talk(client: Client) -> Any:
        return {name: await client.call_tool(name, each[0]) for name, each in FAILURES.items()}

    for name, result in talked(reached, talk).items():
        assert result.is_error, name
        assert result.structured_content is None
        assert words_of(result).startswith(FAILURES[name][1])


@pytest.mark.parametrize("name", ["secret", "later", "see", "nothing"])
def test_what_is_not_served_is_no_tool(reached: Any, name: str) -> None:
    async def talk(client: Client) -> str:
        with pytest.raises(MCPError) as raised:
            await client.call_tool(name, {})
        return raised.value.message

    assert talked(reached, talk) == f"there is no tool {name}"


# ---------------------------------------------------------------------------- approval


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (ElicitResult(action="accept", content={"approve": True}), None),
        (ElicitResult(action="accept", content={"approve": False}), "the person declined"),
        (ElicitResult(action="accept", content={}), "the person declined"),
        (ElicitResult(action="decline"), "the person declined"),
        (ElicitResult(action="cancel"), "the person did not answer"),
    ],
)
def test_a_person_is_asked(url: str, era: str, answer: ElicitResult, said: str | None) -> None:
    questions: list[str] = []

    async def person(ctx: Any, params: Any) -> ElicitResult:
        questions.append(params.message)
        return answer

    async def talk(client: Client) -> Any:
        refund = await client.call_tool("refund", {"id": "A-1", "amount": 3.5})
        return refund, await client.call_tool("close_shop", {})

    found = talked(lambda: url, talk, mode=era, elicitation_callback=person)
    assert questions == [
        'Run refund (risk 3 of 4) with {"id": "A-1", "amount": 3.5}?',
        "Run close_shop (risk 2 of 4) with {}?",
    ]
    told = ["3.5 for A-1", "closed"] if said is None else [f"not run: {said}"] * 2
    assert [words_of(result) for result in found] == told
    assert [result.is_error for result in found] == [said is not None] * 2


def test_an_answer_is_to_its_own_question(url: str) -> None:
    """Who approves one refund has not approved a larger one."""

    async def person(ctx: Any, params: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"approve": True})

    async def talk(client: Client) -> Any:
        session = client.session
        first = await session.call_tool(
            "refund", {"id": "A", "amount": 1}, allow_input_required=True
        )
        (key,) = first.input_requests
        yes = {key: ElicitResult(action="accept", content={"approve": True})}
        more = {"allow_input_required": True, "input_responses": yes}
        other = await session.call_tool("refund", {"id": "A", "amount": 1000}, **more)
        return other, await session.call_tool("refund", {"id": "A", "amount": 1}, **more)

    other, same = talked(lambda: url, talk, mode="auto", elicitation_callback=person)
    assert other.result_type == "input_required"
    assert words_of(same) == "1.0 for A"


def test_policies_hold_here_too(root: Path, tmp_path: Path) -> None:
    settings = '[settings]\napprove = "always"\npolicies = ["app.rules:closed"]\n'
    project = mcp_desk.project(tmp_path)
    rule = "def closed(call, ctx):\n    return None if call.effects == 'reads' else 'deny'\n"
    project.write("app/rules.py", rule)
    with (tmp_path / "aigen.toml").open("a") as file:
        file.write(settings)
    with mcp_desk.over_http(tmp_path) as url:

        async def talk(client: Client) -> Any:
            reads = await client.call_tool("orders", {})
            return reads, await client.call_tool("print_all", {})

        reads, changes = talked(lambda: url, talk)
    assert words_of(reads) == "not run: orders needs an approval, and there is nobody to ask"
    assert words_of(changes) == "not run: a policy denies it"


# ------------------------------------------------------------------- the process and its pipes


def opened(server: subprocess.Popen[bytes]) -> None:
    """The handshake, by hand."""
    assert server.stdin is not None
    server.stdin.write(mcp_desk.INITIALIZE)
    server.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    server.stdin.flush()
    assert json.loads(line_of(server))["result"]["serverInfo"]["name"] == "desk_ai"


def line_of(server: subprocess.Popen[bytes]) -> bytes:
    assert server.stdout is not None
    return server.stdout.readline()


def test_nothing_but_the_protocol_is_on_standard_output(root: Path) -> None:
    with mcp_desk.process(root) as server:
        opened(server)
        asked = mcp_desk.request(2, "tools/call", name="print_all", arguments={})
        assert server.stdin is not None
        server.stdin.write(asked)
        server.stdin.flush()
        assert json.loads(line_of(server))["result"]["isError"] is False
        out, err = server.communicate(timeout=30)  # which closes its input
        assert (server.returncode, out) == (0, b"")
    for said in (b"printed by an import", b"printed by a tool", b"written by a tool"):
        assert said in err
    assert b"desk.later is not served: it is declared only" in err
    assert b"desk.see is not served: it takes media" in err


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("over", ["stdio", "http"])
def test_it_ends_when_it_is_told_to(root: Path, over: str, how: signal.Signals) -> None:
    words = ["--http", "--port", "0"] if over == "http" else []
    with mcp_desk.process(root, *words) as server:
        mcp_desk.url_of(server) if words else opened(server)
        began = time.monotonic()
        server.send_signal(how)
        _, err = server.communicate(timeout=20)
    assert time.monotonic() - began < 10
    assert server.returncode in (0, 130, -signal.SIGTERM)
    assert b"Traceback" not in err


def test_a_tool_that_misbehaves_ends_no_server(root: Path) -> None:
    with mcp_desk.process(root) as server:
        opened(server)
        assert server.stdin is not None
        ways = ("close", "exit", "half", "interrupt", "awaited", "not at all")
        for number, how in enumerate(ways, 2):
            asked = {"name": "misbehave", "arguments": {"how": how}}
            if how == "awaited":
                asked = {"name": "interrupt", "arguments": {}}
            server.stdin.write(mcp_desk.request(number, "tools/call", **asked))
            server.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/cancelled"}\n')
            server.stdin.flush()
            result = json.loads(line_of(server))["result"]
            assert result["isError"] is (how not in ("close", "not at all")), how
        assert result["structuredContent"] == {"result": "done"}
        assert server.poll() is None


def test_a_client_that_reads_no_more(root: Path) -> None:
    with mcp_desk.process(root) as server:
        opened(server)
        assert server.stdin is not None and server.stdout is not None
        server.stdout.close()
        server.stdin.write(mcp_desk.request(2, "tools/list"))
        server.stdin.flush()
        assert server.wait(timeout=20) == 141
        assert server.stderr is not None
        assert b"aigen failed" not in server.stderr.read()
        server.stdout = None


def test_garbage_is_answered_or_passed_over(root: Path) -> None:
    with mcp_desk.process(root) as server:
        opened(server)
        assert server.stdin is not None
        server.stdin.write(b"\xff\xfe{\n[1]\n" + b"[" * 20000 + b"\n")
        server.stdin.write(mcp_desk.request(9, "tools/call", name="orders", arguments={"most": 1}))
        server.stdin.flush()
        while json.loads(line := line_of(server)).get("id") != 9:
            assert b'"error"' in line or b"notifications" in line
        assert json.loads(line)["result"]["structuredContent"] == {"result": ["A-0"]}


# ------------------------------------------------------------------------------- HTTP

REFUSED = {
    "host of another": {"Host": "evil.example"},
    "host that looks like ours": {"Host": "127.0.0.1.evil.example:80"},
    "origin of another": {"Origin": "http://evil.example"},
    "origin that looks like ours": {"Origin": "http://localhost.evil.example:8000"},
    "origin of a file": {"Origin": "null"},
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_page_of_a_browser_does_not_reach_it(url: str, what: str) -> None:
    for more in ({}, {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "server/discover"}):
        headers = {"Accept": "application/json, text/event-stream", **more, **REFUSED[what]}
        headers["Content-Type"] = "application/json"
        found = httpx2.post(url, content=mcp_desk.INITIALIZE, headers=headers)
        assert found.status_code in (403, 421)


def test_a_body_that_is_too_large(url: str) -> None:
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    assert httpx2.post(url, content=b" " * 5_000_000, headers=headers).status_code == 413


def test_it_listens_on_this_machine_alone(url: str) -> None:
    assert url.startswith("http://127.0.0.1:")
    others: set[Any] = set()
    with suppress(socket.gaierror):  # in a container its name may mean nothing
        others = {each[4][0] for each in socket.getaddrinfo(socket.gethostname(), None)}
    for address in others - {"127.0.0.1", "127.0.1.1", "::1"}:
        port = int(url.rpartition(":")[2].partition("/")[0])
        with pytest.raises(OSError, match=r"refused|unreachable|timed out"):
            socket.create_connection((address, port), 2).close()


def test_another_name_is_allowed_where_it_is_given(root: Path) -> None:
    with mcp_desk.over_http(root, "--allow-host", "desk.example") as url:
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        for host, code in (("desk.example", 200), ("evil.example", 421)):
            found = httpx2.post(url, content=mcp_desk.INITIALIZE, headers={**headers, "Host": host})
            assert found.status_code == code


# ------------------------------------------------------------------------- wrong use


def test_wrong_use(root: Path, tmp_path: Path) -> None:
    project = commands.Project(root)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        for words, code, said in [
            ([], 2, "aigen serve --mcp"),
            (["--mcp", "ordr"], 2, 'no function or tool "ordr"; did you mean "order"?'),
            (["--mcp", "secret"], 1, "there is nothing to serve"),
            (["--mcp", "--http", "--port", port], 1, f"cannot listen at 127.0.0.1, port {port}"),
            (["--mcp", "--http", "--port", "70000"], 2, "70000"),
        ]:
            ran = project.aigen("serve", *words)
            assert ran.code == code
            assert said in ran.err
            assert ran.out == ""
            assert "Traceback" not in ran.err
    empty = commands.Project(tmp_path)
    assert "nothing says where the package is" in empty.aigen("serve", "--mcp").err
    empty.write("aigen.toml", 'out = "ai"\n')
    assert "nothing is built at ai: run aigen build" in empty.aigen("serve", "--mcp").err


def test_without_the_sdk(root: Path) -> None:
    program = "import sys; sys.modules['mcp'] = None; from aigen.cli import run; sys.exit(run())"
    ran = subprocess.run(
        [sys.executable, "-c", program, "serve", "--mcp"],
        cwd=root,
        env=mcp_desk.environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (1, "")
    assert 'serving needs a package: pip install "aigen[mcp]"' in ran.stderr


def test_more_calls_than_the_most(root: Path, tmp_path: Path) -> None:
    waits = 70

    async def person(ctx: Any, params: Any) -> ElicitResult:
        await asyncio.sleep(1.5)  # so that all calls are under way
        return ElicitResult(action="decline")

    async def talk(client: Client) -> Any:
        asked = [client.call_tool("refund", {"id": "A", "amount": at}) for at in range(waits)]
        return await asyncio.gather(*asked)

    with mcp_desk.over_http(root) as url:
        found = talked(lambda: url, talk, mode="legacy", elicitation_callback=person)
    said = [words_of(result) for result in found]
    assert said.count("not run: the person declined") == 64
    assert said.count("not run: the server is busy with 64 calls; try again later") == waits - 64


def test_those_that_are_named(root: Path) -> None:
    async def talk(client: Client) -> Any:
        return [tool.name for tool in (await client.list_tools()).tools]

    with mcp_desk.over_http(root, "desk.order", "mood") as url:
        assert talked(lambda: url, talk) == ["order", "mood"]


# ------------------------------------------------------------------------- the inspector


@pytest.fixture(scope="module")
def inspector() -> list[str]:
    """The inspector's command line: `MCP_INSPECTOR`, else on the path, else one npx has."""
    named = os.environ.get("MCP_INSPECTOR") or shutil.which("mcp-inspector")
    command = [named] if named else ["npx", "--no-install", "@modelcontextprotocol/inspector"]
    if shutil.which(command[0]) is None:
        assert "MCP_INSPECTOR" not in os.environ, f"MCP_INSPECTOR names nothing that runs: {named}"
        pytest.skip("there is no node")
    command.append("--cli")
    probe = subprocess.run([*command, "--help"], capture_output=True, timeout=120, check=False)
    if probe.returncode:
        assert not named, probe.stderr.decode(errors="replace")
        pytest.skip("there is no @modelcontextprotocol/inspector")
    if b"--connect-timeout" in probe.stdout:
        command += ["--connect-timeout", "100000"]
    return command


@pytest.mark.parametrize("over", ["stdio", "http"])
def test_the_inspector(inspector: list[str], over: str, root: Path, url: str) -> None:
    to = [url, "--transport", "http"] if over == "http" else mcp_desk.COMMAND

    def inspected(*words: str) -> Any:
        ran = subprocess.run(
            [*inspector, *to, *words],
            cwd=root,
            env=mcp_desk.environment(),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert ran.stdout, ran.stderr  # version 2 ends with 5 where a tool failed
        return json.loads(ran.stdout)

    tools = inspected("--method", "tools/list")["tools"]
    assert [tool["name"] for tool in tools] == mcp_desk.SERVED
    call = ["--method", "tools/call", "--tool-name"]
    found = inspected(*call, "orders", "--tool-arg", "most=1")
    assert found["structuredContent"] == {"result": ["A-0"]}
    failed = inspected(*call, "order", "--tool-arg", "id=A-0")
    assert failed["isError"] is True
    assert failed["content"][0]["text"] == "order failed: LookupError: no such order"
