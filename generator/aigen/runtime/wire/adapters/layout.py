"""What every layout shares: the instruction, labelled inputs, the reply's schema."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from aigen.runtime.definition import Definition, FieldDefinition
from aigen.runtime.values import jsonable, pretty
from aigen.runtime.wire.content import Piece, is_media, joined

_made: dict[tuple[int, str], tuple[Definition, Any]] = {}
_KEPT = 8192
T = TypeVar("T")


def kept(definition: Definition, name: str, make: Callable[[Definition], T]) -> T:
    """What is made of a definition, kept under a name: definitions never change."""
    place = (id(definition), name)
    found = _made.get(place)
    if found is None or found[0] is not definition:
        if len(_made) >= _KEPT:
            _made.clear()
        found = _made[place] = (definition, make(definition))
    made: T = found[1]
    return made


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
    told: set[str] = set()
    inputs = [
        (field, [*_words(field), *_input_words(field["shape"], defs, told)])
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


def _input_words(shape: Mapping[str, Any], defs: Mapping[str, Any], told: set[str]) -> list[str]:
    """The words of a type and of all that is in it, which nothing else tells of an input.

    Each named type is told of once: what is in itself has no end, and what is in many no measure.
    Types may lie thousands deep in one another, so the way back up is a list.
    """
    way = [("", *_opened(shape, defs, told))]
    while True:
        member, lines, parts = way[-1]
        following = next(parts, None)
        if following is not None:
            way.append((following[0], *_opened(following[1], defs, told)))
            continue
        way.pop()
        if not way:
            return lines
        way[-1][1].extend(_item(member, lines) if member else lines)


def _opened(
    shape: Mapping[str, Any], defs: Mapping[str, Any], told: set[str]
) -> tuple[list[str], Iterator[tuple[str, Mapping[str, Any]]]]:
    """A type's own words, and what is in it; nothing of a named one that was told of."""
    name = str(shape.get("$ref", "")).removeprefix("#/$defs/")
    if name in told:
        return [], iter(())
    if name:
        told.add(name)
    return _type_words(shape, defs), _inside(defs.get(name, shape))


def _inside(shape: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The members of a type with their names, then its parts that have none."""
    yield from shape.get("properties", {}).items()
    for part in (shape.get("items"), shape.get("additionalProperties"), *shape.get("anyOf", ())):
        if isinstance(part, Mapping):
            yield "", part


def tagged(name: str, held: list[Piece]) -> list[Piece]:
    """A value between its own tags; texts as they are."""
    return [f"<{name}>\n", *held, f"\n</{name}>"]


Label: TypeAlias = Callable[[str, list[Piece]], list[Piece]]
"""From an input's name and its value, as it is sent, to the value with its label."""


def labelled(
    definition: Definition,
    inputs: Mapping[str, Any],
    label: Label = tagged,
    between: str = "\n",
) -> str | list[Piece]:
    """The inputs, each with its label; what is left out is not there. Media are where they are."""
    pieces: list[Piece] = []
    for field in definition["inputs"]:
        name = field["name"]
        if name in inputs:
            pieces += [between if pieces else "", *label(name, written(inputs[name]))]
    return joined(pieces)


def written(value: Any) -> list[Piece]:
    """A value as it is sent: a text itself, media themselves, all else as indented JSON."""
    if isinstance(value, str):
        return [value]
    if holds_media(value):
        return list(_parts(value))
    data = jsonable(value)
    return [data if isinstance(data, str) else pretty(data)]


def holds_media(value: Any) -> bool:
    """Whether a bound value is media, or has some in it."""
    if isinstance(value, Mapping):
        return any(map(holds_media, value.values()))
    if isinstance(value, (list, tuple, set, frozenset)):
        return any(map(holds_media, value))
    return is_media(value)


def _parts(value: Any) -> Iterator[Piece]:
    if isinstance(value, Mapping):
        for name, member in value.items():
            yield from (f"{name}:\n", *written(member), "\n")
    elif is_media(value):
        yield value
    else:
        for item in value:
            yield from written(item) if holds_media(item) else (*written(item), "\n")


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
        if isinstance(one, str):  # most are
            continue
        if isinstance(one, dict):
            if "$ref" in one:
                name = str(one["$ref"]).removeprefix("#/$defs/")
                if name in defs and name not in found:
                    found[name] = defs[name]
                    pending.append(defs[name])
            pending.extend(one.values())
        elif isinstance(one, list):
            pending.extend(one)
    return dict(sorted(found.items()))
