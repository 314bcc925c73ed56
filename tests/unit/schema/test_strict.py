"""The strict form means what the canonical schema means."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from aigen.runtime.values import fits
from aigen.runtime.wire.strict import Strict, from_strict, to_plain, to_strict
from hypothesis import given
from hypothesis import strategies as st

Schema = dict[str, Any]

scalars: st.SearchStrategy[Schema] = st.one_of(
    st.just({"type": "string"}),
    st.just({"type": "boolean"}),
    st.just({"type": "null"}),
    st.builds(lambda low: {"type": "integer", "minimum": low}, st.integers(-2, 2)),
    st.builds(lambda high: {"type": "number", "maximum": high}, st.integers(-2, 2)),
    st.just({"type": "string", "format": "date"}),
    st.lists(st.sampled_from(["a", "b", 1, 2, True]), min_size=1, max_size=3, unique=True).map(
        lambda levels: {"enum": levels}
    ),
    st.just({"type": ["string", "null"]}),
    st.just({"const": "a"}),
    st.just({"type": "string", "pattern": "^a"}),
    st.just({"type": "string", "default": "b"}),
    st.just({"type": ["integer", "null"], "default": None}),
    st.just({"anyOf": [{"type": "string", "default": "b"}, {"type": "null"}], "default": "a"}),
    st.just({"$ref": "#/$defs/Node"}),
    st.just({"$ref": "#/$defs/Node", "description": "a node"}),
)


def records(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    members = st.dictionaries(st.sampled_from("abcd"), inner, max_size=3)
    return st.builds(
        lambda members, optional: {
            "type": "object",
            "properties": members,
            "required": [name for name in members if name not in optional],
            "additionalProperties": False,
        },
        members,
        st.sets(st.sampled_from("abcd")),
    )


def containers(inner: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    return st.one_of(
        records(inner),
        st.builds(lambda item: {"type": "array", "items": item, "maxItems": 3}, inner),
        st.builds(
            lambda item: {
                "type": "array",
                "prefixItems": [item, item],
                "items": False,
                "minItems": 2,
                "maxItems": 2,
            },
            inner,
        ),
        st.builds(lambda options: {"anyOf": options}, st.lists(inner, min_size=2, max_size=3)),
        st.builds(lambda options: {"oneOf": options}, st.lists(inner, min_size=2, max_size=3)),
    )


NODE = {
    "type": "object",
    "properties": {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/Node"}},
    "required": ["v"],
    "additionalProperties": False,
}
schemas = records(st.recursive(scalars, containers, max_leaves=6)).map(
    lambda root: {**root, "$defs": {"Node": NODE}}
)


def values_of(schema: Any, defs: Schema, depth: int = 0) -> st.SearchStrategy[Any]:
    """Values that mostly fit a schema."""
    if depth > 3:
        return st.none()
    if "$ref" in schema:
        return values_of(defs[schema["$ref"].rpartition("/")[2]], defs, depth + 1)
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        return st.one_of([values_of(option, defs, depth + 1) for option in options])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "const" in schema:
        return st.just(schema["const"])
    kind = schema["type"]
    if isinstance(kind, list):
        return st.one_of([values_of({**schema, "type": each}, defs, depth) for each in kind])
    match kind:
        case "object":
            inner = {
                name: values_of(part, defs, depth + 1)
                for name, part in schema["properties"].items()
            }
            required = schema.get("required", [])
            return st.fixed_dictionaries(
                {name: inner[name] for name in required},
                optional={name: inner[name] for name in inner if name not in required},
            )
        case "array":
            item = schema.get("items") or schema["prefixItems"][0]
            return st.lists(values_of(item, defs, depth + 1), max_size=3)
        case "string":
            return st.sampled_from(["a", "b", "2026-01-31"])
        case "integer" | "number":
            return st.sampled_from([-3, 0, 1, 2, 5])
        case "boolean":
            return st.booleans()
        case _:
            return st.none()


@given(st.data())
def test_what_the_strict_form_takes_is_what_the_canonical_schema_takes(data: st.DataObject) -> None:
    schema = data.draw(schemas)
    form = to_strict(schema)
    if form.schema is None:
        assert form.reasons and form.decode is None
        return
    value = data.draw(values_of(form.schema, form.schema.get("$defs", {})))
    before = copy.deepcopy(value)
    decoded = from_strict(value, form.decode)
    assert value == before
    if fits(value, form.schema, form.schema.get("$defs")) is None:
        assert fits(decoded, schema, schema["$defs"]) is None


@given(st.data())
def test_whatever_the_canonical_schema_takes_has_a_strict_value(data: st.DataObject) -> None:
    schema = data.draw(schemas)
    form = to_strict(schema)
    value = data.draw(values_of(schema, schema["$defs"]))
    if form.schema is None or fits(value, schema, schema["$defs"]) is not None:
        return
    filled = _filled(value, form.schema, form.schema.get("$defs", {}))
    assert fits(filled, form.schema, form.schema.get("$defs")) is None
    assert fits(from_strict(filled, form.decode), schema, schema["$defs"]) is None


def _filled(value: Any, schema: Any, defs: Schema) -> Any:
    """A canonical value in the strict form: null for what is left out."""
    if "$ref" in schema:
        return _filled(value, defs[schema["$ref"].rpartition("/")[2]], defs)
    if "anyOf" in schema:
        for option in schema["anyOf"]:
            filled = _filled(value, option, defs)
            if fits(filled, option, defs) is None:
                return filled
        return value
    if isinstance(value, dict) and "properties" in schema:
        return {
            **value,
            **{
                name: _filled(value[name], part, defs) if name in value else None
                for name, part in schema["properties"].items()
            },
        }
    if isinstance(value, list) and "items" in schema:
        return [_filled(item, schema["items"], defs) for item in value]
    return value


def form_of(member: Schema, **root: Any) -> Strict:
    return to_strict(
        {
            "type": "object",
            "properties": {"a": member},
            "required": ["a"],
            "additionalProperties": False,
            **root,
        }
    )


@pytest.mark.parametrize(
    ("member", "reason"),
    [
        ({}, "a: any JSON value has no strict form"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "a: an object with"),
        ({"type": "object", "additionalProperties": True}, "a: an object with"),
        ({"type": "array"}, "a: an array whose items are not typed has no strict form"),
        ({"type": "array", "items": {}}, "a: an array whose items"),
        ({"type": "string", "not": {"const": "a"}}, "a: not has no strict form"),
        ({"$ref": "#/$defs/B"}, "a: $ref #/$defs/B is to nothing"),
        (
            {"type": "array", "items": False, "prefixItems": [{"type": "string"}, {"const": 1}]},
            "a: a tuple of different types",
        ),
        (
            {"oneOf": [{"type": "integer"}, {"type": "number"}]},
            "a: oneOf whose options may overlap has no strict form",
        ),
        ({"allOf": [{"type": "string"}, {"minLength": 1}]}, "a: allOf has no strict form"),
    ],
)
def test_why_a_schema_is_not_strict(member: Schema, reason: str) -> None:
    form = form_of(member)
    assert form.schema is None
    assert [each for each in form.reasons if each.startswith(reason)], form.reasons


def test_what_the_form_refuses_moves_to_the_words() -> None:
    form = form_of(
        {
            "type": "object",
            "properties": {
                "code": {"type": "string", "minLength": 2, "description": "the code"},
                "n": {"type": "integer", "default": 5, "examples": [1, 2]},
                "price": {"type": "string", "format": "decimal"},
                "look": {"type": "string", "pattern": "(?=a)b"},
                "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
            },
            "required": ["code", "price", "look", "tags"],
            "additionalProperties": False,
        }
    )
    assert form.schema is not None
    members = form.schema["properties"]["a"]["properties"]
    assert members["code"] == {
        "type": "string",
        "description": "the code\nat least 2 characters",
    }
    assert members["n"] == {
        "type": ["integer", "null"],
        "description": "default: 5\nexamples: 1, 2\nnull: the default",
    }
    assert members["price"]["description"] == "a decimal number as text, such as 12.50"
    assert members["look"] == {"type": "string", "description": "matches the pattern (?=a)b"}
    assert members["tags"]["description"] == "the items are all different"
    assert from_strict({"a": {"n": None, "code": "ab"}}, form.decode) == {"a": {"code": "ab"}}


@pytest.mark.parametrize(
    ("member", "sent"),
    [
        (
            {"oneOf": [{"type": "string"}, {"type": "integer"}]},
            {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        ),
        (
            {"$ref": "#/$defs/A", "description": "the first"},
            {"anyOf": [{"$ref": "#/$defs/A"}], "description": "the first"},
        ),
        ({"$ref": "#/$defs/A"}, {"$ref": "#/$defs/A"}),
        ({"type": "string", "enum": ["a", 1, None]}, {"type": "string", "enum": ["a"]}),
        ({"enum": ["a", None]}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"type": "string", "deprecated": True}, {"type": "string", "description": "deprecated"}),
        (
            {"type": "string", "format": "decimal", "minimum": 1, "exclusiveMaximum": 9},
            {
                "type": "string",
                "description": "a decimal number as text, such as 12.50, at least 1, less than 9",
            },
        ),
        (
            {
                "type": "object",
                "properties": {"n": {"type": "null"}},
                "required": ["n"],
                "additionalProperties": False,
                "minProperties": 1,
            },
            {
                "type": "object",
                "properties": {"n": {"type": "null"}},
                "required": ["n"],
                "additionalProperties": False,
                "description": "at least 1 members",
            },
        ),
        (
            {"type": "integer", "minimum": 1, "exclusiveMinimum": True},
            {"type": "integer", "exclusiveMinimum": 1},
        ),
    ],
)
def test_a_member_of_the_strict_form(member: Schema, sent: Schema) -> None:
    form = form_of(member, **{"$defs": {"A": {"type": "string"}}})
    assert form.schema is not None
    assert form.schema["properties"]["a"] == sent


def test_a_null_that_fits_stays() -> None:
    form = form_of({"type": ["integer", "null"], "default": 3}, required=[])
    assert form.decode is None
    assert from_strict({"a": None}, form.decode) == {"a": None}


def test_options_are_told_by_the_value() -> None:
    option = {"type": "object", "additionalProperties": False}
    form = form_of(
        {
            "anyOf": [
                {**option, "properties": {"k": {"const": "x"}, "m": {"type": "integer"}}},
                {**option, "properties": {"k": {"const": "y"}, "m": {"type": ["string", "null"]}}},
            ]
        }
    )
    assert from_strict({"a": {"k": "x", "m": None}}, form.decode) == {"a": {"k": "x"}}
    assert from_strict({"a": {"k": "y", "m": None}}, form.decode) == {"a": {"k": "y", "m": None}}


def test_a_schema_of_a_spec_stands_by_itself() -> None:
    inner = {
        "x-aigen-shape": True,
        "type": "object",
        "title": "Tree",
        "properties": {
            "left": {"$ref": "#"},
            "leaf": {"$ref": "#/definitions/a~1b"},
            "$ref": {"type": "string"},
        },
        "additionalProperties": False,
        "definitions": {"a/b": {"enum": [{"$ref": "#"}, "x"]}},
    }
    plain = to_plain({"type": "object", "properties": {"t": inner, "u": {"$ref": "#/$defs/U"}}})
    assert plain["additionalProperties"] is False
    tree = plain["properties"]["t"]
    assert tree["properties"] == {
        "left": {"$ref": "#/$defs/Tree"},
        "leaf": {"$ref": "#/$defs/a_1b"},
        "$ref": {"type": "string"},
    }
    assert plain["$defs"]["Tree"] == tree
    assert plain["$defs"]["a_1b"] == {"enum": [{"$ref": "#"}, "x"]}
    assert plain["properties"]["u"] == {"$ref": "#/$defs/U"}
    assert "x-aigen" not in json.dumps(plain)


def test_limits_of_size() -> None:
    deep: Schema = {"type": "string"}
    for _ in range(11):
        deep = {"type": "object", "properties": {"n": deep}, "required": ["n"]}
        deep["additionalProperties"] = False
    assert to_strict(deep).reasons == (
        "the schema: it has 11 records inside one another, and strict takes 10",
    )
    levels = [f"v{n}" for n in range(1001)]
    assert form_of({"enum": levels}).reasons == (
        "the schema: it has 1001 levels of choices, and strict takes 1000",
    )
    assert form_of({"enum": levels[:1000]}).schema is not None


@pytest.mark.parametrize(
    ("member", "over"),
    [
        ({"enum": ["x" * 60 + str(n) for n in range(251)]}, "a choice has 15703 characters"),
        ({"enum": ["x" * 60 + str(n) for n in range(250)]}, None),
        ({"enum": ["x" * 119_999]}, None),
        ({"enum": ["x" * 120_000]}, "the schema: it has 120001 characters of names and levels"),
    ],
)
def test_limits_of_text(member: Schema, over: str | None) -> None:
    reasons = form_of(member).reasons
    assert [each.partition(", and strict takes")[0] for each in reasons] == ([over] if over else [])


def test_the_root_is_an_object() -> None:
    assert "the schema: the root of a strict schema is an object" in (
        to_strict({"anyOf": [{"type": "string"}, {"type": "null"}]}).reasons
    )
