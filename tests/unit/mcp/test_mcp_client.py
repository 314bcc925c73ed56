"""Calls of tools that MCP servers have: right ones, and servers that do one thing wrong."""

from __future__ import annotations

import asyncio
import codecs
import gzip
import json
import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from aigen.runtime.errors import ConfigurationError, InterfaceInputError, ToolError
from aigen.runtime.layers import configure, settings
from aigen.runtime.mcp import client, results, transports
from aigen.runtime.mcp.servers import server_of
from aigen.runtime.setting_kinds import Settings
from aigen.runtime.tools.offered import offered
from aigen.runtime.tools.running import Runner
from aigen.runtime.tools.tokens import tokens
from aigen.runtime.wire.deadline import Deadline
from aigen.runtime.wire.messages import ToolCall
from far_tools import HOSTILE, described, look

pytest.importorskip("mcp")

Far = Callable[..., Any]


def test_a_call_from_code_that_waits_and_from_code_that_awaits(far: Far) -> None:
    tool = far("plain")
    assert tool(word="a") == "fine"
    assert asyncio.run(tool.aio(word="a")) == "fine"


def test_one_process_serves_all_callers(far: Far) -> None:
    tool = far("process")

    async def both() -> list[Any]:
        return await asyncio.gather(tool.aio(), tool.aio())

    with ThreadPoolExecutor(4) as pool:
        found = {tool(), *asyncio.run(both()), *pool.map(lambda _: tool(), range(8))}
    assert len(found) == 1
    assert found != {str(os.getpid())}


def test_arguments_are_checked_before_anything_is_sent(far: Far) -> None:
    with pytest.raises(InterfaceInputError, match="has no input wrod"):
        far("dying")(wrod="a")


def test_what_other_content_says(far: Far) -> None:
    lines = ["fine", "(image, image/png)", "file:///a", "of b"]
    found = far("mixed")()
    assert found.text == "\n".join(lines)
    assert [(image.media_type, image.data) for image in found.images] == [("image/png", b"\0\0\0")]


def test_an_older_servers_json_is_the_value(far: Far, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    assert far("environment", dict[str, Any])() == {"TOKEN": None, "OPENAI_API_KEY": None}


def test_a_result_that_is_not_what_the_spec_says(far: Far) -> None:
    with pytest.raises(ToolError, match="not what its spec says"):
        far("plain", dict[str, Any])()


FAULTS = {
    "failing": "^no order$",
    "refusing": "the MCP server far says: no such word",
    "dying": "the MCP server far ended, or closed the connection",
    "gone": "the MCP server far ended, or closed the connection",
    "unlike": "the MCP server far does not keep its own schema: .*many",
    "shapeless": "the MCP server far answers what MCP does not know",
}


@pytest.mark.parametrize("how", FAULTS)
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_server_that_does_one_thing_wrong(far: Far, how: str) -> None:
    began = time.monotonic()
    for _ in range(2):  # the second call connects anew, where that is needed
        with pytest.raises(ToolError, match=FAULTS[how]) as raised:
            far(how)()
        assert raised.value.tool == "look"
    assert time.monotonic() - began < 25


def test_a_line_that_does_not_end(far: Far, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not kept, neither until the call's time is over nor after it."""
    monkeypatch.setattr(transports, "MOST_BYTES", 1000)
    lines = codecs.getincrementaldecoder(transports.ENCODING)()
    for _ in range(3):
        assert lines.decode("ä\n".encode() + b"x" * 999) == "ä\n" + "x" * 999
        assert lines.decode(b"x\n") == "x\n"
    lines.decode(b"x" * 1000)
    with pytest.raises(ConnectionError, match="longer than 1,000"):
        lines.decode(b"x")
    began = time.monotonic()
    with pytest.raises(ToolError, match=r"far cannot be reached: a line is longer than 1,000"):
        far("unending", timeout=60)()
    assert time.monotonic() - began < 20


def test_a_line_that_is_begun_and_not_ended(far: Far, monkeypatch: pytest.MonkeyPatch) -> None:
    """It holds up no call for all of its time, and the next one has a new process."""
    monkeypatch.setattr(transports, "LINE", 0.3)
    tool = far("halting", timeout=60)
    first = tool(word="process")
    began = time.monotonic()
    with pytest.raises(ToolError, match=r"cannot be reached: it began a line and did not end it"):
        tool(word="halt")
    assert time.monotonic() - began < 20
    assert tool(word="process") != first


def test_a_line_may_come_in_pieces(far: Far, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transports, "LINE", 3)
    tool = far("halting", timeout=60)
    first = tool(word="process")
    assert tool(word="pieces") == "fine"
    time.sleep(3.5)
    assert tool(word="process") == first  # it is not held against the process later


def test_a_line_that_is_begun_after_an_answer(far: Far, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transports, "LINE", 0.2)
    tool = far("halting", timeout=60)
    first = tool(word="process")
    assert tool(word="late") == "fine"
    time.sleep(0.6)
    assert tool(word="process") != first


def test_lines_that_are_no_messages_are_passed_over(far: Far) -> None:
    assert far("noisy")() == "fine"


def test_a_slow_server_is_left_in_time(far: Far) -> None:
    began = time.monotonic()
    with pytest.raises(ToolError, match=r"far took longer than 0.3 s"):
        far("slow", timeout=0.3)(word="20")
    with settings(timeout=1.2), pytest.raises(ToolError, match=r"took longer than 1.2 s"):
        far("slow")(word="20")
    assert time.monotonic() - began < 10


def test_a_server_that_never_answers(far: Far, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "CONNECTING", 0.5)
    with pytest.raises(ToolError, match=r"far took longer than 0.5 s"):
        far("silent")()


def test_a_call_that_is_given_up_ends_there_too(far: Far) -> None:
    tool = far("slow")
    tool(word="0.01")

    async def given_up() -> None:
        async with asyncio.timeout(0.2):
            await tool.aio(word="20")

    with pytest.raises(TimeoutError):
        asyncio.run(given_up())


def test_more_than_the_most(far: Far, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "MOST_BYTES", 1000)
    with pytest.raises(ToolError, match="2,000 characters, and 1,000 is the most"):
        far("large")()


def test_a_model_reads_what_went_wrong(far: Far) -> None:
    runner = Runner(offered([far("dying")]), "desk/answer", Settings(), Deadline(30))
    (outcome,) = runner.run([ToolCall("1", "look", '{"word": "a"}')], 1, True)
    assert outcome.is_error
    assert outcome.text.startswith("look failed: the MCP server far ended")


def test_a_model_reads_of_a_structured_result_what_its_budget_allows(far: Far) -> None:
    tool = far("structured", dict[str, Any], output_tokens=200)
    runner = Runner(offered([tool]), "desk/answer", Settings(), Deadline(30))
    (done,) = runner.run([ToolCall("c", "look", "{}")], 1, True)
    assert "characters left out" in done.text
    assert tokens(done.text, "json") < 230
    assert len(done.value["rows"]) == 500  # code and the call log have all of it


def test_a_model_waits_no_longer_than_the_call(far: Far) -> None:
    runner = Runner(offered([far("slow", timeout=0.4)]), "desk/answer", Settings(), Deadline(30))
    calls = [ToolCall("1", "look", '{"word": "20"}')]
    for (outcome,) in (runner.run(calls, 1, True), asyncio.run(runner.arun(calls, 1, True))):
        assert outcome.is_error
        assert "took longer than 0.4 s" in outcome.text


# -------------------------------------------------------------------- where the server is


def test_nothing_says_where_it_is() -> None:
    with pytest.raises(ConfigurationError, match=r"\[tool.aigen.mcp_servers.far\]"):
        look()()


def test_the_setting_goes_before_what_was_built_in(far: Far) -> None:
    tool = far("gone")
    try:
        configure(mcp_servers={"far": described("plain")})
        assert tool() == "fine"
        with (
            settings(mcp_servers={"far": described("failing")}),
            pytest.raises(ToolError, match="no order"),
        ):
            tool()
    finally:
        configure(mcp_servers=None)


def test_a_secret_is_read_when_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    there = described("environment", env={"TOKEN": "FAR_TOKEN"})
    with settings(mcp_servers={"far": there}):
        with pytest.raises(ConfigurationError, match="far needs FAR_TOKEN, which is not set"):
            look()()
        monkeypatch.setenv("FAR_TOKEN", "s3cret")
        assert json.loads(look()())["TOKEN"] == "s3cret"
        assert "s3cret" not in repr(server_of("far", there))


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["no-such-program-here"], "cannot be started: No such file"),
        ([os.devnull], "cannot be started: Permission denied"),
    ],
)
def test_what_cannot_be_started(command: list[str], words: str) -> None:
    with (
        settings(mcp_servers={"far": {"command": command}}),
        pytest.raises(ToolError, match=words),
    ):
        look()()


def test_nobody_listens() -> None:
    with (
        settings(mcp_servers={"far": {"url": "http://127.0.0.1:9/mcp"}}),
        pytest.raises(ToolError, match="the MCP server far cannot be reached"),
    ):
        look()()


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_an_answer_over_http_that_is_too_large(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    import servers

    monkeypatch.setattr(transports, "MOST_BYTES", 1000)
    server = serve(lambda _: servers.Step("x" * 5000, headers={"content-type": "application/json"}))
    with (
        settings(mcp_servers={"far": {"url": f"{server.url}/mcp"}}, timeout=5),
        pytest.raises(ToolError, match="the MCP server far"),
    ):
        look()()


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_an_answer_over_http_that_is_packed_is_not_opened(serve: Callable[..., Any]) -> None:
    import servers

    bomb = gzip.compress(gzip.compress(b" " * 60_000_000))
    for kind in ("application/json", "text/event-stream"):
        head = {"content-type": kind, "content-encoding": "gzip, gzip"}
        server = serve(lambda _, head=head: servers.Step(bomb, headers=head))
        tracemalloc.start()
        with (
            settings(mcp_servers={"far": {"url": f"{server.url}/mcp"}}, timeout=5),
            pytest.raises(ToolError, match=r"the answer is packed|ended, or"),
        ):
            look()()
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert most < 30_000_000
        assert server.requests[0].headers["accept-encoding"] == "identity"


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("status", [200, 404, 500])
def test_no_mcp_at_all_over_http(serve: Callable[..., Any], status: int) -> None:
    import servers

    server = serve(lambda _: servers.Step("<p>hello</p>", status, {"content-type": "text/html"}))
    with (
        settings(mcp_servers={"far": {"url": f"{server.url}/mcp"}}, timeout=5),
        pytest.raises(ToolError, match="the MCP server far"),
    ):
        look()()


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_secrets_are_sent_over_http(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    import servers

    monkeypatch.setenv("FAR_KEY", "k3y")
    monkeypatch.setenv("FAR_TEAM", "desk")
    server = serve(lambda _: servers.Step("no", 401, {"content-type": "text/plain"}))
    there = {"url": f"{server.url}/mcp", "key": "FAR_KEY", "headers": {"X-Team": "FAR_TEAM"}}
    with settings(mcp_servers={"far": there}, timeout=5), pytest.raises(ToolError) as raised:
        look()()
    headers = {name.lower(): value for name, value in server.requests[0].headers.items()}
    assert headers["authorization"] == "Bearer k3y"
    assert headers["x-team"] == "desk"
    assert "k3y" not in str(raised.value)


def test_a_forked_process_has_connections_of_its_own() -> None:
    program = f"""
import asyncio, os, sys
from aigen.runtime.mcp.client import called
from aigen.runtime.mcp.servers import server_of
from aigen.runtime.setting_kinds import Settings
far = server_of("far", {{"command": [sys.executable, {HOSTILE!r}, "process"]}})
def call():
    return asyncio.run(called(far, "look", {{}}, 20)).content[0].text
first = call()
child = os.fork()
if not child:
    other = call()
    os._exit(0 if other != first else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert call() == first
"""
    subprocess.run([sys.executable, "-c", program], timeout=300, check=True)


def test_without_the_sdk(far: Far, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    with pytest.raises(ConfigurationError, match=r"aigen\[mcp\]"):
        far("plain")()


def test_a_program_ends_with_its_servers(tmp_path: Path) -> None:
    program = f"""
import asyncio, sys
from aigen.runtime.mcp.client import called
from aigen.runtime.mcp.servers import server_of
from aigen.runtime.setting_kinds import Settings
far = server_of("far", {{"command": [sys.executable, {HOSTILE!r}, "process"]}})
result = asyncio.run(called(far, "look", {{}}, 20))
print(result.content[0].text)
"""
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert ran.stderr == ""
    with pytest.raises(ProcessLookupError):
        os.kill(int(ran.stdout), 0)


# ---------------------------------------------------------------------------- its list

LISTS = {
    "malformed": "answers what MCP does not know",
    "endless": "cannot be used: its list has more than 100 pages",
    "huge": "cannot be used: it lists more than 2000 tools",
}


@pytest.mark.parametrize("how", LISTS)
def test_a_list_that_is_none(how: str) -> None:
    with pytest.raises(ToolError, match=f"the MCP server far {LISTS[how]}"):
        asyncio.run(client.listed(server_of("far", described(how)), 30))


def test_a_list() -> None:
    called, tools = asyncio.run(client.listed(server_of("far", described("plain")), 30))
    assert called == "hostile one"
    assert [tool["name"] for tool in tools] == ["look"]
