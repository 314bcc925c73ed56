"""What the user's own code decides about tools and calls: away from the event loop, in time."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from aigen.runtime import settings
from aigen.runtime.errors import DeadlineError
from aigen.runtime.setting_kinds import Settings
from aigen.runtime.testing import scripted, tool_call
from aigen.runtime.tools import risk, threads, work
from aigen.runtime.tools.named import with_own
from aigen.runtime.tools.offered import offered
from aigen.runtime.tools.running import Runner
from aigen.runtime.wire.deadline import Deadline
from aigen.runtime.wire.messages import ToolCall
from aigen.tooling import tool, toolbox
from runners import ran, runner

APP = '''
import sys
import threading
import time

THREADS = []
OPEN = True

def noted():
    THREADS.append(threading.current_thread())
    time.sleep(0.2)

def is_open(ctx):
    noted()
    return OPEN and ctx.tool in ("ship", "shut")  # its own circumstances

def exits(ctx):
    sys.exit(2)

def level(arguments, ctx):
    noted()
    return 0

def exiting(arguments, ctx):
    sys.exit(2)

def schema(ctx):
    noted()
    return {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}

def given(input, ctx):
    return str(input["n"])

def fails(order: str) -> str:
    raise ValueError("no such order")

def mended(name, **arguments):
    noted()
    return "mended"

def unmended(name, **arguments):
    sys.exit(2)

def lookup(order: str) -> str:
    """Look an order up."""
    return order

def ship(order: str) -> str:
    """Ship an order."""
    return "shipped"

def hangs(ctx):
    time.sleep(30)
'''

SPEC = """
functions:
  f: {formula: words ~ message, tools: [shut, counted]}
  stuck: {formula: words ~ message, tools: [held]}
  find: {formula: words ~ message, tools: [lookup, ship, send]}
  only: {formula: words ~ message, tools: [lookup, ship]}
tools:
  lookup: {python: own_app:lookup}
  ship: {python: own_app:ship, exposure: deferred, available: own_app:is_open}
  send: {python: own_app:ship, exposure: deferred}
  shut: {python: own_app:lookup, available: own_app:is_open}
  exits: {python: own_app:lookup, available: own_app:exits}
  held: {python: own_app:lookup, available: own_app:hangs}
  coded: {python: own_app:lookup, exposure: code}
  judged: {python: own_app:lookup, risk: own_app:level}
  exiting: {python: own_app:lookup, risk: own_app:exiting}
  counted: {execute: own_app:given, parameters: {$call: own_app:schema}}
  mended: {python: own_app:fails, fixup: own_app:mended}
  unmended: {python: own_app:fails, fixup: own_app:unmended}
"""


@pytest.fixture
def desk(module: Any) -> Any:
    return module(SPEC, APP)


@pytest.fixture
def app(desk: Any) -> Any:
    import own_app

    return own_app


async def beats_during(work: Any) -> tuple[Any, int]:
    """What work gives, and how often the event loop came round meanwhile."""
    task = asyncio.ensure_future(work)
    count = 0
    while not task.done():
        await asyncio.sleep(0.01)
        count += 1
    return task.result(), count


def blocking(call: risk.PendingCall, ctx: Any) -> None:
    import own_app

    own_app.noted()


@pytest.mark.parametrize("name", ["shut", "judged", "counted", "mended"])
def test_a_loop_does_not_wait_for_what_decides(desk: Any, app: Any, name: str) -> None:
    arguments = '{"n": 1}' if name == "counted" else '{"order": "7"}'
    run = runner(getattr(desk, name))
    work = run.arun([ToolCall("c", name, arguments)], 1, True)
    ([done], beats) = asyncio.run(beats_during(work))
    assert done.text == {"counted": "1", "mended": "mended"}.get(name, "7")
    assert beats > 3
    assert threading.main_thread() not in app.THREADS


def test_a_loop_does_not_wait_for_a_policy(desk: Any, app: Any) -> None:
    run = runner(desk.lookup, policies=[blocking])
    work = run.arun([ToolCall("c", "lookup", '{"order": "7"}')], 1, True)
    ([done], beats) = asyncio.run(beats_during(work))
    assert (done.text, beats > 3) == ("7", True)
    assert threading.main_thread() not in app.THREADS


async def streamed(function: Any) -> str:
    async with function.astream("?") as stream:
        async for _ in stream:
            pass
        return str(await stream.result())


@pytest.mark.parametrize("way", ["called", "streamed"])
def test_what_is_available_is_asked_once_a_call(desk: Any, app: Any, way: str) -> None:
    function = desk.f.with_options(model="gpt-4.1")
    with scripted(["fine"]):
        work = function.aio("?") if way == "called" else streamed(function)
        words, beats = asyncio.run(beats_during(work))
    assert (words, beats > 3) == ("fine", True)
    assert len(app.THREADS) == 2  # `available` of one, the parameters of the other
    assert threading.main_thread() not in app.THREADS


@pytest.mark.parametrize("way", ["called", "awaited", "streamed", "awaited stream"])
def test_what_decides_has_no_more_time_than_the_call(desk: Any, way: str) -> None:
    function = desk.stuck.with_options(model="gpt-4.1", timeout=0.3)
    calls: dict[str, Callable[[], Any]] = {
        "called": lambda: function("?"),
        "awaited": lambda: asyncio.run(function.aio("?")),
        "streamed": lambda: function.stream("?").result(),
        "awaited stream": lambda: asyncio.run(streamed(function)),
    }
    began = time.monotonic()
    with scripted(["fine"]), pytest.raises(DeadlineError):
        calls[way]()
    assert time.monotonic() - began < 15


@pytest.mark.parametrize("way", ["called", "awaited"])
def test_what_hangs_holds_up_no_other_call(desk: Any, way: str) -> None:
    stuck = desk.stuck.with_options(model="gpt-4.1", timeout=0.3)
    other = desk.f.with_options(model="gpt-4.1", timeout=15)
    with scripted(["fine"]):
        with pytest.raises(DeadlineError):
            stuck("?")
        assert (other("?") if way == "called" else asyncio.run(other.aio("?"))) == "fine"


@pytest.mark.parametrize("awaited", [False, True])
def test_a_policy_has_no_more_time_than_the_call(desk: Any, awaited: bool) -> None:
    run = runner(desk.lookup, timeout=0.3, policies=[lambda call, ctx: time.sleep(30)])
    calls = [ToolCall("c", "lookup", '{"order": "7"}')]
    began = time.monotonic()
    with pytest.raises(DeadlineError):
        asyncio.run(run.arun(calls, 1, True)) if awaited else run.run(calls, 1, True)
    assert time.monotonic() - began < 15


@pytest.mark.parametrize("awaited", [False, True])
def test_what_exits_ends_no_call(desk: Any, awaited: bool) -> None:
    def one(name: str, **more: Any) -> str:
        run = runner(getattr(desk, name), **more)
        calls = [ToolCall("c", name, '{"order": "7"}')]
        [done] = asyncio.run(run.arun(calls, 1, True)) if awaited else run.run(calls, 1, True)
        return done.text

    with pytest.warns(UserWarning, match="exits is left out: its `available` raised SystemExit"):
        assert one("exits") == "exits is not available now"
    assert "needs an approval" in one("exiting")
    assert "(and its fixup: SystemExit: 2)" in one("unmended")

    def policy(call: risk.PendingCall, ctx: Any) -> Any:
        raise SystemExit(2)

    assert one("lookup", policies=[policy]) == "not run: a policy failed: SystemExit"


@pytest.mark.parametrize("code", [False, True])
def test_what_needs_no_code_of_the_users_starts_no_thread(
    desk: Any, monkeypatch: Any, code: bool
) -> None:
    if code:
        pytest.importorskip("pydantic_monty")
    names: list[str] = []

    def counted(run: Callable[[], None]) -> threading.Thread:
        names.append(run.__qualname__)
        return threads.started(run)

    monkeypatch.setattr(work, "started", counted)
    if code:
        run = Runner(with_own(offered([desk.coded])), "desk/answer", Settings(), Deadline(30))
        [done] = run.run([ToolCall("c", "run_python", '{"code": "7"}')], 1, True)
    else:
        done = ran(desk.lookup, name="lookup", arguments='{"order": "7"}')
    assert done.text == "7"
    assert len(names) == 1  # that of the tool, or of the sandbox


def test_a_search_finds_what_is_available(desk: Any, app: Any) -> None:
    steps = [tool_call("search_tools", {"words": "ship an order", "limit": 1}), "done"]

    def told() -> str:
        with scripted(steps) as model:
            assert desk.find.with_options(model="gpt-4.1")("?") == "done"
        return str(model.requests[1].messages[-1]["content"])

    assert "ship(order: str)" in told()
    app.OPEN = False
    assert "send(order: str)" in told()  # the next best takes its place


def test_with_nothing_to_find_nothing_is_offered_to_find_it(desk: Any, app: Any) -> None:
    def offered() -> list[str]:
        request = desk.only.with_options(model="gpt-4.1").request("?")
        return [each["function"]["name"] for each in request.body["tools"]]

    assert offered() == ["lookup", "search_tools"]
    app.OPEN = False
    assert offered() == ["lookup"]


def test_a_box_finds_what_is_available() -> None:
    def ship(order: str) -> str:
        """Ship an order."""
        return order

    def staff(ctx: Any) -> bool:
        return ctx.context.get("user") == "ada" and ctx.tool == "ship"

    box = toolbox(tool(ship, available=staff), tool(ship, name="send"))

    def found(limit: int) -> list[str]:
        return [each.definition["name"] for each in box.search("ship an order", limit)]

    with settings(context={"user": "ada"}):
        assert (found(8), found(1)) == (["ship", "send"], ["ship"])
    assert found(1) == ["send"]
