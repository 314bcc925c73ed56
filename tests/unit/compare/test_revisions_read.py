"""Files of other revisions and other hands are read or refused, never half understood."""

from __future__ import annotations

import json
from typing import Any

import pytest
from aigen.compare import Unreadable, changes, read

FUNCTION = {
    "ids": {"interface": "a", "version": "b"},
    "interface": {"inputs": [{"name": "x", "shape": {"type": "string"}}], "outputs": []},
}
GOOD: dict[str, Any] = {
    "aigen_schemas": 1,
    "module": "shop",
    "functions": {"mood": FUNCTION},
    "tools": {"find": {"input_schema": {"type": "object", "properties": {}}}},
    "$defs": {"Order": {"type": "object"}},
}


def text(path: tuple[str | int, ...], value: Any) -> str:
    data = json.loads(json.dumps(GOOD))
    inner = data
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return json.dumps(data)


def test_what_a_build_writes_is_read() -> None:
    found = read({"schemas/shop.json": json.dumps(GOOD), "schemas/shop.tools.mcp.json": "[]"})
    assert list(found) == ["shop"]
    assert changes(found, found) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "schemas/shop.json is no JSON"),
        (b"\xff\xfe\x00", "is no JSON"),
        ("[" * 100_000, "is no JSON"),
        ("[]", "has no aigen_schemas: it was not written by aigen build"),
        ('{"module": "shop"}', "has no aigen_schemas"),
        (text(("aigen_schemas",), 2), "format 2, and this aigen reads 1; use the aigen that wrote"),
        (text(("aigen_schemas",), 0), "format 0, and this aigen reads 1; build it again"),
        (text(("aigen_schemas",), True), "format true"),
        (text(("aigen_schemas",), "1"), 'format "1"'),
        (text(("module",), 7), "module is no text"),
        (text(("callables",), {}), "callables is no list of texts"),
        (text(("functions",), []), "functions is no table of objects"),
        (text(("functions", "mood"), 1), "functions is no table of objects"),
        (text(("functions", "mood"), {}), "functions.mood lacks its interface or ids"),
        (text(("functions", "mood", "instruction"), "a"), "functions.mood.instruction is no list"),
        (text(("functions", "mood", "tools"), [1]), "functions.mood.tools is no list of texts"),
        (text(("functions", "mood", "defaults"), {"x": 1}), "functions.mood.defaults is no table"),
        (text(("functions", "mood", "demos"), 1), "functions.mood.demos is no list"),
        (text(("functions", "mood", "checks"), {}), "functions.mood.checks is no list"),
        (text(("functions", "mood", "interface", "inputs"), {}), "interface.inputs is no list"),
        (text(("functions", "mood", "interface", "inputs"), [{}]), "has no name"),
        (
            text(("functions", "mood", "interface", "inputs", 0, "shape"), 1),
            "inputs.x is no schema",
        ),
        (text(("tools", "find", "input_schema"), None), "tools.find has no input_schema"),
        (text(("tools", "find", "output_schema"), 1), "tools.find.output_schema is no schema"),
        (text(("tools", "find", "description"), "a"), "tools.find.description is no list"),
        (text(("$defs", "Order", "properties"), []), "$defs.Order.properties is no schema"),
        (text(("$defs", "Order", "required"), 1), "$defs.Order.required is no list of texts"),
        (text(("$defs", "Order", "enum"), 1), "$defs.Order.enum is no list"),
        (text(("$defs", "Order", "anyOf"), {}), "$defs.Order.anyOf is no schema"),
        (text(("$defs", "Order", "prefixItems"), [1]), "$defs.Order.prefixItems is no schema"),
    ],
)
def test_what_cannot_be_compared(content: str | bytes, message: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read({"schemas/shop.json": content})
    assert message in str(caught.value)
    assert "schemas/shop.json" in str(caught.value)
    assert "\n" not in str(caught.value)


def odd(value: Any) -> dict[str, Any]:
    """A module whose one type is as given."""
    field = {"name": "x", "shape": {"$ref": "#/$defs/T"}}
    function = {"ids": {}, "interface": {"inputs": [field], "outputs": [field]}}
    data = {"aigen_schemas": 1, "module": "m", "functions": {"f": function}, "$defs": {"T": value}}
    return read({"m.json": json.dumps(data)})


ODD: list[Any] = [
    {},
    {"type": ["string", "null"]},
    {"type": 7, "minimum": "a"},
    {"enum": []},
    {"enum": [True, 1, None, [1], {"a": 1}]},
    {"const": 1},
    {"anyOf": []},
    {"anyOf": [True, False, {"type": "null"}]},
    {"$ref": "#/$defs/T"},
    {"$ref": "#/$defs/Nowhere"},
    {"$ref": 5},
    {"type": "array", "items": False, "prefixItems": [True]},
    {"type": "array", "items": {"$ref": "#/$defs/T"}},
    {"type": "object", "properties": {"a": True, "b": False}, "required": ["c"]},
    {"type": "object", "additionalProperties": {"$ref": "#/$defs/T"}},
    {"type": "string", "format": 3, "pattern": ["a"]},
    {"type": "number", "multipleOf": 0},
    {"type": "number", "multipleOf": 0.1},
    {"oneOf": [{"type": "string"}], "not": {}},
    {"x-aigen-shape": True, "$defs": {"T": {"type": "string"}}, "$ref": "#/$defs/T"},
    {"type": "string", "x-aigen-media": "image"},
]


@pytest.mark.parametrize("before", ODD, ids=json.dumps)
def test_any_schema_is_compared_with_any_other(before: Any) -> None:
    for after in ODD:
        found = changes(odd(before), odd(after))
        assert bool(found) == (json.dumps(before) != json.dumps(after))
