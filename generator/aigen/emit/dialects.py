"""`schemas/<module>.tools.<dialect>.json`: a module's tools, ready to send; and what cannot be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from aigen.diagnostics import Diagnostics
from aigen.emit.definition import define_tool
from aigen.emit.schemas import pretty
from aigen.ir import Program
from aigen.runtime.definition import ToolDefinition
from aigen.runtime.dialects import tool_form, tools_form


def dialect_files(
    base: str, tools: Mapping[str, ToolDefinition], dialects: Sequence[str]
) -> dict[str, str]:
    """The files of a module's tools, by path; none where it has no tools to offer.

    Args:
        base: the module's path inside the output, without a suffix.
        tools: definitions by key.
        dialects: names, as the configuration has them.
    """
    files = {}
    for dialect in dialects if tools else ():
        body = tools_form(dialect, list(tools.values())).body
        files[f"schemas/{base}.tools.{dialect}.json"] = pretty(body) + "\n"
    return files


def check_dialects(
    program: Program, names: Iterable[str], dialects: Sequence[str], diagnostics: Diagnostics
) -> None:
    """Reports what the configured dialects cannot say of some modules' tools, at each tool."""
    if not dialects:
        return
    for name in sorted(names):
        module = program.modules[name]
        for tool in module.tools:
            definition = define_tool(tool, module, program)
            for dialect in dialects:
                for problem in tool_form(dialect, definition).problems:
                    diagnostics.report(
                        problem.code, tool.span, f"{dialect}: {problem.message}", hint=problem.mend
                    )
