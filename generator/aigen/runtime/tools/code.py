"""Tools that a model calls from Python that it writes: `exposure: code`; 4-tools, *Exposure*."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Generator, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from aigen.runtime.definition import FORMAT
from aigen.runtime.tool import AITool
from aigen.runtime.tools.catalogue import catalogue, help_text, line
from aigen.runtime.tools.context import ToolResult
from aigen.runtime.tools.offered import RUN, OfferedTool, Tool
from aigen.runtime.tools.outcome import Outcome
from aigen.runtime.tools.sandbox import Called, Ended, Sandbox, carried
from aigen.runtime.tools.search import LIMIT, Index
from aigen.runtime.tools.stubs import (
    TOOLBOX,
    Module,
    PythonTool,
    modules_of,
    placed,
    python_tool,
    records_of,
)
from aigen.runtime.tools.threads import on_a_thread
from aigen.runtime.tools.work import Inside, Steps, Work

if TYPE_CHECKING:
    from aigen.runtime.wire.deadline import Deadline

CALLS: Final = 100
"""How many tools one run may call."""

LONGEST: Final = 100_000
"""Characters of code: what is longer takes its checker minutes."""

_DEFINITION: Final = json.dumps(
    {
        "format": FORMAT,
        "name": RUN,
        "module": "aigen",
        "description": "Runs Python and gives what it prints. The code is type-checked first; each"
        " run starts anew, without files and network. Print only what you need.",
        "inputs": [{"name": "code", "shape": {"type": "string"}}],
        "annotations": {"read_only": True},
    }
)

_WORDS: Final = f"""\
Functions for {RUN}; import their modules, and {TOOLBOX}. {TOOLBOX}.help("module.function") has
what is left out here and the members of records, which are dicts; {TOOLBOX}.search("words") finds
functions.
"""

_TOOLBOX_STUB: Final = f"""\
def search(words: str, limit: int = {LIMIT}) -> list[str]: ...
def help(name: str) -> str: ...
"""

Inner: TypeAlias = Callable[[str, str], Steps]
"""Runs one tool by its name, with arguments as JSON, through every step of a call."""


class RunPython(AITool[Any]):
    """The tool `run_python`."""

    __aigen_leads_to__ = "code"

    def __call__(self, code: str) -> Any:
        """Runs Python that calls tools; only a call of an AI function knows which."""
        return self._call({"code": code})


def code_tool() -> OfferedTool:
    """The tool that runs code which calls tools."""
    return OfferedTool(RUN, RunPython(_DEFINITION, None, Any))


def as_python(tools: Sequence[Tool], schemas: Mapping[str, Mapping[str, Any]]) -> list[PythonTool]:
    """Those of some tools that code may call.

    Args:
        tools: all of a call.
        schemas: of the arguments of those that are available, by name.
    """
    return [
        python_tool(tool.name, tool.definition, schemas[tool.name], tool.namespace)
        for tool in tools
        if tool.exposure == "code" and tool.name in schemas
    ]


def words(tools: Sequence[PythonTool]) -> str:
    """What the prompt says of tools that code may call: a line for each."""
    placed(tools)  # that two are called alike is known before anything is sent
    return _WORDS + catalogue([tool.definition for tool in tools])


def run(
    code: str, tools: Sequence[PythonTool], inside: Inner, deadline: Deadline
) -> Generator[Work | Inside, Any, ToolResult]:
    """Runs code that calls tools.

    Args:
        code: what the model wrote.
        tools: that it may call.
        inside: runs one of them.
        deadline: of the whole call.

    Raises:
        DeadlineError: it has passed.
        Exception: what a tool call raises that is no result for the model.
    """
    if len(code) > LONGEST:
        words = f"not run: the code has {len(code):,} characters, and {LONGEST:,} is the most"
        return ToolResult(words, is_error=True)
    by_path = {tool.path: tool for tool in tools}
    modules = {**modules_of(tools), TOOLBOX: Module(["search", "help"], stub=_TOOLBOX_STUB)}
    sandbox = Sandbox(modules, deadline.left())
    left = CALLS
    try:
        state = yield from _sandboxed(partial(sandbox.start, code), deadline)
        while isinstance(state, Called):
            if state.function in by_path and left == 0:
                problem = RuntimeError(f"a run calls at most {CALLS} tools")
                go_on: Callable[[], Called | Ended] = partial(state.refuse, problem)
            elif state.function in by_path:
                left -= 1
                go_on = yield from _answered(by_path[state.function], state, inside)
            else:
                go_on = _from_toolbox(tools, state)
            state = yield from _sandboxed(go_on, deadline)
    finally:
        sandbox.close()
    return _result(code, tools, state)


def _sandboxed(
    go_on: Callable[[], Called | Ended], deadline: Deadline
) -> Generator[Work, Any, Called | Ended]:
    """Lets the sandbox go on, while there is time."""
    try:
        state: Called | Ended = yield Work(go_on, partial(on_a_thread, go_on), deadline.left())
    except TimeoutError as problem:
        deadline.passed(problem)
    return state


def _answered(
    tool: PythonTool, call: Called, inside: Inner
) -> Generator[Work | Inside, Any, Callable[[], Called | Ended]]:
    """Runs the tool that code calls; what it raises is raised in the code."""
    try:
        arguments = _arguments(tool, call)
    except (TypeError, ValueError, RecursionError) as problem:
        return partial(call.refuse, TypeError(f"{tool.path}: {problem}"))
    outcome = yield from inside(tool.name, arguments)
    if outcome.is_error:
        return partial(call.refuse, _problem(outcome))
    return partial(_carried, call, outcome.value)


def _arguments(tool: PythonTool, call: Called) -> str:
    from aigen.runtime.values import jsonable

    names = list(tool.parameters)
    if len(call.arguments) > len(names):
        raise TypeError(f"takes {len(names)} arguments, not {len(call.arguments)}")
    given = dict(zip(names, call.arguments, strict=False))
    twice = [name for name in call.named if name in given]
    if twice:
        raise TypeError(f"has two values for {twice[0]}")
    found: dict[str, Any] = jsonable({**given, **call.named})
    own = {tool.parameters.get(name, name): value for name, value in found.items()}
    return json.dumps(own, ensure_ascii=False)


def _carried(call: Called, value: Any) -> Called | Ended:
    try:
        found = carried(value)
    except (TypeError, ValueError, RecursionError) as problem:
        return call.refuse(TypeError(f"what {call.function} gave cannot be used here: {problem}"))
    return call.answer(found)


def _problem(outcome: Outcome) -> Exception:
    """What a call that failed raises in the code: the tool's own exception, or the reason."""
    raised = outcome.error
    if raised is not None and type(raised).__module__ == "builtins":
        return raised if str(raised) else type(raised)(outcome.text)
    return RuntimeError(outcome.text)


def _from_toolbox(tools: Sequence[PythonTool], call: Called) -> Callable[[], Called | Ended]:
    """Answers `toolbox.search` and `toolbox.help`."""
    try:
        if call.function == f"{TOOLBOX}.search":
            return partial(call.answer, _searched(tools, *call.arguments, **call.named))
        if call.function == f"{TOOLBOX}.help":
            return partial(call.answer, _helped(tools, *call.arguments, **call.named))
    except (TypeError, LookupError) as problem:
        return partial(call.refuse, problem)
    return partial(call.refuse, NameError(f"there is no function {call.function}"))


def _searched(tools: Sequence[PythonTool], words: str, limit: int = LIMIT) -> list[str]:
    index = Index([tool.definition for tool in tools])
    return [line(tools[at].definition) for at in index.search(words, limit)]


def _helped(tools: Sequence[PythonTool], name: str) -> str:
    tool = next((tool for tool in tools if tool.path == name), None)
    if tool is None:
        paths = [tool.path for tool in tools]
        close = get_close_matches(name, paths, n=1)
        hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(paths)}"
        raise LookupError(f"there is no function {name}; {hint}")
    records = records_of(tool)
    return help_text(tool.definition) + (f"\n\n{records}" if records else "")


# --------------------------------------------------------------------------------- the result


def _result(code: str, tools: Sequence[PythonTool], ended: Ended) -> ToolResult:
    """What the model reads: what was printed, then the last line's value, or what went wrong."""
    from aigen.runtime.tools.printing import printed

    details = {"code": recorded(code, tools)} if ended.ran else {}
    if not ended.ran:
        return ToolResult(f"not run: {ended.problem}", is_error=True)
    said = [ended.printed.rstrip("\n")] if ended.printed else []
    if ended.problem:
        return ToolResult("\n".join([*said, ended.problem]), details=details, is_error=True)
    if ended.value is not None:
        said.append(printed(ended.value))
    return ToolResult("\n".join(said) or "(no output)", ended.value, details=details)


def recorded(code: str, tools: Sequence[PythonTool]) -> str:
    """Code as it is kept: calls of tools that are not recorded are `...`.

    Args:
        code: that was run.
        tools: that it may call.
    """
    unrecorded = [tool.path for tool in tools if tool.definition["options"].get("record") is False]
    if not unrecorded:
        return code
    try:
        tree = ast.parse(code)
        left_out = _LeftOut(unrecorded, _imported(tree))
        kept = left_out.visit(tree)
        return ast.unparse(kept) if left_out.found else code
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "..."  # newer than this Python, or too deep for it: it may call any of them


def _imported(tree: ast.Module) -> dict[str, str]:
    """What the names that code imports stand for."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                names[each.asname or each.name.partition(".")[0]] = (
                    each.name if each.asname else each.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom):
            names |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
    return names


class _LeftOut(ast.NodeTransformer):
    def __init__(self, paths: Sequence[str], names: Mapping[str, str]) -> None:
        self.paths, self.names, self.found = paths, names, False

    def visit_Call(self, node: ast.Call) -> ast.expr:
        first, dot, rest = ast.unparse(node.func).partition(".")
        if f"{self.names.get(first, first)}{dot}{rest}" in self.paths:
            self.found = True
            return ast.Constant(...)
        self.generic_visit(node)
        return node
