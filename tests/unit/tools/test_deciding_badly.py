"""Code that decides about tool calls, and does what it should not."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

import pytest
from aigen.runtime import settings
from aigen.runtime.errors import ApprovalError, DeadlineError, ToolError
from aigen.runtime.setting_kinds import Settings
from aigen.runtime.testing import scripted
from aigen.runtime.tools import risk, threads
from aigen.runtime.tools.available import Available
from aigen.runtime.tools.offered import offered
from aigen.runtime.wire.deadline import Deadline
from aigen.runtime.wire.messages import ToolCall
from aigen.tooling import answer, tool
from runners import echo, runner

SEEN: list[Any] = []


class Panic(BaseException):
    """As libraries in other languages raise it."""


FAULTS = [
    Panic("it broke"),
    KeyboardInterrupt(),
    GeneratorExit(),
    SystemExit(1),
    asyncio.CancelledError(),
    StopIteration(5),
    BaseExceptionGroup("two", [KeyboardInterrupt()]),
]


def look(order: str, tags: list[str] | None = None) -> str:
    """Look an order up."""
    SEEN.append((order, tags))
    return f"{order} {tags}"


def raising(fault: BaseException) -> Callable[..., Any]:
    def raises(*given: Any, **named: Any) -> Any:
        raise fault

    return raises


def said(awaited: bool, target: Any = None, *, timeout: float = 30, **more: Any) -> str:
    """What a model reads of one call."""
    SEEN.clear()
    target = target or tool(look)
    run = runner(target, timeout=timeout, **more)
    name = target.definition["name"]
    calls = [ToolCall("c", name, '{"order": "7", "tags": ["a"]}')]
    [done] = asyncio.run(run.arun(calls, 1, True)) if awaited else run.run(calls, 1, True)
    return done.text


@pytest.fixture(params=[False, True], ids=["called", "awaited"])
def awaited(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def fault_id(fault: Any) -> str:
    return type(fault).__name__


@pytest.mark.parametrize("fault", FAULTS, ids=fault_id)
def test_whatever_a_policy_raises_denies(awaited: bool, fault: BaseException) -> None:
    words = f"not run: a policy failed: {fault_id(fault)}"
    assert said(awaited, policies=[raising(fault)]) == words
    assert SEEN == []


@pytest.mark.parametrize("fault", FAULTS, ids=fault_id)
def test_whatever_else_decides_raises_is_no_answer(awaited: bool, fault: BaseException) -> None:
    unknown = said(awaited, tool(look, risk=raising(fault)))
    assert unknown == "not run: look needs an approval, and there is nobody to ask"
    with pytest.warns(UserWarning, match=f"look is left out.*{fault_id(fault)}"):
        away = said(awaited, tool(look, available=raising(fault)))
    assert away == "look is not available now"
    assert SEEN == []


@pytest.mark.parametrize("fault", FAULTS, ids=fault_id)
def test_whatever_a_tool_or_its_fixup_raises_is_told(awaited: bool, fault: BaseException) -> None:
    def fails(order: str, tags: list[str]) -> str:
        """Fail."""
        raise fault

    assert fault_id(fault) in said(awaited, tool(fails))
    words = said(awaited, tool(fails, fixup=raising(fault)))
    assert words.startswith("fails failed: ")
    assert "(and its fixup: " in words


def test_what_an_async_tool_raises_is_told(awaited: bool) -> None:
    async def fails(order: str, tags: list[str]) -> str:
        """Fail."""
        raise Panic("it broke")

    assert said(awaited, tool(fails)) == "fails failed: RuntimeError: Panic: it broke"


@pytest.mark.parametrize("fault", [*FAULTS[:5], FAULTS[6]], ids=fault_id)
def test_an_approval_that_ends_the_program_ends_the_call(
    awaited: bool, fault: BaseException
) -> None:
    with pytest.raises(ApprovalError, match=f"the approve function failed: {fault_id(fault)}"):
        said(awaited, approve=raising(fault))
    assert SEEN == []


def test_what_an_approval_raises_is_the_callers_own(awaited: bool) -> None:
    with pytest.raises(LookupError):
        said(awaited, approve=raising(LookupError("no desk")))


class Unsaid(str):
    def __str__(self) -> str:
        raise OSError


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (risk.Decision("modify", "", None), "a policy gave NoneType for the arguments"),  # type: ignore[arg-type]
        (risk.Decision("modify", "", [1]), "a policy gave list for the arguments"),  # type: ignore[arg-type]
        (risk.Decision("modify", "", {1: 2}), "look has no input 1"),  # type: ignore[dict-item]
        (risk.modify({"order": object()}), "wants text; got a object"),
        (risk.Decision("deny", 5), "not run: 5"),  # type: ignore[arg-type]
        (risk.Decision("deny", None), "not run: a policy denies it"),  # type: ignore[arg-type]
        (risk.Decision("deny", Unsaid("x")), "not run: a policy failed: OSError"),
        (risk.Decision(["deny"]), "Decision, which is no decision"),  # type: ignore[arg-type]
        (True, "bool, which is no decision"),
        (risk.allow, "function, which is no decision"),
        (risk.Decision, "type, which is no decision"),
    ],
)
def test_odd_decisions(awaited: bool, made: Any, words: str) -> None:
    assert words in said(awaited, policies=[lambda call, ctx: made])
    assert SEEN == []


def changed(call: risk.PendingCall, ctx: Any = None) -> Any:
    call.arguments["tags"].append("more")
    call.arguments.update(order="other")  # type: ignore[attr-defined]


def level(arguments: Any, ctx: Any) -> int:
    arguments["tags"].append("more")
    arguments["order"] = "other"
    return 2


def test_arguments_are_changed_by_modify_alone(awaited: bool) -> None:
    """What is changed in place would be neither checked again nor judged."""
    assert said(awaited, policies=[changed, changed]) == "7 ['a']"
    assert said(awaited, tool(look, risk=level)) == "7 ['a']"
    asked = said(awaited, approve=lambda call: changed(call) or True)
    assert asked == "7 ['a']"
    assert said(awaited, policies=[lambda call, ctx: risk.modify({"order": "8"})]) == "8 None"


# ------------------------------------------------------------------------------------ time


@pytest.fixture
def hold() -> Iterator[Callable[..., Any]]:
    """Code that hangs until the test ends."""
    go = threading.Event()
    yield lambda *given, **named: go.wait(60)
    go.set()


def test_an_approval_that_is_no_person_has_the_time_of_the_call(
    awaited: bool, hold: Callable[..., Any]
) -> None:
    began = time.monotonic()
    with pytest.raises(DeadlineError):
        said(awaited, timeout=0.3, approve=hold)
    assert time.monotonic() - began < 15


def test_a_person_has_more(awaited: bool) -> None:
    @risk.by_a_person
    def slow(call: risk.PendingCall) -> bool:
        time.sleep(1.2)
        return True

    assert said(awaited, timeout=1, approve=slow) == "7 ['a']"


class Desk:
    def approve(self, call: risk.PendingCall) -> bool:
        return True


def test_a_method_through_which_a_person_answers(awaited: bool) -> None:
    wanted = tool(look, annotations={"requires_user": True})
    assert "there is nobody to ask" in said(awaited, wanted, approve=Desk().approve)
    assert said(awaited, wanted, approve=risk.by_a_person(Desk().approve)) == "7 ['a']"


def test_what_a_question_may_use_is_found_out_in_its_time(hold: Callable[..., Any]) -> None:
    began = time.monotonic()
    with scripted(["fine"]), pytest.raises(DeadlineError):
        answer("?", tools=[tool(look, available=hold)], model="m", timeout=0.3)
    assert time.monotonic() - began < 15


@pytest.mark.parametrize("decides", ["policy", "available"])
def test_a_call_inside_what_is_left_asks_no_more(awaited: bool, decides: str) -> None:
    asked, go, ended = threading.Event(), threading.Event(), threading.Event()

    def model(request: Any) -> str:
        asked.set()
        assert go.wait(20)
        return ""  # cannot be used: it would be asked again

    def asks(*given: Any) -> None:
        try:
            echo(retries=3).apply({"text": "may it?"})
        finally:
            ended.set()

    with scripted(model) as script, pytest.raises(DeadlineError):
        if decides == "policy":
            said(awaited, timeout=0.5, policies=[asks])
        else:
            tools = Available(offered([tool(look, available=asks)]), None, Settings())
            until = Deadline(0.5)
            asyncio.run(tools.afind_out(until)) if awaited else tools.find_out(until)
    assert asked.is_set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it is left out, on its thread
        go.set()
        assert ended.wait(20)
    assert len(script.requests) == 1


def test_threads_that_are_left_behind_are_bounded(
    awaited: bool, hold: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "MOST_LEFT", 3)
    monkeypatch.setattr(threads, "_left", set())
    for _ in range(3):
        with pytest.raises(DeadlineError):
            said(awaited, timeout=0.05, policies=[hold])
    with pytest.raises(ToolError, match="3 threads still run code that calls have left") as full:
        said(awaited, policies=[hold])
    assert full.value.code == "left-behind"
    assert "3 threads still run" in said(awaited)  # so is a tool's own


def test_threads_that_have_ended_make_place(awaited: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "MOST_LEFT", 3)
    monkeypatch.setattr(threads, "_left", set())
    go = threading.Event()
    for _ in range(3):
        with pytest.raises(DeadlineError):
            said(awaited, timeout=0.05, policies=[lambda call, ctx: go.wait(60)])
    left = tuple(threads._left)
    assert len(left) == 3
    go.set()
    for thread in left:
        thread.join(20)
    assert said(awaited) == "7 ['a']"


def test_a_cancelled_call_leaves_its_policy(hold: Callable[..., Any]) -> None:
    async def run() -> None:
        calls = [ToolCall("c", "look", '{"order": "7"}')]
        work = runner(tool(look), policies=[hold]).arun(calls, 1, True)
        task = asyncio.ensure_future(work)
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    SEEN.clear()
    began = time.monotonic()
    asyncio.run(run())
    assert time.monotonic() - began < 15
    assert SEEN == []


PROGRAM = """
import time
from aigen.runtime.errors import DeadlineError
from aigen.runtime.testing import scripted, tool_call
from aigen.tooling import answer

def look(order: str) -> str:
    "Look."

def hangs(call, ctx):
    while True:
        time.sleep(0.001)

with scripted([tool_call("look", {"order": "7"})]):
    try:
        answer("?", tools=[look], model="m", policies=[hangs], timeout=0.2)
    except DeadlineError:
        print("late")
"""


def test_the_end_of_a_program_waits_for_no_policy() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=True
    )
    assert (done.stdout, done.stderr) == ("late\n", "")


# --------------------------------------------------------------------------- circumstances

USER: ContextVar[str] = ContextVar("user", default="nobody")


def test_variables_of_the_context_are_read_and_not_set(awaited: bool) -> None:
    seen: list[str] = []

    def policy(call: risk.PendingCall, ctx: Any) -> None:
        seen.append(USER.get())
        USER.set("policy")

    def read(order: str, tags: list[str]) -> str:
        """Read."""
        return USER.get()

    before = USER.set("ada")
    try:
        assert said(awaited, tool(read), policies=[policy]) == "ada"
        assert (seen, USER.get()) == (["ada"], "ada")
    finally:
        USER.reset(before)


def test_what_decides_may_call_functions_and_run_loops(awaited: bool) -> None:
    def asks(call: risk.PendingCall, ctx: Any) -> Any:
        return risk.deny(echo().apply({"text": "may it?"}))

    def awaits(call: risk.PendingCall, ctx: Any) -> Any:
        return risk.deny(asyncio.run(echo().aapply({"text": "may it?"})))

    with scripted(["not now", "never"]), settings(context={"user": "ada"}):
        assert said(awaited, policies=[asks]) == "not run: not now"
        assert said(awaited, policies=[awaits]) == "not run: never"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
@pytest.mark.parametrize("leaves", ["exits", "returns", "ends at once"])
def test_a_policy_that_forks(awaited: bool, leaves: str) -> None:
    ended: list[int] = []

    def policy(call: risk.PendingCall, ctx: Any) -> None:
        child = os.fork()
        if child == 0:
            if leaves == "exits":
                raise SystemExit(0)
            if leaves == "ends at once":
                os._exit(0)
            return
        ended.append(os.waitpid(child, 0)[1])

    assert said(awaited, policies=[policy]) == "7 ['a']"
    assert ended == [0]
