"""What keywords of a schema say, in words for a model."""

from __future__ import annotations

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


def phrases(schema: Mapping[str, Any], keywords: Iterable[str]) -> list[str]:
    """What those keywords say that a schema has."""
    return [PHRASES[key].format(schema[key]) for key in keywords if key in schema]
