"""The function that a target names: itself, a method, or what a partial or an object calls."""

from __future__ import annotations

import ast
from typing import NamedTuple

from aigen.resolve.python_modules import (
    ClassIn,
    FunctionIn,
    Meaning,
    Outside,
    PythonModule,
    PythonModules,
    ValueIn,
)
from aigen.resolve.python_types import ClassReader
from aigen.source.words import function_at

_SAME = ("aigen.tooling.add_docs", "aigen.tooling.tool")
"""What gives the function that it is given, or its tool."""

_DEEPEST = 20


class Target(NamedTuple):
    """A function, and the arguments that a partial has given already."""

    function: FunctionIn
    given: frozenset[str] = frozenset()
    positions: int = 0
    instance: bool = False


def function_of(
    modules: PythonModules, reader: ClassReader, found: Meaning | None, depth: int = 0
) -> Target | None:
    """The function behind a name: itself, a method, what a partial or an object calls."""
    if depth > _DEEPEST:
        return None
    match found:
        case FunctionIn():
            return Target(found, instance=found.owner is not None and not _is_free(found.node))
        case ValueIn(module, _, ast.Name() | ast.Attribute() as name):
            return function_of(modules, reader, _meaning(reader, name, module), depth + 1)
        case ValueIn(module, _, ast.Call() as call):
            made = _meaning(reader, call.func, module)
            if isinstance(made, Outside) and made.dotted in _SAME and call.args:
                return function_of(modules, reader, _before(reader, call.args[0], found), depth + 1)
            if isinstance(made, Outside) and made.dotted == "functools.partial" and call.args:
                inner = function_of(
                    modules, reader, _meaning(reader, call.args[0], module), depth + 1
                )
                given = frozenset(word.arg for word in call.keywords if word.arg)
                return inner and inner._replace(
                    given=inner.given | given, positions=inner.positions + len(call.args) - 1
                )
            if isinstance(made, ClassIn):
                called = _method(modules, reader, made, "__call__", depth)
                return called and called._replace(instance=False, positions=1)
    return None


def _before(reader: ClassReader, node: ast.expr, found: ValueIn) -> Meaning | None:
    """The function that is given to a call, also where its result takes the function's name."""
    if isinstance(node, ast.Name) and node.id == found.name:
        made = function_at(found.module.tree, node.id)
        return None if made is None else FunctionIn(found.module, made)
    return _meaning(reader, node, found.module)


def _method(
    modules: PythonModules, reader: ClassReader, owner: ClassIn, name: str, depth: int
) -> Target | None:
    found = modules.meaning(owner.module, f"{owner.path}.{name}")
    if isinstance(found, FunctionIn):
        return function_of(modules, reader, found, depth + 1)
    for base in owner.node.bases:
        above = _meaning(reader, base, owner.module)
        if isinstance(above, ClassIn) and depth < _DEEPEST:
            inherited = _method(modules, reader, above, name, depth + 1)
            if inherited is not None:
                return inherited
    return None


def _meaning(reader: ClassReader, node: ast.expr, module: PythonModule) -> Meaning | None:
    found = reader.annotations.meaning(node, module, None)
    return None if isinstance(found, str) else found


def _is_free(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a method needs no object: a static or a class method."""
    return any(
        isinstance(each, ast.Name) and each.id in ("staticmethod", "classmethod")
        for each in node.decorator_list
    )
