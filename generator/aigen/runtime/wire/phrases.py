"""What keywords of a schema say, in words for a model."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

PHRASES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "minLength": "at least {} characters",
        "maxLength": "at most {} characters",
        "pattern": "matches the pattern {}",
        "format": "in the format {}",
        "minimum": "at least {}",
        "exclusiveMinimum": "more than {}",
        "maximum": "at most {}",
        "exclusiveMaximum": "less than {}",
        "multipleOf": "a multiple of {}",
        "minItems": "at least {} items",
        "maxItems": "at most {} items",
        "uniqueItems": "the items are all different",
        "minProperties": "at least {} members",
        "maxProperties": "at most {} members",
        "default": "default: {}",
        "examples": "examples: {}",
        "deprecated": "deprecated",
    }
)


FORMATS: Final[Mapping[str, str]] = MappingProxyType(
    {"decimal": "a decimal number as text, such as 12.50", "uri": "a URL"}
)
"""Formats that a model may not know by their name."""


def phrase(key: str, value: Any) -> str:
    """What a keyword says with a value, in words."""
    if key == "format" and value in FORMATS:
        return FORMATS[value]
    shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return PHRASES[key].format(shown)


def phrases(schema: Mapping[str, Any], keywords: Iterable[str]) -> list[str]:
    """What those keywords say that a schema has."""
    return [phrase(key, schema[key]) for key in keywords if key in schema]
