"""What a reply holds beyond its answer, where no strict form was agreed."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from aigen.runtime.values import fits
from aigen.runtime.wire.strict import from_strict, to_plain, to_strict
from aigen.runtime.wire.surplus import drop
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


@pytest.mark.parametrize(
    ("schema", "value", "left", "repairs"),
    [
        (record("a", a=TEXT), {"a": "x", "b": 1}, {"a": "x"}, ["dropped b"]),
        (record(a=TEXT), {"a": None}, {}, ["took null for absent a"]),
        (record("a", a=TEXT), {"a": None}, {"a": None}, []),
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
        # Two options might be meant, so nothing is taken away.
        ({"anyOf": [CAT, DOG]}, {"name": None}, {"name": None}, []),
        ({"anyOf": [CAT, DOG]}, {"kind": "fox", "name": None}, {"kind": "fox", "name": None}, []),
        (
            {"type": "object", "properties": {"a": TEXT}, "x-aigen-shape": True},
            {"a": "x", "b": None},
            {"a": "x", "b": None},
            [],
        ),
        (record(a=TEXT), "a", "a", []),
    ],
)
def test_what_is_removed(schema: Schema, value: Any, left: Any, repairs: list[str]) -> None:
    assert drop(value, to_plain(schema)) == repairs
    assert value == left


def test_a_schema_of_a_spec_is_followed_by_its_own_references() -> None:
    tree = {**record("v", v=TEXT, left={"$ref": "#"}), "title": "Tree", "x-aigen-shape": True}
    value = {"t": {"v": "a", "left": {"v": "b", "left": None}, "more": 1}}
    assert drop(value, to_plain(record("t", t=tree))) == [
        "took null for absent t.left.left",
        "dropped t.more",
    ]
    assert value == {"t": {"v": "a", "left": {"v": "b"}}}


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_an_answer_has_no_surplus(data: st.DataObject) -> None:
    schema = data.draw(schemas)
    value = data.draw(values_of(schema, schema["$defs"]))
    assume(fits(value, schema, schema["$defs"]) is None)
    before = copy.deepcopy(value)
    assert drop(value, to_plain(schema)) == []
    assert value == before


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
    drop(value, to_plain(schema))
    assert value == decoded
