"""All fields of a program, wherever they stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from aigen.diagnostics import Span
from aigen.ir import (
    Alias,
    Choice,
    Enumeration,
    Field,
    Level,
    Module,
    Record,
)
from aigen.ir.model import TypeDef
from aigen.ir.types import parts


def fields(modules: Iterable[Module]) -> Iterator[tuple[str, Field]]:
    """Inputs, outputs, parameters and members, each with the name it was written under.

    The members of a function's answer are its outputs, and stand here once.
    """
    for module in modules:
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


def choices(
    types: Iterable[TypeDef], fields: Iterable[tuple[str, Field]]
) -> Iterator[tuple[str, tuple[Level, ...], Span]]:
    """Every choice of some types and fields: what it is called, its levels, its place."""
    for definition in types:
        if isinstance(definition, Enumeration):
            yield definition.name, definition.levels, definition.span
        elif isinstance(definition, Alias):
            for part in parts(definition.type):
                if isinstance(part, Choice):
                    yield definition.name, part.levels, definition.span
    for name, field in fields:
        for part in parts(field.type):
            if isinstance(part, Choice):
                yield name, part.levels, field.span
