"""All fields of a module, wherever they stand."""

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


def fields(module: Module) -> Iterator[tuple[str, Field]]:
    """Inputs, outputs, parameters and members, each with the name it was written under.

    The members of a function's answer are its outputs, and stand here once.
    """
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


def choices(module: Module) -> Iterator[tuple[str, tuple[Level, ...], Span]]:
    """Every choice of a module: what it is called, its levels, its place."""
    for definition in module.types:
        if isinstance(definition, Enumeration):
            yield definition.name, definition.levels, definition.span
        elif isinstance(definition, Alias):
            for choice in _inside(definition.type):
                yield definition.name, choice.levels, definition.span
    for name, field in fields(module):
        for choice in _inside(field.type):
            yield name, choice.levels, field.span


def _inside(kind: Type) -> Iterator[Choice]:
    match kind:
        case Choice():
            yield kind
        case List() | Set():
            yield from _inside(kind.item)
        case Map():
            yield from _inside(kind.value)
        case Described():
            yield from _inside(kind.type)
        case Tuple():
            for item in (*kind.items, *([kind.rest] if kind.rest is not None else [])):
                yield from _inside(item)
        case Union():
            for option in kind.options:
                yield from _inside(option)
        case _:
            pass
