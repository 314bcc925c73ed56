"""A tool as the texts that its template puts together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aigen.emit import words
from aigen.emit.aliases import Aliases
from aigen.emit.annotations import plain
from aigen.emit.definition import in_parts
from aigen.emit.functions import INNER, bases, bodies, keyword_order, parameter
from aigen.emit.judged import judged
from aigen.emit.layout import STEP, Group, Long, Node, assigned, signature
from aigen.emit.models import TypeText, members_text
from aigen.emit.names import Identifier, type_name
from aigen.emit.scope import ModuleScope
from aigen.ir import Tool


@dataclass(frozen=True, slots=True)
class ToolText:
    """All that `_tool.jinja` writes of one tool, and its `name` in the module.

    `input` is its model, where it has one.
    """

    name: str
    input: TypeText | None
    aliases: tuple[str, ...]
    final: str
    class_name: str
    bases: str
    doc: str
    heads: Mapping[str, str]
    bodies: Mapping[str, str]
    instance: str
    words: str


_CALLS = {"call": "return self._call(", "aio": "return await self._acall("}


def tool_text(tool: Tool, definition: Mapping[str, Any], scope: ModuleScope) -> ToolText:
    """Lays out one tool."""
    aliases = Aliases(scope)
    name = type_name(tool.key)
    result = aliases.named(_answer(tool, scope), f"{name}Result")
    class_name = scope.private(f"{name}Tool")
    if _by_mapping(tool):
        arguments = f"{scope.use('collections.abc', 'Mapping')}[{scope.builtin('str')}, "
        parameters = [f"input: {arguments}{scope.use('pydantic', 'JsonValue')}]"]
        calls = {method: f"{head}dict(input))" for method, head in _CALLS.items()}
    else:
        rows = [parameter(f, name, aliases) for f in tool.parameters]
        parameters = keyword_order(rows, [])
        calls = bodies(
            [(f.name, row.name) for f, row in zip(tool.parameters, rows, strict=True)], [], _CALLS
        )
    instance = _instance(tool, class_name, definition, aliases)
    return ToolText(
        name=scope.names.tools[tool.key],
        input=_input(tool, scope),
        aliases=tuple(aliases.texts),
        final=scope.use("typing", "final"),
        class_name=class_name,
        bases=bases(scope.runtime("AITool"), class_name, result),
        doc=words.doc(_words(tool), INNER),
        heads={
            "call": signature("def __call__", ["self", *parameters], result),
            "aio": signature("async def aio", ["self", *parameters], result),
        },
        bodies=calls,
        instance=instance,
        words=words.doc(_description(tool, 0), 0),
    )


def _by_mapping(tool: Tool) -> bool:
    """Whether its parameters are not known one by one, so that the wrapper takes a mapping."""
    return tool.shape is not None or tool.parameters_call is not None


def _input(tool: Tool, scope: ModuleScope) -> TypeText | None:
    name = scope.names.inputs.get(tool.key)
    if name is None:
        return None
    otherwise = f"Input of `{scope.names.tools[tool.key]}`."
    return members_text(name, tool.parameters, [otherwise], scope)


def _answer(tool: Tool, scope: ModuleScope) -> Node:
    return plain(tool.returns.type, scope) if tool.returns else scope.use("typing", "Any")


def _words(tool: Tool) -> list[str]:
    lines = _description(tool, INNER)
    if _by_mapping(tool):
        lines += ["", "Args:", "    input: the arguments by name"]
    elif tool.parameters:
        lines += ["", "Args:"]
        for each in tool.parameters:
            lines += words.entry(Identifier(each.name), words.argument(each), INNER)
    if tool.returns is not None:
        said = words.prose(tool.returns.description or "", INNER + STEP)
        said = said or words.prose(words.kind(tool.returns.type), INNER + STEP)
        lines += ["", "Returns:", *(f"    {line}".rstrip() for line in said)]
    return lines


def _description(tool: Tool, indent: int) -> list[str]:
    return words.prose(tool.description or "", indent, f"The tool `{tool.name}`.")


def _instance(tool: Tool, class_name: str, definition: Mapping[str, Any], aliases: Aliases) -> str:
    scope = aliases.scope
    parts = in_parts(definition)
    model = scope.names.inputs.get(tool.key, "None")
    if tool.returns is None:
        result: Node = scope.use("typing", "Any")
    else:
        kind = judged(tool.returns.type, scope)
        result = aliases.valued(kind, f"{type_name(tool.key)}Judge")
    call = Group(f"{class_name}(", (Long("".join(parts), parts=parts), model, result), ")")
    return assigned(f"{scope.names.tools[tool.key]}: {scope.use('typing', 'Final')}", call)


__all__ = ["STEP", "ToolText", "tool_text"]
