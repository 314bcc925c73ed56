"""The strict form of a schema: what providers that enforce schemas by grammar take.

Every object is closed and every member required; a member that may be absent becomes nullable, and
`absent_again` turns that null back. Keywords the form lacks move to the description. Where no form
judges the same, the reasons say why. The rules are OpenAI's page on structured outputs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

Schema = dict[str, Any]

_SAID = ("uniqueItems", "minLength", "maxLength", "minProperties", "maxProperties")
"""Keywords that the form refuses and words can say."""

_DROPPED = ("default", "examples", "deprecated", "title", "$comment", "readOnly", "writeOnly")
_IMPOSSIBLE = (
    "allOf",
    "not",
    "if",
    "dependentRequired",
    "dependentSchemas",
    "patternProperties",
    "propertyNames",
    "prefixItems",
    "contains",
    "unevaluatedProperties",
    "unevaluatedItems",
)
_FORMATS = frozenset(
    ("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid")
)


class Strict(NamedTuple):
    """A schema's strict form.

    Attributes:
        schema: the form, or None where there is none.
        reasons: why there is none, each with its JSON pointer.
    """

    schema: Schema | None
    reasons: tuple[str, ...]


def to_strict(schema: Mapping[str, Any]) -> Strict:
    """The strict form of an object's schema with its own `$defs`."""
    reasons: list[str] = []
    found = _strict(dict(schema), "#", reasons)
    if schema.get("type") != "object":
        reasons.append("#: the root is no object")
    return Strict(None if reasons else found, tuple(reasons))


def _strict(schema: Any, at: str, reasons: list[str]) -> Schema:
    if not isinstance(schema, dict) or not _says_type(schema):
        reasons.append(f"{at}: any JSON is allowed here; give it a type")
        return {}
    for keyword in _IMPOSSIBLE:
        if keyword in schema:
            reasons.append(f"{at}: {keyword} has no strict form")
    if "$ref" in schema and len(schema) > 1 and "$defs" not in schema:
        words = {key: schema[key] for key in ("description",) if key in schema}
        return {"anyOf": [{"$ref": schema["$ref"]}], **words} if words else {"$ref": schema["$ref"]}
    found = {
        key: value
        for key, value in schema.items()
        if key not in _DROPPED and key not in _SAID and not key.startswith("x-aigen")
    }
    _say(schema, found)
    if "oneOf" in found:
        found["anyOf"] = found.pop("oneOf")
    found.pop("discriminator", None)
    for key in ("$defs",):
        if key in found:
            found[key] = {
                name: _strict(inner, f"{at}/$defs/{name}", reasons)
                for name, inner in found[key].items()
            }
    if "anyOf" in found:
        found["anyOf"] = [
            _strict(option, f"{at}/anyOf/{number}", reasons)
            for number, option in enumerate(found["anyOf"])
        ]
    kinds = found.get("type")
    if kinds == "array" or (isinstance(kinds, list) and "array" in kinds):
        if not isinstance(found.get("items"), dict):
            reasons.append(f"{at}: a list of anything; give its items a type")
        else:
            found["items"] = _strict(found["items"], f"{at}/items", reasons)
    if kinds == "object" or (isinstance(kinds, list) and "object" in kinds):
        _close(found, at, reasons)
    return found


def _close(found: Schema, at: str, reasons: list[str]) -> None:
    if found.get("additionalProperties") is not False:
        reasons.append(f"{at}: members it does not name are allowed; close it, or list pairs")
    properties = found.get("properties") or {}
    required = found.get("required") or []
    found["properties"] = {
        name: _member(inner, name in required, f"{at}/properties/{name}", reasons)
        for name, inner in properties.items()
    }
    found["required"] = list(properties)
    found["additionalProperties"] = False


def _member(schema: Any, required: bool, at: str, reasons: list[str]) -> Schema:
    found = _strict(schema, at, reasons)
    if required or _takes_null(found):
        return found
    description = found.pop("description", None)
    options = found["anyOf"] if set(found) == {"anyOf"} else [found]
    nullable: Schema = {"anyOf": [*options, {"type": "null"}]}
    if description:
        nullable["description"] = description
    return nullable


def _says_type(schema: Schema) -> bool:
    return any(key in schema for key in ("type", "enum", "const", "anyOf", "oneOf", "$ref"))


def _takes_null(schema: Schema) -> bool:
    kind = schema.get("type")
    if kind == "null" or (isinstance(kind, list) and "null" in kind):
        return True
    if None in schema.get("enum", ()):
        return True
    return any(_takes_null(option) for option in schema.get("anyOf", ()))


def _say(schema: Schema, found: Schema) -> None:
    said = [f"{key}: {json.dumps(schema[key])}" for key in _SAID if key in schema]
    if "default" in schema:
        said.append(f"default: {json.dumps(schema['default'], ensure_ascii=False)}")
    if found.get("format") not in (None, *_FORMATS):
        said.append(f"format: {found.pop('format')}")
    if said:
        words = [found["description"]] if "description" in found else []
        found["description"] = "\n".join([*words, ", ".join(said)])


def absent_again(value: Any, schema: Any, defs: Mapping[str, Any]) -> Any:
    """A value in the strict form, as the canonical schema has it.

    A null for a member that may be absent and takes no null is left out. The value's own objects
    are changed.
    """
    if not isinstance(schema, Mapping):
        return value
    if "$ref" in schema:
        return absent_again(value, defs.get(schema["$ref"].rpartition("/")[2]), defs)
    for option in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        # An option that names other members leaves them alone, so each may have its turn.
        if _could_be(value, option, defs):
            value = absent_again(value, option, defs)
            break
    if isinstance(value, dict):
        properties = schema.get("properties") or {}
        required = schema.get("required") or ()
        for name, inner in properties.items():
            if name not in value:
                continue
            if value[name] is None and name not in required and not _null_fits(inner, defs):
                del value[name]
            else:
                value[name] = absent_again(value[name], inner, defs)
    elif isinstance(value, list) and isinstance(schema.get("items"), Mapping):
        value[:] = [absent_again(item, schema["items"], defs) for item in value]
    return value


def _could_be(value: Any, schema: Any, defs: Mapping[str, Any]) -> bool:
    """Whether a value in the strict form is one of this option, by its members and constants."""
    if not isinstance(schema, Mapping):
        return False
    if "$ref" in schema:
        return _could_be(value, defs.get(schema["$ref"].rpartition("/")[2]), defs)
    if isinstance(value, dict):
        properties = schema.get("properties")
        if properties is None or set(value) != set(properties):
            return False
        return all(
            value[name] in inner["enum"]
            for name, inner in properties.items()
            if isinstance(inner, Mapping) and "enum" in inner and value[name] is not None
        )
    if isinstance(value, list):
        return schema.get("type") == "array"
    return False


def _null_fits(schema: Any, defs: Mapping[str, Any], depth: int = 0) -> bool:
    if not isinstance(schema, Mapping) or depth > 50:
        return depth <= 50 and schema is True
    if "$ref" in schema:
        return _null_fits(defs.get(schema["$ref"].rpartition("/")[2]), defs, depth + 1)
    if not _says_type(dict(schema)):
        return True
    options = (*schema.get("anyOf", ()), *schema.get("oneOf", ()))
    return _takes_null(dict(schema)) or any(_null_fits(one, defs, depth + 1) for one in options)
