"""Lint of named types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from aigen.diagnostics import Diagnostics
from aigen.ir import Alias, External, Record, Ref, Shape, Type
from aigen.ir.model import TypeDef
from aigen.rules.context import Context
from aigen.rules.fields import parts


def unused(context: Context, diagnostics: Diagnostics) -> None:
    """AIG806: a type that no function and no tool takes or gives, in any spec.

    A spec of types alone is a library: its types are generated for the project's own code.
    """
    used = _used(context)
    for module in context.modules:
        if not module.functions and not module.tools:
            continue
        for definition in module.types:
            if (module.name, definition.name) not in used:
                diagnostics.report(
                    "AIG806",
                    definition.span,
                    f"no function and no tool uses the type {definition.name}",
                    hint="remove it, or move it to a spec of types alone",
                )


def _used(context: Context) -> set[tuple[str, str]]:
    """Module and name of every type that can be reached from a function or a tool."""
    used: set[tuple[str, str]] = set()
    pending = list(_named(_asked_for(context)))
    while pending:
        ref = pending.pop()
        key = (ref.module, ref.name)
        definition = context.program.definitions.get(key)
        if key not in used and definition is not None:
            used.add(key)
            pending.extend(_named(_types_of(definition)))
    return used


def _asked_for(context: Context) -> Iterator[Type]:
    for function in context.functions:
        yield function.answer.type
        for field in (*function.inputs, *function.outputs):
            yield field.type
    for tool in context.tools:
        for field in tool.parameters:
            yield field.type
        if tool.returns is not None:
            yield tool.returns.type


def _types_of(definition: TypeDef) -> Iterator[Type]:
    match definition:
        case Alias():
            yield definition.type
        case Record() | External():
            for member in definition.members:
                yield member.type
            if isinstance(definition, Record) and definition.additional is not None:
                yield definition.additional


def _named(kinds: Iterable[Type]) -> Iterator[Ref]:
    for kind in kinds:
        for part in parts(kind):
            if isinstance(part, Ref):
                yield part
            elif isinstance(part, Shape):
                yield from _named([part.model])
