"""Records that no value ends: each needs another of its kind."""

from __future__ import annotations

from dataclasses import replace

from aigen.ir import Alias, JsonAny, Record, Ref, Tuple, Type, TypeDef, Union


def without_endless(
    definitions: tuple[TypeDef, ...],
) -> tuple[tuple[TypeDef, ...], tuple[Record, ...]]:
    """The definitions with the members that never end as any JSON, and the records they are in."""
    finite: set[str] = set()
    growing = True
    while growing:
        found = {each.name for each in definitions if _finite(each, finite)}
        growing, finite = found != finite, found
    endless = tuple(
        each for each in definitions if isinstance(each, Record) and each.name not in finite
    )
    opened = {record.name: _opened(record, finite) for record in endless}
    return tuple(opened.get(each.name, each) for each in definitions), endless


def _opened(record: Record, finite: set[str]) -> Record:
    members = tuple(
        member if member.optional or _ends(member.type, finite) else replace(member, type=JsonAny())
        for member in record.members
    )
    return replace(record, members=members)


def _finite(definition: TypeDef, finite: set[str]) -> bool:
    match definition:
        case Record():
            return all(
                member.optional or _ends(member.type, finite) for member in definition.members
            )
        case Alias():
            return _ends(definition.type, finite)
        case _:
            return True


def _ends(kind: Type, finite: set[str]) -> bool:
    match kind:
        case Ref():
            return kind.name in finite
        case Union():
            return any(_ends(option, finite) for option in kind.options)
        case Tuple():
            return all(_ends(item, finite) for item in kind.items)
        case _:
            return True
