"""One tool call: every failure is words that the model can act on."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from typing import Any

import pytest
from aigen.runtime.errors import ConfigurationError, DeadlineError, ProviderError, ToolError
from aigen.runtime.tools import risk
from aigen.runtime.tools.context import ToolContext, ToolResult
from aigen.runtime.tools.risk import PendingCall, by_a_person
from aigen.runtime.wire.messages import ToolCall
from runners import ran, runner

APP = '''
from __future__ import annotations
import asyncio, functools, time, threading
from typing import Literal
from aigen.runtime import ToolContext, ToolResult
from aigen.runtime.errors import DeadlineError

SEEN = []

def find(order: str, limit: int = 3) -> list[str]:
    """Find an order.

    Args:
        order: its number
    """
    SEEN.append((order, limit))
    return [order] * limit

def fail(words: str) -> str:
    raise ValueError(words)

def wrong() -> int:
    return "seven"

def slow(seconds: float) -> str:
    time.sleep(seconds)
    return "done"

async def waits(seconds: float) -> str:
    await asyncio.sleep(seconds)
    return "awaited"

def who(
    ctx: ToolContext, db: object, /, note: str, *more: str, deep: bool = False, **rest: int
) -> str:
    return f"{ctx.tool} {db} {note} {more} {deep} {rest} {ctx.context['user']} {ctx.step}"

def nothing() -> None:
    pass

class Odd(dict):
    def items(self):
        raise OSError("no items")
    def __str__(self):
        raise OSError("no text")
    __repr__ = __str__

def odd(kind: str):
    if kind == "exit":
        raise SystemExit(3)
    if kind == "deep":
        found: list = []
        for _ in range(5000):
            found = [found]
        return found
    return {"long": 10**5000, "half": "a\\ud800", "broken": Odd(a=1)}[kind]

async def aodd(kind: str):
    return odd(kind)

class Wordless(Exception):
    def __str__(self):
        raise OSError("no words")

def fault(kind: str) -> str:
    raise {
        "late": TimeoutError("the database is slow"),
        "dropped": asyncio.CancelledError(),
        "inner": DeadlineError("the inner call took longer"),
        "silent": ValueError(),
        "wordless": Wordless(),
        "interrupt": KeyboardInterrupt(),
        "long": ValueError("x" * 100_000),
    }[kind]

def tfault(kind: str):
    return fault(kind)

async def afault(kind: str) -> str:
    if kind == "dropped":
        work = asyncio.ensure_future(asyncio.sleep(5))
        work.cancel()
        await work
    return fault(kind)

async def alevel(arguments, ctx):
    return 0

def rich() -> str:
    return ToolResult("words", value={"a": 1}, details={"b": 2})

def drop(table: str) -> str:
    SEEN.append(table)
    return "dropped"

def is_open(ctx):
    return ctx.context.get("open", True)

async def _closed(*arguments, **more):
    return False

closed = functools.partial(_closed)

def level(arguments, ctx):
    return 4 if arguments["table"] == "orders" else 0

def mended(name, where, **arguments):
    return f"{name} at {where} with {arguments}"

def unmended(name, **arguments):
    raise KeyError(name)

def schema(ctx):
    return {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}

def odd_schema(ctx):
    return {"type": "object", "properties": {"n": {"type": "whole"}}}

def given(input, ctx):
    return f"{input['n']} for {ctx.tool}"
'''

SPEC = """
tools:
  find: {python: own_app:find, annotations: {read_only: true}}
  fail: {python: own_app:fail}
  mended: {python: own_app:fail, fixup: own_app:mended, metadata: {where: here}}
  wrong: {python: own_app:wrong}
  slow: {python: own_app:slow, timeout: 0.2}
  unhurried: {python: own_app:slow, execution: concurrent}
  waits: {python: own_app:waits, execution: concurrent}
  who: {python: own_app:who, inject: [db]}
  nothing: {python: own_app:nothing}
  rich: {python: own_app:rich}
  odd: {python: own_app:odd}
  aodd: {python: own_app:aodd}
  fault: {python: own_app:fault}
  afault: {python: own_app:afault}
  tfault: {python: own_app:tfault, execution: concurrent}
  unsaid: {python: own_app:fail, fixup: own_app:unmended}
  unlevelled: {python: own_app:drop, risk: own_app:alevel}
  drop: {python: own_app:drop, risk: critical}
  judged: {python: own_app:drop, risk: own_app:level}
  person: {python: own_app:drop, annotations: {requires_user: true}}
  shut: {python: own_app:nothing, available: own_app:is_open}
  unsure: {python: own_app:nothing, available: own_app:closed}
  unmended: {python: own_app:fail, fixup: own_app:closed}
  ungiven: {execute: own_app:given, parameters: {$call: own_app:closed}}
  misgiven: {execute: own_app:given, parameters: {$call: own_app:odd_schema}}
  unasked: {python: own_app:drop, approve: own_app:closed}
  hidden: {python: own_app:nothing, exposure: hidden}
  declared: {parameters: {a: str}}
  given: {execute: own_app:given, parameters: {$call: own_app:schema}}
  long: {python: own_app:find, output_tokens: 20}
"""


@pytest.fixture
def desk(module: Any) -> Any:
    return module(SPEC, APP)


def test_a_call(desk: Any) -> None:
    done = ran(desk.find, name="find", arguments='{"order": 42}')
    assert (done.text, done.is_error) == ('["42", "42", "42"]', False)
    assert done.value == ["42"] * 3
    assert done.arguments == {"order": "42", "limit": 3}  # bound as inputs are
    assert (done.risk, done.call_id) == (0, "call_1")


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("fnid", "{}", "there is no tool fnid; did you mean find?"),
        ("hidden", "{}", "there is no tool hidden; there are find"),
        ("find", "{", "the arguments of find are not JSON"),
        ("find", "[1]", "the arguments of find are a JSON object"),
        ("find", "{}", "not run: find: the input order wants a value; it is required"),
        ("find", '{"order": "a", "limit": "x"}', "the input limit wants an integer"),
        ("find", '{"order": "a", "lmt": 1}', "find has no input lmt; it takes order, limit"),
    ],
)
def test_what_a_model_gets_wrong(desk: Any, name: str, arguments: str, says: str) -> None:
    done = ran(desk.find, desk.hidden, name=name, arguments=arguments)
    assert done.is_error
    assert says in done.text
    import own_app

    assert own_app.SEEN == []


def test_a_reply_that_was_cut_off_runs_nothing(desk: Any) -> None:
    (done,) = runner(desk.nothing).run([ToolCall("c", "nothing", "{}")], 1, False)
    assert done.is_error
    assert "cut off" in done.text


def test_what_a_tool_gives(desk: Any) -> None:
    assert ran(desk.nothing, name="nothing").text == "(no output)"
    done = ran(desk.rich, name="rich")
    assert (done.text, done.value, done.details) == ("words", {"a": 1}, {"b": 2})
    done = ran(desk.given, name="given", arguments='{"n": 5}')
    assert done.text == "5 for given"
    assert "wants" in ran(desk.given, name="given", arguments='{"n": "five"}').text


@pytest.mark.parametrize("name", ["odd", "aodd"])
@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("exit", "failed: SystemExit: 3"),
        # From Python 3.12 on, some thousand levels are shown.
        ("deep", r"cannot be shown: RecursionError|failed: RecursionError|\[{500}"),
        ("long", "cannot be shown: ValueError|failed: ValueError"),
        ("broken", "cannot be shown: OSError|failed: OSError"),
        ("half", "a\ufffd$"),
    ],
)
def test_whatever_a_tool_gives_is_a_result(desk: Any, name: str, kind: str, says: str) -> None:
    arguments = f'{{"kind": "{kind}"}}'
    assert re.search(says, ran(getattr(desk, name), name=name, arguments=arguments).text)
    call = runner(getattr(desk, name)).arun([ToolCall("c", name, arguments)], 1, True)
    assert re.search(says, asyncio.run(call)[0].text)


def test_a_long_result_is_cut(desk: Any) -> None:
    done = ran(desk.long, name="long", arguments='{"order": "abc", "limit": 500}')
    assert "characters left out" in done.text
    assert len(done.text) < 200
    assert len(done.value) == 500


def test_a_tool_that_fails(desk: Any) -> None:
    done = ran(desk.fail, name="fail", arguments='{"words": "no stock"}')
    assert (done.text, done.is_error) == ("fail failed: ValueError: no stock", True)
    assert ran(desk.wrong, name="wrong").is_error
    done = ran(desk.mended, name="mended", arguments='{"words": "x"}')
    assert done.text == "mended at here with {'words': 'x'}"
    with pytest.raises(ToolError, match="no stock") as caught:
        ran(desk.fail, name="fail", arguments='{"words": "no stock"}', tool_errors="raise")
    assert isinstance(caught.value.__cause__, ValueError)


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize("name", ["fault", "afault"])
@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("late", "failed: TimeoutError: the database is slow"),
        ("dropped", "failed: CancelledError"),
        ("inner", "failed: the inner call took longer"),
        ("silent", "failed: ValueError"),
        ("wordless", "failed: Wordless"),
    ],
)
def test_what_a_tool_raises_is_its_own(
    desk: Any, name: str, kind: str, says: str, awaited: bool
) -> None:
    run = runner(desk.fault, desk.afault)
    calls = [ToolCall("c", name, f'{{"kind": "{kind}"}}')]
    (done,) = asyncio.run(run.arun(calls, 1, True)) if awaited else run.run(calls, 1, True)
    assert (done.text, done.is_error) == (f"{name} {says}", True)


@pytest.mark.parametrize("awaited", [False, True])
def test_an_interruption_on_a_thread_is_the_tools_own(desk: Any, awaited: bool) -> None:
    run = runner(desk.tfault)
    calls = [ToolCall(each, "tfault", '{"kind": "interrupt"}') for each in "ab"]
    done = asyncio.run(run.arun(calls, 1, True)) if awaited else run.run(calls, 1, True)
    assert [each.text for each in done] == ["tfault failed: RuntimeError: KeyboardInterrupt"] * 2


def test_a_long_failure_is_cut(desk: Any) -> None:
    done = ran(desk.fault, name="fault", arguments='{"kind": "long"}')
    assert done.is_error
    assert "characters left out" in done.text
    assert len(done.text) < 20_000
    assert len(ran(desk.find, name="f" * 100_000).text) < 20_000


def test_a_fixup_that_fails(desk: Any) -> None:
    done = ran(desk.unsaid, name="unsaid", arguments='{"words": "no stock"}')
    wanted = "unsaid failed: ValueError: no stock (and its fixup: KeyError: 'unsaid')"
    assert (done.text, done.is_error) == (wanted, True)


def test_what_stops_the_call(desk: Any) -> None:
    with pytest.raises(ConfigurationError, match="declared only"):
        ran(desk.declared, name="declared", arguments='{"a": "x"}')
    with pytest.raises(ConfigurationError, match=r"own_app:odd_schema .* misgiven: .*'whole'"):
        ran(desk.misgiven, name="misgiven", arguments='{"n": 5}')
    with pytest.raises(ConfigurationError, match="db"):
        ran(desk.who, name="who", arguments='{"note": "x"}', context={"user": "u"})


def test_the_context_and_how_arguments_are_passed(desk: Any) -> None:
    done = ran(
        desk.who,
        name="who",
        arguments='{"note": "n", "more": ["a", "b"], "rest": {"x": 1}}',
        context={"user": "ada", "db": "DB"},
    )
    assert done.text == "who DB n ('a', 'b') False {'x': 1} ada 1"


def test_its_own_time(desk: Any) -> None:
    done = ran(desk.slow, name="slow", arguments='{"seconds": 5}')
    assert (done.text, done.is_error) == ("slow failed: took longer than 0.2 s", True)


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize("name", ["unhurried", "waits"])
def test_the_calls_time(desk: Any, name: str, awaited: bool) -> None:
    run = runner(desk.unhurried, desk.waits, timeout=0.2)
    calls = [ToolCall("c", name, '{"seconds": 5}')]
    began = time.monotonic()
    with pytest.raises(DeadlineError):
        asyncio.run(run.arun(calls, 1, True)) if awaited else run.run(calls, 1, True)
    assert time.monotonic() - began < 4 or (awaited and name == "unhurried")


@pytest.mark.parametrize("awaited", [False, True])
def test_concurrent_neighbours_run_together_and_answer_in_order(desk: Any, awaited: bool) -> None:
    run = runner(desk.unhurried, desk.waits, desk.find)
    calls = [
        ToolCall("1", "waits", '{"seconds": 1.5}'),
        ToolCall("2", "unhurried", '{"seconds": 1.5}'),
        ToolCall("3", "find", '{"order": "x"}'),
        ToolCall("4", "waits", '{"seconds": 0}'),
    ]
    began = time.monotonic()
    done = asyncio.run(run.arun(calls, 1, True)) if awaited else run.run(calls, 1, True)
    assert time.monotonic() - began < 2.9
    assert [each.call_id for each in done] == ["1", "2", "3", "4"]
    assert [each.text for each in done][:2] == ["awaited", "done"]


def test_a_tool_that_is_not_there_now(desk: Any) -> None:
    assert ran(desk.shut, name="shut").text == "(no output)"
    assert "not available" in ran(desk.shut, name="shut", context={"open": False}).text


def test_what_is_async_where_nothing_awaits_it(desk: Any) -> None:
    with pytest.warns(UserWarning, match="unsure is left out.*it is async"):
        assert "not available" in ran(desk.unsure, name="unsure").text
    words = "the fixup of unmended is async, and nothing awaits it: write it with def"
    with pytest.raises(ConfigurationError, match=words):
        ran(desk.unmended, name="unmended", arguments='{"words": "x"}')
    with pytest.raises(ConfigurationError, match="own_app:closed is async"):
        ran(desk.ungiven, name="ungiven")
    with pytest.raises(ConfigurationError, match="the approve function is async"):
        ran(desk.unasked, name="unasked", arguments='{"table": "x"}', approve="always")


# ------------------------------------------------------------------------------- approval


def dropped(desk: Any, tool: str = "drop", table: str = "x", **settings: Any) -> tuple[str, list]:
    import own_app

    own_app.SEEN.clear()
    done = ran(getattr(desk, tool), name=tool, arguments=f'{{"table": "{table}"}}', **settings)
    return done.text, own_app.SEEN


def test_dangerous_calls_are_asked_about(desk: Any) -> None:
    assert dropped(desk) == ("not run: drop needs an approval, and there is nobody to ask", [])
    assert dropped(desk, approve="never")[0] == "dropped"
    asked: list[PendingCall] = []

    def approve(call: PendingCall) -> Any:
        asked.append(call)
        return True if call.arguments["table"] == "x" else "not that one"

    assert dropped(desk, approve=approve)[0] == "dropped"
    assert dropped(desk, table="y", approve=approve) == ("not run: not that one", [])
    assert (asked[0].path, asked[0].risk, asked[0].effects) == ("desk/answer/drop", 4, "changes")


def test_a_tools_own_risk(desk: Any) -> None:
    assert dropped(desk, "judged")[0] == "dropped"
    assert "needs an approval" in dropped(desk, "judged", "orders")[0]
    assert "needs an approval" in dropped(desk, "unlevelled")[0]  # async, so no answer: 3


def test_the_risk_is_that_of_the_arguments_it_runs_with(desk: Any) -> None:
    def other(call: PendingCall, ctx: ToolContext) -> Any:
        return risk.modify({"table": "orders" if call.arguments["table"] == "x" else "x"})

    assert "needs an approval" in dropped(desk, "judged", policies=[other])[0]
    assert dropped(desk, "judged", "orders", policies=[other]) == ("dropped", ["x"])


def test_only_a_person_may_answer(desk: Any) -> None:
    assert "needs a person" in dropped(desk, "person", approve="never")[0]
    assert "needs a person" in dropped(desk, "person", approve=lambda call: True)[0]
    assert dropped(desk, "person", approve=by_a_person(lambda call: True))[0] == "dropped"


def test_waiting_for_a_person_is_not_counted(desk: Any) -> None:
    @by_a_person
    def approve(call: PendingCall) -> bool:
        time.sleep(2.5)
        return True

    run = runner(desk.person, timeout=2, approve=approve)
    (done,) = run.run([ToolCall("c", "person", '{"table": "x"}')], 1, True)
    assert done.text == "dropped"


def unsure(call: PendingCall, ctx: ToolContext) -> Any:
    raise ProviderError("its own model is not there")


@pytest.mark.parametrize(
    ("policies", "text"),
    [
        ([lambda call, ctx: None], "not run: drop needs an approval, and there is nobody to ask"),
        ([lambda call, ctx: risk.allow()], "dropped"),
        ([lambda call, ctx: risk.allow(), lambda call, ctx: risk.deny("no")], "not run: no"),
        ([lambda call, ctx: "deny"], "not run: a policy denies it"),
        ([lambda call, ctx: 1 / 0], "not run: a policy failed: ZeroDivisionError"),
        ([unsure], "not run: a policy failed: ProviderError"),
        ([lambda call, ctx: risk.Decision("maybe")], "not run: a policy gave Decision, which is"),
        ([lambda call, ctx: 5], "not run: a policy gave int, which is no decision"),
        ([lambda call, ctx: risk.ask("big")], "there is nobody to ask: big"),
        ([lambda call, ctx: risk.modify({"tabel": "z"})], "drop has no input tabel"),
    ],
)
def test_policies(desk: Any, policies: list[Any], text: str) -> None:
    assert text in dropped(desk, policies=policies)[0]


def test_a_policy_modifies_once(desk: Any) -> None:
    def tame(call: PendingCall, ctx: ToolContext) -> Any:
        return risk.modify({"table": f"{call.arguments['table']}_copy"})

    assert dropped(desk, policies=[tame], approve="never") == ("dropped", ["x_copy"])


PENDING = PendingCall("refund", "support/answer/refund", {}, 2)


@pytest.mark.parametrize(
    ("rules", "wanted"),
    [
        ([None, None], False),
        (["never", "changes"], True),
        (["changes", None], True),
        ([["refund"], None], True),
        ([["answer/refund"], None], True),
        ([["support/answer/refund"], None], True),
        ([["fund"], None], False),
        ([["answer"], None], False),
        ([lambda call: True, None], True),
    ],
)
def test_rules(rules: list[Any], wanted: bool) -> None:
    assert risk.asks(rules, PENDING) is wanted


def test_a_result_object_pickles() -> None:
    import pickle

    assert pickle.loads(pickle.dumps(ToolResult("a"))) == ToolResult("a")
    assert threading.current_thread() is threading.main_thread()
