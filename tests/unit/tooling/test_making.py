"""A tool of a function at hand is a generated tool to all who use one."""

from __future__ import annotations

import asyncio
import functools
import pickle
from collections.abc import AsyncIterator, Iterable, Iterator
from datetime import date
from typing import Any, Literal, Required

import pytest
from aigen.runtime import ToolContext
from aigen.runtime import settings as scope
from aigen.runtime.errors import ConfigurationError, InterfaceInputError, ToolError
from aigen.runtime.setting_kinds import Settings
from aigen.runtime.tools.offered import offered
from aigen.runtime.tools.outcome import Outcome
from aigen.runtime.tools.running import Runner
from aigen.runtime.wire.exchange import Deadline
from aigen.runtime.wire.messages import ToolCall
from aigen.tooling import add_docs, function_schema, get_docs, tool
from pydantic import BaseModel
from typing_extensions import TypedDict, Unpack


class Order(BaseModel):
    id: str
    placed: date | None = None


@tool
def buy(
    order: Order,  # what is bought
    *,
    kind: Literal["gift", "own"] = "own",
) -> str:
    """Buy something."""
    return f"{type(order).__name__} {order.id} {kind}"


def called(made: Any, arguments: str = "{}", **settings: Any) -> Outcome:
    name = made.definition["name"]
    runner = Runner(offered([made]), "desk/answer", Settings(**settings), Deadline(30))
    (outcome,) = runner.run([ToolCall("1", name, arguments)], 1, True)
    return outcome


def test_it_is_called_as_its_function_is() -> None:
    assert buy(Order(id="1"), kind="gift") == "Order 1 gift"
    assert buy({"id": "1"}) == "Order 1 own"  # type: ignore[arg-type]
    assert asyncio.run(buy.aio(order=Order(id="2"))) == "Order 2 own"
    with pytest.raises(InterfaceInputError, match="kind"):
        buy(Order(id="1"), kind="theirs")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        buy()  # type: ignore[call-arg]


def test_it_shows_what_its_function_shows() -> None:
    assert (buy.__name__, buy.__qualname__, buy.__module__) == ("buy", "buy", __name__)
    assert buy.__doc__ == "Buy something."
    assert [*buy.__signature__.parameters] == ["order", "kind"]
    assert pickle.loads(pickle.dumps(buy)) is buy


def other(x: int) -> int:
    return x + 1


def test_one_under_another_name_pickles_too() -> None:
    made = tool(other, name="more")
    assert pickle.loads(pickle.dumps(made))(1) == 2
    assert made.definition["function"] == "other"


def test_a_model_calls_it() -> None:
    outcome = called(buy, '{"order": {"id": "7", "placed": "2024-02-03"}}')
    assert (outcome.text, outcome.is_error) == ("Order 7 own", False)
    outcome = called(buy, '{"order": {"id": "7"}, "knd": "own"}')
    assert outcome.is_error and "has no input knd" in outcome.text


def test_every_dialect() -> None:
    assert buy.schema("openai-chat")["function"]["strict"] is True
    assert buy.schema("anthropic")["input_schema"]["required"] == ["order"]
    assert buy.schema()["inputSchema"]["properties"]["order"]["description"] == "what is bought"
    with pytest.raises(ConfigurationError, match="no dialect 'x'"):
        buy.schema("x")


def test_readers_take_tools_too() -> None:
    assert function_schema(buy)["function"]["parameters"]["required"] == ["order"]
    assert get_docs(buy)["arguments"]["order"]["description"] == "what is bought"
    for again in (lambda: tool(buy), lambda: add_docs(buy, {})):
        with pytest.raises(ConfigurationError, match="buy is a tool"):
            again()


def test_async_code() -> None:
    async def wait(x: int) -> int:
        await asyncio.sleep(0)
        return x + 1

    made = tool(wait)
    assert asyncio.run(made.aio(1)) == 2
    assert called(made, '{"x": 1}').text == "2"


def test_what_comes_one_by_one_is_a_list() -> None:
    def counted(to: int) -> Iterable[int]:
        """Count."""
        return range(to)

    def yielded(to: int) -> Iterator[int]:
        """Count."""
        yield from range(to)

    async def awaited(to: int) -> AsyncIterator[int]:
        """Count."""
        for n in range(to):
            yield n

    def seen(to: int) -> Iterable[int]:
        """Count."""
        return dict.fromkeys(range(to)).keys()

    def listed(to: int) -> Iterable[int]:
        """Count."""
        return [*range(to)]

    for func in (counted, yielded, awaited, seen, listed):
        made = tool(func)
        assert made(3) == asyncio.run(made.aio(3)) == [0, 1, 2]


def test_methods_and_partials() -> None:
    class Shelf:
        def __init__(self) -> None:
            self.held: list[str] = []

        def put(self, name: str, times: int = 1) -> int:
            self.held += [name] * times
            return len(self.held)

    shelf = Shelf()
    assert called(tool(shelf.put), '{"name": "a"}').text == "1"
    twice = tool(functools.partial(shelf.put, times=2))
    assert called(twice, '{"name": "b"}').text == "3"
    assert shelf.held == ["a", "b", "b"]


def test_all_ways_to_pass_an_argument() -> None:
    def f(a: int, /, b: int, *rest: int, c: int = 0, **more: str) -> list[Any]:
        return [a, b, rest, c, more]

    made = tool(f)
    assert made(1, 2, 3, 4, c=5, d="x") == [1, 2, (3, 4), 5, {"d": "x"}]
    text = called(made, '{"a": 1, "b": 2, "rest": [3], "more": {"d": "x"}}').text
    assert text == '[1, 2, [3], 0, {"d": "x"}]'


class Options(TypedDict, total=False):
    fast: Required[bool]
    note: str


def test_names_that_a_typed_dict_says() -> None:
    def send(to: str, **options: Unpack[Options]) -> str:
        return f"{to} {sorted(options.items())}"

    made = tool(send)
    assert made.schema()["inputSchema"]["required"] == ["to", "options"]
    outcome = called(made, '{"to": "ann", "options": {"fast": true}}')
    assert outcome.text == "ann [('fast', True)]"
    assert called(made, '{"to": "ann", "options": {"note": "x"}}').is_error


def test_the_context_and_what_the_caller_gives() -> None:
    def look(order: str, user: str, ctx: ToolContext) -> str:
        return f"{order} {user} {ctx.tool}"

    made = tool(look, inject=["user"])
    assert [*made.schema()["inputSchema"]["properties"]] == ["order"]
    assert [*made.__signature__.parameters] == ["order"]
    outcome = called(made, '{"order": "1"}', context={"user": "ann"})
    assert outcome.text == "1 ann look"
    with scope(context={"user": "bob"}):
        assert made(order="1") == "1 bob look"  # type: ignore[call-arg]


def test_a_context_that_may_be_left_out() -> None:
    def look(order: str, ctx: ToolContext | None = None) -> str:
        return f"{order} {ctx.tool if ctx is not None else 'none'}"

    made = tool(look)
    assert [*made.schema()["inputSchema"]["properties"]] == ["order"]
    assert called(made, '{"order": "1"}').text == "1 look"


def test_a_default_without_json_is_the_functions_own() -> None:
    marker = object()

    def f(x: int = marker) -> bool:  # type: ignore[assignment]
        return x is marker

    assert tool(f)() is True
    assert "default" not in tool(f).schema()["inputSchema"]["properties"]["x"]


def test_execute() -> None:
    def run(input: dict[str, Any], ctx: ToolContext) -> str:
        return f"{input['query']} {input['limit']} {ctx.call_id}"

    made = tool(
        None,
        execute=run,
        name="search",
        description="Search.",
        parameters={"query": "what to look for", "limit": {"type": "int", "default": 5}},
    )
    assert called(made, '{"query": "a"}').text == "a 5 1"
    assert "  execute: test_making:test_execute.<locals>.run" in repr(made).replace(
        __name__, "test_making"
    )
    with pytest.raises(ConfigurationError, match="its own description and parameters"):
        tool(None, execute=run)
    with pytest.raises(ConfigurationError, match="in one way"):
        tool(other, execute=run)


def test_parameters_over_the_functions() -> None:
    def f(x: Any, y: int = 1) -> list[Any]:
        return [x, y]

    made = tool(f, parameters={"x": {"type": Order, "description": "the order"}, "y": "how many"})
    schema = made.schema()["inputSchema"]
    assert schema["properties"]["x"] == {"$ref": "#/$defs/Order", "description": "the order"}
    assert schema["properties"]["y"] == {
        "type": "integer",
        "default": 1,
        "description": "how many",
    }
    shape = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
    made = tool(f, parameters={"json_shape": shape})
    assert called(made, '{"x": 3}').text == "[3, 1]"
    assert called(made, '{"x": "a"}').is_error
    made = tool(f, parameters=lambda ctx: shape)
    assert called(made, '{"x": 4}').text == "[4, 1]"


def test_returns() -> None:
    assert tool(other, returns="integer")(1) == 2
    with pytest.raises(ToolError, match="result wants"):
        tool(other, returns={"type": "string", "description": "words"})(1)

    def wrong(x: int) -> str:
        return x  # type: ignore[return-value]

    with pytest.raises(ToolError, match="not what its spec says"):
        tool(wrong)(1)


def test_what_is_judged_and_asked() -> None:
    asked: list[Any] = []

    def approve(call: Any) -> bool:
        asked.append(call.risk)
        return False

    made = tool(other, risk=lambda input, ctx: input["x"], approve=approve)
    assert called(made, '{"x": 0}').text == "1"
    assert called(made, '{"x": 3}').is_error
    assert asked == [3]


def test_fixup_and_availability() -> None:
    def fails(x: int) -> int:
        raise OSError("gone")

    made = tool(fails, fixup=lambda name, **rest: f"{name} {rest}", metadata={"desk": 1})
    assert called(made, '{"x": 2}').text == "fails {'desk': 1, 'x': 2}"
    assert called(tool(other, available=lambda ctx: False), '{"x": 1}').is_error


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"nme": "x"}, "no key nme; did you mean name"),
        ({"python": "a:b"}, "the function itself is the first argument"),
        ({"mcp": {}}, "implemented by the function"),
        ({"name": "a b"}, "'a b' is no tool's name"),
        ({"risk": 9}, "risk is 0 to 4"),
        ({"risk": True}, "risk is 0 to 4"),
        ({"exposure": "r"}, "exposure is direct, code"),
        ({"namespace": "a.help"}, "namespace is letters"),
        ({"annotations": {"readonly": True}}, "did you mean read_only"),
        ({"annotations": {"read_only": 1}}, "true or false"),
        ({"annotations": {"read_only": True, "destructiveHint": True}}, "destroys nothing"),
        ({"timeout": 0}, "timeout is seconds"),
        ({"timeout": float("nan")}, "timeout is seconds"),
        ({"output_tokens": True}, "a whole number"),
        ({"examples": [1]}, "a list of argument objects"),
        ({"inject": ["y"]}, "inject names y"),
        ({"parameters": {"y": "int"}}, "other takes no y; it takes x"),
        ({"parameters": {"x": {"typ": "int"}}}, "the field x has no typ"),
        ({"parameters": {"x": {"default": "a"}}}, "the default of x does not fit"),
        ({"parameters": {"type": "object", "properties": {}}}, "json_shape"),
        ({"parameters": {"json_shape": {"type": "array"}}}, "an object"),
        ({"parameters": 3}, "a mapping of fields"),
        ({"docs": {"descrption": "x"}}, "did you mean description"),
    ],
)
def test_keys_that_are_wrong(keys: Any, words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        tool(other, **keys)
