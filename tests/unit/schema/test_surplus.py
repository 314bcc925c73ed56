"""What a reply holds beyond its answer, where no strict form was agreed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from aigen.runtime.values import fits
from aigen.runtime.wire.reply import Reader, Unreadable
from aigen.runtime.wire.strict import from_strict, to_strict
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from test_strict import NODE, schemas, values_of

Schema = dict[str, Any]


def record(*required: str, **properties: Schema) -> Schema:
    closed = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**closed, "required": list(required)}


TEXT = {"type": "string"}
CAT = record("kind", kind={"const": "cat"}, name=TEXT)
DOG = record("kind", kind={"enum": ["dog", "wolf"]}, name=TEXT)
NODES = {"$ref": "#/$defs/Node", "$defs": {"Node": NODE}}


def read(schema: Schema, value: Any) -> tuple[Any, list[str]]:
    """A value of a lone output as it is read, and the repairs without that output's name."""
    defs = schema.get("$defs", {})
    found = Reader({**record("r", r=schema), "$defs": defs}, text=False).read(
        json.dumps({"r": value})
    )
    return found.outputs["r"], [repair.replace(" r.", " ") for repair in found.repairs]


@pytest.mark.parametrize(
    ("schema", "value", "left", "repairs"),
    [
        (record("a", a=TEXT), {"a": "x", "b": 1}, {"a": "x"}, ["dropped b"]),
        (record(a=TEXT), {"a": None}, {}, ["took null for absent a"]),
        (record(a={"type": ["string", "null"]}), {"a": None}, {"a": None}, []),
        (record(a={"anyOf": [TEXT, {"type": "null"}]}), {"a": None}, {"a": None}, []),
        (record(a={}), {"a": None}, {"a": None}, []),
        (
            {"type": "array", "items": record(a=TEXT)},
            [{"a": None}],
            [{}],
            ["took null for absent 0.a"],
        ),
        (
            NODES,
            {"v": 1, "next": {"v": 2, "next": None}},
            {"v": 1, "next": {"v": 2}},
            ["took null for absent next.next"],
        ),
        (
            {"anyOf": [CAT, DOG]},
            {"kind": "wolf", "name": None},
            {"kind": "wolf"},
            ["took null for absent name"],
        ),
        (
            {"anyOf": [CAT, {"type": "null"}]},
            {"kind": "cat", "age": 3},
            {"kind": "cat"},
            ["dropped age"],
        ),
        ({"anyOf": [CAT, TEXT]}, "cat", "cat", []),
        (
            {"type": "object", "properties": {"a": TEXT}, "x-aigen-shape": True},
            {"a": "x", "b": None},
            {"a": "x", "b": None},
            [],
        ),
    ],
)
def test_what_is_removed(schema: Schema, value: Any, left: Any, repairs: list[str]) -> None:
    assert read(schema, value) == (left, repairs)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (record("a", a=TEXT), {"a": None}),
        (record(a=TEXT), {"b": 1}),
        (record(a=TEXT), "a"),
        ({"anyOf": [CAT, DOG]}, {"name": None}),
        ({"anyOf": [CAT, DOG]}, {"kind": "fox", "name": None}),
    ],
)
def test_what_is_no_answer_without_it_either(schema: Schema, value: Any) -> None:
    with pytest.raises(Unreadable):
        read(schema, value)


def test_a_schema_of_a_spec_is_followed_by_its_own_references() -> None:
    tree = {**record("v", v=TEXT, left={"$ref": "#"}), "title": "Tree", "x-aigen-shape": True}
    value = {"t": {"v": "a", "left": {"v": "b", "left": None}, "more": 1}}
    left, repairs = read(record("t", t=tree), value)
    assert left == {"t": {"v": "a", "left": {"v": "b"}}}
    assert repairs == ["took null for absent t.left.left", "dropped t.more"]


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_an_answer_has_no_surplus(data: st.DataObject) -> None:
    schema = data.draw(schemas)
    value = data.draw(values_of(schema, schema["$defs"]))
    assume(fits(value, schema, schema["$defs"]) is None)
    assert read(schema, value) == (value, [])


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_without_unions_null_means_what_it_means_in_the_strict_form(data: st.DataObject) -> None:
    schema = data.draw(schemas)
    form = to_strict(schema)
    assume(form.schema is not None and "Of" not in json.dumps(schema))
    assert form.schema is not None
    value = data.draw(values_of(form.schema, form.schema.get("$defs", {})))
    assume(fits(value, form.schema, form.schema.get("$defs")) is None)
    decoded = from_strict(value, form.decode)
    assert read(schema, value)[0] == decoded
