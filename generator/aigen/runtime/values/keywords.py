"""The keywords of a shape, each as a check of one value."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from aigen.runtime.values import formats
from aigen.runtime.values.canonical_json import canonical, identity
from aigen.runtime.values.shape import (
    Check,
    Memo,
    Misfit,
    Scope,
    finite,
    is_multiple,
    pattern,
    unicode,
)


def json_value(value: Any, memo: Memo) -> Misfit | None:
    """Checks that a value is JSON."""
    if isinstance(value, str):
        return None if unicode(value) else Misfit((), "text in Unicode", value)
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return None if finite(value) else Misfit((), "a finite number", value)
    if isinstance(value, list | tuple):
        return each_fits(value, json_value, memo)
    if isinstance(value, dict):
        for name, member in value.items():
            if not isinstance(name, str):
                return Misfit((), "names that are text", value)
            fault = json_value(member, memo)
            if fault is not None:
                return under(name, fault)
        return None
    return Misfit((), "a JSON value", value)


def under(step: str | int, fault: Misfit) -> Misfit:
    """A misfit inside a part, seen from the whole."""
    return Misfit((step, *fault.path), fault.expected, fault.value)


def each_fits(items: Sequence[Any], check: Check, memo: Memo, start: int = 0) -> Misfit | None:
    """The first item, from `start` on, that does not fit."""
    for position in range(start, len(items)):
        fault = check(items[position], memo)
        if fault is not None:
            return under(position, fault)
    return None


def nothing(value: Any, memo: Memo) -> Misfit | None:
    """Refuses every value."""
    return Misfit((), "nothing here", value)


def kinds_of(shape: Mapping[str, Any]) -> Sequence[str]:
    """The types that a shape names."""
    kinds = shape.get("type", ())
    return (kinds,) if isinstance(kinds, str) else kinds


def every(checks: list[Check]) -> Check:
    """All of these checks, in order."""
    if len(checks) == 1:
        return checks[0]

    def all_of(value: Any, memo: Memo) -> Misfit | None:
        for check in checks:
            fault = check(value, memo)
            if fault is not None:
                return fault
        return None

    return all_of


def is_text(value: Any, memo: Memo) -> Misfit | None:
    """Checks that a value is text."""
    if isinstance(value, str) and (value.isascii() or unicode(value)):
        return None
    return Misfit((), "text", value)


def is_media(expected: str) -> Check:
    """Checks that a value is an image, a recording or a file."""

    def check(value: Any, memo: Memo) -> Misfit | None:
        return None if hasattr(value, "__aigen_media__") else Misfit((), expected, value)

    return check


def one_of(shape: Mapping[str, Any], expected: str) -> Check:
    """`enum` and `const`, by the values of JSON."""
    levels = {identity(level) for level in shape.get("enum", [shape.get("const")])}
    if "enum" in shape and "const" in shape:
        levels &= {identity(shape["const"])}

    def check(value: Any, memo: Memo) -> Misfit | None:
        try:
            fits = identity(value) in levels
        except TypeError:
            fits = False
        return None if fits else Misfit((), expected, value)

    return check


def text_checks(shape: Mapping[str, Any], scope: Scope) -> list[Check]:
    """`minLength`, `maxLength`, `pattern` and an enforced `format`."""
    checks: list[Check] = []
    least, most = shape.get("minLength"), shape.get("maxLength")
    form = shape.get("format")
    if least is not None or most is not None:
        expected = f"text of {_span(least, most)} characters"

        def length(value: Any, memo: Memo) -> Misfit | None:
            if isinstance(value, str) and not _within(len(value), least, most):
                return Misfit((), expected, value)
            return None

        checks.append(length)
    if "pattern" in shape:
        search, wanted = pattern(shape["pattern"]), f"text that matches {shape['pattern']}"

        def matches(value: Any, memo: Memo) -> Misfit | None:
            if isinstance(value, str) and not search(value):
                return Misfit((), wanted, value)
            return None

        checks.append(matches)
    if isinstance(form, str) and form in scope.formats:

        def formatted(value: Any, memo: Memo) -> Misfit | None:
            if isinstance(value, str) and formats.read(form, value) is None:
                return Misfit((), formats.NAMES[form], value)
            return None

        checks.append(formatted)
        if form == "decimal":
            checks += decimal_checks(shape)
    return checks


def decimal_checks(shape: Mapping[str, Any]) -> list[Check]:
    """The limits of a decimal number, which is a text in JSON; counted in decimal."""
    limits = [
        (words, holds, Decimal(str(shape[word])))
        for word, (words, holds) in _LIMITS.items()
        if isinstance(shape.get(word), int | float) and not isinstance(shape[word], bool)
    ]
    if not limits:
        return []
    expected = f"a decimal number {', '.join(f'{words} {limit}' for words, _, limit in limits)}"

    def check(value: Any, memo: Memo) -> Misfit | None:
        found = formats.read("decimal", value) if isinstance(value, str) else value
        if not isinstance(found, Decimal) or all(holds(found, limit) for _, holds, limit in limits):
            return None
        return Misfit((), expected, value)

    return [check]


_LIMITS: Final[Mapping[str, tuple[str, Callable[[Any, Any], bool]]]] = {
    "minimum": ("at least", operator.ge),
    "exclusiveMinimum": ("more than", operator.gt),
    "maximum": ("at most", operator.le),
    "exclusiveMaximum": ("less than", operator.lt),
}


def number_checks(shape: Mapping[str, Any]) -> list[Check]:
    """The limits of a number."""
    low, high = shape.get("minimum"), shape.get("maximum")
    above, below = shape.get("exclusiveMinimum"), shape.get("exclusiveMaximum")
    if isinstance(above, bool):  # draft 4
        low, above = (None, low) if above else (low, None)
    if isinstance(below, bool):
        high, below = (None, high) if below else (high, None)
    step = shape.get("multipleOf")
    if (low, high, above, below, step) == (None,) * 5:
        return []
    limits = [
        f"{word} {limit}"
        for word, limit in (
            ("at least", low),
            ("more than", above),
            ("at most", high),
            ("less than", below),
            ("a multiple of", step),
        )
        if limit is not None
    ]
    expected = f"a number {', '.join(limits)}"

    def check(value: Any, memo: Memo) -> Misfit | None:
        if not isinstance(value, int | float) or isinstance(value, bool):
            return None
        if (
            (low is not None and value < low)
            or (high is not None and value > high)
            or (above is not None and value <= above)
            or (below is not None and value >= below)
            or (step is not None and not is_multiple(value, step))
        ):
            return Misfit((), expected, value)
        return None

    return [check]


def count_checks(shape: Mapping[str, Any]) -> list[Check]:
    """The numbers of items and members."""
    checks = []
    for kinds, least, most, noun in (
        ((list, tuple, set, frozenset), "minItems", "maxItems", "items"),
        ((dict,), "minProperties", "maxProperties", "members"),
    ):
        if least in shape or most in shape:
            checks.append(_count(kinds, shape.get(least), shape.get(most), noun))
    return checks


def _count(kinds: tuple[type, ...], least: Any, most: Any, noun: str) -> Check:
    expected = f"{_span(least, most)} {noun}"

    def check(value: Any, memo: Memo) -> Misfit | None:
        if isinstance(value, kinds) and not _within(len(value), least, most):  # type: ignore[arg-type]
            return Misfit((), expected, value)
        return None

    return check


def _within(count: int, least: Any, most: Any) -> bool:
    return (least is None or count >= least) and (most is None or count <= most)


def _span(least: Any, most: Any) -> str:
    if most is None:
        return f"at least {least:g}"
    return f"at most {most:g}" if not least else f"{least:g} to {most:g}"


def has_members(names: Sequence[str]) -> Check:
    """`required`."""

    def check(value: Any, memo: Memo) -> Misfit | None:
        if isinstance(value, dict):
            for name in names:
                if name not in value:
                    return Misfit((), f"a record with the member {canonical(name)}", value)
        return None

    return check


def if_member(name: str, inner: Check) -> Check:
    """A check for records that have a member."""

    def check(value: Any, memo: Memo) -> Misfit | None:
        return inner(value, memo) if isinstance(value, dict) and name in value else None

    return check


def unique_items(value: Any, memo: Memo) -> Misfit | None:
    """Checks that no item of a list stands twice: 1 and 1.0 are one."""
    if isinstance(value, list | tuple) and len(value) > 1:
        seen = set()
        for item in value:
            try:
                key = identity(item)
                known = key in seen
            except TypeError:
                continue
            if known:
                return Misfit((), "items that are all different", value)
            seen.add(key)
    return None


def names_fit(check: Check) -> Check:
    """`propertyNames`."""

    def names(value: Any, memo: Memo) -> Misfit | None:
        if isinstance(value, dict):
            for name in value:
                fault = check(name, memo)
                if fault is not None:
                    return Misfit((name,), f"a name that is {fault.expected}", name)
        return None

    return names


def any_fits(options: list[Check], expected: str) -> Check:
    """`anyOf`; the misfit is that of the option that went deepest."""

    def check(value: Any, memo: Memo) -> Misfit | None:
        deepest: Misfit | None = None
        for option in options:
            fault = option(value, memo)
            if fault is None:
                return None
            if fault.path and (deepest is None or len(fault.path) > len(deepest.path)):
                deepest = fault
        return deepest or Misfit((), expected, value)

    return check


def one_fits(options: list[Check], expected: str) -> Check:
    """`oneOf`."""
    any_of = any_fits(options, expected)

    def check(value: Any, memo: Memo) -> Misfit | None:
        count = sum(option(value, memo) is None for option in options)
        if count > 1:
            return Misfit((), f"exactly one of {expected}", value)
        return None if count else any_of(value, memo)

    return check


def not_fits(inner: Check) -> Check:
    """`not`."""

    def check(value: Any, memo: Memo) -> Misfit | None:
        return None if inner(value, memo) else Misfit((), "a value that is not so", value)

    return check


def if_fits(test: Check, then: Check, otherwise: Check) -> Check:
    """`if`, `then`, `else`."""

    def check(value: Any, memo: Memo) -> Misfit | None:
        return (then if test(value, memo) is None else otherwise)(value, memo)

    return check
