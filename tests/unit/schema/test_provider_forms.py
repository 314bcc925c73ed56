"""What is sent keeps to what each provider documents: keywords, limits, its own tools."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from aigen.runtime.dialects import DIALECTS, Form, reply_form, tool_form, tools_form
from aigen.runtime.values import fits
from aigen.runtime.wire.plain import BY_NAME, MANY, ONE
from aigen.runtime.wire.strict import to_strict
from hypothesis import given, settings
from hypothesis import strategies as st
from test_strict import Schema, records, scalars, values_of

WORDED = st.one_of(
    scalars,
    st.just({"type": "string", "minLength": 1, "maxLength": 3, "description": "a word"}),
    st.just({"type": "string", "format": "decimal", "minimum": 1}),
    st.just({"type": "string", "pattern": "(?=a)a", "examples": ["a"]}),
    st.just({"type": "number", "multipleOf": 0.5, "exclusiveMaximum": 9, "deprecated": True}),
    st.just({"enum": [None, "a", True]}),
    st.just({"enum": [True]}),
    st.just({"const": False, "description": "no"}),
    st.just({"type": "integer", "enum": [1, "a", 2]}),
)


def containers(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    return st.one_of(
        records(inner).map(lambda made: {**made, "minProperties": 0}),
        st.builds(
            lambda item, most: {"type": "array", "items": item, "maxItems": most, "minItems": 2},
            inner,
            st.integers(2, 4),
        ),
        st.builds(lambda item: {"type": "array", "items": item, "uniqueItems": True}, inner),
        st.builds(lambda options: {"oneOf": options}, st.lists(inner, min_size=2, max_size=3)),
        st.builds(
            lambda options: {"anyOf": options, "default": None},
            st.lists(inner, min_size=2, max_size=3),
        ),
    )


NODE = {
    "type": "object",
    "properties": {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/Node"}},
    "required": ["v"],
    "additionalProperties": False,
}
SCHEMAS = records(st.recursive(WORDED, containers, max_leaves=6)).map(
    lambda root: {**root, "$defs": {"Node": NODE}}
)


def inside(schema: Any) -> Iterator[Schema]:
    """A schema and all those inside it."""
    if not isinstance(schema, dict):
        return
    yield schema
    for key, value in schema.items():
        if key in BY_NAME:
            found = list(value.values())
        else:
            found = value if key in MANY else [value] if key in ONE else []
        for part in found:
            yield from inside(part)


WORDS = {"description", "title"}
OPENAI = WORDS | {
    *("type", "enum", "anyOf", "$ref", "$defs", "items", "minItems", "maxItems", "properties"),
    *("required", "additionalProperties", "pattern", "format", "minimum", "maximum"),
    *("exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}
ANTHROPIC = WORDS | {
    *("type", "enum", "const", "anyOf", "allOf", "$ref", "$defs", "items", "minItems"),
    *("properties", "required", "additionalProperties", "format"),
}
GEMINI = WORDS | {
    *("type", "format", "enum", "items", "prefixItems", "minItems", "maxItems", "minimum"),
    *("maximum", "anyOf", "oneOf", "properties", "additionalProperties", "required"),
    *("$ref", "$defs"),
}
FORMATS = {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}


def shaped(schema: Schema, **options: Any) -> Any:
    definition = {"name": "t", "module": "m", "description": "D.", "inputs": [], "shape": schema}
    return {**definition, "options": options} if options else definition


@settings(max_examples=150, deadline=None)
@given(SCHEMAS)
def test_openais_strict_subset(schema: Schema) -> None:
    form = to_strict(schema)
    for node in inside(form.schema):
        assert node.keys() <= OPENAI
        if "$ref" in node:
            assert node.keys() <= {"$ref"}
        if node.get("type") == "object":
            assert node["additionalProperties"] is False
            assert node["required"] == list(node["properties"])
        assert node.get("format", "date") in FORMATS


@settings(max_examples=150, deadline=None)
@given(SCHEMAS)
def test_anthropics_strict_subset(schema: Schema) -> None:
    form = tool_form("anthropic", shaped(schema))
    for node in inside(form.body["input_schema"]) if form.strict else ():
        assert node.keys() <= ANTHROPIC
        assert node.get("minItems", 1) in (0, 1)
        assert node.get("format", "date") in FORMATS | {"uri"}
        if node.get("type") == "object":
            assert node["additionalProperties"] is False


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_what_gemini_takes(data: st.DataObject) -> None:
    schema = data.draw(SCHEMAS)
    form = tool_form("gemini", shaped(schema)).body["parametersJsonSchema"]
    for node in inside(form):
        assert node.keys() <= GEMINI
        if "$ref" in node:
            assert node.keys() == {"$ref"}
        assert all(type(level) in (str, int, float) for level in node.get("enum", ()))
        assert node.get("format") != "decimal"
    value = data.draw(values_of(schema, schema["$defs"]))
    if fits(value, {**schema, "x-aigen-shape": True}, schema["$defs"]) is None:
        assert fits(value, form, form.get("$defs")) is None


@pytest.mark.parametrize(
    ("schema", "sent"),
    [
        ({"const": "x"}, {"enum": ["x"]}),
        ({"type": "boolean", "enum": [True, False]}, {"type": "boolean"}),
        (
            {"type": "string", "format": "decimal", "minimum": 1},
            {
                "type": "string",
                "description": "a decimal number as text, such as 12.50, at least 1",
            },
        ),
        (
            {"const": True, "description": "agreed"},
            {"type": "boolean", "description": "agreed\nonly true"},
        ),
        ({"enum": ["a", None]}, {"anyOf": [{"enum": ["a"]}, {"type": "null"}]}),
        ({"type": "integer", "enum": [1, "a"]}, {"enum": [1]}),
        ({"type": ["number", "null"], "enum": [1, 2.5, "a"]}, {"enum": [1, 2.5]}),
        (
            {"oneOf": [{"const": "a"}, {"type": "null"}]},
            {"anyOf": [{"enum": ["a"]}, {"type": "null"}]},
        ),
        ({"enum": [[1], [2]]}, {"type": "array", "description": "only [1] or [2]"}),
        (
            {"$ref": "#/$defs/N", "description": "the first"},
            {"anyOf": [{"$ref": "#/$defs/N"}], "description": "the first"},
        ),
    ],
)
def test_choices_and_references_of_gemini(schema: Schema, sent: Schema) -> None:
    whole = {"type": "object", "properties": {"a": schema}, "$defs": {"N": {"type": "string"}}}
    form = tool_form("gemini", shaped(whole))
    assert form.body["parametersJsonSchema"]["properties"]["a"] == sent
    reply = reply_form("gemini", "f", whole).body["responseJsonSchema"]
    assert reply["properties"]["a"] == sent


def member(name: str, *required: str, **properties: Any) -> Schema:
    return {name: {"type": "object", "properties": properties, "required": list(required)}}


@pytest.mark.parametrize(
    ("defs", "places"),
    [
        (member("A", "a", a={"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}]}), ["A/a"]),
        (member("A", "a", a={"type": "array", "items": {"$ref": "#/$defs/A"}}), ["A/a"]),
        (member("A", a={"$ref": "#/$defs/A"}), []),
        (
            {
                **member("A", "b", b={"$ref": "#/$defs/B"}),
                **member("B", "a", a={"$ref": "#/$defs/A"}),
            },
            ["A/b", "B/a"],
        ),
        (
            {**member("A", "b", b={"$ref": "#/$defs/B"}), **member("B", a={"$ref": "#/$defs/A"})},
            [],
        ),
    ],
)
def test_gemini_takes_recursion_in_what_may_be_left_out(defs: Schema, places: list[str]) -> None:
    schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": defs}
    for form in (tool_form("gemini", shaped(schema)), reply_form("gemini", "t", schema)):
        found = [each.message for each in form.problems if each.code == "AIG606"]
        assert [each.split()[1] for each in found] == [f"$defs/{place}" for place in places]


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_definitions_may_be_a_long_chain(dialect: str, closed: bool) -> None:
    """One leads to the next; the last, where it is closed, to the first."""
    defs: Schema = {}
    for at in range(2_000):
        following = {"$ref": f"#/$defs/D{(at + 1) % 2_000}"}
        defs |= member(f"D{at}", "a", a=following if closed or at < 1_999 else {"type": "null"})
    schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/D0"}}, "$defs": defs}
    started = time.process_time()
    form = tool_form(dialect, shaped(schema))
    assert time.process_time() - started < 10
    codes = Counter(each.code for each in form.problems)
    told = {"gemini": {"AIG605": 1, **({"AIG606": 2_000} if closed else {})}}
    assert codes == told.get(dialect, {})


# ------------------------------------------------------------ Anthropic's limits of a request


def optional(name: str, count: int, **options: Any) -> Any:
    """A tool with members that may be absent."""
    members = {f"m{at}": {"type": "string"} for at in range(count)}
    schema = {"type": "object", "properties": members, "additionalProperties": False}
    return {**shaped(schema, **options), "name": name}


def unions(name: str, count: int) -> Any:
    members = {f"m{at}": {"type": ["string", "null"]} for at in range(count)}
    schema = {"type": "object", "properties": members, "required": list(members)}
    return {**shaped({**schema, "additionalProperties": False}), "name": name}


def strict_in(form: Form) -> list[str]:
    return [each["name"] for each in form.body if each.get("strict")]


def test_a_request_has_so_many_strict_tools() -> None:
    form = tools_form("anthropic", [optional(f"t{at}", 0) for at in range(22)])
    assert strict_in(form) == [f"t{at}" for at in range(20)]
    assert not form.strict
    assert form.reasons == (
        "t20: with it the request has 21 strict tools, and strict takes 20",
        "t21: with it the request has 21 strict tools, and strict takes 20",
    )
    assert tools_form("anthropic", [optional(f"t{at}", 0) for at in range(20)]).strict


def test_what_may_be_absent_is_counted_over_all_strict_tools() -> None:
    form = tools_form("anthropic", [optional(name, 9) for name in "abc"] + [optional("d", 6)])
    assert strict_in(form) == ["a", "b", "d"]
    (reason,) = form.reasons
    assert reason == "c: with it the request has 27 members that may be absent, and strict takes 24"
    assert form.body[2]["input_schema"]["properties"].keys() == {f"m{at}" for at in range(9)}


def test_unions_are_counted_over_all_strict_tools() -> None:
    form = tools_form("anthropic", [unions("a", 10), unions("b", 7), unions("c", 6)])
    assert strict_in(form) == ["a", "c"]
    assert form.reasons == ("b: with it the request has 17 unions, and strict takes 16",)
    assert tool_form("anthropic", unions("a", 16)).strict
    assert tool_form("anthropic", unions("a", 17)).reasons == (
        "the schema: it has 17 unions, and strict takes 16",
    )


def test_tools_that_must_be_strict_come_first() -> None:
    tools = [optional("a", 20), optional("b", 20, strict=True), optional("c", 20, strict=False)]
    form = tools_form("anthropic", tools)
    assert strict_in(form) == ["b"] and not form.problems
    form = tools_form("anthropic", [tools[1], {**tools[1], "name": "d"}])
    assert [problem.code for problem in form.problems] == ["AIG601"]
    assert form.problems[0].message.startswith("d cannot be strict: with it the request has 40")


# --------------------------------------------------------------------- the provider's own tools


def found(name: str, exposure: str, **more: Any) -> Any:
    schema: Schema = {"type": "object", "properties": {}, "additionalProperties": False}
    options = {"exposure": exposure, **more.pop("options", {})}
    return {**shaped(schema, **options), "name": name, **more}


EVERY = [found(name, name) for name in ("direct", "code", "deferred", "hidden")]


def test_what_leads_to_tools_that_are_not_direct() -> None:
    shown = {
        dialect: [each.get("name") or each["type"] for each in tools_form(dialect, EVERY).body]
        for dialect in ("openai-responses", "anthropic")
    }
    assert shown == {
        "openai-responses": [
            "direct",
            "code",
            "deferred",
            "tool_search",
            "programmatic_tool_calling",
        ],
        "anthropic": ["direct", "code", "deferred", "tool_search_tool_bm25", "code_execution"],
    }
    chat = [each["function"]["name"] for each in tools_form("openai-chat", EVERY).body]
    gemini = tools_form("gemini", EVERY).body["functionDeclarations"]
    mcp = tools_form("mcp", EVERY).body["tools"]
    assert chat == [each["name"] for each in gemini] == ["direct"]
    assert [each["name"] for each in mcp] == ["direct", "deferred"]
    for dialect in ("openai-responses", "anthropic"):
        assert [each["name"] for each in tools_form(dialect, EVERY[:1]).body] == ["direct"]


def test_who_may_call_a_tool() -> None:
    direct, code, deferred, _ = EVERY
    responses = [tool_form("openai-responses", each).body for each in (direct, code, deferred)]
    assert [each.get("allowed_callers") for each in responses] == [None, ["programmatic"], None]
    assert [each.get("defer_loading") for each in responses] == [None, None, True]
    claude = [tool_form("anthropic", each) for each in (direct, code, deferred)]
    assert [each.body.get("allowed_callers") for each in claude] == [
        *(None, ["code_execution_20260120"], None)
    ]
    assert [each.body.get("defer_loading") for each in claude] == [None, None, True]
    assert [each.body.get("strict") for each in claude] == [True, None, True]
    assert claude[1].reasons == ("the schema: a tool that code calls has no strict form",)


def test_anthropic_lets_code_call_nothing_recursive() -> None:
    tree = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/Node"}},
        "$defs": {"Node": NODE},
    }
    codes = {
        exposure: [each.code for each in tool_form("anthropic", each).problems]
        for exposure in ("direct", "code")
        for each in [shaped(tree, exposure=exposure)]
    }
    assert codes == {"direct": [], "code": ["AIG606"]}


def gives(shape: Schema, **more: Any) -> Any:
    return found("t", "direct", output={"name": "result", "shape": shape}, **more)


@pytest.mark.parametrize(
    ("shape", "defs", "sent"),
    [
        ({"type": "integer"}, {}, {"type": "integer"}),
        (
            {"type": "array", "items": {"$ref": "#/$defs/Node"}},
            {"Node": NODE},
            {"type": "array", "items": {"$ref": "#/$defs/Node"}, "$defs": {"Node": NODE}},
        ),
        ({"type": "string"}, {}, None),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {}, None),
        ({"$ref": "#/$defs/Word"}, {"Word": {"enum": ["a"]}}, None),
        ({}, {}, None),
    ],
)
def test_what_a_result_holds_is_said_where_it_is_json(shape: Schema, defs: Any, sent: Any) -> None:
    body = tool_form("openai-responses", gives(shape, **{"$defs": defs})).body
    assert body.get("output_schema") == sent
    assert "output_schema" not in tool_form("openai-chat", gives(shape)).body["function"]


def test_gemini_is_told_what_a_tool_gives() -> None:
    declared = tool_form("gemini", gives({"const": "done"})).body
    assert declared["responseJsonSchema"] == {
        "type": "object",
        "properties": {"result": {"enum": ["done"]}},
        "additionalProperties": False,
        "required": ["result"],
    }
    assert "responseJsonSchema" not in tool_form("gemini", found("t", "direct")).body


def test_namespaces_stand_in_the_order_of_their_names() -> None:
    spaces = [found(name, "direct", options={"namespace": name}) for name in ("b", "c", "a")]
    body = tools_form("openai-responses", [*spaces, found("alone", "direct")]).body
    assert [each["name"] for each in body] == ["alone", "a", "b", "c"]
    assert body[1] == {
        "type": "namespace",
        "name": "a",
        "description": "Tools of a.",
        "tools": [tool_form("openai-responses", spaces[2]).body],
    }


def test_a_cache_breakpoint_is_kept() -> None:
    mark = {"type": "ephemeral"}
    kept = {"metadata": {"cache_control": mark, "owner": "shop"}}
    body = tool_form("anthropic", found("t", "direct", options=kept)).body
    assert body["cache_control"] == mark and "owner" not in body
    assert "cache_control" not in tool_form("anthropic", found("t", "deferred", options=kept)).body
    odd = {"metadata": {"cache_control": "yes"}}
    assert "cache_control" not in tool_form("anthropic", found("t", "direct", options=odd)).body
