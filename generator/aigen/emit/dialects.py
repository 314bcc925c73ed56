"""`schemas/<module>.tools.<dialect>.json`: a module's tools, ready to send; and what cannot be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from aigen.diagnostics import Diagnostics, Span
from aigen.emit.definition import define, define_tool
from aigen.emit.schemas import pretty
from aigen.ir import Program
from aigen.runtime.definition import ToolDefinition
from aigen.runtime.wire.adapters.layout import reply_schema

if TYPE_CHECKING:
    from aigen.runtime.dialects import Form


def dialect_files(
    base: str, tools: Mapping[str, ToolDefinition], dialects: Sequence[str]
) -> dict[str, str]:
    """The files of a module's tools, by path; none where it has no tools to offer.

    Args:
        base: the module's path inside the output, without a suffix.
        tools: definitions by key.
        dialects: names, as the configuration has them.
    """
    if not tools or not dialects:
        return {}
    from aigen.runtime.dialects import tools_form  # few projects have any

    files = {}
    for dialect in dialects:
        body = tools_form(dialect, list(tools.values())).body
        files[f"schemas/{base}.tools.{dialect}.json"] = pretty(body) + "\n"
    return files


def check_dialects(
    program: Program, names: Iterable[str], dialects: Sequence[str], diagnostics: Diagnostics
) -> None:
    """Reports what the configured dialects cannot say of some modules' tools and replies."""
    if not dialects:
        return
    from aigen.runtime.dialects import reply_form, tool_form, tools_form

    for name in sorted(names):
        module = program.modules[name]
        definitions = [define_tool(tool, module, program) for tool in module.tools]
        together = {dialect: tools_form(dialect, definitions) for dialect in dialects}
        for tool, definition in zip(module.tools, definitions, strict=True):
            forms = {dialect: tool_form(dialect, definition) for dialect in dialects}
            _report(forms, tool.span, diagnostics)
            together = {each: _without(together[each], forms[each]) for each in dialects}
        if module.tools:
            _report(together, module.tools[0].span, diagnostics)
        for function in module.functions:
            schema = reply_schema(define(function, module, program, {}))
            called = function.model_name
            forms = {dialect: reply_form(dialect, called, schema) for dialect in dialects}
            _report(forms, function.span, diagnostics)


def _without(form: Form, known: Form) -> Form:
    """A form without the problems that were told."""
    left = tuple(problem for problem in form.problems if problem not in known.problems)
    return replace(form, problems=left)


def _report(forms: Mapping[str, Form], span: Span, diagnostics: Diagnostics) -> None:
    for dialect, form in forms.items():
        for problem in form.problems:
            message = f"{dialect}: {problem.message}"
            diagnostics.report(problem.code, span, message, hint=problem.mend)
