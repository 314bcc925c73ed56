"""Tools as written."""

from __future__ import annotations

from aigen.diagnostics import Span
from aigen.spec.fields import name_of, read_field, read_fields
from aigen.spec.indentation import indented
from aigen.spec.keys import TOOL
from aigen.spec.nodes import Entry, Mapping, Node, Scalar, Sequence
from aigen.spec.reading import Reading
from aigen.spec.tool_docs import read_docs
from aigen.spec.tree import NO_DOCS, Call, FieldSpec, ShapeOf, Text, ToolSpec

_OWN = frozenset(("name", "description", "python", "execute", "parameters", "returns", "docs"))


def read_tools(reading: Reading, node: Node) -> tuple[ToolSpec, ...]:
    """The mapping of tools, in order."""
    entries = indented(reading, reading.mapping(node, "tools"), "tool", TOOL)
    return tuple(read_tool(reading, entry) for entry in entries)


def read_tool(reading: Reading, entry: Entry) -> ToolSpec:
    """One tool: its name, and a mapping of its keys."""
    key = name_of(entry)
    entries = reading.mapping(entry.value, f'the tool "{key.value}"', TOOL)
    value = {name: one.value for name, one in entries.items()}

    def text(name: str) -> Text | None:
        return reading.text(value[name], name) if name in value else None

    def target(name: str) -> Text | None:
        return reading.callable(value[name], name) if name in value else None

    returns = None
    if "returns" in value:
        returns = read_field(
            reading, Text("returns", entries["returns"].key.span), value["returns"]
        )
    return ToolSpec(
        key=key,
        span=Span(*key.span[:3], entry.value.span.end_line, entry.value.span.end_column),
        name=reading.word(value["name"], "name") if "name" in value else None,
        description=text("description"),
        python=target("python"),
        execute=target("execute"),
        parameters=_parameters(reading, value["parameters"]) if "parameters" in value else None,
        returns=returns,
        docs=read_docs(reading, value["docs"]) if "docs" in value else NO_DOCS,
        options={
            name: node
            for name, node in ((n, reading.data(value[n])) for n in value if n not in _OWN)
            if _option(reading, name, node)
        },
    )


def _parameters(reading: Reading, node: Node) -> tuple[FieldSpec, ...] | ShapeOf | Call | None:
    if isinstance(node, Mapping):
        if "$call" in node.entries:
            return reading.call(node)
        shape = node.entries.get("json_shape")
        if shape is not None and len(node.entries) == 1 and isinstance(shape.value, Mapping):
            return ShapeOf(shape.value, shape.value.span)
        kind = node.entries.get("type")
        inner = node.entries.get("properties")
        if (
            kind is not None
            and inner is not None
            and isinstance(kind.value, Scalar)
            and kind.value.value == "object"
            and isinstance(inner.value, Mapping)
        ):
            reading.report(
                "AIG134",
                node.span,
                "parameters are fields, and this is a JSON Schema",
                "write json_shape: before it",
            )
            return None
    return read_fields(reading, node, "parameters")


def _option(reading: Reading, name: str, node: Node) -> bool:
    """Whether an option is of its key's kind; reports where it is not."""
    key = TOOL[name]
    match key.kind:
        case "text" | "word":
            return _word(reading, name, node, key.values)
        case "flag":
            return reading.flag(node, name) is not None
        case "whole":
            return reading.number(node, name, whole=True)
        case "number":
            return reading.number(node, name)
        case "callable":
            return reading.callable(node, name) is not None
        case "texts":
            wanted = node.items if isinstance(node, Sequence) else (node,)
            return len(reading.texts(node, name)) == len(wanted)
        case "mapping":
            if isinstance(node, Mapping):
                return True
            reading.wrong(node, f"{name} is a mapping")
            return False
        case "list":
            if isinstance(node, Sequence):
                return True
            reading.wrong(node, f"{name} is a list")
            return False
    return True


def _word(reading: Reading, name: str, node: Node, values: tuple[str, ...]) -> bool:
    text = reading.text(node, name)
    if text is None:
        return False
    if values and text.value not in values:
        reading.report(
            "AIG121",
            text.span,
            f'{name} is one of {", ".join(values)}, not "{text.value[:40]}"',
        )
        return False
    return True
