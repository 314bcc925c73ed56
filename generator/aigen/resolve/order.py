"""The order of a module's types, and types that could never be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from aigen.diagnostics import Diagnostics
from aigen.ir import (
    Alias,
    Described,
    External,
    Field,
    Record,
    Ref,
    Shape,
    Tuple,
    Type,
    TypeDef,
    Union,
)
from aigen.ir.types import parts

Definitions = Mapping[tuple[str, str], TypeDef]


def in_order(module: str, definitions: Iterable[TypeDef]) -> tuple[tuple[TypeDef, ...], bool]:
    """A module's types, each after those it needs; and whether any of them are recursive."""
    by_name = {definition.name: definition for definition in definitions}
    done: dict[str, None] = {}
    active: set[str] = set()
    recursive = False
    for start in by_name:
        if start in done:
            continue
        active.add(start)
        stack = [(start, _local(by_name[start], module, by_name))]
        while stack:
            name, needed = stack[-1]
            target = next(needed, None)
            if target is None:
                stack.pop()
                active.discard(name)
                done.setdefault(name)
            elif target in active:
                recursive = True
            elif target not in done:
                active.add(target)
                stack.append((target, _local(by_name[target], module, by_name)))
    return tuple(by_name[name] for name in done), recursive


def _local(definition: TypeDef, module: str, known: Mapping[str, TypeDef]) -> Iterator[str]:
    types = [member.type for member in _members(definition)]
    if isinstance(definition, Alias):
        types.append(definition.type)
    if isinstance(definition, Record) and definition.additional is not None:
        types.append(definition.additional)
    return iter(
        [
            ref.name
            for kind in types
            for ref in references(kind)
            if ref.module == module and ref.name in known
        ]
    )


def _members(definition: TypeDef) -> tuple[Field, ...]:
    return definition.members if isinstance(definition, Record | External) else ()


def references(kind: Type) -> list[Ref]:
    """The names in a type, those of a `json_shape`'s model too."""
    found: list[Ref] = []
    for part in parts(kind):
        if isinstance(part, Shape):
            found += references(part.model)
        elif isinstance(part, Ref):
            found.append(part)
    return found


def refuse_endless(
    module: str, types: Iterable[TypeDef], definitions: Definitions, diagnostics: Diagnostics
) -> None:
    """Reports types no value can have: a record that requires itself, an alias of itself.

    Of types that need one another the first is reported, as if the others were right.
    """
    own = list(types)
    endless = [definition for definition in own if _only_itself(definition, module, definitions)]
    finite: set[tuple[str, str]] = set()
    while True:
        for definition in endless:
            finite.add((module, definition.name))
            diagnostics.report(
                "AIG216",
                definition.span,
                f"type {definition.name} needs itself and has no end",
                hint="hold it in a list, or let it be null or absent",
            )
        _grow(finite, own, module)
        endless = [each for each in own if (module, each.name) not in finite][:1]
        if not endless:
            return


def _grow(finite: set[tuple[str, str]], own: Sequence[TypeDef], module: str) -> None:
    """Adds what needs only what is there."""
    growing = True
    while growing:
        growing = False
        for definition in own:
            key = (module, definition.name)
            if key not in finite and _finite(definition, module, finite):
                finite.add(key)
                growing = True


def _finite(definition: TypeDef, module: str, finite: set[tuple[str, str]]) -> bool:
    def possible(kind: Type) -> bool:
        match kind:
            case Ref():
                return kind.module != module or (kind.module, kind.name) in finite
            case Union():
                return any(map(possible, kind.options))
            case Tuple():
                return all(map(possible, kind.items))
            case Described():
                return possible(kind.type)
            case _:
                return True

    match definition:
        case Record() | External():
            return all(member.optional or possible(member.type) for member in definition.members)
        case Alias():
            return possible(definition.type)
        case _:
            return True


def _only_itself(definition: TypeDef, module: str, definitions: Definitions) -> bool:
    """Whether an alias comes back to itself with no list, map or record between."""
    if not isinstance(definition, Alias):
        return False
    seen: set[str] = set()
    pending: list[Type] = [definition.type]
    while pending:
        kind = pending.pop()
        match kind:
            case Ref() if kind.module == module and kind.name == definition.name:
                return True
            case Ref() if kind.name not in seen:
                seen.add(kind.name)
                target = definitions.get((kind.module, kind.name))
                if isinstance(target, Alias):
                    pending.append(target.type)
            case Union():
                pending.extend(kind.options)
            case Described():
                pending.append(kind.type)
            case _:
                pass
    return False
