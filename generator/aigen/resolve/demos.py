"""Demos and tests of a function: rows of values, each bound to the field of its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from aigen.diagnostics import Span, nearest
from aigen.ir import Field, List, Test, Text
from aigen.ir.model import Json
from aigen.resolve.binding import FAILED, Levels, entries
from aigen.resolve.home import Home
from aigen.spec.nodes import Node, Scalar, plain_value
from aigen.spec.nodes import Sequence as Items
from aigen.spec.tree import FunctionSpec

_APART: Final = frozenset({"inputs", "outputs", "input", "output", "expect"})
"""Keys under which a test, or another tool's example, has its values."""


_LEVELS: Final = List(Text(), min_length=1)


class _Kind(NamedTuple):
    """What a row is, the rule that a wrong one breaks, and what helps where a part lacks."""

    what: str
    code: str
    lacking: str = ""


_DEMO: Final = _Kind("demo", "AIG312")
_TEST: Final = _Kind("test", "AIG313")
_EXPECTED: Final = _Kind(
    "expectation", "AIG313", "; to compare a part of an output, write check: pkg.mod:func"
)


def demos(
    home: Home,
    spec: FunctionSpec,
    inputs: Sequence[Field],
    outputs: Sequence[Field],
    output_name: str | None,
) -> tuple[Mapping[str, Json], ...]:
    """A function's demos: every input, and those outputs that are given."""
    found = []
    for node in spec.demos:
        if _apart(home, node, [*inputs, *outputs], output_name):
            continue
        demo = _row(home, node, [*inputs, *outputs], output_name, _DEMO)
        given = entries(node) or {}
        for field in inputs:
            if field.name in demo or field.name in given:
                continue
            if field.default is not None and field.default.call is None:
                demo[field.name] = field.default.value
            elif not field.optional:
                home.diagnostics.report(
                    "AIG312",
                    node.span,
                    f"demo has no {field.name}, which the function requires",
                    hint="a demo gives every input; outputs may be left out",
                )
        found.append({f.name: demo[f.name] for f in (*inputs, *outputs) if f.name in demo})
    return tuple(found)


def _apart(home: Home, node: Node, fields: Sequence[Field], output_name: str | None) -> bool:
    """Whether a demo has its inputs apart from its outputs, as a test has; reported."""
    names = [output_name or name if name == "result" else name for name in (f.name for f in fields)]
    keys = [key for key in entries(node) or {} if key in _APART and key not in names]
    if keys:
        home.diagnostics.report(
            "AIG312",
            node.span,
            f"demo has its values under {' and '.join(keys)}",
            hint=f"write them side by side: {{{', '.join(f'{name}: …' for name in names)}}}",
        )
    return bool(keys)


def _row(
    home: Home,
    node: Node | None,
    fields: Sequence[Field],
    output_name: str | None,
    kind: _Kind,
    levels: Levels = MappingProxyType({}),
) -> dict[str, Json]:
    """The values of a mapping, each bound to the field of its name."""
    by_name = {field.name: field for field in fields}
    if output_name is not None and "result" in by_name:
        by_name[output_name] = by_name["result"]
    what, code, lacking = kind
    bound: dict[str, Json] = {}
    places: dict[str, Span] = {}
    if node is None:
        return bound
    rows = entries(node)
    if rows is None:
        home.diagnostics.report(code, node.span, f"{what} is a mapping of fields")
        return bound
    for name, (span, value) in rows.items():
        field = by_name.get(name)
        if field is None:
            close = nearest(name, list(by_name))
            home.diagnostics.report(
                code,
                span,
                f"{what} names {name}, which is no field here",
                hint=f"did you mean {close}?" if close else "leave it out",
            )
            continue
        if field.name in places:
            home.diagnostics.report(
                code,
                span,
                f"{what} gives the output twice, as result and as {output_name}",
                hint="leave one out",
                related=[(places[field.name], "first here")],
            )
            continue
        places[field.name] = span
        if field.optional and plain_value(value) is None and not home.binding.null_fits(field.type):
            continue
        result = home.binding.value(
            value, field.type, f"{what}'s {name}", code, levels=levels, lacking=lacking
        )
        if result is not FAILED:
            bound[field.name] = result
    return bound


def tests(
    home: Home,
    spec: FunctionSpec,
    inputs: Sequence[Field],
    outputs: Sequence[Field],
    output_name: str | None,
    given: Sequence[str],
) -> tuple[Test, ...]:
    """A function's tests: inputs, the levels of choices that a call gives, what is expected."""
    found = []
    levelled = [Field(name, _LEVELS, spec.span) for name in given]
    for test in spec.tests:
        written = entries(test.inputs) or {}
        for field in (*inputs, *levelled):
            if field.name not in written and not field.optional:
                home.diagnostics.report(
                    "AIG313",
                    test.inputs.span,
                    f"test {test.name.value} has no {field.name}, which the function requires",
                    hint=f"add {field.name}",
                )
        levels = _levels(test.inputs, levelled)
        bound = _row(home, test.inputs, [*inputs, *levelled], None, _TEST, levels)
        expect = _row(home, test.expect, outputs, output_name, _EXPECTED, levels)
        check = None
        if test.check and home.callables.check_called(test.check, "a check"):
            check = test.check.value
        found.append(Test(test.name.value, bound, expect, check, test.span))
    return tuple(found)


def _levels(inputs: Node, levelled: Sequence[Field]) -> Levels:
    """The levels that a test's inputs give; those that are none are reported with their row."""
    written = entries(inputs) or {}
    found = {}
    for field in levelled:
        node = written[field.name][1] if field.name in written else None
        if isinstance(node, Items) and node.items:
            found[field.name] = [item.text for item in node.items if isinstance(item, Scalar)]
    return found
