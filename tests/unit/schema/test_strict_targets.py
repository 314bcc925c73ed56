"""What a target's strict form takes is, decoded, what the canonical schema takes; its limits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from aigen.runtime.dialects import reply_form, tool_form
from aigen.runtime.dialects.anthropic import strict_form, why_not
from aigen.runtime.values import fits
from aigen.runtime.wire.phrases import PHRASES
from aigen.runtime.wire.sizes import sizes
from aigen.runtime.wire.strict import from_strict, to_plain, to_strict
from hypothesis import given, settings
from hypothesis import strategies as st
from test_strict import Schema, _filled, schemas, values_of

Target = tuple[Schema | None, Callable[[Any], Any], Callable[[Any], Any]]


def openai(schema: Schema) -> Target:
    """The form, how a canonical value is written in it, and how one of it is read."""
    form = to_strict(schema)
    if form.schema is None:
        return None, lambda value: value, lambda value: value
    defs = form.schema.get("$defs", {})
    return (
        form.schema,
        lambda value: _filled(value, form.schema, defs),
        lambda value: from_strict(value, form.decode),
    )


def anthropic(schema: Schema) -> Target:
    plain = to_plain(schema)
    made = None if [*why_not(plain)] else strict_form(plain)
    return made, lambda value: value, lambda value: value


TARGETS = {"openai": openai, "anthropic": anthropic}


def relaxed(schema: Any) -> Any:
    """A canonical schema without what a form may say in words instead."""
    if isinstance(schema, list):
        return [relaxed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {}
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            made[key] = {name: relaxed(part) for name, part in value.items()}
        elif key not in PHRASES:
            made[key] = relaxed(value)
    if "prefixItems" in made:  # lengths of a tuple are its type
        made |= {key: schema[key] for key in ("minItems", "maxItems") if key in schema}
    return made


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_what_it_takes_is_what_the_canonical_schema_takes(name: str, data: st.DataObject) -> None:
    schema = data.draw(schemas)
    form, written, read = TARGETS[name](schema)
    if form is None:
        return
    defs = form.get("$defs", {})
    taken = data.draw(values_of(form, defs))
    if fits(taken, form, defs) is None:
        plain = relaxed(schema)
        assert fits(read(taken), plain, plain.get("$defs")) is None
    canonical = data.draw(values_of(schema, schema["$defs"]))
    if fits(canonical, schema, schema["$defs"]) is None:
        there = written(canonical)
        assert fits(there, form, defs) is None
        assert fits(read(there), schema, schema["$defs"]) is None


@pytest.mark.parametrize("name", TARGETS)
def test_generated_schemas_have_a_form_often_enough(name: str) -> None:
    found = {"strict": 0, "not": 0}

    @settings(max_examples=60, deadline=None, database=None)
    @given(schemas)
    def count(schema: Schema) -> None:
        found["not" if TARGETS[name](schema)[0] is None else "strict"] += 1

    count()
    assert found["strict"] >= 5


def nest(depth: int) -> Schema:
    made: Schema = {"type": "string"}
    for _ in range(depth):
        made = {"type": "array", "items": made}
    return {"type": "object", "properties": {"a": made}, "additionalProperties": False}


def refs(depth: int) -> Schema:
    """Records inside one another, each by its name."""
    defs: Schema = {
        f"R{at}": {
            "type": "object",
            "properties": {"n": {"$ref": f"#/$defs/R{at + 1}"}},
            "required": ["n"],
            "additionalProperties": False,
        }
        for at in range(depth)
    }
    defs[f"R{depth}"] = {"type": "string"}
    return {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/R0"}},
        "required": ["a"],
        "additionalProperties": False,
        "$defs": defs,
    }


def test_sizes() -> None:
    found = sizes(
        {
            "type": "object",
            "properties": {
                "kind": {"enum": ["one", "two"]},
                "rows": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
                "both": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                "either": {"type": ["string", "null"]},
            },
            "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}},
        }
    )
    assert (found.members, found.levels, found.unions) == (5, 2, 2)
    assert (found.records, found.nested) == (2, 3)
    assert found.characters == len("kindrowsbotheither" + "onetwo" + "Node" + "next")
    assert str(found) == (
        "members: 5, records and lists inside one another: 3, levels of choices: 2, unions: 2"
    )


def test_depth_goes_through_references() -> None:
    assert to_strict(refs(9)).schema is not None
    assert to_strict(refs(10)).reasons == (
        "the schema: it has 11 records inside one another, and strict takes 10",
    )


def shaped(schema: Schema) -> Any:
    return {"name": "t", "module": "m", "description": "D.", "inputs": [], "shape": schema}


def test_limits_of_each_provider() -> None:
    many = {f"m{n}": {"type": "string"} for n in range(25)}
    open_: Schema = {"type": "object", "properties": many, "additionalProperties": False}
    (reason,) = tool_form("anthropic", shaped(open_)).reasons
    assert reason == "the schema: 25 members may be absent, and strict takes 24"
    large = {**open_, "properties": {f"m{n}": {"type": "string"} for n in range(5001)}}
    (reason,) = tool_form("openai-chat", shaped(large)).reasons
    assert reason == "the schema: it has 5001 members, and strict takes 5000"
    assert not tool_form("gemini", shaped(nest(4))).problems
    (problem,) = tool_form("gemini", shaped(nest(5))).problems
    assert (problem.code, problem.message) == (
        "AIG605",
        "t: 6 records and lists inside one another, and Gemini has refused more than 5",
    )
    (problem,) = reply_form("gemini", "f", nest(5)).problems
    assert problem.code == "AIG605"
