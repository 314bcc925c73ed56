"""Types with arguments, such as `list[T]` and `dict[str, T]`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from aigen.diagnostics import Diagnostics
from aigen.ir import List, Map, Set, Tuple, Type
from aigen.resolve.words import BROKEN, NULL, TEXT, union
from aigen.spec import tree
from aigen.spec.tree import TypeExpr

_COUNTS: Final = {"list": 1, "vector": 1, "set": 1, "dict": 2, "Optional": 1}


def is_generic(name: str) -> bool:
    """Whether a type takes arguments."""
    return name in _COUNTS or name in ("tuple", "Union")


def applied(
    expr: tree.Apply, type_of: Callable[[TypeExpr], Type], diagnostics: Diagnostics
) -> Type:
    """The type of a generic one with its arguments.

    Args:
        expr: of a name that `is_generic`.
        type_of: the type of an argument.
        diagnostics: takes what is wrong.
    """
    count = _COUNTS.get(expr.name)
    if count is not None and (len(expr.args) != count or expr.variadic):
        wanted = "two types" if count == 2 else "one type"
        return _misapplied(expr, diagnostics, f"{expr.name} takes {wanted}, not {len(expr.args)}")
    args = tuple(map(type_of, expr.args))
    match expr.name:
        case "list" | "vector":
            return List(args[0])
        case "set":
            return Set(args[0])
        case "dict":
            if args[0] != TEXT and args[0] is not BROKEN:
                return _misapplied(expr, diagnostics, "keys of a dict are texts: dict[str, …]")
            return Map(args[1])
        case "tuple":
            return Tuple((), args[0]) if expr.variadic else Tuple(args)
        case "Optional":
            return union((*args, NULL))
        case _:
            return union(args)


def _misapplied(expr: tree.Apply, diagnostics: Diagnostics, message: str) -> Type:
    hints = {"dict": "write dict[str, T]", "tuple": "write tuple[T, ...]"}
    diagnostics.report(
        "AIG202", expr.span, message, hint=hints.get(expr.name, f"write {expr.name}[T]")
    )
    return BROKEN
