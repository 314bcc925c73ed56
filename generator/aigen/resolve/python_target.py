"""The function that a target names: itself, a method, or what a partial or an object calls."""

from __future__ import annotations

import ast
from typing import NamedTuple

from aigen.resolve.python_literals import unparsed
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
from aigen.source.words import function_at as defined_at

_SAME = ("aigen.tooling.add_docs", "aigen.tooling.tool")
"""What gives the function that it is given, or its tool."""

_DEEPEST = 20


class Target(NamedTuple):
    """A function, and the arguments that a partial has given already."""

    function: FunctionIn
    given: frozenset[str] = frozenset()
    positions: int = 0
    instance: bool = False


def function_at(
    modules: PythonModules, reader: ClassReader, module: PythonModule, path: str
) -> Target | None:
    """The function that a dotted path names in a module, also one that a class inherits."""
    found = function_of(modules, reader, modules.meaning(module, path))
    owner, _, name = path.rpartition(".")
    if found is not None or not owner:
        return found
    held = _held(reader, modules.meaning(module, owner))
    return None if held is None else _of_class(modules, reader, held, name)


class _Held(NamedTuple):
    """A class, or an object of it."""

    owner: ClassIn
    is_object: bool


def _held(reader: ClassReader, found: Meaning | None, depth: int = 0) -> _Held | None:
    """What a name holds, where that is a class or what a call of one makes."""
    match found:
        case ClassIn():
            return _Held(found, False)
        case ValueIn(module, _, ast.Name() | ast.Attribute() as name) if depth < _DEEPEST:
            return _held(reader, _meaning(reader, name, module), depth + 1)
        case ValueIn(module, _, ast.Call() as call):
            made = _meaning(reader, call.func, module)
            return _Held(made, True) if isinstance(made, ClassIn) else None
    return None


def _of_class(
    modules: PythonModules, reader: ClassReader, held: _Held, name: str, depth: int = 0
) -> Target | None:
    """A method of a class or of its object, which it then needs no more."""
    found = _method(modules, reader, held.owner, name, depth)
    if found is None or not held.is_object or not found.instance:
        return found
    return found._replace(instance=False, positions=1)


def function_of(
    modules: PythonModules, reader: ClassReader, found: Meaning | None, depth: int = 0
) -> Target | None:
    """The function behind a name: itself, a method, what a partial or an object calls."""
    if depth > _DEEPEST:
        return None
    match found:
        case FunctionIn(node=node) if _is_attribute(node):
            return None
        case FunctionIn():
            return Target(found, instance=found.owner is not None and not _is_free(found.node))
        case ValueIn(module, _, ast.Name() | ast.Attribute() as name):
            return function_of(modules, reader, _meaning(reader, name, module), depth + 1)
        case ValueIn(module, _, ast.Call() as call):
            made = _meaning(reader, call.func, module)
            if isinstance(made, Outside) and made.dotted in _SAME and call.args:
                return function_of(modules, reader, _before(reader, call.args[0], found), depth + 1)
            if isinstance(made, Outside) and made.dotted == "functools.partial" and call.args:
                first = call.args[0]
                held = ValueIn(module, "", first) if isinstance(first, ast.Call) else None
                inner = function_of(
                    modules, reader, held or _meaning(reader, first, module), depth + 1
                )
                given = frozenset(word.arg for word in call.keywords if word.arg)
                return inner and inner._replace(
                    given=inner.given | given, positions=inner.positions + len(call.args) - 1
                )
            if isinstance(made, ClassIn):
                return _of_class(modules, reader, _Held(made, True), "__call__", depth)
    return None


def _before(reader: ClassReader, node: ast.expr, found: ValueIn) -> Meaning | None:
    """The function that is given to a call, also where its result takes the function's name."""
    if isinstance(node, ast.Name) and node.id == found.name:
        made = defined_at(found.module.tree, node.id)
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


def _is_attribute(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a method is read and not called: a property."""
    names = {unparsed(each).rpartition(".")[2] for each in node.decorator_list}
    return not names.isdisjoint(("property", "cached_property", "setter", "deleter"))


def _is_free(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a method needs no object: a static or a class method."""
    return any(
        isinstance(each, ast.Name) and each.id in ("staticmethod", "classmethod")
        for each in node.decorator_list
    )
