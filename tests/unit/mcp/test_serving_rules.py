"""A server of tools over MCP whose rules do what they should not; in this process."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from aigen.runtime import settings
from aigen.tooling import tool

pytest.importorskip("mcp")

from aigen.serving.listing import served
from aigen.serving.server import server_of
from mcp import Client, MCPError


class Panic(BaseException):
    """As libraries in other languages raise it."""


def look(order: str) -> str:
    """Look an order up."""
    return order


def panics(order: str) -> str:
    """Break."""
    raise Panic("it broke")


async def apanics(order: str) -> str:
    """Break."""
    raise Panic("it broke")


def raising(fault: BaseException) -> Callable[..., Any]:
    def raises(*given: Any) -> Any:
        raise fault

    return raises


def talked(talk: Callable[[Client], Any], *targets: Any) -> Any:
    """What a conversation with a server of some tools gives."""

    async def run() -> Any:
        server = server_of(served(targets), "desk", "1", {})
        async with asyncio.timeout(60), Client(server) as client:
            return await talk(client)

    return asyncio.run(run())


def said(*names: str, targets: list[Any]) -> list[str]:
    async def talk(client: Client) -> list[str]:
        done = [await client.call_tool(name, {"order": "7"}) for name in names]
        return [" ".join(block.text for block in each.content) for each in done]  # type: ignore[union-attr]

    found: list[str] = talked(talk, *targets)
    return found


FAULTS = [Panic("it broke"), SystemExit(3), KeyboardInterrupt(), asyncio.CancelledError()]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
def test_no_rule_ends_the_server(fault: BaseException) -> None:
    name = type(fault).__name__
    with settings(policies=[raising(fault)]):
        words = said("look", "look", targets=[tool(look)])
    assert words == [f"not run: a policy failed: {name}"] * 2
    with settings(approve=raising(fault)):
        words = said("look", "look", targets=[tool(look)])
    assert all(each.startswith(f"the approve function failed: {name}") for each in words)


def test_no_tool_ends_the_server() -> None:
    words = said("panics", "apanics", targets=[tool(panics), tool(apanics)])
    assert [each.split(" failed: ")[1] for each in words] == ["RuntimeError: Panic: it broke"] * 2


@pytest.fixture
def hold() -> Iterator[Callable[..., Any]]:
    go = threading.Event()
    yield lambda *given: go.wait(60)
    go.set()


def test_what_is_available_is_found_out_in_time(hold: Callable[..., Any]) -> None:
    async def talk(client: Client) -> str:
        with pytest.raises(MCPError) as late:
            await client.list_tools()
        return late.value.message

    began = time.monotonic()
    with settings(timeout=0.3):
        words = talked(talk, tool(look, available=hold))
    assert words == "what is available was not found out within 0.3 s"
    assert time.monotonic() - began < 15


def test_a_policy_that_hangs_holds_up_one_call(hold: Callable[..., Any]) -> None:
    def policy(call: Any, ctx: Any) -> None:
        if call.name == "look":
            hold()

    with settings(timeout=0.3, policies=[policy]):
        late, done = said("look", "other", targets=[tool(look), tool(look, name="other")])
    assert late == "the call took longer than its timeout of 0.3 s"
    assert done == "7"
