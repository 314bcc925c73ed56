"""What the tests of schemas share: JSON Schemas read as a spec's reader would."""

from __future__ import annotations

import json
from typing import Any

from aigen.diagnostics import Diagnostics, Source
from aigen.ir import Module, Program, Shape, Type, TypeDef
from aigen.resolve.json_shape import read_shape
from aigen.schema.canonical import definitions_for, type_schema
from aigen.spec import nodes

MODULE = "shapes"


def node_of(value: Any, text: str | None = None) -> nodes.Node:
    """A value as nodes, with the places of its JSON on lines of two spaces."""
    text = json.dumps(value, indent=2) if text is None else text
    source = Source("specs/shapes.json", text)
    found, _ = _node(value, text, 0, source)
    return found


def _node(value: Any, text: str, at: int, source: Source) -> tuple[nodes.Node, int]:
    while text[at] in " \n":
        at += 1
    _, end = json.JSONDecoder().raw_decode(text, at)
    span = source.span(at, end)
    if isinstance(value, list):
        items = []
        inner = at + 1
        for each in value:
            while text[inner] in " \n,":
                inner += 1
            node, inner = _node(each, text, inner, source)
            items.append(node)
        return nodes.Sequence(tuple(items), span), end
    if isinstance(value, dict):
        entries = {}
        inner = at + 1
        for key, each in value.items():
            while text[inner] in " \n,":
                inner += 1
            _, after = json.JSONDecoder().raw_decode(text, inner)
            name = nodes.Scalar(key, source.span(inner, after), key, False)
            node, inner = _node(each, text, text.index(":", after) + 1, source)
            entries[key] = nodes.Entry(name, node)
        return nodes.Mapping(entries, span), end
    return nodes.Scalar(value, span, text[at:end], True), end


def read(schema: Any, name: str = "Root") -> tuple[Type, dict[str, TypeDef], Diagnostics]:
    """The type of a schema, the definitions it needs, and what was found."""
    diagnostics = Diagnostics()
    kind, definitions = read_shape(node_of(schema), name, MODULE, diagnostics)
    assert len({each.name for each in definitions}) == len(definitions)
    return kind, {each.name: each for each in definitions}, diagnostics


def program_of(definitions: dict[str, TypeDef]) -> Program:
    """A program of one module that has these types."""
    module = Module(MODULE, "specs/shapes.json", None, tuple(definitions.values()))
    return Program({MODULE: module}, {(MODULE, name): each for name, each in definitions.items()})


def schema_of(kind: Type, definitions: dict[str, TypeDef]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The canonical schema of a type, and what it refers to."""
    return type_schema(kind, MODULE), definitions_for(program_of(definitions), MODULE, [kind])


def model_schema(
    kind: Type, definitions: dict[str, TypeDef]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The canonical schema of what Python says of a shape, without the shape itself."""
    return schema_of(kind.model if isinstance(kind, Shape) else kind, definitions)
