"""How large a schema is, by what providers count."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from aigen.runtime.wire.plain import parts
from aigen.runtime.wire.references import inner_first, name_of, references


@dataclass(frozen=True, slots=True)
class Sizes:
    """What a plain schema holds.

    Attributes:
        members: of all records.
        records: how many stand inside one another at most; references are followed, each once.
        nested: the same of records and lists together.
        levels: of all choices.
        unions: schemas that offer several.
        characters: of members' and definitions' names, and of levels.
        choice: characters of the levels of the largest choice of more than 250.
    """

    members: int
    records: int
    nested: int
    levels: int
    unions: int
    characters: int
    choice: int

    def __str__(self) -> str:
        """As `aigen schema` shows them."""
        counts = (
            (self.members, "members"),
            (self.nested, "records and lists inside one another"),
            (self.levels, "levels of choices"),
            (self.unions, "unions"),
        )
        return ", ".join(f"{name}: {count}" for count, name in counts)


def sizes(schema: Mapping[str, Any]) -> Sizes:
    """The sizes of a plain schema, its definitions among them."""
    members = levels = unions = characters = choice = 0
    for node in _all(schema):
        properties, values = node.get("properties", {}), node.get("enum", ())
        members += len(properties)
        levels += len(values)
        unions += any(word in node for word in ("anyOf", "oneOf")) or isinstance(
            node.get("type"), list
        )
        written = sum(len(value) for value in values if isinstance(value, str))
        characters += written + sum(map(len, properties)) + sum(map(len, node.get("$defs", ())))
        choice = max(choice, written if len(values) > 250 else 0)
    records = _depth(schema, lambda node: "properties" in node)
    nested = _depth(schema, _is_nest)
    return Sizes(members, records, nested, levels, unions, characters, choice)


def _all(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    pending: list[Any] = [schema]
    while pending:
        node = pending.pop()
        if isinstance(node, Mapping):
            yield node
            pending += [part for _, part in parts(node)]


def _is_nest(node: Mapping[str, Any]) -> bool:
    kinds = node.get("type")
    return bool({*(kinds if isinstance(kinds, list) else [kinds])} & {"object", "array"})


def _depth(schema: Mapping[str, Any], counts: Callable[[Mapping[str, Any]], bool]) -> int:
    """How many schemas that count stand inside one another; what contains itself counts once."""
    defs = schema.get("$defs", {})
    known: dict[str, int] = {}

    def of(node: Any) -> int:
        if not isinstance(node, Mapping):
            return 0
        inner = [of(part) for place, part in parts(node) if place[0] != "$defs"]
        return max([known.get(name_of(node), 0), *inner]) + counts(node)

    for name in inner_first(references(schema, defs), lambda name: references(defs[name], defs)):
        known[name] = of(defs[name])
    return of(schema)
