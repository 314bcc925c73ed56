"""What decorators make of a function, as far as their source says."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from aigen.resolve.python_literals import unparsed
from aigen.resolve.python_modules import FunctionIn, Outside
from aigen.source.parameters import required, with_defaults
from aigen.source.words import Function

if TYPE_CHECKING:
    from aigen.resolve.python_types import ClassReader

_OVERLOADS = ("typing.overload", "typing_extensions.overload")


def not_known(reader: ClassReader, function: FunctionIn) -> str | None:
    """Why the signature of a function is not the one that is written; None where it is.

    A decorator of another package is taken to keep it, as `functools.wraps` promises.
    """
    module, node, _ = function
    for each in node.decorator_list:
        named = each.func if isinstance(each, ast.Call) else each
        found = reader.annotations.meaning(named, module, None)
        if isinstance(found, Outside) and found.dotted in _OVERLOADS:
            return (
                f"{module.place(node)}: {node.name} has several signatures, and which one is known"
                " only when it is called"
            )
        if isinstance(found, FunctionIn) and _changes(found.node, each, node):
            return (
                f"{module.place(each)}: the decorator {unparsed(named)} changes what {node.name}"
                " takes"
            )
    return None


def _changes(decorator: Function, written: ast.expr, function: Function) -> bool:
    """Whether what a decorator gives is called with other names than the function."""
    made = _given(decorator)
    if isinstance(written, ast.Call):
        made = None if made is None else _given(made)
    return made is not None and not _takes(made.args, function.args)


def _given(node: Function) -> Function | None:
    """The inner function that a function gives; None where it gives anything else."""
    match node.body[-1]:
        case ast.Return(value=ast.Name(id=name)):
            inner = [each for each in node.body if isinstance(each, Function)]
            return next((each for each in inner if each.name == name), None)
    return None


def _takes(given: ast.arguments, function: ast.arguments) -> bool:
    """Whether what takes these arguments takes those of the function, and needs no others."""
    names = _names(function)
    if not names.issuperset(required(given)):
        return False
    if function.vararg is not None or function.posonlyargs:
        return given.vararg is not None and (given.kwarg is not None or not function.kwonlyargs)
    return given.kwarg is not None or (names <= _names(given) and function.kwarg is None)


def _names(args: ast.arguments) -> set[str]:
    return {node.arg for node, _ in with_defaults(args)}
