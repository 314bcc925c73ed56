"""What the statements of a module or class define; classes that are made by a call included."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Final

from aigen.resolve.python_literals import literal
from aigen.spec.python_names import imported_from
from aigen.spec.python_syntax import dotted

_RECORDS: Final = frozenset(
    {
        *("typing.TypedDict", "typing_extensions.TypedDict"),
        *("typing.NamedTuple", "typing_extensions.NamedTuple"),
    }
)
_ENUMS: Final = frozenset({"enum.Enum", "enum.IntEnum", "enum.StrEnum"})
_SAYING: Final = frozenset({"total"})
"""Keywords that mean the same where a class is written as a statement."""

_PLACING: Final = frozenset({"module", "qualname"})
"""Keywords that say nothing of the members."""


def defined(
    body: Sequence[ast.stmt], package: str
) -> Iterator[tuple[str, ast.stmt | ast.expr | tuple[str, str]]]:
    """The names that statements define; imports as module and name."""
    for node in body:
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                yield node.name, node
            case ast.Import():
                for each in node.names:
                    name = each.asname or each.name.partition(".")[0]
                    yield name, (each.name if each.asname else name, "")
            case ast.ImportFrom():
                source = imported_from(node, package)
                for each in node.names:
                    # Several stars must not hide one another.
                    name = f"* {source}" if each.name == "*" else each.asname or each.name
                    yield name, (source, each.name)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
            case ast.If() | ast.Try():
                for inner in (node.body, node.orelse, getattr(node, "finalbody", [])):
                    yield from defined(inner, package)
                for handler in getattr(node, "handlers", []):
                    yield from defined(handler.body, package)
            case _ if type(node).__name__ == "TypeAlias":  # `type X = …`, from 3.12
                yield node.name.id, node.value  # type: ignore[attr-defined]


def as_class(name: str, call: ast.expr, means: Callable[[str], str]) -> ast.ClassDef | None:
    """`TypedDict("X", {…})`, `NamedTuple("X", […])` and `Enum("X", …)` as class statements.

    Args:
        name: what the call is assigned to.
        call: what is assigned.
        means: the full name of what a dotted name in the module means.

    Returns:
        The class; None where the value is no such call, or its members are computed.
    """
    if not isinstance(call, ast.Call) or len(call.args) != 2:
        return None
    made = means(dotted(call.func) or "")
    if made in _RECORDS:
        body = _members(call.args[1])
    else:
        body = _values(call.args[1], made) if made in _ENUMS else None
    words = [each for each in call.keywords if each.arg not in _PLACING]
    if body is None or any(each.arg not in _SAYING for each in words):
        return None
    found = ast.ClassDef(name=name, bases=[call.func], keywords=words, body=body, decorator_list=[])
    found.type_params = []  # type: ignore[attr-defined]
    return ast.copy_location(found, call)


def _members(node: ast.expr) -> list[ast.stmt] | None:
    """The members of a record with their annotations."""
    pairs = _pairs(node)
    if pairs is None:
        return None
    found: list[ast.stmt] = []
    for key, value in pairs:
        target = ast.copy_location(ast.Name(id=_text(key), ctx=ast.Store()), key)
        member = ast.AnnAssign(target=target, annotation=value, value=None, simple=1)
        found.append(_between(member, key, value))
    return found


def _values(node: ast.expr, made: str) -> list[ast.stmt] | None:
    """The members of an enum with their values; names alone are numbered from 1."""
    pairs = _pairs(node)
    if pairs is None:
        names = _names(node)
        if names is None:
            return None
        texts = made == "enum.StrEnum"
        pairs = [
            (key, ast.copy_location(ast.Constant(_text(key).lower() if texts else number), key))
            for key, number in zip(names, count(1))
        ]
    found: list[ast.stmt] = []
    for key, value in pairs:
        target = ast.copy_location(ast.Name(id=_text(key), ctx=ast.Store()), key)
        found.append(_between(ast.Assign(targets=[target], value=value), key, value))
    return found


def _pairs(node: ast.expr) -> list[tuple[ast.expr, ast.expr]] | None:
    """Names and what they are given, of a mapping or a list of pairs."""
    if isinstance(node, ast.Dict):
        pairs = [(key, value) for key, value in zip(node.keys, node.values, strict=True) if key]
        whole = len(pairs) == len(node.keys)
    elif isinstance(node, ast.List | ast.Tuple):
        twos = [each.elts for each in node.elts if isinstance(each, ast.Tuple | ast.List)]
        pairs = [(two[0], two[1]) for two in twos if len(two) == 2]
        whole = len(pairs) == len(node.elts)
    else:
        return None
    return pairs if whole and all(_text(key) for key, _ in pairs) else None


def _names(node: ast.expr) -> list[ast.expr] | None:
    """The names of an enum: a text of words, or a list of texts."""
    if isinstance(node, ast.List | ast.Tuple):
        return node.elts if all(map(_text, node.elts)) else None
    words = _text(node).replace(",", " ").split()
    return [ast.copy_location(ast.Constant(word), node) for word in words] or None


def _text(node: ast.expr) -> str:
    found = literal(node)
    return found if isinstance(found, str) else ""


def _between(made: ast.stmt, first: ast.expr, last: ast.expr) -> ast.stmt:
    ast.copy_location(made, first)
    made.end_lineno, made.end_col_offset = last.end_lineno, last.end_col_offset
    return made


__all__ = ["as_class", "defined"]
