"""The page of `gptr_tool`: its example to the line, and each argument under our names."""

from __future__ import annotations

import inspect
from typing import Any, get_type_hints

import pytest
from aigen.runtime import ToolContext, ToolResult
from aigen.runtime.errors import ConfigurationError
from aigen.runtime.setting_kinds import Settings
from aigen.runtime.testing import scripted, tool_call
from aigen.runtime.tools.catalogue import line
from aigen.runtime.tools.offered import offered
from aigen.runtime.tools.outcome import Outcome
from aigen.runtime.tools.running import Runner
from aigen.runtime.tools.tokens import tokens
from aigen.runtime.wire.exchange import Deadline
from aigen.runtime.wire.messages import ToolCall
from aigen.tooling import ToolKeys, answer, check, register, tool, toolbox

FRAMES: dict[str, list[Any]] = {"orders": [1, 2]}


def nrow_of(name: str) -> int:
    return len(FRAMES[name])


def called(made: Any, arguments: str = "{}", **settings: Any) -> Outcome:
    runner = Runner(offered([made]), "desk/answer", Settings(**settings), Deadline(30))
    (outcome,) = runner.run([ToolCall("1", made.definition["name"], arguments)], 1, True)
    return outcome


def test_the_example() -> None:
    made = tool(
        nrow_of,
        name="nrow_of",
        description="Number of rows of a data frame in the session",
        exposure="code",
        namespace="demo",
    )
    assert str(made).split("\n") == [
        "<tool nrow_of>",
        "  description: Number of rows of a data frame in the session",
        "  parameters: <dict of 4>",
        f"  python: {__name__}:nrow_of",
        "  exposure: code",
        "  namespace: demo",
        "  execution: sequential",
        "  record: True",
        "  annotations: <dict of 0>",
        "  format: 1",
    ]
    assert made("orders") == 2
    assert line(made.definition) == (
        "demo.nrow_of(name: str) -> int  # Number of rows of a data frame in the session"
    )


def test_every_argument_has_a_key() -> None:
    """The page's arguments; `fun` is the function itself, and what runs in R runs in code here."""
    page = {
        *("name", "description", "parameters", "execute", "exposure", "namespace", "execution"),
        *("risk", "snippet", "guidelines", "signature", "output_tokens", "record", "available"),
        "annotations",
    }
    assert page <= get_type_hints(ToolKeys).keys()
    assert [*inspect.signature(tool).parameters] == ["func", "keys"]


def test_a_name_and_its_description() -> None:
    for name in ("a", "A-b_9", "x" * 64):
        assert tool(nrow_of, name=name).definition["name"] == name
    for name in ("", "a b", "a.b", "x" * 65, "é"):
        with pytest.raises(ConfigurationError, match="no tool's name"):
            tool(nrow_of, name=name)
    (found, *_) = check(tool(nrow_of, description="word " * 420))
    assert found.id == "AIG414"


def test_parameters_in_three_forms() -> None:
    derived = tool(nrow_of).schema()["inputSchema"]
    assert derived == {
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "additionalProperties": False,
        "required": ["name"],
    }
    shape = {"type": "object", "properties": {"name": {"enum": ["orders"]}}, "required": ["name"]}
    given = tool(nrow_of, parameters={"json_shape": shape})
    assert called(given, '{"name": "orders"}').text == "2"
    assert called(given, '{"name": "others"}').is_error
    seen: list[str] = []

    def frozen(ctx: ToolContext) -> Any:
        seen.append(ctx.tool)
        return shape

    with scripted([tool_call("nrow_of", {"name": "orders"}), "Two."]) as model:
        assert answer("How many?", [tool(nrow_of, parameters=frozen)]) == "Two."
    sent = model.requests[0].body["tools"][0]["function"]["parameters"]
    assert sent["properties"]["name"]["enum"] == ["orders"]
    assert {*seen} == {"nrow_of"}


@pytest.mark.parametrize(
    ("gives", "text"),
    [
        (ToolResult("words", value=1), "words"),
        ("a text", "a text"),
        ({"a": [1]}, '{"a": [1]}'),
        (None, "(no output)"),
    ],
)
def test_what_execute_gives(gives: Any, text: str) -> None:
    seen: list[Any] = []

    def run(input: dict[str, Any], ctx: ToolContext) -> Any:
        seen.append((input, ctx.tool, ctx.call_id))
        return gives

    made = tool(None, execute=run, name="t", description="D.", parameters={"a": "integer"})
    assert called(made, '{"a": 1}').text == text
    assert seen == [({"a": 1}, "t", "1")]
    assert made(a=2) == gives  # the member form is made of it


def test_a_function_prints_within_its_budget() -> None:
    def long() -> str:
        return "word " * 5000

    made = tool(long, output_tokens=100)
    outcome = called(made)
    assert tokens(outcome.text) < 120
    assert "characters left out" in outcome.text
    assert outcome.value == "word " * 5000


def test_exposures() -> None:
    direct = tool(nrow_of, name="direct")
    deferred = tool(nrow_of, name="later", exposure="deferred", description="Count rows.")
    hidden = tool(nrow_of, name="secret", exposure="hidden")
    with scripted([tool_call("secret", {"name": "orders"}), "No."]) as model:
        answer("?", [direct, hidden])
    sent = [each["function"]["name"] for each in model.requests[0].body["tools"]]
    assert sent == ["direct"]
    assert "there is no tool secret" in model.requests[1].messages[-1]["content"]
    assert hidden("orders") == 2
    assert toolbox(direct, deferred).search("count rows")[0] is deferred


def test_an_execution_a_risk_and_whether_it_is_there() -> None:
    for execution in ("sequential", "concurrent"):
        assert f"  execution: {execution}" in repr(tool(nrow_of, execution=execution))  # type: ignore[arg-type]
    risky = tool(nrow_of, risk=lambda input, ctx: 4 if input["name"] == "orders" else 0)
    assert "needs an approval" in called(risky, '{"name": "orders"}').text
    wrong = tool(nrow_of, risk=lambda input, ctx: 1 / 0)  # an error is 3
    assert "needs an approval" in called(wrong, '{"name": "orders"}').text
    away = tool(nrow_of, available=lambda ctx: False)
    with scripted(["Nothing there."]) as model:
        answer("?", [away, tool(nrow_of, name="here")])
    sent = [each["function"]["name"] for each in model.requests[0].body["tools"]]
    assert sent == ["here"]


@pytest.mark.parametrize("way", ["native", "text"])
def test_lines_in_the_prompt(way: Any) -> None:
    made = tool(nrow_of, snippet="counts rows", guidelines=["Never guess.", "Ask first."])
    with scripted(["Well."]) as model:
        answer("?", [made], tool_calling=way)
    words = model.requests[0].messages[0]["content"]
    assert "- nrow_of: counts rows" in words
    assert "Rules:\n- Never guess.\n- Ask first." in words


def test_a_signature_of_its_own_and_its_record() -> None:
    made = tool(nrow_of, signature="nrow_of(name)", namespace="demo", exposure="code")
    assert line(made.definition) == "nrow_of(name)"
    assert "  record: False" in repr(tool(nrow_of, record=False))


def test_annotations_of_two_vocabularies() -> None:
    ours = {
        "read_only": True,
        "destructive": False,
        "idempotent": True,
        "open_world": False,
        "requires_user": True,
    }
    assert tool(nrow_of, annotations=ours).annotations == ours
    theirs = {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }
    mapped = tool(nrow_of, annotations=theirs)
    assert mapped.annotations == {key: ours[key] for key in ours if key != "requires_user"}
    assert mapped.schema("mcp")["annotations"] == theirs


def test_registering_and_checking() -> None:
    made = tool(nrow_of, description="Number of rows of a data frame")
    unregister = register(made)
    try:
        assert toolbox()["nrow_of"] is made
    finally:
        unregister()
    assert check(made) == ()
