"""Tools: their names, parameters, and every key of the format's table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from aigen.diagnostics import Span
from aigen.ir import Field, Shape, Tool
from aigen.resolve.home import Home
from aigen.resolve.names import camel, class_key, value_key
from aigen.resolve.python_signature import Signature
from aigen.resolve.tool_docs import laid_under
from aigen.resolve.tool_options import parameters_written, read_options
from aigen.resolve.tool_source import Parameter, injected, parameters_of, source_of
from aigen.resolve.words import TEXT, quoted
from aigen.spec import tree
from aigen.spec.nodes import Mapping, plain_value
from aigen.spec.tree import ShapeOf, Text, ToolSpec

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_WAYS: Final = ("python", "execute", "mcp", "http")


@dataclass(frozen=True, slots=True)
class Draft:
    """A tool whose types are known and whose values are not bound yet."""

    spec: ToolSpec
    parameters: tuple[Parameter, ...]
    returns: Field | None
    source: Signature | None = None


def declare(home: Home, specs: Sequence[ToolSpec]) -> None:
    """Takes the tools' names, in Python and before the model."""
    called: dict[str, Span] = {}
    for spec in specs:
        home.declared.add(value_key(spec.key.value), spec.key.span, f"tool {spec.key.value}")
        home.declared.add(
            class_key(f"{camel(spec.key.value)}Input"),
            spec.key.span,
            f"the input of tool {spec.key.value}",
        )
        name, span = _called(spec)
        if not _NAME.fullmatch(name):
            home.diagnostics.report(
                "AIG401",
                span,
                f"{quoted(name)} is no tool's name: 1 to 64 of a-z A-Z 0-9 _ -",
                hint=f"write {proposed}" if (proposed := _proposed(name)) else None,
            )
        elif called.setdefault(name, span) is not span:
            home.diagnostics.report(
                "AIG403",
                span,
                f"two tools are called {name}",
                hint="give one of them another `name:`",
                related=[(called[name], "the first is here")],
            )


def _called(spec: ToolSpec) -> Text:
    """What the model calls it."""
    return spec.name or spec.docs.name or spec.key


def _proposed(name: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_-]+", "_", name).strip("_")[:64]


def draft(home: Home, spec: ToolSpec) -> Draft:
    """Resolves a tool's parameters and result; types written in place become the module's."""
    owner = camel(spec.key.value)
    written = parameters_written(spec) or ()
    source = source_of(home, spec, written)
    typed = {field.name: field.type for field in source.parameters} if source is not None else {}
    parameters = []
    for field in laid_under(home, spec, written, source, injected(spec)):
        if field.checks:
            home.diagnostics.report(
                "AIG316",
                field.checks[0].span,
                f"check stands on an output or a function, and {field.name.value} is a parameter",
                hint="let the implementation refuse the value",
            )
        unsaid = typed.get(field.name.value, TEXT)
        parameters.append((home.types.draft(field, owner, unsaid), field))
    returns = _returns(home, spec, source)
    found = parameters_of(home, spec, parameters, source)
    return Draft(spec, found, returns, source)


def _returns(home: Home, spec: ToolSpec, source: Signature | None) -> Field | None:
    """What a tool returns: as the spec says, else as its source does."""
    field, words = spec.returns, spec.docs.returns
    if field is None:
        found = source.returns if source is not None else None
        return replace(found, description=words.value) if found and words else found
    if words is not None and field.description is None:
        field = replace(field, description=words)
    field = replace(field, name=Text("result", field.name.span))
    if field.default is not None or field.required is not None:
        place = field.default.span if field.default is not None else field.span
        home.diagnostics.report("AIG305", place, "a result has no default and is always required")
    return replace(home.types.draft(field, camel(spec.key.value)), optional=False)


def finish(home: Home, made: Draft) -> Tool:
    """Binds a tool's values and checks its options."""
    spec = made.spec
    parameters = tuple(
        [
            field if written is None else home.binding.field(field, written)
            for field, written in made.parameters
        ]
    )
    _check_ways(home, spec)
    call = spec.parameters if isinstance(spec.parameters, tree.Call) else None
    if call is not None:
        home.callables.check(call.target)
    hidden = set(injected(spec))  # the caller's context gives them, so they are no arguments
    return Tool(
        key=spec.key.value,
        name=_called(spec).value,
        span=spec.span,
        description=_description(made),
        python=_target(home, spec.python),
        execute=_target(home, spec.execute),
        parameters=tuple(field for field in parameters if field.name not in hidden),
        shape=_shape(home, spec),
        parameters_call=call.target.value if call is not None else None,
        returns=made.returns,
        passing={} if made.source is None else made.source.passing,
        context=() if made.source is None else made.source.context,
        bound=made.source is not None and made.source.bound,
        options=read_options(home, spec, parameters, made.source),
    )


def _target(home: Home, text: Text | None) -> str | None:
    return text.value if text is not None and home.callables.check(text) else None


def _description(made: Draft) -> str | None:
    said = made.spec.description or made.spec.docs.description
    source = made.source.description if made.source is not None else None
    return said.value if said is not None else source


def _check_ways(home: Home, spec: ToolSpec) -> None:
    ways: list[tuple[str, Span]] = [
        (name, place)
        for name in _WAYS
        if (
            place := getattr(spec, name).span
            if name in ("python", "execute") and getattr(spec, name) is not None
            else spec.options[name].span
            if name in spec.options
            else None
        )
    ]
    if len(ways) > 1:
        home.diagnostics.report(
            "AIG402",
            ways[1][1],
            f"{spec.key.value} is implemented by {ways[0][0]} and by {ways[1][0]}",
            hint="write one of them",
            related=[(ways[0][1], f"{ways[0][0]} is here")],
        )


def _shape(home: Home, spec: ToolSpec) -> str | None:
    if not isinstance(spec.parameters, ShapeOf):
        return None
    schema = spec.parameters.schema
    said = schema.entries.get("type") if isinstance(schema, Mapping) else None
    if said is not None and plain_value(said.value) != "object":
        home.diagnostics.report(
            "AIG404",
            spec.parameters.span,
            "a tool's parameters are an object",
            hint="write type: object and properties",
        )
        return None
    from aigen.resolve.json_shape import read_shape

    name = f"{camel(spec.key.value)}Input"
    kind, _ = read_shape(schema, name, home.module, home.diagnostics)
    return kind.schema if isinstance(kind, Shape) else None
