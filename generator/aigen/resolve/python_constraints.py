"""Constraints that Python source writes: keywords of `Field`, marks of `annotated_types`."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from aigen.ir import Type, Union
from aigen.resolve.python_known import BOUNDS, MARKS
from aigen.resolve.python_literals import keywords, literal


def constrained(kind: Type, values: Mapping[str, Any]) -> Type:
    """A type with the constraints among these keywords, on the options that take them."""
    if isinstance(kind, Union):
        return Union(tuple(constrained(option, values) for option in kind.options))
    own = {
        key: values[key]
        for key, kinds in BOUNDS.items()
        if isinstance(kind, kinds) and isinstance(values.get(key), int | float | str)
    }
    return replace(kind, **own) if own else kind


def marked(name: str, node: ast.Call) -> dict[str, Any]:
    """The constraints that a mark of `annotated_types` stands for, such as `Ge(1)`."""
    values = [literal(arg) for arg in node.args]
    if name in MARKS and values:
        return {MARKS[name]: values[0]}
    if name == "Len":
        named = dict(zip(("min_length", "max_length"), values, strict=False))
        return {key: each for key, each in {**named, **keywords(node)}.items() if each is not None}
    if name in MARKS or name == "Interval":
        return keywords(node)
    return {}
