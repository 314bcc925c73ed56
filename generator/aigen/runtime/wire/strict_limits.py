"""How large a strict schema may be: the limits of structured outputs.

https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aigen.runtime.wire.sizes import sizes

_MOST_PROPERTIES = 5000
_MOST_LEVELS = 1000
_MOST_DEPTH = 10
_MOST_CHARACTERS = 120_000
_MOST_LEVEL_CHARACTERS = 15_000


def over_limits(schema: dict[str, Any]) -> Iterator[str]:
    """Which limits of size a strict schema is over."""
    found = sizes(schema)
    if found.choice > _MOST_LEVEL_CHARACTERS:
        yield f"a choice has {found.choice} characters, and strict takes {_MOST_LEVEL_CHARACTERS}"
    for count, most, noun in (
        (found.members, _MOST_PROPERTIES, "members"),
        (found.levels, _MOST_LEVELS, "levels of choices"),
        (found.records, _MOST_DEPTH, "records inside one another"),
        (found.characters, _MOST_CHARACTERS, "characters of names and levels"),
    ):
        if count > most:
            yield f"the schema: it has {count} {noun}, and strict takes {most}"
