"""Calls and streams with tools over real HTTP, against servers that others wrote."""

from __future__ import annotations

import asyncio
import importlib
import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import aigen.runtime
import pytest
from aigen.runtime import calls, events
from aigen.runtime.wire import learned

CLERK = '''
SEEN = []

def lookup(order: str) -> dict[str, str]:
    """Look an order up.

    Args:
        order: its number
    """
    SEEN.append(order)
    return {"state": "sent"}
'''

SPEC = """
aigen: 1
functions:
  answer:
    formula: state + urgent ~ message
    description: Look the order up and say how it is.
    fields: {urgent: bool, state: {choice: [sent, lost]}}
    tools: [lookup]
  say:
    formula: words ~ message
    tools: [lookup]
tools:
  lookup:
    python: order_clerk:lookup
    annotations: {read_only: true}
    parameters: {order: {type: str, max_length: 20}}
"""


@pytest.fixture(scope="module")
def built_orders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("orders")
    (folder / "specs").mkdir()
    (folder / "specs" / "orders.yaml").write_text(SPEC, encoding="utf-8")
    (folder / "order_clerk.py").write_text(CLERK, encoding="utf-8")
    (folder / "aigen.toml").write_text('specs = ["specs"]\nout = "orders_ai"\n', encoding="utf-8")
    command = [sys.executable, "-m", "aigen", "build"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture
def orders(built_orders: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(built_orders))
    for name in ("orders_ai", "orders_ai.orders", "order_clerk"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    learned.forget()
    yield importlib.import_module("orders_ai.orders")


def clerk() -> Any:
    return sys.modules["order_clerk"]


def kinds(seen: aigen.runtime.Call) -> list[tuple[bool, bool]]:
    """Of each request whether it offers tools, and whether it is held to a schema."""
    bodies = [each.request.body for each in seen.exchanges]
    return [("tools" in body, "response_format" in body or "text" in body) for body in bodies]


PHASES = [(True, False), (True, False), (False, True)]


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize("transport", ["sdk", "raw", "aiohttp", "direct"])
@pytest.mark.parametrize("api", ["chat", "responses"])
def test_llmock_calls_a_tool_and_answers(
    orders: ModuleType, llmock: str, api: str, transport: str, awaited: bool
) -> None:
    options = {"model": "gpt-4.1-mini", "base_url": llmock, "api_key": "none", "api": api}
    with aigen.runtime.settings(**options, transport=transport), calls() as seen:
        if awaited:
            answer = asyncio.run(orders.answer.aio("Where is order 7?"))
        else:
            answer = orders.answer("Where is order 7?")
    assert answer.state in ("sent", "lost")
    assert [each.is_error for each in seen[-1].tools] == [False] and len(clerk().SEEN) == 1
    # It talks once it has a result: the answer takes a phase of its own.
    assert kinds(seen[-1]) == PHASES


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize("transport", ["sdk", "raw", "aiohttp", "direct"])
@pytest.mark.parametrize("api", ["chat", "responses"])
def test_llmock_streams_calls_with_tools(
    orders: ModuleType, llmock: str, api: str, transport: str, awaited: bool
) -> None:
    async def streamed() -> tuple[list[events.Event], Any]:
        async with orders.answer.astream("Where is order 7?") as stream:
            found = [event async for event in stream.events()]
            return found, await stream.result()

    options = {"model": "gpt-4.1-mini", "base_url": llmock, "api_key": "none", "api": api}
    with aigen.runtime.settings(**options, transport=transport), calls() as seen:
        if awaited:
            found, answer = asyncio.run(streamed())
        else:
            with orders.answer.stream("Where is order 7?") as stream:
                found = list(stream.events())
                answer = stream.result()
    assert answer.state in ("sent", "lost")
    named = {type(event).__name__ for event in found}
    assert {"ToolCallDelta", "ToolStarted", "ToolFinished", "TextDelta", "Partial"} <= named, named
    assert [type(event).__name__ for event in found].count("ToolFinished") == 1
    assert kinds(seen[-1]) == PHASES
    partials = [event.value for event in found if isinstance(event, events.Partial)]
    assert partials[-1].model_dump() == answer.model_dump()


def test_llmock_finds_no_fault_in_a_tool_loop(orders: ModuleType, llmock: str) -> None:
    admin = llmock.removesuffix("/v1") + "/_llmock"
    urllib.request.urlopen(urllib.request.Request(f"{admin}/reset", b"{}", method="POST"), None, 10)
    options = {"model": "gpt-4.1-mini", "base_url": llmock, "api_key": "none"}
    with aigen.runtime.settings(**options):
        assert orders.say("Where is order 7?")
        with orders.say.stream("Where is order 7?") as stream:
            assert "".join(list(stream)[-1]) == stream.result()
        orders.answer("Where is order 7?")
    with urllib.request.urlopen(f"{admin}/verdict", timeout=10) as reply:
        assert json.load(reply)["findings"] == []


def llama_options(llama: str) -> dict[str, Any]:
    # A random model hardly ever ends a text; 257 ends it, where a grammar does not forbid that.
    ending = {"logit_bias": [[257, 100]]}
    return {"model": "tiny", "base_url": llama, "api_key": "none", "extra_body": ending}


@pytest.mark.parametrize("way", ["plain", "stream", "aio", "astream"])
def test_llama_cpp_answers_where_tools_are_offered(
    orders: ModuleType, llama: str, way: str
) -> None:
    """It ignores tools beside a schema; a random model calls none, and is held to the schema."""

    async def astreamed() -> Any:
        async with orders.answer.astream("Where is 7?") as stream:
            return await stream.result()

    with aigen.runtime.settings(**llama_options(llama), retries=0), calls() as seen:
        match way:
            case "plain":
                answer = orders.answer("Where is 7?")
            case "aio":
                answer = asyncio.run(orders.answer.aio("Where is 7?"))
            case "stream":
                with orders.answer.stream("Where is 7?") as stream:
                    answer = stream.result()
            case _:
                answer = asyncio.run(astreamed())
    assert answer.state in ("sent", "lost")
    assert kinds(seen[-1]) == [(True, False), (False, True)]
