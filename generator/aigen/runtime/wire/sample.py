"""The sample model: a valid value for every request, with no key and no network."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.values import fits
from aigen.runtime.wire.messages import Reply, Request, Usage
from aigen.runtime.wire.patterns import matching

_FORMATS = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
    "time": "12:00:00",
    "duration": "PT1H",
    "decimal": "1.50",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "uri": "https://example.com/",
    "email": "someone@example.com",
}
_DEEPEST = 8
"""Levels to which what may be absent or empty is filled, so that recursive types end."""


def sample_reply(request: Request, schema: Mapping[str, Any] | None) -> Reply:
    """A reply that fits the request.

    Args:
        request: what would be sent.
        schema: of the reply's object; None where the whole reply is text.

    Raises:
        ConfigurationError: no value of the schema is found.
    """
    text = "A sample answer." if schema is None else json.dumps(sample(schema), ensure_ascii=False)
    return Reply(text, model="sample", usage=Usage(0, 0))


def sample(schema: Mapping[str, Any]) -> Any:
    """A value that fits a schema.

    Raises:
        ConfigurationError: none is found, as for a pattern that the samples do not match.
    """
    value = _value(schema, schema.get("$defs", {}), 0)
    misfit = fits(value, schema, schema.get("$defs", {}))
    if misfit is not None:
        raise ConfigurationError(
            f"the sample model finds no value for {'.'.join(map(str, misfit.path))}: "
            f"it should be {misfit.expected}",
            code="sample",
        )
    return value


def _value(schema: Any, defs: Mapping[str, Any], depth: int) -> Any:
    if not isinstance(schema, Mapping) or not schema:
        return "sample"
    for known in ("const", "default"):
        if known in schema and (known == "const" or "enum" in schema):
            return schema[known]
    if schema.get("examples"):
        return schema["examples"][0]
    if "enum" in schema:
        return schema["enum"][0]
    if "$ref" in schema:
        return _value(defs.get(str(schema["$ref"]).rpartition("/")[2]), defs, depth + 1)
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        # Deep inside a recursive type the option that ends it is the one to take.
        return min(
            (_value(option, defs, depth + 1) for option in _ordered(options, depth)), key=_rank
        )
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    match kind:
        case "object":
            return _object(schema, defs, depth)
        case "array":
            return _array(schema, defs, depth)
        case "string":
            return _text(schema)
        case "integer" | "number":
            return _number(schema, kind)
        case "boolean":
            return True
        case "null":
            return None
    return _object(schema, defs, depth) if "properties" in schema else "sample"


def _ordered(options: list[Any], depth: int) -> list[Any]:
    if depth < _DEEPEST:
        return options[:1] if options[0] != {"type": "null"} else options[1:2] or options
    plain = [one for one in options if isinstance(one, Mapping) and one.get("type") == "null"]
    return plain or options[-1:]


def _rank(value: Any) -> bool:
    return value is None


def _object(schema: Mapping[str, Any], defs: Mapping[str, Any], depth: int) -> dict[str, Any]:
    required = schema.get("required", ())
    properties = schema.get("properties", {})
    found = {
        name: _value(inner, defs, depth + 1)
        for name, inner in properties.items()
        if name in required or depth < _DEEPEST
    }
    more = schema.get("additionalProperties")
    for number in range(len(found), schema.get("minProperties", 0)):
        found[f"key_{number}"] = _value(more, defs, depth + 1)
    if isinstance(more, Mapping) and not found and depth < _DEEPEST:
        found["key"] = _value(more, defs, depth + 1)
    return found


def _array(schema: Mapping[str, Any], defs: Mapping[str, Any], depth: int) -> list[Any]:
    first = [_value(item, defs, depth + 1) for item in schema.get("prefixItems", ())]
    least = schema.get("minItems", 0)
    wanted = max(least, 1 if depth < _DEEPEST and schema.get("maxItems") != 0 else 0)
    items = schema.get("items")
    while len(first) < wanted and items is not False:
        one = _value(items, defs, depth + 1)
        first.append(_other(one, len(first)) if schema.get("uniqueItems") and first else one)
    return first


def _other(value: Any, number: int) -> Any:
    """A value like this one that is not it, for a set."""
    if isinstance(value, str):
        return f"{value} {number}"
    return value + number if isinstance(value, (int, float)) else value


def _text(schema: Mapping[str, Any]) -> str:
    if schema.get("format") in _FORMATS:
        return _FORMATS[str(schema["format"])]
    least, most = schema.get("minLength", 0), schema.get("maxLength", 1 << 30)
    text = "sample"
    if "pattern" in schema:
        text = matching(str(schema["pattern"]))
    return str((text + "." * max(0, least - len(text)))[:most])


def _number(schema: Mapping[str, Any], kind: str) -> int | float:
    """The first of a few candidates that the limits allow, in steps of `multipleOf`."""
    step = schema.get("multipleOf") or (1 if kind == "integer" else 0.5)
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    start = low if low is not None else (high if high is not None and high < 1 else 1)
    down = low is None and high is not None
    first = (start // step) * step
    candidates = [first + (-step if down else step) * number for number in range(4)]
    between = [(low + high) / 2] if low is not None and high is not None else []
    for one in (1, start, *candidates, *between):
        value = int(one) if kind == "integer" and one == int(one) else one
        if fits(value, {**schema, "type": kind}) is None:
            return value
    return 1
