"""Expressions of Python source whose value or text is known without running it."""

from __future__ import annotations

import ast
from typing import Any, Final


def keywords(node: ast.Call) -> dict[str, Any]:
    """The keyword arguments of a call that are literals."""
    found = {}
    for each in node.keywords:
        if each.arg is not None:
            value = literal(each.value)
            if value is not MISSING:
                found[each.arg] = value
    return found


MISSING: Final = object()
"""Stands for what is no literal."""


def literal(node: ast.expr) -> Any:
    """The value of a literal; `MISSING` for what is none, or an integer Python does not print."""
    if isinstance(node, ast.Name | ast.Attribute):
        return MISSING
    if isinstance(node, ast.Constant) and not isinstance(node.value, int):
        return node.value  # most of what is asked for
    try:
        value = ast.literal_eval(node)
        repr(value)
        return value
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return MISSING


def unparsed(node: ast.expr) -> str:
    """An expression as text; an ellipsis for what Python itself does not write out."""
    try:
        return ast.unparse(node)
    except (ValueError, RecursionError):  # an integer of thousands of digits, a thousand dots
        return "…"
