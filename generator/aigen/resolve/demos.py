"""Demos and tests of a function: rows of values, each bound to the field of its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aigen.diagnostics import Span, nearest
from aigen.ir import Field, Test
from aigen.ir.model import Json
from aigen.resolve.binding import FAILED, entries
from aigen.resolve.home import Home
from aigen.spec.nodes import Node, plain_value
from aigen.spec.tree import FunctionSpec


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
        demo = _row(home, node, [*inputs, *outputs], output_name, "demo", "AIG312")
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


def _row(
    home: Home,
    node: Node | None,
    fields: Sequence[Field],
    output_name: str | None,
    what: str,
    code: str,
) -> dict[str, Json]:
    """The values of a mapping, each bound to the field of its name."""
    by_name = {field.name: field for field in fields}
    if output_name is not None and "result" in by_name:
        by_name[output_name] = by_name["result"]
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
        result = home.binding.value(value, field.type, f"{what}'s {name}", code)
        if result is not FAILED:
            bound[field.name] = result
    return bound


def tests(
    home: Home,
    spec: FunctionSpec,
    inputs: Sequence[Field],
    outputs: Sequence[Field],
    output_name: str | None,
) -> tuple[Test, ...]:
    """A function's tests: inputs, and what is expected of the outputs."""
    found = []
    for test in spec.tests:
        given = entries(test.inputs) or {}
        for field in inputs:
            if field.name not in given and not field.optional:
                home.diagnostics.report(
                    "AIG313",
                    test.inputs.span,
                    f"test {test.name.value} has no {field.name}, which the function requires",
                    hint=f"add {field.name}",
                )
        bound = _row(home, test.inputs, inputs, None, "test", "AIG313")
        expect = _row(home, test.expect, outputs, output_name, "expectation", "AIG313")
        check = None
        if test.check and home.callables.check_called(test.check, "a check"):
            check = test.check.value
        found.append(Test(test.name.value, bound, expect, check, test.span))
    return tuple(found)
