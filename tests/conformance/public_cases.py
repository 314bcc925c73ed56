"""What the public cases say in their own ways, as JSON Schemas and documents.

Only the standard library is used, so that benchmarks read them where no compiler is installed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

DIFFERENT = {
    "format": "formats are types here",
    "refRemote": "nothing is fetched",
    "vocabulary/schema that uses custom": "a metaschema of one's own is not read",
    "default/": "a default that does not fit is refused",
    "properties/object properties validation": "properties mean an object",
    "properties/properties whose names are Javascript": "properties mean an object",
    "required/required validation": "properties mean an object",
    "required/required with escaped characters": "properties mean an object",
    "required/required properties whose names are": "properties mean an object",
    "additionalProperties/additionalProperties being false": "properties mean an object",
    "ref/root pointer ref": "properties mean an object",
    "enum/empty enum": "an empty enum is refused",
}
"""Groups of the suite of JSON Schema that are judged otherwise on purpose, and why."""

OTHERS: list[Any] = [None, True, 0, 1.0, 1.5, -1, 1000, "x", "", [], ["a"], [1], {}, {"more": 1}]
PYTHON_WORDS = {"dict": "object", "float": "number", "tuple": "array"}


def is_different(name: str) -> bool:
    """Whether a group, as `file/description`, is one of `DIFFERENT`."""
    return any(name.startswith(known) for known in DIFFERENT)


def example(schema: Any) -> Any:
    """A value of a schema, as full as it says."""
    if not isinstance(schema, dict):
        return 1
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return example(schema[word][0])
    if "const" in schema or schema.get("enum"):
        return schema.get("const", schema.get("enum", [None])[0])
    kind = schema.get("type")
    match kind[0] if isinstance(kind, list) else kind:
        case "object":
            found = {name: example(part) for name, part in schema.get("properties", {}).items()}
            more = schema.get("additionalProperties")
            return {**found, "other": example(more)} if isinstance(more, dict) else found
        case "array":
            return [example(schema.get("items", True))] * max(1, schema.get("minItems", 0))
        case "string":
            return "a" * max(1, schema.get("minLength", 0))
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
        case _:
            return None


def variants(value: Any) -> Iterator[Any]:
    """A value, and values that differ from it in one place."""
    yield value
    if isinstance(value, dict):
        yield {**value, "an other": 1}
        for key, inner in value.items():
            yield {name: each for name, each in value.items() if name != key}
            yield from ({**value, key: other} for other in (*OTHERS, *variants(inner)))
    elif isinstance(value, list):
        yield from ([other] for other in OTHERS)
        yield from ([other, *value[1:]] for other in variants(value[0]) if value)


def in_json_schema(schema: Any) -> Any:
    """A schema of the Berkeley cases in JSON Schema's own words."""
    if isinstance(schema, list):
        return [in_json_schema(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: in_json_schema(each) for key, each in schema.items()}
    if isinstance(made.get("type"), str):
        made["type"] = PYTHON_WORDS.get(made["type"], made["type"])
        if made["type"] == "any":
            del made["type"]
    return made


def arguments_of(given: dict[str, list[Any]], required: list[str]) -> dict[str, Any]:
    """The call of a ground truth; an empty text means that an argument may be left out."""
    found = {}
    for name, values in given.items():
        values = [value for value in values if value != ""] if name in required else values
        if values[0] != "":
            found[name] = only(values[0])
    return found


def only(value: Any) -> Any:
    """A value of the ground truth; objects in it list what each member may be."""
    if isinstance(value, dict):
        return {
            name: only(each[0] if isinstance(each, list) else each)
            for name, each in value.items()
            if each != [""]
        }
    return [only(each) for each in value] if isinstance(value, list) else value
