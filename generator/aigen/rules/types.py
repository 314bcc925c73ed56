"""Lint of named types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from aigen.diagnostics import Diagnostics
from aigen.ir import Alias, External, Module, Record, Ref, Shape, Type
from aigen.ir.model import TypeDef
from aigen.rules.context import Context
from aigen.rules.fields import parts


def unused(context: Context, diagnostics: Diagnostics) -> None:
    """AIG806: a type that no function and no tool takes or gives, in any spec.

    A spec of types alone is a library: its types are generated for the project's own code.
    """
    reached = everything(context, _asked_for(context))
    used = {(part.module, part.name) for part in reached if isinstance(part, Ref)}
    for module in context.modules:
        if _is_library(module):
            continue
        for definition in module.types:
            if (module.name, definition.name) not in used:
                diagnostics.report(
                    "AIG806",
                    definition.span,
                    f"no function and no tool uses the type {definition.name}",
                    hint="remove it, or move it to a spec of types alone",
                )


def everything(context: Context, kinds: Iterable[Type]) -> Iterator[Type]:
    """All types in some types, also those behind names, each name once."""
    seen: set[tuple[str, str]] = set()
    pending = list(kinds)
    while pending:
        for part in parts(pending.pop()):
            yield part
            if isinstance(part, Shape):
                pending.append(part.model)
            elif isinstance(part, Ref) and (part.module, part.name) not in seen:
                key = (part.module, part.name)
                seen.add(key)
                definition = context.program.definitions.get(key)
                pending.extend(_types_of(definition) if definition is not None else ())


def _is_library(module: Module) -> bool:
    return not module.functions and not module.tools


def _asked_for(context: Context) -> Iterator[Type]:
    for module in filter(_is_library, context.modules):
        for definition in module.types:
            yield from _types_of(definition)
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
