"""How large a strict schema may be.

The numbers are OpenAI's, the narrowest of the providers':
https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from aigen.runtime.wire.plain import parts

_MOST_PROPERTIES = 5000
_MOST_LEVELS = 1000
_MOST_DEPTH = 10
_MOST_CHARACTERS = 120_000
_MOST_LEVEL_CHARACTERS = 15_000


def over_limits(schema: Mapping[str, Any]) -> Iterator[str]:
    """Which limits of size a strict schema is over."""
    properties = levels = characters = depth = 0
    pending: list[tuple[Any, int]] = [(schema, 0)]
    while pending:
        node, level = pending.pop()
        if not isinstance(node, Mapping):
            continue
        members = node.get("properties", {})
        level += "properties" in node
        depth = max(depth, level)
        properties += len(members)
        values = node.get("enum", ())
        levels += len(values)
        written = sum(len(value) for value in values if isinstance(value, str))
        characters += written + sum(map(len, members)) + sum(map(len, node.get("$defs", ())))
        if len(values) > 250 and written > _MOST_LEVEL_CHARACTERS:
            yield f"a choice has {written} characters, and strict takes {_MOST_LEVEL_CHARACTERS}"
        pending += [(part, 0 if place[0] == "$defs" else level) for place, part in parts(node)]
    for count, most, noun in (
        (properties, _MOST_PROPERTIES, "members"),
        (levels, _MOST_LEVELS, "levels of choices"),
        (depth, _MOST_DEPTH, "records inside one another"),
        (characters, _MOST_CHARACTERS, "characters of names and levels"),
    ):
        if count > most:
            yield f"the schema: it has {count} {noun}, and strict takes {most}"
