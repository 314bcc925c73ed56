"""Where in the specs a place of a generated module comes from."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from aigen.diagnostics import Span
from aigen.emit.scope import Declared, plan
from aigen.ir import External, Module, Program


class Places:
    """The places that the modules of an output come from.

    Args:
        program: what the output was made of.
        out: the output folder.
    """

    def __init__(self, program: Program, out: Path) -> None:
        self._program = program
        self._plan = plan(program)
        self._out = out
        self._statements = cache(_statements)

    def span(self, path: Path, line: int) -> Span | None:
        """The entry of a spec that a line of a generated file was made of.

        Returns:
            Its place; the spec's first character where the line is of the module itself; None
            where the file was made of no spec.
        """
        module = self._module(path)
        if module is None:
            return None
        spans = _spans(module, self._plan.names(module.name))
        for name in self._statements(path).get(line, ()):
            if name in spans:
                return spans[name]
        return Span(module.path, 1, 1, 1, 1)

    def _module(self, path: Path) -> Module | None:
        parts = path.relative_to(self._out).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        return self._program.modules.get(name)


def _spans(module: Module, names: Declared) -> Mapping[str, Span]:
    """The places of what a module declares, by name there; of what it imports, by `module:name`."""
    spans: dict[str, Span] = {}
    for one in module.types:
        spans[names.types[one.name]] = one.span
        if one.name in names.partials:
            spans[names.partials[one.name]] = one.span
        if isinstance(one, External):
            target, _, attribute = one.target.partition(":")
            spans.setdefault(target, one.span)
            spans[f"{target}:{attribute.partition('.')[0]}"] = one.span
    for function in module.functions:
        spans[names.functions[function.name]] = function.span
    for tool in module.tools:
        spans[names.tools[tool.key]] = tool.span
        if tool.key in names.inputs:
            spans[names.inputs[tool.key]] = tool.span
    return spans


def _statements(path: Path) -> dict[int, list[str]]:
    """For each line of a generated file, the names that its statement is for."""
    body = ast.parse(path.read_bytes()).body
    objects: dict[str, list[str]] = {}
    for node in body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Call):
            # `triage: Final = _TriageFunction(…)`: the class is the function's.
            made = ast.unparse(node.value.func)
            objects.setdefault(made, []).append(ast.unparse(node.target))
    found: dict[int, list[str]] = {}
    for node in body:
        names = [name for named in _named(node) for name in (named, *objects.get(named, ()))]
        for line in range(_start(node), (node.end_lineno or node.lineno) + 1):
            found.setdefault(line, []).extend(names)
    return found


def _start(node: ast.stmt) -> int:
    decorators = node.decorator_list if isinstance(node, ast.ClassDef) else []
    return min([node.lineno, *(one.lineno for one in decorators)])


def _named(node: ast.stmt) -> Iterator[str]:
    match node:
        case ast.ClassDef():
            yield node.name
        case ast.AnnAssign():
            yield ast.unparse(node.target)
        case ast.Assign():
            yield from map(ast.unparse, node.targets)
        case ast.ImportFrom(module=str() as module, level=0):
            yield from (f"{module}:{alias.name}" for alias in node.names)
            yield module
