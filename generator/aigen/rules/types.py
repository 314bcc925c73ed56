"""Lint of named types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from aigen.diagnostics import Diagnostics, Span
from aigen.ir import Alias, External, Module, Record, Ref, Shape, Type
from aigen.ir.model import TypeDef
from aigen.ir.types import parts

Key: TypeAlias = tuple[str, str]
"""A type by its module and name."""


@dataclass(frozen=True, slots=True)
class Uses:
    """What one module says of the types it uses, for a rule that looks at all modules.

    Attributes:
        asked: types of other modules that its functions and tools take or give.
        spare: its own types that they do not, by name: the place, and the types each is made of.
    """

    asked: tuple[Key, ...] = ()
    spare: Mapping[str, tuple[Span, tuple[Key, ...]]] = field(default_factory=dict)


def uses(module: Module) -> Uses:
    """What a module uses; all that a spec of types alone has is used.

    Such a spec is a library: its types are generated for the project's own code.
    """
    own = {(module.name, definition.name): definition for definition in module.types}
    used = set(_names(everything(own, _asked_for(module))))
    spare = {
        key[1]: (definition.span, _made_of(definition))
        for key, definition in own.items()
        if key not in used and not _is_library(module)
    }
    return Uses(tuple(sorted(used - own.keys())), spare)


def unused(found: Mapping[str, Uses], diagnostics: Diagnostics) -> None:
    """AIG806: a type that no function and no tool takes or gives, in any spec.

    Args:
        found: of every module, by its name.
        diagnostics: takes what is found.
    """
    seen: set[Key] = set()
    pending = [key for each in found.values() for key in each.asked]
    while pending:
        key = pending.pop()
        if key not in seen:
            seen.add(key)
            _, made_of = found[key[0]].spare.get(key[1], (None, ()))
            pending.extend(made_of)
    for module, each in found.items():
        for name, (span, _) in each.spare.items():
            if (module, name) not in seen:
                diagnostics.report(
                    "AIG806",
                    span,
                    f"no function and no tool uses the type {name}",
                    hint="remove it, or move it to a spec of types alone",
                )


def everything(known: Mapping[Key, TypeDef], kinds: Iterable[Type]) -> Iterator[Type]:
    """All types in some types, also those behind names that are known, each name once."""
    seen: set[Key] = set()
    pending = list(kinds)
    while pending:
        for part in parts(pending.pop()):
            yield part
            if isinstance(part, Shape):
                pending.append(part.model)
            elif isinstance(part, Ref) and (part.module, part.name) not in seen:
                key = (part.module, part.name)
                seen.add(key)
                definition = known.get(key)
                pending.extend(_types_of(definition) if definition is not None else ())


def _names(kinds: Iterable[Type]) -> Iterator[Key]:
    return ((kind.module, kind.name) for kind in kinds if isinstance(kind, Ref))


def _made_of(definition: TypeDef) -> tuple[Key, ...]:
    return tuple(dict.fromkeys(_names(everything({}, _types_of(definition)))))


def _is_library(module: Module) -> bool:
    return not module.functions and not module.tools


def _asked_for(module: Module) -> Iterable[Type]:
    if _is_library(module):
        for definition in module.types:
            yield from _types_of(definition)
    for function in module.functions:
        yield function.answer.type
        for each in (*function.inputs, *function.outputs):
            yield each.type
    for tool in module.tools:
        for each in tool.parameters:
            yield each.type
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
