"""The definition of a function: the JSON text that its generated code hands to the runtime."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from aigen.ir import Field, Function, Module, Program, Tool
from aigen.runtime.definition import FORMAT, LAYOUT, Definition, ToolDefinition
from aigen.runtime.values import interface_id
from aigen.runtime.wire.adapters.version import version_id
from aigen.schema.canonical import definitions_for, interface_field

Json = Any


compact = json.JSONEncoder(
    ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":")
).encode
"""JSON as a definition is written: no spaces, letters of every script as they are."""

_HEAD = ("format", "layout", "name", "module")
_ENTRIES = ("inputs", "outputs", "$defs", "demos", "ids")


def in_parts(definition: Mapping[str, Json]) -> list[str]:
    """A definition as `compact` writes it, in parts that begin where a reader looks for them.

    A key, or a field, type, demo or id, has a part of its own: a changed word moves no other line.
    """
    head: list[str] = []
    parts: list[str] = []
    for key, value in definition.items():
        (head if key in _HEAD and not parts else parts).extend(_entries(key, value))
    parts[:0] = [",".join(head)] if head else []
    ended = [f"{part}," for part in parts[:-1]] + parts[-1:] or [""]
    ended[0] = "{" + ended[0]
    ended[-1] += "}"
    return ended


def _entries(key: str, value: Json) -> list[str]:
    """A key and its value, in as many texts as it has entries of its own."""
    name = f'"{key}":'
    if key not in _ENTRIES or not value:
        return [name + compact(value)]
    if isinstance(value, dict):
        first, last = "{}"
        entries = [f"{compact(each)}:{compact(inner)}" for each, inner in value.items()]
    else:
        first, last = "[]"
        entries = [compact(each) for each in value]
    entries[0] = name + first + entries[0]
    entries[-1] += last
    return entries


def define(
    function: Function, module: Module, program: Program, configured: Mapping[str, Json]
) -> Definition:
    """A function as data, with its ids.

    Args:
        function: the function.
        module: the module that declares it.
        program: all modules, for types of other modules.
        configured: `[tool.aigen.settings]`, baked in.
    """
    home = module.name
    types = [field.type for field in (*function.inputs, *function.outputs)]
    found: dict[str, Any] = {
        "format": FORMAT,
        "layout": LAYOUT,
        "name": function.model_name,
        "function": function.name if function.name != function.model_name else None,
        "module": function.defined_in or home,
        "description": function.description or "",
        "instructions": function.instructions,
        "inputs": [interface_field(field, home) for field in function.inputs],
        "outputs": [interface_field(field, home) for field in function.outputs],
        "output": function.output_name,
        "$defs": definitions_for(program, home, types),
        "given": list(function.given),
        "settings": dict(function.settings),
        # A tool has its server with it.
        "configured": {k: v for k, v in configured.items() if k != "mcp_servers"},
        "defaults": _defaults(function.inputs),
        "demos": [dict(demo) for demo in function.demos],
        "tools": list(function.tools),
        "prompt": None if function.prompt is None else list(function.prompt),
        "checks": _checks(function),
        "deprecated": function.deprecated or None,
        "tags": list(function.tags),
    }
    kept = {
        key: value
        for key, value in found.items()
        if value
        or key in ("format", "layout", "description")
        or (key == "prompt" and value is not None)
    }
    kept["ids"] = {"interface": "", "version": ""}
    kept["ids"] = _ids(cast("Definition", kept))
    return cast("Definition", kept)


def define_tool(tool: Tool, module: Module, program: Program) -> ToolDefinition:
    """A tool as data."""
    home = module.name
    output = None
    fields = [*tool.parameters]
    if tool.returns is not None:
        fields.append(tool.returns)
        output = {**interface_field(tool.returns, home), "name": "result"}
    options = dict(tool.options)
    found: dict[str, Any] = {
        "format": FORMAT,
        "name": tool.name,
        "function": tool.key if tool.key != tool.name else None,
        "module": home,
        "description": tool.description or "",
        "inputs": [interface_field(field, home) for field in tool.parameters],
        "shape": None if tool.shape is None else {**json.loads(tool.shape), "x-aigen-shape": True},
        "output": output,
        "$defs": definitions_for(program, home, [field.type for field in fields]),
        "defaults": _defaults(tool.parameters),
        "python": tool.python,
        "execute": tool.execute,
        "http": options.pop("http", None),
        "parameters": tool.parameters_call,
        "passing": dict(tool.passing),
        "context": list(tool.context),
        "bound": tool.bound,
        "annotations": options.pop("annotations", None),
        "options": options,
    }
    always = ("format", "description", "inputs")
    return cast(
        "ToolDefinition",
        {
            key: value
            for key, value in found.items()
            if value or key in always or (key == "shape" and value is not None)
        },
    )


def _defaults(inputs: tuple[Field, ...]) -> dict[str, Json]:
    return {
        field.name: {"call": field.default.call}
        if field.default.call is not None
        else {"value": field.default.value}
        for field in inputs
        if field.default is not None
    }


def _checks(function: Function) -> list[dict[str, str]]:
    checks = [
        {"call": target, "field": field.name}
        for field in (*function.inputs, *function.outputs)
        for target in field.checks
    ]
    for check in function.checks:
        entry = {"call": check.target}
        if check.field is not None:
            entry["field"] = check.field
        if entry not in checks:
            checks.append(entry)
    return checks


def _ids(definition: Definition) -> dict[str, str]:
    return {
        "interface": interface_id(
            cast("list[Mapping[str, Any]]", definition["inputs"]),
            cast("list[Mapping[str, Any]]", definition["outputs"]),
            definition.get("$defs"),
        ),
        "version": version_id(definition),
    }
