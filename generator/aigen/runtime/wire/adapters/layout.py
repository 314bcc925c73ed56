"""What every layout shares: the instruction, labelled inputs, the reply's schema, demos."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
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
    defs = definition.get("$defs", {})
    inputs = [
        (field, [*_words(field), *_input_words(field["shape"], defs)])
        for field in definition["inputs"]
    ]
    outputs = [
        (field, [*_words(field), *_output_words(field, definition)])
        for field in definition["outputs"]
    ]
    for title, fields in (("Input", inputs), ("Output", outputs)):
        listed = [line for field, lines in fields for line in _item(field["name"], lines)]
        if listed:
            parts.append("\n".join((f"{title}:", *listed)))
    return "\n\n".join(parts)


def _item(name: str, lines: list[str]) -> list[str]:
    """An item of a list; nothing where nothing is said."""
    if not lines:
        return []
    head, rest = ("", lines) if lines[0].startswith("- ") else (f" {lines[0]}", lines[1:])
    return [f"- {name}:{head}", *(f"  {line}" for line in rest)]


def _words(field: FieldDefinition) -> list[str]:
    return (field.get("desc") or "").splitlines()


def _output_words(field: FieldDefinition, definition: Definition) -> list[str]:
    """Of an output's type; what it is made of is said by the form of the reply.

    A lone output is called `result`, so its name in the formula is words where there are no others.
    """
    words = _type_words(field["shape"], definition.get("$defs", {}))
    name = definition.get("output")
    if words or field.get("desc") or name is None or name == definition["name"]:
        return words
    return [name.replace("_", " ")]


def _type_words(shape: Mapping[str, Any], defs: Mapping[str, Any]) -> list[str]:
    """The words of a type, such as the meanings of a choice."""
    named = defs.get(str(shape.get("$ref", "")).removeprefix("#/$defs/"), {})
    said = (shape.get("description"), named.get("description"))
    return "\n".join(words for words in said if words).splitlines()


def _input_words(
    shape: Mapping[str, Any], defs: Mapping[str, Any], above: frozenset[str] = frozenset()
) -> list[str]:
    """The words of a type and of all that is in it, which nothing else tells of an input."""
    lines = _type_words(shape, defs)
    name = str(shape.get("$ref", ""))
    if name in above:
        return []
    inner = defs.get(name.removeprefix("#/$defs/"), shape)
    above |= {name} if name else set()
    for member, part in inner.get("properties", {}).items():
        lines += _item(member, _input_words(part, defs, above))
    parts = [inner.get("items"), inner.get("additionalProperties"), *inner.get("anyOf", ())]
    for part in parts:
        if isinstance(part, Mapping):
            lines += _input_words(part, defs, above)
    return lines


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
    return _object(definition["outputs"], definition)


def inputs_schema(definition: Definition) -> dict[str, Any]:
    """The object of the inputs, with the definitions it uses."""
    return _object(definition["inputs"], definition)


def _object(fields: Sequence[FieldDefinition], definition: Definition) -> dict[str, Any]:
    properties = {}
    for field in fields:
        shape = dict(field["shape"])
        if field.get("desc"):
            more = shape.get("description")
            shape["description"] = f"{field['desc']}\n{more}" if more else field["desc"]
        properties[field["name"]] = shape
    schema: dict[str, Any] = {
        "type": "object",
        "properties": properties,
        "required": [field["name"] for field in fields if not field.get("optional")],
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
