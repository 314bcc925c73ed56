"""Lint of schemas that a provider is not asked to enforce."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, cast

from aigen.diagnostics import Diagnostics, Span
from aigen.ir import Function, Module, Tool
from aigen.rules.context import Context
from aigen.runtime.definition import Definition, ToolDefinition
from aigen.runtime.wire.adapters.layout import reply_schema
from aigen.runtime.wire.messages import Target
from aigen.schema.canonical import definitions_for, interface_field

_STRICT = ("openai-chat", "openai-responses", "anthropic")
"""Dialects that have a strict form."""


def unenforced(context: Context, diagnostics: Diagnostics) -> None:
    """AIG813: a reply or a tool with no strict form, by dialect and model, with the reason."""
    dialects = [name for name in _STRICT if name in context.dialects]
    configured = context.known_target(context.configured)
    for module in context.modules:
        for function in module.functions:
            if wanted := _wanted(dialects, _held(function, context)):
                from aigen.runtime.dialects import reply_form  # takes long, and few need it

                schema = _reply(function, module, context)
                reasons = {
                    whose: reply_form(dialect, function.model_name, schema).reasons
                    for whose, dialect in wanted.items()
                }
                _tell(f"the reply of {function.name}", function.span, reasons, diagnostics)
        for tool in module.tools:
            wanted = _wanted(dialects, configured)
            if wanted and _may_be_strict(tool):
                from aigen.runtime.dialects import tool_form

                definition = _definition(tool, module, context)
                reasons = {
                    whose: tool_form(dialect, definition).reasons
                    for whose, dialect in wanted.items()
                }
                _tell(f"the tool {tool.name}", tool.span, reasons, diagnostics)
        _tell_together(dialects, module, context, diagnostics)


def _tell_together(
    dialects: Iterable[str], module: Module, context: Context, diagnostics: Diagnostics
) -> None:
    """The tools of a module that could be strict, but not all of them in one request."""
    tools = [tool for tool in module.tools if _may_be_strict(tool)]
    if not tools:
        return
    from aigen.runtime.dialects import tool_form, tools_form

    definitions = [_definition(tool, module, context) for tool in tools]
    for dialect in dialects:
        alone = {reason for each in definitions for reason in tool_form(dialect, each).reasons}
        for reason in tools_form(dialect, definitions).reasons:
            if reason not in alone:
                what = f"the request of all tools of {module.name}"
                _tell(what, tools[0].span, {dialect: (reason,)}, diagnostics)


def _held(function: Function, context: Context) -> Target | None:
    """Where a function's calls go, if its adapter asks for a schema at all."""
    settings = context.settings(function)
    asks = settings.get("adapter", "auto") in ("auto", "json", "tool")
    return context.known_target(settings) if asks else None


def _wanted(dialects: Iterable[str], target: Target | None) -> dict[str, str]:
    """Who would enforce a schema, each with the dialect whose strict form it takes."""
    wanted = {name: name for name in dialects}
    if target is not None and "strict" in target.takes:
        wanted.setdefault(target.model, "openai-chat")
    return wanted


def _tell(
    what: str, span: Span, reasons: Mapping[str, tuple[str, ...]], diagnostics: Diagnostics
) -> None:
    """One finding for each reason, with all whom it holds for."""
    whose: dict[str, list[str]] = {}
    for name, found in reasons.items():
        if found:
            whose.setdefault(found[0], []).append(name)
    for reason, names in whose.items():
        diagnostics.report(
            "AIG813",
            span,
            f"{what} has no strict form for {' and '.join(names)}: {reason}",
            hint="it is sent all the same, and judged here",
        )


def _may_be_strict(tool: Tool) -> bool:
    """Whether it leaves `strict` to its schema, which is known, and stands in a request."""
    exposure = tool.options.get("exposure", "direct")
    undecided = tool.options.get("strict", "auto") == "auto"
    return undecided and tool.parameters_call is None and exposure in ("direct", "deferred")


def _reply(function: Function, module: Module, context: Context) -> dict[str, Any]:
    """The canonical schema of a function's reply."""
    types = [field.type for field in function.outputs]
    definition = {
        "outputs": [interface_field(field, module.name) for field in function.outputs],
        "$defs": definitions_for(context.program, module.name, types),
    }
    return reply_schema(cast("Definition", definition))


def _definition(tool: Tool, module: Module, context: Context) -> ToolDefinition:
    """As much of a tool's definition as its strict form is made of."""
    types = [field.type for field in tool.parameters]
    definition = {
        "name": tool.name,
        "module": module.name,
        "description": "",
        "inputs": [interface_field(field, module.name) for field in tool.parameters],
        "$defs": definitions_for(context.program, module.name, types),
    }
    if tool.shape is not None:
        definition["shape"] = json.loads(tool.shape)
    return cast("ToolDefinition", definition)
