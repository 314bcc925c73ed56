"""`schemas/<module>.json`: what a module's functions and tools are, for review and for `diff`.

The format is documented in `docs/schemas.md`; it has a version of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from json.encoder import encode_basestring
from typing import Any, NamedTuple

from aigen.emit.layout import COLUMNS
from aigen.emit.literals import escaped_json
from aigen.ir import Module, Program, Tool, Type
from aigen.runtime.definition import Definition, ToolDefinition
from aigen.schema.canonical import definitions_for, member_schema, members_schema

SCHEMAS = 1
Json = Any
Instruction = Callable[[Definition], str]


def schemas_text(
    module: Module,
    program: Program,
    definitions: Mapping[str, Definition],
    tools: Mapping[str, ToolDefinition],
    instruction: Instruction,
) -> str:
    """The file of one module.

    Args:
        module: the module.
        program: all modules.
        definitions: of its functions, by name.
        tools: definitions of its tools, by key.
        instruction: what a model is told of a function.
    """
    home = module.name
    used: list[Type] = []
    functions: dict[str, Json] = {}
    for function in module.functions:
        definition = definitions[function.name]
        used += [field.type for field in (*function.inputs, *function.outputs)]
        functions[function.name] = {
            "ids": dict(definition["ids"]),
            "instruction": instruction(definition).split("\n"),
            "interface": _interface(definition),
            "input_schema": members_schema(function.inputs, home),
            "reply_schema": members_schema(function.outputs, home),
            **{key: definition[key] for key in _KEPT if key in definition},  # type: ignore[literal-required]
        }
    entries = {}
    for tool in module.tools:
        used += [field.type for field in tool.parameters]
        used += [tool.returns.type] if tool.returns else []
        entries[tool.key] = _tool(tool, tools[tool.key], home)
    found: dict[str, Json] = {
        "aigen_schemas": SCHEMAS,
        "module": home,
        "spec": module.path,
        "callables": sorted(module.callables),
        "functions": dict(sorted(functions.items())),
        "tools": dict(sorted(entries.items())),
        "$defs": definitions_for(program, home, used),
    }
    kept = {key: value for key, value in found.items() if value or key == "aigen_schemas"}
    return pretty(kept) + "\n"


# What the model is sent, or code is called with, beside the interface and the instruction.
_KEPT = (
    "function",
    "given",
    "settings",
    "defaults",
    "demos",
    "tools",
    "prompt",
    "checks",
    "deprecated",
)


def _interface(definition: Definition) -> dict[str, Json]:
    """The interface as data; `$ref`s are to the file's own `$defs`."""
    return {
        "inputs": definition["inputs"],
        "outputs": definition["outputs"],
    }


def _tool(tool: Tool, definition: ToolDefinition, home: str) -> dict[str, Json]:
    schema = definition.get("shape") or members_schema(tool.parameters, home)
    entry: dict[str, Json] = {
        "name": tool.name,
        "description": definition["description"].split("\n"),
        "input_schema": schema,
        "output_schema": None if tool.returns is None else member_schema(tool.returns, home),
    }
    for key in ("python", "execute", "parameters", "annotations", "options"):
        entry[key] = definition.get(key)
    return {key: value for key, value in entry.items() if value is not None}


class _Part(NamedTuple):
    """A JSON container: its text on one line (None where that is too long), and its entries."""

    flat: str | None
    brackets: str
    entries: list[tuple[str, str | _Part]]


def pretty(data: Json) -> str:
    """JSON that merges well: what fits on a line stands on one, else one entry a line."""
    return _lines(_part(data), 0, 0)


def _part(data: Json) -> str | _Part:
    if isinstance(data, str):
        return _string(data)
    entries: list[tuple[str, str | _Part]]
    if isinstance(data, dict | list) and not any(map(_is_container, _values(data))):
        text = _encode(data)
        if len(text) < COLUMNS and text.isascii():
            return _Part(text, "{}" if isinstance(data, dict) else "[]", [])
    if isinstance(data, dict):
        brackets = "{}"
        entries = [(f"{_string(key)}: ", _part(value)) for key, value in data.items()]
    elif isinstance(data, list | tuple):
        brackets = "[]"
        entries = [("", _part(item)) for item in data]
    else:
        return _encode(data)
    flat: str | None = None
    length = 2
    texts: list[str] = []
    for head, entry in entries:
        shown = entry if isinstance(entry, str) else entry.flat
        if shown is None:
            break
        length += len(head) + len(shown) + 2
        texts.append(head + shown)
    if len(texts) == len(entries) and length < COLUMNS:
        flat = f"{brackets[0]}{', '.join(texts)}{brackets[1]}"
    return _Part(flat, brackets, entries)


def _values(data: dict[str, Json] | list[Json]) -> Iterable[Json]:
    return data.values() if isinstance(data, dict) else data


def _is_container(data: Json) -> bool:
    return isinstance(data, dict | list | tuple)


def _lines(part: str | _Part, indent: int, before: int) -> str:
    if isinstance(part, str):
        return part
    if part.flat is not None and indent + before + len(part.flat) < COLUMNS:
        return part.flat
    inner = indent + 2
    pad = "\n" + " " * inner
    rows = [head + _lines(entry, inner, len(head)) for head, entry in part.entries]
    opening, closing = part.brackets[0], part.brackets[1]
    return f"{opening}{pad}{f',{pad}'.join(rows)}\n{' ' * indent}{closing}"


_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def _string(text: str) -> str:
    encoded: str = encode_basestring(text)
    return encoded if encoded.isascii() and encoded.isprintable() else escaped_json(encoded)


__all__ = ["SCHEMAS", "pretty", "schemas_text"]
