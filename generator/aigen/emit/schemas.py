"""`schemas/<module>.json`: what a module's functions and tools are, for review and for `diff`.

The format is documented in `docs/schemas.md`; it has a version of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from typing import Any

from aigen.emit.layout import COLUMNS
from aigen.emit.literals import escaped_json
from aigen.ir import Module, Program, Ref, Tool
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
    functions: dict[str, Json] = {}
    for function in module.functions:
        definition = definitions[function.name]
        functions[function.name] = {
            "ids": dict(definition["ids"]),
            "instruction": instruction(definition).split("\n"),
            "interface": _interface(definition),
            "input_schema": members_schema(function.inputs, home),
            "reply_schema": members_schema(function.outputs, home),
            **{key: definition[key] for key in _KEPT if key in definition},  # type: ignore[literal-required]
        }
    entries = {tool.key: _tool(tool, tools[tool.key], home) for tool in module.tools}
    used: dict[str, Json] = {}
    for made in (*definitions.values(), *tools.values()):
        used.update(made.get("$defs", {}))
    found: dict[str, Json] = {
        "aigen_schemas": SCHEMAS,
        "module": home,
        "spec": _inside(module),
        "callables": sorted(module.callables),
        "functions": dict(sorted(functions.items())),
        "tools": dict(sorted(entries.items())),
        "$defs": dict(sorted({**_own(module, program, used), **used}.items())),
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


def _own(module: Module, program: Program, used: Collection[str]) -> dict[str, Json]:
    """The module's types that are not yet there: a change of one that only others use shows too."""
    answers = {function.answer.model for function in module.functions}
    types = [each.name for each in module.types if each.name not in answers]
    rest = [Ref(module.name, name) for name in types if name not in used]
    return definitions_for(program, module.name, rest)


def _inside(module: Module) -> str:
    """The spec's path from the spec root: each part of it gave one part of the module's name."""
    parts = module.path.split("/")
    return "/".join(parts[-module.name.count(".") - 1 :])


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
    for key in ("python", "execute", "parameters", "http", "annotations", "options"):
        entry[key] = definition.get(key)
    return {key: value for key, value in entry.items() if value is not None}


def pretty(data: Json) -> str:
    """JSON that merges well: what fits on a line stands on one, else one entry a line."""
    return _lines(data, 0, 0)


def _lines(data: Json, indent: int, before: int) -> str:
    """A value whose first line has so many columns taken, behind its indentation.

    What fits on a line does so in parts, so the parts are laid out first, and joined where all of
    them are on one line.
    """
    kind = type(data)
    if kind is str:
        return _text(data)
    if kind is bool:
        return "true" if data else "false"
    if not data or (kind is not dict and kind is not list):
        return _flat(data)
    inner = indent + 2
    if kind is list:
        line = f"[{', '.join(rows := [_lines(item, inner, 0) for item in data])}]"
    else:
        rows = []
        for key, value in data.items():
            named = _text(key)
            rows.append(f"{named}: {_lines(value, inner, len(named) + 2)}")
        line = f"{{{', '.join(rows)}}}"
    if indent >= _TRIED and indent + before + len(line) < COLUMNS and "\n" not in line:
        return line
    pad = "\n" + " " * inner
    return f"{line[0]}{pad}{f',{pad}'.join(rows)}\n{' ' * indent}{line[-1]}"


def _flat(data: Json) -> str:
    text = _encode(data)
    return text if text.isascii() and text.isprintable() else escaped_json(text)


@lru_cache(4096)
def _text(data: str) -> str:
    """Keywords and names come again and again."""
    return _flat(data)


_TRIED = 6  # the indentation from which a container may stand on one line
_encode = json.JSONEncoder(ensure_ascii=False, check_circular=False, allow_nan=False).encode


__all__ = ["SCHEMAS", "pretty", "schemas_text"]
