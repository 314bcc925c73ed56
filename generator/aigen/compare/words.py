"""Values and types as messages name them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

_LONGEST: Final = 60

_TYPES: Final = {
    "string": "text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
    "array": "a list",
    "object": "an object",
}
_FORMATS: Final = {
    "date": "a date",
    "date-time": "a date and time",
    "time": "a time",
    "duration": "a duration",
    "decimal": "a decimal",
    "uuid": "a UUID",
}


_encode = json.JSONEncoder(ensure_ascii=False).encode


def quoted(value: Any) -> str:
    """A value as JSON, on one line."""
    return _encode(value)


def cut(text: str) -> str:
    """A text that fits in a message."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def listed(values: Iterable[Any]) -> str:
    """Values with commas between."""
    return cut(", ".join(quoted(value) for value in values))


def type_name(schema: Any) -> str:
    """A type in words."""
    if not isinstance(schema, Mapping):
        return "nothing"
    if "x-aigen-media" in schema:
        return f"media ({schema['x-aigen-media']})"
    if "enum" in schema:
        return f"one of {listed(schema['enum'])}"
    kind, form = schema.get("type"), schema.get("format")
    if kind == "string" and form in _FORMATS:
        return _FORMATS[form]
    if kind == "array" and schema.get("uniqueItems"):
        return "a set"
    if isinstance(kind, str):
        return _TYPES.get(kind, kind)
    return cut(quoted(kind)) if kind else "any JSON"
