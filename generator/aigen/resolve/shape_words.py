"""Parts of a JSON Schema that say a type by themselves, and the names that schemas give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal
from urllib.parse import quote, unquote

from aigen.ir import Choice, Formatted, Integer, JsonAny, Level, Number, Text, Type
from aigen.resolve.names import camel

ANY: Final = JsonAny()
WORDS: Final = frozenset(
    {
        *("title", "description", "default", "examples", "example", "deprecated", "$comment"),
        *("readOnly", "writeOnly", "$schema", "$id", "id", "$anchor", "$defs", "definitions"),
        *("$dynamicAnchor", "$recursiveAnchor", "$vocabulary", "contentEncoding"),
        *("contentMediaType", "contentSchema", "discriminator", "nullable", "xml", "externalDocs"),
    }
)
_OF_TEXT: Final = ("minLength", "maxLength", "pattern", "format")
_OF_NUMBERS: Final = (
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format"),
)
_OF_ARRAYS: Final = ("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains")
_OF_ARRAYS_MORE: Final = ("minContains", "maxContains", "additionalItems", "unevaluatedItems")
OF_OBJECTS: Final = (
    *("properties", "required", "additionalProperties", "patternProperties", "propertyNames"),
    *("minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "dependencies"),
    "unevaluatedProperties",
)
BY_TYPE: Final[Mapping[str, tuple[str, ...]]] = {
    "string": _OF_TEXT,
    "integer": _OF_NUMBERS,
    "number": _OF_NUMBERS,
    "array": (*_OF_ARRAYS, *_OF_ARRAYS_MORE),
    "object": OF_OBJECTS,
}
TYPED: Final = frozenset(key for keys in BY_TYPE.values() for key in keys)
_FORMATTED: Final[Mapping[str, Literal["date", "datetime", "time", "UUID"]]] = {
    "date": "date",
    "date-time": "datetime",
    "time": "time",
    "uuid": "UUID",
}
JUDGING: Final = frozenset(
    {
        *("type", "enum", "const", "allOf", "anyOf", "oneOf", "not", "if", "$ref", "$dynamicRef"),
        "$recursiveRef",
    }
    | TYPED
) - {"minContains", "maxContains", "additionalItems"}

APPLYING: Final = frozenset({"$ref", "allOf", "enum", "const", "anyOf", "oneOf"})
"""Keywords that say the type before `type` does."""
NOT_OF: Final[Mapping[str, frozenset[str]]] = {
    kind: JUDGING - WORDS - {"type", *BY_TYPE.get(kind, ())}
    for kind in (*BY_TYPE, "boolean", "null")
}
"""Keywords that judge, and that types of a kind do not say."""


def belongs(key: str, kind: str) -> bool:
    """Whether a keyword says something of values of a type."""
    return key not in ("type", "title") and (key not in TYPED or key in BY_TYPE.get(kind, ()))


def is_level(option: Any) -> bool:
    """Whether a schema is one text, integer or truth value, with words at most."""
    return (
        isinstance(option, dict)
        and isinstance(option.get("const"), str | int | bool)
        and not (option.keys() - WORDS - {"const", "type"})
        and ("type" not in option or _kind_of(option["const"]) == option["type"])
    )


def _kind_of(value: str | int | bool) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "string" if isinstance(value, str) else "integer"


def whole(value: Any) -> Any:
    """A whole float as the integer it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def text_of(schema: Any, key: str) -> str | None:
    """The text of a keyword, where it has one."""
    found = schema.get(key) if isinstance(schema, dict) else None
    return found if isinstance(found, str) and found else None


def title_name(schema: Any) -> str | None:
    """The class name that a title gives, where it is a name more than a sentence."""
    if not isinstance(schema, dict) or "title" not in schema or "$ref" in schema:
        return None
    title = text_of(schema, "title")
    if title is None or len(title) > 60:
        return None
    name = camel(title)
    return name if name != "Type" else None


def decoded(ref: str) -> str:
    """A pointer without its escapes."""
    return unquote(ref).replace("~1", "/").replace("~0", "~")


def encoded(name: str) -> str:
    """A name as a step of a pointer."""
    return quote(name.replace("~", "~0").replace("/", "~1"), safe="~")


def text_type(schema: Mapping[str, Any]) -> tuple[Type, bool]:
    """The type of a `string`, and whether it says all that the schema does."""
    form = schema.get("format")
    least, most = whole(schema.get("minLength")), whole(schema.get("maxLength"))
    pattern = schema.get("pattern")
    if isinstance(form, str) and form in _FORMATTED:
        return Formatted(_FORMATTED[form]), pattern is None and not least and most is None
    form = form if form in ("uri", "email") else None
    return Text(least or None, most, pattern, form), True


def number_type(schema: Mapping[str, Any], kind: str) -> Type:
    """The type of an `integer` or `number`."""
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if isinstance(above, bool):  # draft 4
        low, above = (None, low) if above else (low, None)
    if isinstance(below, bool):
        high, below = (None, high) if below else (high, None)
    made = Integer if kind == "integer" else Number
    return made(low, above, high, below, schema.get("multipleOf"))


def titled_choice(options: list[Any]) -> Type:
    """A choice written as one `const` an option, with words."""
    found = []
    for option in options:
        words = option.get("description") or option.get("title")
        found.append(Level(whole(option["const"]), words if isinstance(words, str) else None))
    unique = {(type(level.value), level.value): level for level in found}
    return Choice(tuple(unique.values()))
