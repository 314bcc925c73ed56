"""The sample model: a valid value for every request, with no key and no network."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.values import Misfit, fits
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
_MOST = 2000
"""Values after which only what must be there is filled, so that wide types end."""


def sample_reply(request: Request, schema: Mapping[str, Any] | None) -> Reply:
    """A reply that fits the request.

    Args:
        request: what would be sent.
        schema: of the reply's object; None where the whole reply is text.

    Raises:
        ConfigurationError: no value of the schema is found.
    """
    from aigen.runtime.wire.adapters.ways import as_reply

    values = {"result": "A sample answer."} if schema is None else sample(schema)
    return as_reply(request, values)._replace(model="sample", usage=Usage(0, 0))


def sample(schema: Mapping[str, Any]) -> Any:
    """A value that fits a schema: with everything that may be absent, else with what must be there.

    Raises:
        ConfigurationError: none is found, as for a pattern that the samples do not match.
    """
    defs = schema.get("$defs") or {}
    first: Misfit | None = None
    for minimal in (False, True):
        value = _Sampler(defs).value(schema, minimal)
        misfit = fits(value, schema, defs or None)
        if misfit is None:
            return value
        first = first or misfit
    assert first is not None
    raise ConfigurationError(
        f"the sample model finds no value for {'.'.join(map(str, first.path)) or 'the reply'}: "
        f"it should be {first.expected}",
        code="sample",
    )


class _Sampler:
    """Makes one value.

    Args:
        defs: what references mean.
    """

    def __init__(self, defs: Mapping[str, Any]) -> None:
        self.defs = defs
        self.open: list[str] = []
        self.made = 0
        self.heights: dict[str, float] | None = None

    def value(self, schema: Any, minimal: bool) -> Any:
        """A value of a schema; `minimal` leaves out what may be absent."""
        self.made += 1
        minimal = minimal or self.made > _MOST
        if not isinstance(schema, Mapping) or not schema:
            return "sample"
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return schema["enum"][0]
        if schema.get("examples") and self.fits(schema["examples"][0], schema):
            return schema["examples"][0]
        if "$ref" in schema:
            return self.referred(str(schema["$ref"]), minimal)
        for word in ("anyOf", "oneOf"):
            if schema.get(word):
                rest = {name: value for name, value in schema.items() if name != word}
                shared = "properties" in rest or "required" in rest
                options = [_merged({**rest, "allOf": [one]}) for one in schema[word]]
                return self.option(options if shared else schema[word], schema, minimal)
        if schema.get("allOf"):
            return self.value(_merged(schema), minimal)
        return self.plain(schema, minimal)

    def plain(self, schema: Mapping[str, Any], minimal: bool) -> Any:
        """A value of a schema that says its type."""
        kind = schema.get("type")
        kind = kind[0] if isinstance(kind, list) and kind else kind
        match kind:
            case "object":
                return self.object(schema, minimal)
            case "array":
                return self.array(schema, minimal)
            case "string" if schema.get("format") == "decimal":
                return self.decimal(schema)
            case "string":
                return _text(schema)
            case "integer" | "number":
                return self.number(schema, kind)
            case "boolean":
                return True
            case "null":
                return None
        return self.object(schema, minimal) if "properties" in schema else "sample"

    def fits(self, value: Any, schema: Mapping[str, Any]) -> bool:
        return fits(value, schema, self.defs or None) is None

    def referred(self, ref: str, minimal: bool) -> Any:
        """What a definition means; one inside itself is as small as it can be."""
        name = ref.rpartition("/")[2]
        minimal = minimal or name in self.open
        if self.open.count(name) > len(self.defs) + 1:
            raise ConfigurationError(f"the type {name} has no finite value", code="sample")
        self.open.append(name)
        try:
            return self.value(self.defs.get(name), minimal)
        finally:
            self.open.pop()

    def option(self, options: list[Any], whole: Mapping[str, Any], minimal: bool) -> Any:
        """The first option's value that fits; the one that ends soonest where little is wanted."""
        ordered = sorted(options, key=lambda one: self.weight(one, minimal))
        first = self.value(ordered[0], minimal)
        if len(ordered) == 1 or self.fits(first, whole):
            return first
        for option in ordered[1:]:
            value = self.value(option, minimal)
            if self.fits(value, whole):
                return value
        return first

    def weight(self, option: Any, minimal: bool) -> float:
        if not minimal:
            # Null is a poor sample of what may be null.
            return isinstance(option, Mapping) and option.get("type") == "null"
        if self.heights is None:
            self.heights = {}
            before = None
            while self.heights != before:
                before = dict(self.heights)
                for name, schema in self.defs.items():
                    self.heights[name] = _height(schema, before)
        return _height(option, self.heights)

    def object(self, schema: Mapping[str, Any], minimal: bool) -> dict[str, Any]:
        required = schema.get("required", ())
        properties = schema.get("properties", {})
        found = {
            name: self.value(properties.get(name), minimal)
            for name in dict.fromkeys((*properties, *required))
            if properties.get(name) is not False and (name in required or not minimal)
        }
        more = schema.get("additionalProperties")
        for number in range(len(found), schema.get("minProperties", 0)):
            found[f"key_{number}"] = self.value(more, minimal)
        if isinstance(more, Mapping) and not found and not minimal:
            found["key"] = self.value(more, minimal)
        return found

    def array(self, schema: Mapping[str, Any], minimal: bool) -> list[Any]:
        first = [self.value(item, minimal) for item in schema.get("prefixItems", ())]
        least = schema.get("minItems", 0)
        wanted = max(least, 0 if minimal or schema.get("maxItems") == 0 else 1)
        items = schema.get("items")
        unique = schema.get("uniqueItems")
        while len(first) < wanted and items is not False:
            one = self.value(items, minimal)
            first.append(self.other(one, items, first) if unique and one in first else one)
        return first[: schema.get("maxItems", len(first))]

    def other(self, value: Any, schema: Any, taken: list[Any]) -> Any:
        """A value of a set's items that the set does not hold yet."""
        for _ in range(len(self.defs) + 1):
            if isinstance(schema, Mapping) and "$ref" in schema:
                schema = self.defs.get(str(schema["$ref"]).rpartition("/")[2])
        levels = schema.get("enum", ()) if isinstance(schema, Mapping) else ()
        return next((one for one in levels if one not in taken), _other(value, len(taken)))

    def decimal(self, schema: Mapping[str, Any]) -> str:
        """A decimal number within its limits, as text."""
        first = _FORMATS["decimal"]
        if self.fits(first, schema):
            return first
        limits = {word: value for word, value in schema.items() if word not in ("type", "format")}
        return str(self.number({"type": "number", **limits}, "number"))

    def number(self, schema: Mapping[str, Any], kind: str) -> int | float:
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
            if self.fits(value, schema):
                return value
        return 1


def _height(schema: Any, heights: Mapping[str, float]) -> float:
    """Levels that the smallest value of a schema has; endless where it holds itself."""
    if not isinstance(schema, Mapping):
        return 0
    if "$ref" in schema:
        return heights.get(str(schema["$ref"]).rpartition("/")[2], math.inf)
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        return min(_height(option, heights) for option in options)
    inside = [schema.get("properties", {}).get(name) for name in schema.get("required", ())]
    inside += schema.get("prefixItems", ()) if schema.get("minItems") else ()
    inside += [schema.get("items")] if schema.get("minItems") else []
    return 1 + max((_height(each, heights) for each in inside), default=-1)


def _merged(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema with its `allOf` folded in, as far as samples need it."""
    found = {word: value for word, value in schema.items() if word != "allOf"}
    for each in schema["allOf"]:
        for word, value in each.items() if isinstance(each, Mapping) else ():
            held = found.get(word)
            if isinstance(held, Mapping) and isinstance(value, Mapping):
                found[word] = {**held, **value}
            elif isinstance(held, list) and word == "required":
                found[word] = [*held, *value]
            else:
                found.setdefault(word, value)
    return found


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
