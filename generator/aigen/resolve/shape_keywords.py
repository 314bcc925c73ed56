"""The keywords of JSON Schema, and what their values may be."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from aigen.resolve.words import quoted
from aigen.runtime.wire.plain import BY_NAME, MANY, ONE

Fault: TypeAlias = tuple[str, str | None]

TYPES: Final = ("string", "integer", "number", "boolean", "null", "array", "object")
ELSEWHERE: Final[Mapping[str, str]] = {
    "str": "string",
    "text": "string",
    "int": "integer",
    "long": "integer",
    "float": "number",
    "double": "number",
    "decimal": "number",
    "bool": "boolean",
    "dict": "object",
    "map": "object",
    "record": "object",
    "list": "array",
    "tuple": "array",
    "set": "array",
    "none": "null",
    "nil": "null",
}
_COUNTS: Final = frozenset(
    {
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "minProperties",
        "maxProperties",
        "minContains",
        "maxContains",
    }
)
_NUMBERS: Final = frozenset(
    {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
)
_TEXTS: Final = frozenset(
    {"$ref", "$id", "$anchor", "$schema", "$comment", "title", "description", "pattern", "format"}
)
PAIRS: Final = (
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
    ("minimum", "maximum"),
)
WORDS_ASIDE: Final = frozenset(
    {
        *("type", "enum", "const", "required", "uniqueItems", "dependentRequired", "default"),
        *("examples", "example", "deprecated", "readOnly", "writeOnly", "$dynamicRef", "id"),
        *("$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "$vocabulary", "nullable"),
        *("contentEncoding", "contentMediaType", "contentSchema", "discriminator", "xml"),
        *("externalDocs", "enumNames", "markdownDescription", "defaultSnippets", "order"),
        *("enumDescriptions", "errorMessage", "options", "media", "links", "extends", "defs"),
    }
)
KEYWORDS: Final = _COUNTS | _NUMBERS | _TEXTS | WORDS_ASIDE | ONE | MANY | BY_NAME
UNEVALUATED: Final = frozenset({"unevaluatedProperties", "unevaluatedItems"})
"""Keywords that look at what the keywords beside them have seen."""


def wrong_value(schema: Mapping[str, Any], key: str, value: Any) -> Fault | None:
    """What is wrong with a keyword's value, and what to write instead; None where it is right."""
    judge = _JUDGES.get(key)
    return None if judge is None else judge(schema, key, value)


def _count(schema: Mapping[str, Any], key: str, value: Any) -> Fault | None:
    good = _is_number(value) and value == int(value) and value >= 0
    return None if good else (f"is a whole number from 0 on, not {quoted(value)}", None)


def _number(schema: Mapping[str, Any], key: str, value: Any) -> Fault | None:
    if key.startswith("exclusive") and isinstance(value, bool):
        low = key.replace("exclusiveM", "m")
        return None if low in schema else (f"is true of {low}", f"write {key}: <number>")
    if not _is_number(value):
        return f"is a finite number, not {quoted(value)}", None
    if key == "multipleOf" and value <= 0:
        return f"is a number above 0, not {quoted(value)}", None
    return None


def _text(schema: Mapping[str, Any], key: str, value: Any) -> Fault | None:
    return None if isinstance(value, str) else (f"is a text, not {quoted(value)}", None)


def _by_name(schema: Mapping[str, Any], key: str, value: Any) -> Fault | None:
    return None if isinstance(value, dict) else ("holds schemas by name", None)


def _many(schema: Mapping[str, Any], key: str, value: Any) -> Fault | None:
    good = isinstance(value, list) and (value or key == "prefixItems")
    return None if good else ("is a list of one schema or more", None)


def _required(schema: Mapping[str, Any], key: str, value: Any) -> Fault | None:
    if isinstance(value, bool):
        return "is a list of names beside properties", "list the name where properties stand"
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        return "is a list of names", None
    if len(set(value)) == len(value):
        return None
    twice = next(name for name in value if value.count(name) > 1)
    return f"names {quoted(twice)} twice", "name it once"


def _enum(schema: Mapping[str, Any], key: str, value: Any) -> Fault | None:
    if not isinstance(value, list):
        return f"is a list of values, not {quoted(value)}", None
    return None if value else ("is empty, so no value fits", "list the values")


def _dependent(schema: Mapping[str, Any], key: str, value: Any) -> Fault | None:
    good = isinstance(value, dict) and all(
        isinstance(names, list) and all(isinstance(name, str) for name in names)
        for names in value.values()
    )
    return None if good else ("holds lists of names by name", None)


def _unique(schema: Mapping[str, Any], key: str, value: Any) -> Fault | None:
    return None if isinstance(value, bool) else ("is true or false", None)


_JUDGES: Final[Mapping[str, Callable[[Mapping[str, Any], str, Any], Fault | None]]] = {
    **dict.fromkeys(_COUNTS, _count),
    **dict.fromkeys(_NUMBERS, _number),
    **dict.fromkeys(_TEXTS, _text),
    **dict.fromkeys(BY_NAME, _by_name),
    **dict.fromkeys(MANY, _many),
    "required": _required,
    "enum": _enum,
    "dependentRequired": _dependent,
    "uniqueItems": _unique,
}


def schema_for(value: Any) -> str | None:
    """The schema that a bare type's name was meant to be."""
    if isinstance(value, str):
        name = value if value in TYPES else ELSEWHERE.get(value.lower())
        return f"write {{type: {name}}}" if name else None
    return None


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, int) or math.isfinite(value)
