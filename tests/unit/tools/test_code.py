"""Tools that a model calls from Python that it writes: `exposure: code`."""

from __future__ import annotations

import asyncio
import builtins
import json
import re
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from aigen.runtime import calls
from aigen.runtime.errors import ConfigurationError, DeadlineError, ToolError
from aigen.runtime.testing import scripted, tool_call
from aigen.runtime.tools.risk import by_a_person, deny, modify
from aigen.runtime.wire.messages import Reply, ToolCall
from aigen.tooling import answer, tool
from servers import Step, completion, message, serving

pytest.importorskip("pydantic_monty")

APP = '''
import asyncio
import time
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Literal
from uuid import UUID

from aigen.runtime import ToolContext

SEEN = []

class State(Enum):
    OPEN = "open"

@dataclass
class Trial:
    name: str
    started: date
    state: State
    id: UUID
    cost: Decimal | None = None

def search(condition: str, phase: Literal["1", "2", "3"] = "2", limit: int = 10) -> list[Trial]:
    """Search recruiting trials. Slowly.

    Args:
        condition: the illness
    """
    SEEN.append(("search", condition, limit))
    own = UUID(int=1)
    days = range(1, limit + 1)
    return [Trial(f"{condition} {n}", date(2024, 1, n), State.OPEN, own) for n in days]

async def patients(trial: str) -> int:
    """Count a trial's patients."""
    await asyncio.sleep(0.01)
    SEEN.append(("patients", trial))
    return len(trial)

def between(first: date, last: date) -> int:
    """Days between two dates."""
    return (last - first).days

def fail(kind: str) -> str:
    """Fail."""
    if kind == "lookup":
        raise KeyError("no such trial")
    if kind == "refused":
        raise ConnectionRefusedError(111, "refused")
    if kind == "own":
        class Own(Exception):
            pass
        raise Own("of mine")
    return 3

def close(name: str, reason: str = "") -> str:
    """Close a trial."""
    SEEN.append(("close", name, reason))
    return f"closed {name}"

def who(note: str, db: str, ctx: ToolContext) -> str:
    """Say who."""
    return f"{note} {db} {ctx.call_id} {ctx.tool} {ctx.context['user']}"

def slow(seconds: float) -> str:
    """Wait."""
    time.sleep(seconds)
    return "done"

def is_open(ctx):
    return ctx.context.get("open", True)
'''

SPEC = """
functions:
  answer:
    formula: words ~ message
    description: Answer the doctor.
    tools: [search, patients, between, fail, close, who, slow, shut, list, sort, direct, odd]
  alone:
    formula: words ~ message
    tools: [shut]
  sort:
    formula: topic + urgent ~ message
    description: Sort a message.
    fields: {topic: {choice: [a, b]}, urgent: bool}
tools:
  search: {python: own_app:search, exposure: code, namespace: trials, risk: 0}
  patients: {python: own_app:patients, exposure: code, namespace: trials}
  between: {python: own_app:between, exposure: code, namespace: trials.dates}
  fail: {python: own_app:fail, exposure: code}
  close: {python: own_app:close, exposure: code, namespace: trials, risk: dangerous, record: false}
  who: {python: own_app:who, exposure: code, inject: [db]}
  slow: {python: own_app:slow, exposure: code, timeout: 0.2}
  shut: {python: own_app:is_open, exposure: code, available: own_app:is_open, parameters: {}}
  list: {python: own_app:patients, exposure: code, namespace: calendar}
  direct: {python: own_app:patients}
  odd:
    description: Take odd names.
    exposure: code
    parameters:
      json_shape:
        type: object
        properties:
          per-page: {type: integer}
          from: {type: object, properties: {the-id: {type: string}}, required: [the-id]}
        required: [from]
"""

DONE = {"result": "That is all."}
SEARCH = 'import trials\nfound = trials.search("flu", limit=2)\n'


@pytest.fixture
def desk(module: Any) -> Any:
    # `shut` takes no arguments, and what it is implemented by does not matter.
    spec = SPEC.replace("shut: {python: own_app:is_open, ", "shut: {")
    desk = module(spec.replace(", sort,", ",").replace("odd]", "odd, sort]"), APP)
    desk.odd.implement(lambda **given: json.dumps(given))
    return desk


def ran(desk: Any, code: str, *, awaited: bool = False, **settings: Any) -> Any:
    """The call of `run_python` that runs some code, with what was inside."""
    function = desk.answer.with_options(**{"model": "gpt-4.1", "timeout": 30, **settings})
    with scripted([tool_call("run_python", {"code": code}), DONE]) as model, calls() as seen:
        answer = asyncio.run(function.aio("?")) if awaited else function("?")
    assert answer == "That is all."
    outcome = seen[-1].tools[0]
    assert model.requests[-1].messages[-1]["content"] == outcome.text
    return outcome


@pytest.mark.parametrize("awaited", [False, True])
def test_code_calls_tools(desk: Any, awaited: bool) -> None:
    code = f'{SEARCH}for each in found:\n    print(each["name"], trials.patients(each["name"]))'
    done = ran(desk, code, awaited=awaited)
    assert (done.text, done.is_error) == ("flu 1 5\nflu 2 5", False)
    assert [each.call_id for each in done.inside] == ["call_1.1", "call_1.2", "call_1.3"]
    assert done.inside[0].arguments == {"condition": "flu", "phase": "2", "limit": 2}
    assert sys.modules["own_app"].SEEN == [
        ("search", "flu", 2),
        ("patients", "flu 1"),
        ("patients", "flu 2"),
    ]


def test_what_the_model_is_offered(desk: Any) -> None:
    with scripted([DONE]) as model:
        desk.answer.with_options(model="gpt-4.1")("?")
    (request,) = model.requests
    names = [tool["function"]["name"] for tool in request.body["tools"]]
    assert names == ["direct", "sort", "run_python"]
    prompt = request.messages[0]["content"].split("\n")
    assert (
        'trials.search(condition: str, phase: Literal["1", "2", "3"] = "2", limit: int = 10)'
        " -> list[Trial]  # Search recruiting trials."
    ) in prompt
    assert (
        "trials.dates.between(first: date, last: date) -> int  # Days between two dates." in prompt
    )
    assert "calendar_.list(trial: str) -> int  # Count a trial's patients." in prompt
    assert "desk.odd(from_: dict[str, Any], per_page: int = ...)  # Take odd names." in prompt
    assert "desk.who(note: str) -> str  # Say who." in prompt


def test_without_a_tool_to_call_there_is_nothing_to_run(desk: Any) -> None:
    with scripted([DONE, DONE]) as model:
        desk.alone.with_options(model="gpt-4.1", context={"open": False})("?")
        desk.alone.with_options(model="gpt-4.1")("?")
    without, with_it = model.requests
    assert "tools" not in without.body
    assert "run_python" not in json.dumps(without.messages)
    assert with_it.body["tools"][0]["function"]["name"] == "run_python"


def test_as_text_and_over_responses(desk: Any) -> None:
    asked = json.dumps({"function": "run_python", "arguments": {"code": SEARCH + "len(found)"}})
    with scripted([Reply(asked), DONE]) as model:
        desk.answer.with_options(model="gpt-4.1", tool_calling="text")("?")
    first, second = model.requests
    prompt = json.dumps(first.messages)
    assert "- run_python: Runs Python" in prompt
    assert "trials.search(condition: str" in prompt
    assert "- search:" not in prompt
    assert second.messages[-1]["content"] == "Result of run_python:\n2"
    reply = Reply(
        None,
        finish="tool_calls",
        tool_calls=(ToolCall("c1", "run_python", json.dumps({"code": SEARCH + "len(found)"})),),
    )
    with scripted([reply, DONE]) as model:
        desk.answer.with_options(model="gpt-4.1", api="responses")("?")
    first, second = model.requests
    assert [tool["name"] for tool in first.body["tools"]] == ["direct", "sort", "run_python"]
    assert second.messages[-1] == {"type": "function_call_output", "call_id": "c1", "output": "2"}


@pytest.mark.parametrize("awaited", [False, True])
def test_over_a_server(desk: Any, awaited: bool) -> None:
    asked = {"name": "run_python", "arguments": json.dumps({"code": f"{SEARCH}len(found)"})}
    call = {"id": "c1", "type": "function", "function": asked}
    steps = [
        Step(message(None, finish="tool_calls", tool_calls=[call])),
        completion("That is all."),
    ]
    with serving(steps) as server:
        function = desk.answer.with_options(model="m", base_url=server.url, api_key="none")
        answer = asyncio.run(function.aio("?")) if awaited else function("?")
    assert answer == "That is all."
    assert server.requests[1].body["messages"][-1]["content"] == "2"


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ('import trials\ntrials.search("flu", phase="4")', "main.py:3:22: error[invalid-argument"),
        ("import trials\ntrials.search(3)", "Expected `str`, found `Literal[3]`"),
        ("import trials\ntrials.serach('flu')", "has no member `serach`"),
        (f'{SEARCH}print(found[0]["nmae"])', 'Unknown key "nmae" for TypedDict `Trial`'),
        ("import desk\ndesk.odd({'the_id': 'a'})", "the-id"),
        ("import socket", "Cannot resolve imported module `socket`"),
        ("print(", "invalid-syntax"),
        ("x = open('/etc/passwd')", "Name `open` used when not defined"),
    ],
)
def test_a_type_error_goes_back_and_nothing_is_run(desk: Any, code: str, says: str) -> None:
    done = ran(desk, f"print(1)\n{code}")
    assert done.is_error
    assert done.text.startswith("not run: main.py:")
    assert says in done.text
    assert done.inside == ()
    assert sys.modules["own_app"].SEEN == []


def test_values_keep_their_kinds(desk: Any) -> None:
    code = (
        f"{SEARCH}from datetime import date\nfrom trials.dates import between\n"
        'one = found[0]\nprint(one["started"] == date(2024, 1, 1), one["state"], one["id"][-1])\n'
        'print(one["cost"], between(one["started"], date(2024, 1, 31)))'
    )
    assert ran(desk, code).text == "True open 1\nNone 30"


def test_names_that_python_has_not(desk: Any) -> None:
    done = ran(desk, "import desk\ndesk.odd({'the-id': 'a'}, 3)")
    assert done.text == '{"from": {"the-id": "a"}, "per-page": 3}'
    assert ran(desk, "import calendar_\ncalendar_.list('abc')").text == "3"
    assert ran(desk, "from trials import Trial, search\nx: Trial = search('a')[0]\nx['name']").text


def test_exceptions_are_exceptions(desk: Any) -> None:
    code = 'import desk\ntry:\n    desk.fail("lookup")\nexcept KeyError as e:\n    print("no", e)'
    assert ran(desk, code).text == "no 'no such trial'"
    code = 'import desk\ntry:\n    desk.fail("refused")\nexcept OSError as e:\n    print(e)'
    assert "refused" in ran(desk, code).text
    code = 'import desk\ntry:\n    desk.fail("own")\nexcept RuntimeError as e:\n    print(e)'
    assert ran(desk, code).text == "fail failed: Own: of mine"
    done = ran(desk, 'import desk\nprint("begun")\ndesk.fail("wrong")')
    assert done.is_error
    first, *traceback = done.text.split("\n")
    assert first == "begun"
    assert "RuntimeError: fail failed: fail gave a result that is not what" in "\n".join(traceback)
    with pytest.raises(ToolError, match="no such trial"):
        ran(desk, 'import desk\ndesk.fail("lookup")', tool_errors="raise")


def test_risk_is_asked_about_inside(desk: Any) -> None:
    code = "import trials\ntry:\n    print(trials.close('flu'))\nexcept RuntimeError as e: print(e)"
    assert "not run: close needs an approval" in ran(desk, code).text
    asked: list[Any] = []

    def approve(call: Any) -> Any:
        asked.append((call.path, call.arguments, call.risk))
        return True

    for awaited in (False, True):
        assert ran(desk, code, awaited=awaited, approve=approve).text == "closed flu"
    assert asked == [("desk/answer/close", {"name": "flu", "reason": ""}, 3)] * 2
    assert ran(desk, code, approve=lambda call: "too late").text == "not run: too late"
    assert "not approved" in ran(desk, code, approve=by_a_person(lambda call: False)).text


def test_policies_see_every_call(desk: Any) -> None:
    seen: list[str] = []

    def policy(call: Any, ctx: Any) -> Any:
        seen.append(call.name)
        if call.name == "patients":
            return deny("no patients today")
        return modify({**call.arguments, "limit": 1}) if call.name == "search" else None

    code = (
        f"{SEARCH}print(len(found))\n"
        "try:\n    trials.patients('a')\nexcept RuntimeError as e:\n    print(e)"
    )
    assert ran(desk, code, policies=[policy]).text == "1\nnot run: no patients today"
    assert seen == ["run_python", "search", "search", "patients"]


def test_the_callers_context(desk: Any) -> None:
    done = ran(desk, "import desk\ndesk.who('by')", context={"db": "main", "user": "u"})
    assert done.text == "by main call_1.1 who u"
    with pytest.raises(ConfigurationError, match="db"):
        ran(desk, "import desk\ndesk.who('by')", context={"user": "u"})


def test_limits(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from aigen.runtime.tools import code, sandbox

    monkeypatch.setattr(sandbox, "SECONDS", 0.3)
    assert "time limit exceeded" in ran(desk, "while True:\n    pass").text
    assert "TimeoutError" in ran(desk, "import time\ntime.sleep(60)").text
    monkeypatch.setattr(sandbox, "MEMORY", 10_000_000)
    assert "MemoryError" in ran(desk, "x = [0]\nwhile True:\n    x = x + x").text
    monkeypatch.setattr(sandbox, "PRINTED", 1000)
    assert "MemoryError" in ran(desk, "while True:\n    print('x' * 100)").text
    monkeypatch.setattr(code, "CALLS", 2)
    done = ran(desk, "import trials\nfor n in range(9):\n    print(trials.patients('a'))")
    assert done.text.startswith("1\n1\nTraceback")
    assert done.text.endswith("RuntimeError: a run calls at most 2 tools")
    assert len(done.inside) == 2


def test_a_tools_own_time(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from aigen.runtime.tools import sandbox

    code = "import desk\ntry:\n    desk.slow(5)\nexcept TimeoutError as e:\n    print(e)"
    for awaited in (False, True):
        assert ran(desk, code, awaited=awaited).text == "slow failed: took longer than 0.2 s"
    monkeypatch.setattr(sandbox, "SECONDS", 0.1)  # of the code alone
    assert ran(desk, "import desk\ndesk.slow(0.15)").text == "done"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        # From Python 3.12 on, some thousand levels are shown.
        (
            "x = []\nfor i in range(5000):\n    x = [x]\nx",
            ("(list, which cannot be shown", "[[[[[["),
        ),
        ("10**5000", "(int, which cannot be shown: ValueError)"),
        ("import trials\ntrials.search('a', limit=10**5000)", "TypeError: trials.search: Exceeds"),
        ("x = 1\n" * 20_000, "not run: the code has 120,000 characters, and 100,000 is the most"),
        # Code that the sandbox takes, and older versions of Python's own parser do not.
        ('print(f"{"a"}")', "a"),
        ("try:\n    1 / 0\nexcept ZeroDivisionError, ValueError:\n    print(2)", "2"),
    ],
)
def test_what_code_makes_ends_no_call(
    desk: Any, code: str, said: str | tuple[str, ...], tmp_path: Path
) -> None:
    outcome = ran(desk, code, log_calls=str(tmp_path))
    assert any(each in outcome.text for each in ((said,) if isinstance(said, str) else said))
    (file,) = tmp_path.rglob("*.jsonl")
    entry = json.loads(file.read_text(encoding="utf-8"))
    assert entry["outputs"]["calls"][0]["name"] == "run_python"


@pytest.mark.parametrize("awaited", [False, True])
def test_the_deadline_of_the_call(desk: Any, awaited: bool) -> None:
    began = time.monotonic()
    with pytest.raises(DeadlineError):
        ran(desk, "while True:\n    pass", awaited=awaited, timeout=0.8)
    assert time.monotonic() - began < 5


def test_a_task_that_is_cancelled_ends_the_sandbox(desk: Any) -> None:
    async def cancelled() -> None:
        code = tool_call("run_python", {"code": "while True:\n    pass"})
        with scripted([code, DONE]):
            function = desk.answer.with_options(model="gpt-4.1", timeout=30)
            task = asyncio.create_task(function.aio("?"))
            await asyncio.sleep(0.5)
            task.cancel()
            began = time.monotonic()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert time.monotonic() - began < 2

    from aigen.runtime.tools import sandbox

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sandbox, "SECONDS", 3.0)
        asyncio.run(cancelled())


@pytest.mark.parametrize(
    "code",
    [
        "from pathlib import Path\nPath('/etc/passwd').read_text()",
        "eval(\"open('/etc/passwd').read()\")",
        "import os\nos.getenv('HOME')",
        "import os\nos.listdir('/')",
        "from pathlib import Path\nPath('made').write_text('x')",
    ],
)
def test_no_files_and_no_environment(desk: Any, code: str, tmp_path: Path) -> None:
    done = ran(desk, code)
    assert done.is_error
    assert "PermissionError" in done.text or "not supported in this environment" in done.text
    assert not Path("made").exists()


def test_what_is_printed_stays_in_the_budget(desk: Any) -> None:
    done = ran(desk, "for n in range(20000):\n    print('line', n)")
    assert "characters left out" in done.text
    assert done.text.startswith("line 0\n")
    assert done.text.endswith("line 19999")
    assert len(done.text) < 20_000
    assert ran(desk, "x = 1").text == "(no output)"
    assert ran(desk, "{'a': [1, None]}").text == '{"a": [1, null]}'


def test_search_and_help_inside(desk: Any) -> None:
    done = ran(desk, "import toolbox\nfor each in toolbox.search('recruiting'):\n    print(each)")
    assert done.text.startswith("trials.search(condition: str")
    done = ran(desk, "import toolbox\nprint(toolbox.help('trials.search'))")
    assert "condition: the illness" in done.text
    assert (
        "class Trial(TypedDict):\n    name: str\n    started: date\n    state: Literal" in done.text
    )
    assert (
        "did you mean trials.search?"
        in ran(desk, "import toolbox\ntoolbox.help('trials.serch')").text
    )
    assert done.inside == ()


def test_a_tool_of_code_is_not_called_directly(desk: Any) -> None:
    with scripted([tool_call("search", {"condition": "flu"}), DONE]), calls() as seen:
        desk.answer.with_options(model="gpt-4.1")("?")
    (outcome,) = seen[-1].tools
    assert outcome.text == "search is called from Python: use run_python"
    assert sys.modules["own_app"].SEEN == []


def test_one_question_with_code(desk: Any) -> None:
    def double(n: int) -> int:
        """Double a number."""
        return 2 * n

    asked = tool_call("run_python", {"code": "import maths\nmaths.double(21)"})
    own = tool(double, exposure="code", namespace="maths")
    with scripted([asked, "It is 42."]) as model:
        assert answer("What is twice 21?", [own]) == "It is 42."
    assert model.requests[1].messages[-1]["content"] == "42"
    assert "maths.double(n: int) -> int  # Double a number." in str(model.requests[0].messages)
    taken = tool(double, name="run_python")
    with scripted([DONE]), pytest.raises(ConfigurationError, match="cannot be called run_python"):
        answer("?", [own, taken])
    with scripted([tool_call("run_python", {"n": 2}), "It is 4."]) as model:
        assert answer("?", [taken]) == "It is 4."  # a tool like any other where no code is run
    assert model.requests[1].messages[-1]["content"] == "4"


def test_an_ai_function_stays_a_tool_beside_code(desk: Any) -> None:
    said = [
        tool_call("sort", {"message": "help"}),
        {"topic": "a", "urgent": True},
        DONE,
    ]
    with scripted(said), calls() as seen:
        desk.answer.with_options(model="gpt-4.1")("?")
    assert [each.name for each in seen[-1].tools] == ["sort"]


def test_what_is_recorded(desk: Any) -> None:
    code = "import trials as t\nfrom trials import close\nprint(t.close('a'), len('b'))\nclose('b')"
    done = ran(desk, code, approve="never")
    assert done.details["code"] == (
        "import trials as t\nfrom trials import close\nprint(..., len('b'))\n..."
    )
    assert [each.name for each in done.inside] == ["close", "close"]
    kept = f"{SEARCH}# a comment\nlen(found)"
    assert ran(desk, kept).details["code"] == kept


def test_the_log_has_the_calls_inside(desk: Any, tmp_path: Path) -> None:
    ran(desk, SEARCH + "len(found)", log_calls=str(tmp_path / "log"))
    (file,) = (tmp_path / "log").glob("*/*.jsonl")
    entry = json.loads(file.read_text(encoding="utf-8"))
    listed = entry["outputs"]["calls"]
    assert [(each["id"], each["name"]) for each in listed] == [
        ("call_1", "run_python"),
        ("call_1.1", "search"),
    ]
    assert listed[0]["input"] == {"code": SEARCH + "len(found)"}
    assert listed[1]["input"] == {"condition": "flu", "phase": "2", "limit": 2}


def test_without_the_package(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *others: Any, **named: Any) -> Any:
        if name == "pydantic_monty":
            raise ImportError(name)
        return real(name, *others, **named)

    monkeypatch.setattr(builtins, "__import__", missing)
    with scripted([DONE]) as model, pytest.raises(ConfigurationError) as caught:
        desk.answer.with_options(model="gpt-4.1")("?")
    assert 'pip install "aigen[code]"' in caught.value.message
    assert model.requests == []


def test_the_document(module: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = Path(__file__).parents[3].joinpath("docs", "tools.md").read_text(encoding="utf-8")
    section = page.split("## Tools called from code")[1].split("\n## ")[0]
    blocks = re.findall(r"```(\w+)\n(.*?)```", section, re.DOTALL)
    (_, spec), (_, app), (_, lines), (_, code) = blocks
    spec = spec.split("aigen: 1")[1].replace("app.trials:", "own_app:")
    spec = spec.replace("exposure: code,", "exposure: code, namespace: trials,")
    built = module(spec, app)
    with scripted([tool_call("run_python", {"code": code}), DONE]) as model:
        built.count.with_options(model="gpt-4.1")("How many?")
    first, second = model.requests
    assert lines.strip() in first.messages[0]["content"]
    assert f"reads `{second.messages[-1]['content']}`" in section
