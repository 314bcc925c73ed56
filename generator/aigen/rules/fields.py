"""All fields of a program, wherever they stand."""

from __future__ import annotations

from collections.abc import Iterator

from aigen.diagnostics import Span
from aigen.ir import (
    Alias,
    Choice,
    Described,
    Enumeration,
    Field,
    Level,
    List,
    Map,
    Module,
    Record,
    Set,
    Tuple,
    Type,
    Union,
)
from aigen.rules.context import Context


def fields(context: Context) -> Iterator[tuple[str, Field]]:
    """Inputs, outputs, parameters and members, each with the name it was written under.

    The members of a function's answer are its outputs, and stand here once.
    """
    for module in context.modules:
        yield from _of_module(module)


def _of_module(module: Module) -> Iterator[tuple[str, Field]]:
    answers = set()
    for function in module.functions:
        answers.add(function.answer.model)
        for field in function.inputs:
            yield field.name, field
        for field in function.outputs:
            yield function.output_name or field.name, field
    for tool in module.tools:
        for field in tool.parameters:
            yield field.name, field
        if tool.returns is not None:
            yield tool.returns.name, tool.returns
    for definition in module.types:
        if isinstance(definition, Record) and definition.name not in answers:
            for field in definition.members:
                yield field.name, field


def choices(context: Context) -> Iterator[tuple[str, tuple[Level, ...], Span]]:
    """Every choice: what it is called, its levels, its place."""
    for definition in context.types:
        if isinstance(definition, Enumeration):
            yield definition.name, definition.levels, definition.span
        elif isinstance(definition, Alias):
            for part in parts(definition.type):
                if isinstance(part, Choice):
                    yield definition.name, part.levels, definition.span
    for name, field in fields(context):
        for part in parts(field.type):
            if isinstance(part, Choice):
                yield name, part.levels, field.span


def parts(kind: Type) -> Iterator[Type]:
    """A type and all types in it, as far as they have no name of their own."""
    yield kind
    match kind:
        case List() | Set():
            yield from parts(kind.item)
        case Map():
            yield from parts(kind.value)
        case Described():
            yield from parts(kind.type)
        case Tuple():
            for item in (*kind.items, *([kind.rest] if kind.rest is not None else [])):
                yield from parts(item)
        case Union():
            for option in kind.options:
                yield from parts(option)
        case _:
            pass
