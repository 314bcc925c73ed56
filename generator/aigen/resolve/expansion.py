"""How large a named type is where its names are followed, as annotations and partials do.

An alias of aliases of aliases may double with every name, so that a few lines of a spec stand for
more than any reader, type checker or machine can take.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from aigen.diagnostics import Diagnostics
from aigen.ir import Alias, Ref, Shape, Type, TypeDef
from aigen.ir.types import inside
from aigen.resolve.order import references
from aigen.resolve.words import BROKEN

LARGEST: Final = 2_000
"""Types that one name may stand for; records and enums end what is followed."""
DEEPEST: Final = 80
"""Types inside one another; Python parses no more than 200 brackets."""

Key = tuple[str, str]
Extent = tuple[int, int]
_ONE: Final = (1, 1)


def refuse_large(definitions: dict[Key, TypeDef], diagnostics: Diagnostics) -> None:
    """Reports each alias that is the first to grow too large, and puts a broken one in its place.

    Those that need it grow with it: they are broken too, and one fault is one message.
    """
    extents: dict[Key, Extent] = {}
    broken: set[Key] = set()
    for key in _after_their_needs(definitions):
        definition = definitions[key]
        if not isinstance(definition, Alias):
            continue
        if not broken.isdisjoint(_needed(key, definitions)):
            broken.add(key)
            definitions[key] = replace(definition, type=BROKEN)
            continue
        size, depth = _extent(definition.type, extents)
        if size > LARGEST or depth > DEEPEST:
            much = (
                f"more than {LARGEST} types"
                if size > LARGEST
                else f"types more than {DEEPEST} deep in one another"
            )
            diagnostics.report(
                "AIG224",
                definition.span,
                f"type {definition.name} stands for {much}, where names are followed",
                hint="make one of the types that it is made of a record",
            )
            broken.add(key)
            definitions[key] = replace(definition, type=BROKEN)
        extents[key] = size, depth


def _after_their_needs(definitions: dict[Key, TypeDef]) -> Iterator[Key]:
    """Every name after those it is made of; one that is made of itself after all others."""
    seen: set[Key] = set()
    for start in definitions:
        stack = [(start, iter(_needed(start, definitions)))] if start not in seen else []
        seen.add(start)
        while stack:
            key, needed = stack[-1]
            following = next((each for each in needed if each not in seen), None)
            if following is None:
                stack.pop()
                yield key
            else:
                seen.add(following)
                stack.append((following, iter(_needed(following, definitions))))


def _needed(key: Key, definitions: dict[Key, TypeDef]) -> list[Key]:
    definition = definitions[key]
    if not isinstance(definition, Alias):
        return []
    found = [(ref.module, ref.name) for ref in references(definition.type)]
    return [each for each in found if each in definitions]


def _extent(kind: Type, known: dict[Key, Extent]) -> Extent:
    """How many types, and how many inside one another."""
    if isinstance(kind, Ref):
        size, depth = known.get((kind.module, kind.name), _ONE)
        return size, depth + 1
    inner = (kind.model,) if isinstance(kind, Shape) else inside(kind)
    parts = [_extent(each, known) for each in inner]
    return 1 + sum(size for size, _ in parts), 1 + max((depth for _, depth in parts), default=0)
