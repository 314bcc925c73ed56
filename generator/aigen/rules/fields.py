"""All fields of a program, wherever they stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from aigen.diagnostics import Span
from aigen.ir import (
    Alias,
    Choice,
    Enumeration,
    Field,
    Level,
    Module,
    Record,
    Type,
    Union,
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


class Chosen(NamedTuple):
    """A choice somewhere in a type.

    Attributes:
        name: of the type or field.
        alone: whether it is no option of a union, which leaves more to choose.
    """

    name: str
    levels: tuple[Level, ...]
    span: Span
    alone: bool = True


def choices(types: Iterable[TypeDef], fields: Iterable[tuple[str, Field]]) -> Iterator[Chosen]:
    """Every choice of some types and fields."""
    for definition in types:
        if isinstance(definition, Enumeration):
            yield Chosen(definition.name, definition.levels, definition.span)
        elif isinstance(definition, Alias):
            yield from _within(definition.type, definition.name, definition.span)
    for name, field in fields:
        yield from _within(field.type, name, field.span)


def _within(kind: Type, name: str, span: Span) -> Iterator[Chosen]:
    inner = parts(kind)
    unions = [part for part in inner if isinstance(part, Union)]
    options = {id(part) for union in unions for each in union.options for part in parts(each)}
    for part in inner:
        if isinstance(part, Choice):
            yield Chosen(name, part.levels, span, id(part) not in options)
