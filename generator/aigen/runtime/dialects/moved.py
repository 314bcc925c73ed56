"""Keywords that a provider refuses or ignores, said in the description instead."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from aigen.runtime.wire.phrases import PHRASES, phrase
from aigen.runtime.wire.plain import BY_NAME, MANY, ONE

Takes: TypeAlias = Callable[[str, Any, Mapping[str, Any]], bool]


def moved(schema: Any, takes: Takes) -> Any:
    """A plain schema without what a provider does not take.

    Args:
        schema: plain.
        takes: whether the provider takes a keyword of `PHRASES`, with a value, in a schema.
    """
    if not isinstance(schema, Mapping):
        return schema
    made: dict[str, Any] = {}
    notes: list[str] = []
    for key, value in schema.items():
        if key in PHRASES and not takes(key, value, schema):
            if value is not False:
                notes.append(phrase(key, value))
        elif key in BY_NAME and isinstance(value, Mapping):
            made[key] = {name: moved(part, takes) for name, part in value.items()}
        elif key in MANY and isinstance(value, list):
            made[key] = [moved(part, takes) for part in value]
        elif key in ONE:
            made[key] = moved(value, takes)
        else:
            made[key] = value
    if notes:
        words = [made["description"]] if made.get("description") else []
        made["description"] = "\n".join([*words, ", ".join(notes)])
    return made
