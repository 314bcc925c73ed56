"""Records that no value ends: each needs another of its kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aigen.ir import Alias, JsonAny, Record, Ref, Tuple, Type, TypeDef, Union


def without_endless(
    definitions: tuple[TypeDef, ...],
) -> tuple[tuple[TypeDef, ...], tuple[Record, ...]]:
    """The definitions with the members that never end as any JSON, and the records they are in."""
    finite = _all_finite(definitions)
    endless = tuple(
        each for each in definitions if isinstance(each, Record) and each.name not in finite
    )
    opened = {record.name: _opened(record, finite) for record in endless}
    return tuple(opened.get(each.name, each) for each in definitions), endless


def _all_finite(definitions: Sequence[TypeDef]) -> set[str]:
    finite: set[str] = set()
    left = list(definitions)
    while True:
        tried, left = left[::-1], []  # what others need mostly stands behind them
        for each in tried:
            if _finite(each, finite):
                finite.add(each.name)
            else:
                left.append(each)
        if len(left) == len(tried):
            return finite


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
