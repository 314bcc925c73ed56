"""How an AI function prints: its formula, words, fields, and the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aigen.runtime.definition import ComputedDefault, Definition, FieldDefinition, ValueDefault

_WORDS = {
    "string": "text",
    "integer": "integer",
    "number": "number",
    "boolean": "true or false",
    "null": "null",
    "object": "record",
    "array": "list",
}


def described(definition: Definition, model: str | None) -> str:
    """The printed form; `model` is the option that the function was given, if any."""
    inputs, outputs = definition["inputs"], definition["outputs"]
    names = {field["name"]: field["name"] for field in (*inputs, *outputs)}
    if "output" in definition:
        names["result"] = definition["output"]
    left = " + ".join(names[field["name"]] for field in outputs)
    right = " + ".join(field["name"] for field in inputs)
    lines = [f"<ai function> {left} ~ {right}"]
    lines += [f"  {line}" for line in definition["description"].splitlines()]
    width = max(len(name) for name in names.values())
    for field in (*inputs, *outputs):
        lines.append(f"  {names[field['name']]:<{width}}  {_field(field, definition)}")
    model = model or _written_model(definition)
    lines.append(f"  model: {model or '(the default)'}")
    return "\n".join(lines)


def _field(field: FieldDefinition, definition: Definition) -> str:
    words = type_words(field["shape"])
    default = definition.get("defaults", {}).get(field["name"])
    if default is not None:
        words += f", {_default(default)} if left out"
    elif field.get("optional"):
        words += ", may be left out"
    return f"{words}: {' '.join(field['desc'].split())}" if field.get("desc") else words


def type_words(shape: Any) -> str:
    """A shape in a few words: `text`, `one of a, b`, `list of Line`."""
    if not isinstance(shape, Mapping) or not shape:
        return "any JSON"
    if "$ref" in shape:
        return str(shape["$ref"]).rpartition("/")[2]
    if "enum" in shape:
        return "one of " + ", ".join(str(level) for level in shape["enum"])
    if "x-aigen-given" in shape:
        return f"one of {shape['x-aigen-given']}"
    if "x-aigen-media" in shape:
        return str(shape["x-aigen-media"])
    options = shape.get("anyOf")
    if options:
        return " or ".join(type_words(option) for option in options)
    if shape.get("type") == "array" and isinstance(shape.get("items"), Mapping):
        return f"list of {type_words(shape['items'])}"
    if isinstance(shape.get("format"), str):
        return str(shape["format"])
    return _WORDS.get(str(shape.get("type")), "any JSON")


def _default(default: ValueDefault | ComputedDefault) -> str:
    call = default.get("call")
    return f"{call}()" if call else _short(default.get("value"))


def _written_model(definition: Definition) -> str | None:
    for layer in (definition.get("settings", {}), definition.get("configured", {})):
        if isinstance(layer.get("model"), str):
            return str(layer["model"])
    return None


def _short(value: Any) -> str:
    import json

    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else f"{text[:39]}…"
