"""`ge gt le lt multiple_of min_length max_length pattern`: which type takes which, and of what."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from aigen.diagnostics import Diagnostics
from aigen.ir import Described, Formatted, Integer, List, Map, Null, Number, Set, Text, Type, Union
from aigen.resolve.words import BROKEN, quoted
from aigen.spec.nodes import Node, Scalar

_NUMBERS: Final = (Integer, Number)
_SIZED: Final = (Text, List, Set, Map)
_TAKERS: Final[Mapping[str, tuple[tuple[type, ...], str]]] = {
    **dict.fromkeys(("ge", "gt", "le", "lt"), ((*_NUMBERS, Formatted), "int, float and Decimal")),
    "multiple_of": (_NUMBERS, "int and float"),
    **dict.fromkeys(("min_length", "max_length"), (_SIZED, "str, list, set and dict")),
    "pattern": ((Text,), "str"),
}


def constrain(
    kind: Type,
    constraints: Mapping[str, Node],
    wording: Callable[[Type], str],
    diagnostics: Diagnostics,
) -> Type:
    """The type narrowed by a field's constraints.

    In a union they narrow the options that take them (`str | None` with `max_length`); a
    constraint that nothing takes is reported, with what it applies to.
    """
    if kind is BROKEN:
        return kind
    fitting: dict[str, Any] = {}
    for key, node in constraints.items():
        applies_to = _TAKERS[key][1]
        if not any(_takes(key, option) for option in _options(kind)):
            diagnostics.report(
                "AIG206",
                node.span,
                f"{key} applies to {applies_to}, not to {wording(kind)}",
                hint=_advice(key, kind),
            )
        elif _good_value(key, node, diagnostics):
            assert isinstance(node, Scalar)
            fitting[key] = node.value
    if not fitting or not _possible(fitting, constraints, diagnostics):
        return kind
    return _applied(kind, fitting)


def _takes(key: str, option: Type) -> bool:
    other = isinstance(option, Formatted) and option.kind != "Decimal"
    return isinstance(option, _TAKERS[key][0]) and not other


def _options(kind: Type) -> tuple[Type, ...]:
    if isinstance(kind, Union):
        return kind.options
    return (kind.type,) if isinstance(kind, Described) else (kind,)


def _applied(kind: Type, values: Mapping[str, Any]) -> Type:
    if isinstance(kind, Union):
        return Union(tuple(_applied(option, values) for option in kind.options))
    if isinstance(kind, Described):
        return Described(_applied(kind.type, values), kind.description)
    own = {key: value for key, value in values.items() if _takes(key, kind)}
    return replace(kind, **own) if own else kind


def _advice(key: str, kind: Type) -> str | None:
    plain = [option for option in _options(kind) if not isinstance(option, Null)]
    if len(plain) == 1 and isinstance(plain[0], List | Set):
        return f"write it on the items: {{list: {{type: …, {key}: …}}}}"
    return "leave it out"


def _good_value(key: str, node: Node, diagnostics: Diagnostics) -> bool:
    value = node.value if isinstance(node, Scalar) else None
    if key == "pattern":
        wrong = "a text" if not isinstance(value, str) else None
    elif isinstance(value, bool) or not isinstance(value, int | float):
        wrong = "a number"
    elif key.endswith("_length"):
        wrong = None if isinstance(value, int) and value >= 0 else "a whole number from 0 on"
    elif key == "multiple_of":
        wrong = None if _finite(value) and value > 0 else "a number above 0"
    else:
        wrong = None if _finite(value) else "a finite number"
    if wrong:
        shown = quoted(value) if isinstance(node, Scalar) else "this"
        diagnostics.report("AIG207", node.span, f"{key} is {wrong}, not {shown}")
        return False
    if isinstance(value, str) and (problem := pattern_problem(value)):
        diagnostics.report(
            "AIG208",
            node.span,
            f"pattern {quoted(value)} is no regular expression: {problem}",
            hint="write it as Python's re takes it, in single quotes",
        )
        return False
    return True


def _finite(value: int | float) -> bool:
    # `math.isfinite` cannot take an integer larger than every float.
    return isinstance(value, int) or math.isfinite(value)


def _possible(
    values: Mapping[str, Any], constraints: Mapping[str, Node], diagnostics: Diagnostics
) -> bool:
    """Whether some value can meet all of them together."""
    for low, high, strict in (
        ("ge", "le", False),
        ("ge", "lt", True),
        ("gt", "le", True),
        ("gt", "lt", True),
        ("min_length", "max_length", False),
    ):
        if low in values and high in values:
            smallest, largest = values[low], values[high]
            if smallest > largest or (strict and smallest == largest):
                diagnostics.report(
                    "AIG207",
                    constraints[high].span,
                    f"no value has {low} {smallest} and {high} {largest}",
                    related=[(constraints[low].span, f"{low} is here")],
                )
                return False
    return True


@lru_cache(maxsize=2048)
def pattern_problem(pattern: str) -> str | None:
    """Why neither Python's `re` nor pydantic's engine takes a pattern; None where one does."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        if not is_linear(pattern):
            return str(error).partition("\n")[0] or "it is nested too deeply"
    return None


@lru_cache(maxsize=2048)
def is_linear(pattern: str) -> bool:
    """Whether pydantic's engine takes a pattern; its time is linear in the text."""
    # Imported only here: `re` takes nearly all patterns, and pydantic takes time to load.
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    try:
        SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))
    except SchemaError:
        return False
    return True
