"""Streams of calls whose tools are called by code of the model's, over HTTP, or over MCP."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from aigen.runtime import calls, events
from aigen.runtime.errors import ToolError
from aigen.runtime.mcp import client
from aigen.runtime.testing import scripted, tool_call
from servers import Step, serving

pytest.importorskip("mcp")
pytest.importorskip("pydantic_monty")

HOSTILE = str(Path(__file__).parents[1] / "mcp" / "hostile.py")

APP = '''
import asyncio

SEEN = []

def count(word: str) -> int:
    """Count letters."""
    SEEN.append(word)
    if word == "bad":
        raise LookupError("no such word")
    return len(word)

async def later(word: str) -> str:
    """Wait for a word."""
    if word == "long":
        try:
            await asyncio.sleep(20)
        except asyncio.CancelledError:
            SEEN.append("cancelled")
            raise
    return word

def close(name: str) -> str:
    """Close an account."""
    SEEN.append(name)
    return f"closed {name}"
'''

SPEC = """
functions:
  answer:
    formula: words + urgent ~ message
    description: Answer.
    fields: {urgent: bool}
    tools: [count, later, close, get_pet, add_pet, look, look_here]
tools:
  count: {python: "own_app:count", exposure: code}
  later: {python: "own_app:later", exposure: code}
  close: {python: "own_app:close", exposure: code, risk: dangerous}
  get_pet:
    description: Get a pet.
    parameters: {id: int}
    http: {url_env: PETS_URL, path: "/pets/{id}"}
    execution: concurrent
    annotations: {read_only: true}
  add_pet:
    description: Add a pet.
    parameters: {name: str}
    http: {method: POST, url_env: PETS_URL, path: /pets}
    risk: dangerous
  look: {description: Look a word up., parameters: {word: str}, mcp: {server: far, tool: look}}
  look_here:
    description: Look a word up, from code.
    parameters: {word: str}
    mcp: {server: far, tool: look}
    exposure: code
    annotations: {read_only: true}
"""

DONE = {"words": "That is all.", "urgent": False}


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    client.close()


@pytest.fixture
def answer(module: Callable[..., ModuleType]) -> Any:
    far = {"far": {"command": [sys.executable, HOSTILE, "plain"]}}
    return module(SPEC, APP).answer.with_options(model="m", mcp_servers=far)


@pytest.fixture(params=[False, True], ids=["sync", "awaited"])
def streamed(request: pytest.FixtureRequest) -> Callable[..., list[Any]]:
    """Streams a function to its end, sync or awaited, and gives its events of tools."""

    def run(function: Any, *steps: Any) -> list[Any]:
        with scripted([*steps, DONE]):
            found = asyncio.run(_awaited(function)) if request.param else _sync(function)
        return [
            each for each in found if isinstance(each, events.ToolStarted | events.ToolFinished)
        ]

    return run


def _sync(function: Any) -> list[Any]:
    with function.stream("?") as stream:
        found = list(stream.events())
        assert stream.result().words == "That is all."
    return found


async def _awaited(function: Any) -> list[Any]:
    async with function.astream("?") as stream:
        found = [each async for each in stream.events()]
        assert (await stream.result()).words == "That is all."
    return found


def code(*lines: str) -> Any:
    return tool_call("run_python", {"code": "\n".join(["import desk", *lines])})


def told(found: list[Any]) -> list[tuple[str, str]]:
    """Events in short: the id of what began, the text of what is done."""
    return [
        (each.call.id, each.call.name)
        if isinstance(each, events.ToolStarted)
        else (each.outcome.call_id, each.outcome.text)
        for each in found
    ]


def test_calls_inside_code_are_told_as_they_happen(
    answer: Any, streamed: Callable[..., list[Any]]
) -> None:
    lines = ('n = desk.count("four")', 'print(n, desk.later("soon"), desk.look_here("a"))')
    with calls() as seen:
        found = streamed(answer, code(*lines))
    assert told(found) == [
        ("call_1", "run_python"),
        ("call_1.1", "count"),
        ("call_1.1", "4"),
        ("call_1.2", "later"),
        ("call_1.2", "soon"),
        ("call_1.3", "look_here"),
        ("call_1.3", "fine"),
        ("call_1", "4 soon fine"),
    ]
    assert found[1].call.arguments == '{"word": "four"}'
    last = found[-1].outcome
    inside = [each.outcome for each in found[1:-1] if isinstance(each, events.ToolFinished)]
    assert list(last.inside) == inside
    assert seen[-1].tools == [last, *inside]


def test_calls_inside_code_that_fail_or_are_asked_about(
    answer: Any, streamed: Callable[..., list[Any]]
) -> None:
    asked: list[str] = []

    def approve(call: Any) -> bool | str:
        asked.append(call.path)
        return call.arguments.get("name") != "Bob" or "not Bob"

    lines = (
        "try:",
        '    desk.count("bad")',
        "except LookupError:",
        '    print("none")',
        'print(desk.close("Ann"))',
        'desk.close("Bob")',
    )
    found = streamed(answer.with_options(approve=approve), code(*lines))
    done = [each.outcome for each in found if isinstance(each, events.ToolFinished)]
    assert [(each.name, each.is_error) for each in done] == [
        ("count", True),
        ("close", False),
        ("close", True),
        ("run_python", True),
    ]
    assert asked == [f"desk/answer/{name}" for name in ("count", "close", "close")]
    assert "not Bob" in done[2].text
    assert sys.modules["own_app"].SEEN == ["bad", "Ann"]


def test_a_stream_that_is_left_inside_code(answer: Any) -> None:
    """What code has done is in the call's record; what runs is dropped, and the sandbox ends."""
    asked = code('desk.count("a")', 'desk.later("long")')
    with scripted([asked, DONE]), calls() as seen, answer.stream("?") as stream:
        for event in stream.events():
            if isinstance(event, events.ToolFinished):
                break
    assert [(each.call_id, each.text) for each in seen[-1].tools] == [("call_1.1", "1")]
    assert sys.modules["own_app"].SEEN == ["a"]


def test_a_task_that_is_cancelled_inside_code(answer: Any) -> None:
    async def left() -> None:
        async with asyncio.timeout(2), answer.astream("?") as stream:
            async for _ in stream.events():
                pass

    with (
        scripted([code('desk.count("a")', 'desk.later("long")'), DONE]),
        calls() as seen,
        pytest.raises(TimeoutError),
    ):
        asyncio.run(left())
    assert [each.call_id for each in seen[-1].tools] == ["call_1.1"]
    assert sys.modules["own_app"].SEEN == ["a", "cancelled"]


def test_an_error_that_ends_the_call_ends_the_code(answer: Any) -> None:
    function = answer.with_options(tool_errors="raise")
    with (
        scripted([code('desk.count("a")', 'desk.count("bad")', 'desk.count("b")')]),
        calls() as seen,
        pytest.raises(ToolError, match="no such word"),
        function.stream("?") as stream,
    ):
        list(stream.events())
    assert [each.call_id for each in seen[-1].tools] == ["call_1.1"]
    assert sys.modules["own_app"].SEEN == ["a", "bad"]


def test_what_the_callers_own_rule_raises_ends_the_call(answer: Any) -> None:
    def approve(call: Any) -> bool:
        raise KeyError(call.name)

    for asked in (code('desk.close("a")'), tool_call("add_pet", {"name": "a"})):
        with scripted([asked, DONE]), pytest.raises(KeyError):
            answer.with_options(approve=approve)("?")


def test_tools_over_http(
    answer: Any, streamed: Callable[..., list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def approve(call: Any) -> bool:
        asked.append(call.arguments)
        return call.arguments == {"name": "Rex"}

    with serving([Step({"id": 7, "name": "Rex"})]) as server:
        monkeypatch.setenv("PETS_URL", server.url)
        found = streamed(
            answer.with_options(approve=approve),
            tool_call("get_pet", {"id": 7}),
            tool_call("add_pet", {"name": "Rex"}),
            tool_call("add_pet", {"name": "Tom"}),
        )
    done = [each.outcome for each in found if isinstance(each, events.ToolFinished)]
    assert [each.is_error for each in done] == [False, False, True]
    assert done[0].value == {"id": 7, "name": "Rex"}
    assert asked == [{"name": "Rex"}, {"name": "Tom"}]
    assert [seen.method for seen in server.requests] == ["GET", "POST"]


def test_tools_of_an_mcp_server(answer: Any, streamed: Callable[..., list[Any]]) -> None:
    asked = tool_call("look", {"word": "a"})
    found = streamed(answer, asked)
    assert told(found) == [("call_1", "look"), ("call_1", "fine")]
    denied = streamed(answer.with_options(approve="always"), asked)[-1].outcome
    assert denied.is_error
    assert "needs an approval" in denied.text
