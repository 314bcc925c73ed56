"""What every layout shares: the instruction, labelled inputs, the reply's schema, demos."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from aigen.runtime.definition import Definition, FieldDefinition
from aigen.runtime.values import jsonable, pretty


def instruction(definition: Definition) -> str:
    """The function's name, then what it does: an improved instruction, or the written words."""
    head = f"Function: {definition['name']}"
    improved = definition.get("instructions")
    if improved:
        return f"{head}\n\n{improved}"
    parts = [head]
    if definition.get("description"):
        parts.append(definition["description"])
    for title, fields in (("Input", definition["inputs"]), ("Output", definition["outputs"])):
        said = [(field["name"], _words(field, definition.get("$defs", {}))) for field in fields]
        listed = [
            "\n  ".join([f"- {name}: {lines[0]}", *lines[1:]]) for name, lines in said if lines
        ]
        if listed:
            parts.append(f"{title}:\n" + "\n".join(listed))
    return "\n\n".join(parts)


def _words(field: FieldDefinition, defs: Mapping[str, Any]) -> list[str]:
    """The field's own words, then those of its type, such as the meanings of a choice."""
    shape = field["shape"]
    named = defs.get(str(shape.get("$ref", "")).removeprefix("#/$defs/"), {})
    said = (field.get("desc"), shape.get("description"), named.get("description"))
    return "\n".join(words for words in said if words).splitlines()


def user_text(definition: Definition, inputs: Mapping[str, Any]) -> str:
    """The inputs, each between its own tags; what is left out is not there."""
    parts = []
    for field in definition["inputs"]:
        name = field["name"]
        if name in inputs:
            parts.append(f"<{name}>\n{_written(inputs[name])}\n</{name}>")
    return "\n".join(parts)


def _written(value: Any) -> str:
    if isinstance(value, str):
        return value
    data = jsonable(value)
    return data if isinstance(data, str) else pretty(data)


def is_text(definition: Definition) -> bool:
    """Whether the answer is one plain text, so that the whole reply is it."""
    outputs = definition["outputs"]
    if len(outputs) != 1:
        return False
    shape = outputs[0]["shape"]
    return shape.get("type") == "string" and not (
        shape.keys() & {"enum", "const", "format", "x-aigen-given"}
    )


def reply_schema(definition: Definition) -> dict[str, Any]:
    """The object of the outputs, with the definitions it uses."""
    properties = {}
    for field in definition["outputs"]:
        shape = dict(field["shape"])
        if field.get("desc"):
            more = shape.get("description")
            shape["description"] = f"{field['desc']}\n{more}" if more else field["desc"]
        properties[field["name"]] = shape
    schema: dict[str, Any] = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return with_own_definitions(schema, definition.get("$defs", {}))


def with_own_definitions(shape: Mapping[str, Any], defs: Mapping[str, Any]) -> dict[str, Any]:
    """A shape with the definitions it uses, directly or not, as its own `$defs`."""
    used = _used(shape, defs)
    return {**shape, "$defs": used} if used else dict(shape)


def _used(part: Any, defs: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    pending = [part]
    while pending:
        one = pending.pop()
        if isinstance(one, Mapping):
            name = str(one.get("$ref", "")).removeprefix("#/$defs/")
            if name in defs and name not in found:
                found[name] = defs[name]
                pending.append(defs[name])
            pending.extend(one.values())
        elif isinstance(one, list):
            pending.extend(one)
    return dict(sorted(found.items()))


def messages(
    definition: Definition, system: str, inputs: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """The instruction, the demos as pairs of messages, and the call's inputs."""
    found: list[dict[str, Any]] = [{"role": "system", "content": system}]
    outputs = [field["name"] for field in definition["outputs"]]
    for demo in definition.get("demos", ()):
        given = {name: value for name, value in demo.items() if name not in outputs}
        answer = {name: demo[name] for name in outputs if name in demo}
        if not answer:
            continue
        found.append({"role": "user", "content": user_text(definition, given)})
        found.append({"role": "assistant", "content": _demo_reply(definition, answer)})
    found.append({"role": "user", "content": user_text(definition, inputs)})
    return found


def _demo_reply(definition: Definition, answer: Mapping[str, Any]) -> str:
    if is_text(definition):
        return str(answer["result"])
    return json.dumps(answer, ensure_ascii=False)
