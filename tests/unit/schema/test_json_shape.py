"""JSON Schemas of specs as types, and what is wrong with one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from aigen.ir import (
    Alias,
    Choice,
    Default,
    Formatted,
    Integer,
    JsonAny,
    Level,
    List,
    Map,
    Null,
    Number,
    Record,
    Ref,
    Set,
    Shape,
    Text,
    Tuple,
    Union,
)
from aigen.runtime.values import fits
from hypothesis import example, given, settings
from hypothesis import strategies as st
from shapes import MODULE, model_schema, read, schema_of

Schema = dict[str, Any]


def closed(**members: Any) -> Schema:
    return {
        "type": "object",
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
    }


def model(schema: Any) -> tuple[Any, bool]:
    kind, _, diagnostics = read(schema)
    assert isinstance(kind, Shape), list(diagnostics)
    return kind.model, kind.exact


@pytest.mark.parametrize(
    ("schema", "wanted"),
    [
        (True, JsonAny()),
        ({}, JsonAny()),
        ({"type": "string", "maxLength": 3.0}, Text(max_length=3)),
        ({"type": "string", "format": "email"}, Text(format="email")),
        ({"type": "string", "format": "date-time"}, Formatted("datetime")),
        ({"type": "string", "format": "hostname"}, Text()),
        ({"type": "integer", "minimum": 1, "exclusiveMaximum": 9}, Integer(ge=1, lt=9)),
        ({"type": "number", "multipleOf": 0.5}, Number(multiple_of=0.5)),
        ({"type": ["string", "null"], "minLength": 1}, Union((Text(min_length=1), Null()))),
        ({"type": ["integer", "number"]}, Number()),
        ({"enum": ["a", 1, 1.0, True, None]}, None),
        ({"const": 3.0}, Choice((Level(3),))),
        ({"type": "string", "enum": ["a", 1]}, Choice((Level("a"),))),
        (
            {"oneOf": [{"const": 1, "title": "low"}, {"const": 2, "description": "high"}]},
            Choice((Level(1, "low"), Level(2, "high"))),
        ),
        ({"type": "array"}, List(JsonAny())),
        ({"type": "array", "items": {"type": "null"}, "maxItems": 2}, List(Null(), None, 2)),
        ({"type": "array", "items": {"type": "integer"}, "uniqueItems": True}, Set(Integer())),
        (
            {
                "type": "array",
                "prefixItems": [{"type": "string"}, {"type": "integer"}],
                "items": False,
                "minItems": 2,
            },
            Tuple((Text(), Integer())),
        ),
        (
            {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "type": "array",
                "items": [{"type": "string"}, {"type": "integer"}],
                "additionalItems": False,
                "minItems": 2,
            },
            Tuple((Text(), Integer())),
        ),
        ({"type": "object"}, Map(JsonAny())),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, Map(Integer())),
        ({"anyOf": [{"type": "integer"}, {"type": "integer"}]}, Integer()),
        ({"allOf": [{"type": "number", "minimum": 1}, {"type": "integer"}]}, Integer(ge=1)),
        ({"allOf": [{"type": "string", "minLength": 2}, {"maxLength": 4}]}, Text(2, 4)),
    ],
)
def test_types(schema: Any, wanted: Any) -> None:
    found, exact = model(schema)
    assert exact
    if wanted is not None:
        assert found == wanted


@pytest.mark.parametrize(
    ("schema", "wanted"),
    [
        (False, JsonAny()),
        ({"minLength": 2}, JsonAny()),
        ({"not": {"type": "string"}}, JsonAny()),
        ({"type": "string", "format": "date", "minLength": 2}, Formatted("date")),
        ({"enum": [0.5, "a"]}, Union((Choice((Level("a"),)), Number()))),
        ({"type": "array", "contains": {"type": "integer"}}, List(JsonAny())),
        ({"type": "array", "prefixItems": [{"type": "string"}]}, List(JsonAny())),
        ({"type": "object", "patternProperties": {"^x": {"type": "integer"}}}, Map(JsonAny())),
        ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, Union((Integer(), Number()))),
        ({"$ref": "https://json-schema.org/draft/2020-12/schema"}, JsonAny()),
    ],
)
def test_types_that_say_less_than_the_schema(schema: Any, wanted: Any) -> None:
    assert model(schema) == (wanted, False)


def test_a_record_keeps_words_names_and_defaults() -> None:
    schema = {
        "type": "object",
        "title": "An Order",
        "description": "as the shop sees it",
        "properties": {
            "order-id": {"type": "string", "description": "its number"},
            "order_id": {"type": "integer", "default": 3, "examples": [1, "x", 2]},
            "class": {"type": "string", "default": "a", "deprecated": True},
            "lines": {
                "type": "array",
                "items": {"title": "Order line", "type": "object", "properties": {"n": {}}},
            },
            "inner": {"type": "object", "properties": {"a": True}, "description": "more"},
        },
        "required": ["order-id", "class"],
    }
    kind, found, diagnostics = read(schema, "Order")
    assert not len(diagnostics)
    assert isinstance(kind, Shape) and kind.model == Ref(MODULE, "Order") and kind.exact
    assert list(found) == ["Order", "OrderLine", "OrderInner"]
    order = found["Order"]
    assert isinstance(order, Record)
    assert order.additional == JsonAny() and order.shape is None
    assert order.description == "as the shop sees it"
    by_name = {member.name: member for member in order.members}
    assert list(by_name) == ["order-id", "order_id", "class", "lines", "inner"]
    assert by_name["order-id"].description == "its number"
    assert by_name["order_id"].default == Default(3)
    assert by_name["order_id"].examples == (1, 2)
    assert by_name["class"].default is None and not by_name["class"].optional
    assert by_name["class"].deprecated is True
    assert by_name["lines"].span.line > by_name["order-id"].span.line


def test_definitions_keep_their_spelling_first() -> None:
    names = {"user": "a", "User": "b", "USER": "c", "a/b c": "d", "1st": "e"}
    refs = ["user", "User", "USER", "a~1b%20c", "1st"]
    schema = {
        "$defs": {name: closed(**{member: True}) for name, member in names.items()},
        **closed(**{f"m{at}": {"$ref": f"#/$defs/{ref}"} for at, ref in enumerate(refs)}),
    }
    _, found, _ = read(schema)
    members = {
        name: each.members[0].name for name, each in found.items() if isinstance(each, Record)
    }
    assert members == {
        "Root": "m0",
        "User2": "a",
        "User": "b",
        "USER": "c",
        "ABC": "d",
        "Type1st": "e",
    }


def test_recursion_and_anchors() -> None:
    schema = {
        "$id": "https://example.test/tree",
        "type": "object",
        "properties": {
            "kids": {"type": "array", "items": {"$ref": "#"}},
            "leaf": {"$ref": "#leaf"},
            "part": {"$ref": "part.json"},
        },
        "additionalProperties": False,
        "$defs": {
            "Leaf": {"$anchor": "leaf", "type": "integer"},
            "Part": {"$id": "part.json", "type": "string"},
        },
    }
    kind, found, _ = read(schema, "Tree")
    assert isinstance(kind, Shape) and kind.exact
    tree = found["Tree"]
    assert isinstance(tree, Record)
    assert [member.type for member in tree.members] == [
        List(Ref(MODULE, "Tree")),
        Ref(MODULE, "Leaf"),
        Ref(MODULE, "Part"),
    ]
    assert found["Leaf"] == Alias("Leaf", Integer(), found["Leaf"].span)
    assert "$id" not in kind.schema and "#/$defs/Leaf" in kind.schema


def test_a_root_that_refers_to_itself_has_a_name() -> None:
    schema = {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"$ref": "#"}}]}
    kind, found, _ = read(schema, "Nested")
    assert isinstance(kind, Shape) and kind.model == Ref(MODULE, "Nested")
    alias = found["Nested"]
    assert isinstance(alias, Alias)
    assert alias.type == Union((Integer(), List(Ref(MODULE, "Nested"))))


def test_what_types_do_not_say_is_enforced_by_the_record_itself() -> None:
    schema = {**closed(a={"type": "integer"}), "if": {"required": ["a"]}, "then": False}
    kind, found, _ = read(schema)
    assert isinstance(kind, Shape) and kind.exact
    root = found["Root"]
    assert isinstance(root, Record) and root.shape is not None
    assert json.loads(root.shape) == json.loads(kind.schema) == schema


def test_all_of_becomes_one_record() -> None:
    base = {"type": "object", "properties": {"id": {"type": "integer"}}}
    schema = {
        "$defs": {"Base": base},
        "allOf": [{"$ref": "#/$defs/Base"}, {"required": ["id"]}],
        "properties": {"n": {"type": "string"}},
        "unevaluatedProperties": False,
    }
    kind, found, diagnostics = read(schema, "Child")
    assert not len(diagnostics)
    assert isinstance(kind, Shape) and kind.exact and "unevaluated" not in kind.schema
    child = found["Child"]
    assert isinstance(child, Record) and child.additional is None
    assert [(member.name, member.optional) for member in child.members] == [
        ("id", False),
        ("n", True),
    ]


@pytest.mark.parametrize(
    ("schema", "code", "place", "hint"),
    [
        ({"type": "strin"}, "AIG233", '"strin"', "did you mean string?"),
        ({"type": "dict"}, "AIG233", '"dict"', "did you mean object?"),
        (
            {"type": "object", "properties": {"a": "int"}},
            "AIG230",
            '"int"',
            "write {type: integer}",
        ),
        ({"type": "string", "pattern": "[a"}, "AIG208", '"[a"', None),
        ({"enum": []}, "AIG230", "[]", "list the values"),
        ({"type": "string", "minLength": -1}, "AIG230", "-1", None),
        ({"type": "string", "minLength": 3, "maxLength": 2}, "AIG235", "2", None),
        ({"type": "integer", "default": "x"}, "AIG234", '"x"', None),
        ({"type": "object", "required": True}, "AIG230", "true", None),
        ({"anyOf": []}, "AIG230", "[]", None),
        ({"$ref": "#/$defs/Usr", "$defs": {"User": True}}, "AIG231", '"#/$defs/Usr"', None),
        ({"$ref": "other.json"}, "AIG231", '"other.json"', None),
        ({"$ref": "#"}, "AIG232", '"#"', None),
        ({"anyOf": [{"$ref": "#"}, {"type": "string"}]}, "AIG232", '"#"', None),
        ({"allOf": [{"const": 1}, {"const": 2}]}, "AIG235", None, None),
        ({"type": "string", "enum": [1]}, "AIG235", "[1]", None),
        (3, "AIG230", "3", None),
    ],
)
def test_what_is_refused(schema: Any, code: str, place: str | None, hint: str | None) -> None:
    kind, found, diagnostics = read(schema)
    assert kind == JsonAny() and not found
    errors = [each for each in diagnostics if each.severity == "error"]
    assert [each.code for each in errors] == [code]
    if hint:
        assert errors[0].hint == hint
    if place is not None:
        lines = json.dumps(schema, indent=2).splitlines()
        span = errors[0].span
        assert span is not None
        text = "\n".join(lines[span.line - 1 : span.end_line])[span.column - 1 :]
        assert json.loads(place) == json.JSONDecoder().raw_decode(text)[0]


@pytest.mark.parametrize(
    ("schema", "code"),
    [
        ({"type": "string", "minLenght": 2}, "AIG236"),
        ({"type": "object", "properties": {"a": True}, "required": ["a", "b"]}, "AIG238"),
        ({"enum": ["a", "a", "b"]}, "AIG240"),
        ({"type": "string", "default": None}, "AIG214"),
        ({**closed(a=False)}, "AIG239"),
        ({"anyOf": [closed(a=True), closed(b=True)], "unevaluatedProperties": False}, "AIG241"),
    ],
)
def test_what_is_odd(schema: Any, code: str) -> None:
    kind, _, diagnostics = read(schema)
    assert isinstance(kind, Shape)
    assert [each.code for each in diagnostics] == [code]


junk: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | st.sampled_from(["a", "string", "#", "#/a"]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                [
                    *("type", "properties", "items", "$ref", "enum", "allOf", "anyOf", "oneOf"),
                    *("required", "additionalProperties", "default", "not", "minLength", "$id"),
                    *(
                        "$defs",
                        "prefixItems",
                        "const",
                        "pattern",
                        "format",
                        "title",
                        "a",
                        "$anchor",
                    ),
                ]
            ),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(junk)
def test_junk_is_refused_or_read(schema: Any) -> None:
    kind, _, diagnostics = read(schema)
    assert diagnostics.failed == (not isinstance(kind, Shape))


leaves: st.SearchStrategy[Any] = st.sampled_from(
    [
        True,
        {"type": "string"},
        {"type": "integer", "minimum": 1},
        {"type": ["number", "null"]},
        {"enum": ["a", 1, True, None]},
        {"const": 2},
        {"$ref": "#/$defs/Node"},
        {"type": "string", "maxLength": 1},
    ]
)


def combined(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    parts = st.lists(inner, min_size=1, max_size=3)
    members = st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
    return st.one_of(
        st.builds(
            lambda members, needed, rest: {
                "type": "object",
                "properties": members,
                "required": sorted(needed),
                "additionalProperties": rest,
            },
            members,
            st.sets(st.sampled_from("abc"), max_size=2),
            st.booleans() | inner,
        ),
        st.builds(lambda item: {"type": "array", "items": item}, inner),
        st.builds(lambda parts: {"allOf": parts}, parts),
        st.builds(lambda parts: {"anyOf": parts}, parts),
        st.builds(lambda parts: {"oneOf": parts}, parts),
    )


values: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([None, True, 0, 1, 2, 2.5, "a", "bb"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=6,
)
NODE = {"type": "object", "properties": {"a": {"$ref": "#/$defs/Node"}, "b": {"type": "integer"}}}


@settings(max_examples=2000, deadline=None)
@example({"oneOf": [{"const": 2}, {"const": 2}]}, [2])
@given(st.recursive(leaves, combined, max_leaves=6), st.lists(values, min_size=1, max_size=6))
def test_types_take_what_the_schema_takes(schema: Any, documents: list[Any]) -> None:
    whole = {**schema, "$defs": {"Node": NODE}} if isinstance(schema, dict) else schema
    kind, found, diagnostics = read(whole)
    if not isinstance(kind, Shape):
        assert diagnostics.failed
        return
    as_given: Schema = {**whole, "x-aigen-shape": True} if isinstance(whole, dict) else {}
    shape, defs = schema_of(kind, found)
    says, said = model_schema(kind, found)
    for document in documents:
        wanted = fits(document, as_given) is None
        assert (fits(document, shape, defs) is None) == wanted
        taken = fits(document, says, said) is None
        assert taken == wanted if kind.exact else taken >= wanted
