"""A compact notation of a reply's form, for models that are only told it.

It is JSON with types where the values go:
```
{
  "summary": text,  // one sentence, no names
  "urgent": true or false
}
```
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from aigen.runtime.wire.phrases import phrases

_SCALARS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "null": "null",
    "object": "object",
    "array": "list",
}


def notation(schema: Mapping[str, Any]) -> str:
    """The form of an object's schema; named definitions follow it, each once."""
    return "\n\n".join([_object(schema, ""), *definitions(schema)])


def definitions(schema: Mapping[str, Any]) -> list[str]:
    """The forms of a schema's named definitions."""
    return [f"where {name} is {form(inner)}" for name, inner in schema.get("$defs", {}).items()]


def form(schema: Any, indent: str = "") -> str:
    """The form of one value; what it refers to goes by its name."""
    if not isinstance(schema, Mapping) or not schema:
        return "any JSON"
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "enum" in schema:
        return " or ".join(json.dumps(level, ensure_ascii=False) for level in schema["enum"])
    if "const" in schema:
        return json.dumps(schema["const"], ensure_ascii=False)
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        return " or ".join(form(option, indent) for option in options)
    kind = schema.get("type")
    if isinstance(kind, list):
        return " or ".join(_SCALARS.get(str(one), str(one)) for one in kind)
    if kind == "array":
        return _array(schema, indent)
    if kind == "object":
        return _object(schema, indent)
    return _limited(_SCALARS.get(str(kind), "any JSON"), schema)


def _array(schema: Mapping[str, Any], indent: str) -> str:
    if "prefixItems" in schema:
        return "[" + ", ".join(form(item, indent) for item in schema["prefixItems"]) + "]"
    return _limited(f"[{form(schema.get('items'), indent)}, …]", schema)


def _object(schema: Mapping[str, Any], indent: str) -> str:
    properties = schema.get("properties")
    more = schema.get("additionalProperties")
    if not properties:
        return f"{{text: {form(more, indent)}, …}}" if isinstance(more, Mapping) else "object"
    inner = f"{indent}  "
    required = schema.get("required", ())
    lines = []
    for number, (name, member) in enumerate(properties.items(), 1):
        comma = "," if number < len(properties) else ""
        held = form(member, inner) + ("" if name in required else " (may be left out)")
        words = member.get("description") if isinstance(member, Mapping) else None
        comment = f"  // {'; '.join(words.splitlines())}" if words else ""
        lines.append(f"{inner}{json.dumps(name, ensure_ascii=False)}: {held}{comma}{comment}")
    return "{\n" + "\n".join(lines) + f"\n{indent}}}"


_LIMITS = (
    *("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"),
    *("minLength", "maxLength", "minItems", "maxItems"),
)


def _limited(words: str, schema: Mapping[str, Any]) -> str:
    limits = [str(schema["format"])] if "format" in schema else []
    limits += phrases(schema, _LIMITS)
    if "pattern" in schema:
        limits.append(f"matching {schema['pattern']}")
    if schema.get("uniqueItems"):
        limits.append("no two alike")
    return f"{words} ({', '.join(limits)})" if limits else words
