"""Tries a program's tools: each module that implements some in a process of its own.

Nothing else of a check runs code of the user's, and only `aigen check --run` does this.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from aigen.diagnostics import Diagnostics, Span
from aigen.emit.definition import define_tool
from aigen.ir import Program, Tool

_PATIENCE: Final = 60.0
"""Seconds for a module's import, beside the time that its tools take."""
_EACH: Final = 12.0


def run_tools(program: Program, roots: Sequence[Path], diagnostics: Diagnostics) -> tuple[int, int]:
    """Imports what implements a program's tools and runs those that only read.

    Args:
        program: resolved, without errors.
        roots: the folders that the project's modules are imported from.
        diagnostics: takes what is found.

    Returns:
        How many tools were run, and how many were not.
    """
    ran = left = 0
    for module, tools in sorted(_by_module(program).items()):
        asked = {
            "module": module,
            "roots": [str(root) for root in roots],
            "tools": [_asked(tool, definition) for tool, definition in tools],
        }
        spans = {tool.key: tool.span for tool, _ in tools}
        _found(asked, spans, roots, diagnostics)
        ran += sum(each["runs"] for each in asked["tools"])  # type: ignore[index]
        left += sum(not each["runs"] for each in asked["tools"])  # type: ignore[index]
    return ran, left


def _by_module(program: Program) -> dict[str, list[tuple[Tool, Mapping[str, Any]]]]:
    found: dict[str, list[tuple[Tool, Mapping[str, Any]]]] = {}
    for name in sorted(program.modules):
        module = program.modules[name]
        for tool in module.tools:
            target = tool.python or tool.execute
            if target is not None:
                made = tool, define_tool(tool, module, program)
                found.setdefault(target.partition(":")[0], []).append(made)
    return found


def _asked(tool: Tool, definition: Mapping[str, Any]) -> dict[str, Any]:
    return {"key": tool.key, "definition": definition, "runs": _only_reads(tool)}


def _only_reads(tool: Tool) -> bool:
    """Whether a tool changes nothing and needs nothing that only a call has."""
    annotations, risk = tool.options.get("annotations"), tool.options.get("risk")
    flags = annotations if isinstance(annotations, Mapping) else {}
    reads = risk == 0 if risk is not None else flags.get("read_only") is True
    alone = not tool.bound and not tool.options.get("inject") and tool.parameters_call is None
    return reads and alone and not flags.get("requires_user")


def _found(
    asked: Mapping[str, Any],
    spans: Mapping[str, Span],
    roots: Sequence[Path],
    diagnostics: Diagnostics,
) -> None:
    first = next(iter(spans.values()))
    last: str | None = None
    said, ended = _process(asked, roots)
    for each in said:
        if "began" in each:
            last = each["began"]
        elif "code" in each:
            message = each["message"]
            place = spans.get(each["tool"] or "", first)
            diagnostics.report(each["code"], place, message, hint=_MENDS[each["code"]])
    if not said or "done" not in said[-1]:
        what = f"{asked['module']} was imported" if last is None else f"{last} was run"
        place = spans.get(last or "", first)
        diagnostics.report("AIG420", place, f"the process {ended} while {what}")


_MENDS: Final[Mapping[str, str]] = {
    "AIG416": "do it in a function, when it is first needed",
    "AIG417": "refuse the call in its schema, or make it work",
    "AIG418": "correct the example or the function",
    "AIG419": "give less, or raise output_tokens",
    "AIG420": "mend the module",
}


def _process(asked: Mapping[str, Any], roots: Sequence[Path]) -> tuple[list[dict[str, Any]], str]:
    """What the other process says, and how it ended."""
    runs = sum(1 + len(_examples(each)) for each in asked["tools"] if each["runs"])
    paths = [str(root) for root in roots]
    inherited = os.environ.get("PYTHONPATH")
    path = os.pathsep.join([*paths, *([inherited] if inherited else [])])
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "aigen.verify.tried"],
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path},
        )
        try:
            process.communicate(json.dumps(asked).encode(), timeout=_PATIENCE + _EACH * runs)
            ended = f"ended with {process.returncode}"
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            ended = "was still busy, and was stopped,"
        out.seek(0)
        return [json.loads(line) for line in out.read().decode().splitlines()], ended


def _examples(each: Mapping[str, Any]) -> Sequence[Any]:
    return each["definition"].get("options", {}).get("examples") or ()
