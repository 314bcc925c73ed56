"""Fields: the codebook's entries, record members, parameters and named types."""

from __future__ import annotations

import json
from dataclasses import replace

from aigen.diagnostics import Span
from aigen.spec.indentation import members_indented
from aigen.spec.keys import CONSTRAINTS, FIELD, TYPE, TYPES
from aigen.spec.nodes import Entry, Mapping, Node, Scalar, Sequence
from aigen.spec.places import within
from aigen.spec.reading import Reading, file_of
from aigen.spec.tree import (
    Call,
    ChoiceOf,
    FieldSpec,
    GivenChoice,
    Level,
    ListOf,
    Name,
    PythonType,
    RecordOf,
    ShapeOf,
    Text,
    TypeExpr,
)
from aigen.spec.type_expr import (
    Problem,
    likely_type,
    looks_like_type,
    parse_type,
    type_then_words,
    was_meant_as_type,
)


def read_fields(reading: Reading, node: Node, what: str) -> tuple[FieldSpec, ...]:
    """A mapping of names to fields, in order."""
    entries = reading.mapping(node, what)
    return tuple(read_field(reading, name_of(entry), entry.value) for entry in entries.values())


def name_of(entry: Entry) -> Text:
    """An entry's key as a name with its place."""
    return Text(entry.key.text, entry.key.span)


def read_field(reading: Reading, name: Text, node: Node, *, named: bool = False) -> FieldSpec:
    """A field of any form: nothing, a type, words, or a mapping.

    `named` is true under `types`, where `python:` may stand too. What cannot be read is reported
    and left out, so the field is always given.
    """
    span = _spanning(name.span, node.span)
    if file_of(node) is not None:
        return FieldSpec(name, span, description=reading.text(node, "a description"))
    if isinstance(node, Mapping):
        return _mapping(reading, name, node, span, named)
    if isinstance(node, Sequence):
        levels = ", ".join(item.text for item in node.items if isinstance(item, Scalar))
        wanted = "a field is words, a type or a mapping"
        reading.wrong(node, wanted, f"write {{choice: [{levels[:80]}]}}")
        return FieldSpec(name, span, type=_anything(node))
    if node.value is None:
        return FieldSpec(name, span)
    if not isinstance(node.value, str):
        wanted = "a field is words, a type or a mapping"
        reading.wrong(node, wanted, f'quote it: "{node.text[:40]}"')
        return FieldSpec(name, span, type=_anything(node))
    kind, words = _type_or_words(reading, node)
    return FieldSpec(name, span, type=kind, description=words)


def _anything(node: Node) -> TypeExpr:
    """The type of what could not be read: one fault makes one message, so all values fit it."""
    return Name("json", node.span)


def _type_or_words(reading: Reading, node: Scalar) -> tuple[TypeExpr | None, Text | None]:
    parsed = parse_type(node)
    words = node.text
    if not isinstance(parsed, Problem) and words.isascii():
        return parsed._replace(alone=True) if isinstance(parsed, Name) else parsed, None
    if isinstance(parsed, Problem) and was_meant_as_type(words):
        likely = likely_type(words)
        reading.report(
            "AIG129",
            node.span,
            f'"{words[:80]}" is no type: {parsed.message}',
            f"{f'write {likely}' if likely else 'write str | None or list[Order]'}"
            f"; as words: {{description: …}}",
        )
        return _anything(node), None
    if looks_like_type(words):
        problem = parsed.message if isinstance(parsed, Problem) else "it is not ASCII"
        reading.report(
            "AIG128",
            node.span,
            f'"{words}" is read as words, but looks like a type',
            f"as a type: {problem}; as words: write {{description: …}}",
        )
    elif both := type_then_words(words):
        reading.report(
            "AIG128",
            node.span,
            f'"{words}" is read as words, but begins like a type',
            f"write {{type: {both[0]}, description: {json.dumps(both[1], ensure_ascii=False)}}};"
            " as words: {description: …}",
        )
    return None, Text(words, node.span)


def _mapping(reading: Reading, name: Text, node: Mapping, span: Span, named: bool) -> FieldSpec:
    keys = TYPE if named else FIELD
    node = members_indented(reading, name.value, node, keys)
    entries = reading.mapping(node, f'"{name.value}"', keys)
    value = {key: entry.value for key, entry in entries.items()}
    kind = _type(reading, name, entries)
    spec = FieldSpec(
        name,
        span,
        type=kind,
        description=_text(reading, value, "description"),
        default=_default(reading, value["default"]) if "default" in value else None,
        required=_flag(reading, value, "required"),
        optional=bool(_flag(reading, value, "optional")),
        type_name=reading.word(value["name"], "name") if "name" in value else None,
        examples=_examples(reading, value["examples"]) if "examples" in value else (),
        constraints=_constraints(reading, value),
        checks=reading.callables(value["check"], "check") if "check" in value else (),
        deprecated=reading.flag_or_text(value["deprecated"], "deprecated")
        if "deprecated" in value
        else False,
    )
    if kind is None and any(key in entries for key in TYPES):
        return replace(spec, type=_anything(node), constraints={})
    return spec


def _type(reading: Reading, name: Text, entries: dict[str, Entry]) -> TypeExpr | None:
    """The type that one of the entries says; None where none does, or with a finding."""
    said = [key for key in TYPES if key in entries]
    if len(said) > 1:
        reading.report(
            "AIG134",
            entries[said[1]].key.span,
            f'"{name.value}" has two types: {said[0]} and {said[1]}',
            "write one of them",
        )
    enum = entries.get("enum")
    if enum is not None and "choice" not in entries:
        _lone_enum(reading, enum)
    if not said:
        return None
    key = said[0]
    node = entries[key].value
    match key:
        case "type":
            return _written(reading, node)
        case "choice":
            return _choice(reading, node, bool(enum and reading.flag(enum.value, "enum")))
        case "record":
            return RecordOf(read_fields(reading, node, "a record"), node.span)
        case "list":
            item = Text("item", entries[key].key.span)
            return ListOf(read_field(reading, item, node), node.span)
        case "json_shape":
            if isinstance(node, Mapping) or _truth(node):
                return ShapeOf(node, node.span)
            reading.wrong(node, "json_shape is a JSON Schema, a mapping")
            return None
        case _:
            target = reading.callable(node, "python")
            return None if target is None else PythonType(target, node.span)


def _truth(node: Node) -> bool:
    return isinstance(node, Scalar) and isinstance(node.value, bool)


def _written(reading: Reading, node: Node) -> TypeExpr | None:
    if isinstance(node, Scalar) and node.value is None and node.plain and node.text:
        node = node._replace(value="None", text="None")
    if reading.word(node, "type") is None or not isinstance(node, Scalar):
        return None
    parsed = parse_type(node)
    if not isinstance(parsed, Problem):
        return parsed
    reading.report(
        "AIG129",
        within(node, parsed.start, parsed.end),
        f'"{node.text[:80]}" is no type: {parsed.message}',
        _instead(node.text),
    )
    return None


def _instead(text: str) -> str | None:
    likely = likely_type(text) if was_meant_as_type(text) else None
    if likely:
        return f"write {likely}"
    return None if looks_like_type(text) else "words go to description"


def _lone_enum(reading: Reading, enum: Entry) -> None:
    message, hint = "enum stands beside a choice", "write a choice"
    if isinstance(enum.value, (Sequence, Mapping)):
        message = "enum is true or false, and stands beside a choice"
        hint = "write the levels as choice: […], and enum: true for an Enum class"
    reading.report("AIG134", enum.key.span, message, hint)


def _choice(reading: Reading, node: Node, enum: bool) -> TypeExpr | None:
    if isinstance(node, Mapping) and "$given" in node.entries:
        return _given(reading, node)
    levels: list[Level | None]
    if isinstance(node, Sequence):
        levels = [_level(reading, item, None) for item in node.items]
    elif isinstance(node, Mapping):
        levels = _with_meanings(reading, node)
    else:
        reading.wrong(node, "a choice is a list, or a mapping to meanings", "write [a, b]")
        return None
    good = tuple([level for level in levels if level is not None])
    # What is left would be another choice, about which nothing can be said.
    return ChoiceOf(good, enum, node.span) if len(good) == len(levels) else None


def _given(reading: Reading, node: Mapping) -> GivenChoice | None:
    parameter = reading.word(node.entries["$given"].value, "$given")
    if len(node.entries) > 1:
        reading.report("AIG127", node.span, "beside $given stands nothing else")
    return None if parameter is None else GivenChoice(parameter, node.span)


def _with_meanings(reading: Reading, node: Mapping) -> list[Level | None]:
    levels: list[Level | None] = []
    meant = [e for e in node.entries.values() if isinstance(e.value, Scalar) and e.value.value]
    for entry in node.entries.values():
        meaning = None
        if entry.key.text.startswith("$"):
            reading.known(entry, "a choice", ("$given",))
            levels.append(None)
            continue
        if isinstance(entry.value, Scalar) and entry.value.value is None:
            if meant and entry.value.text == "":
                reading.report(
                    "AIG126",
                    entry.key.span,
                    f'the level "{entry.key.text[:80]}" has no meaning, and others have one',
                    'quote a meaning that has a comma, or write a meaning (or "")',
                )
        else:
            meaning = reading.text(entry.value, "a meaning")
        said = meaning.value if meaning and meaning.value else None
        levels.append(_level(reading, entry.key, said))
    return levels


def _level(reading: Reading, node: Node, meaning: str | None) -> Level | None:
    if isinstance(node, Scalar):
        value, quoted = node.value, f'quote it: "{node.text[:40]}"'
        if isinstance(value, str):
            return Level(value, meaning, node.span)
        if isinstance(value, int) and not isinstance(value, bool):
            # As a level, `0x1F` would be another text than stands there.
            if str(value) == node.text:
                return Level(value, meaning, node.span)
            quoted += f", or write {value}"
        reading.wrong(node, "a level is a text or a whole number", quoted)
        return None
    hint = None
    if isinstance(node, Mapping) and len(node.entries) == 1:
        ((key, entry),) = node.entries.items()
        said = entry.value.text if isinstance(entry.value, Scalar) else "…"
        hint = f"levels with meanings are a mapping: {{{key[:40]}: {said[:40]}, …}}"
    reading.wrong(node, "a level is a text or a whole number", hint)
    return None


def _default(reading: Reading, node: Node) -> Node | Call | None:
    if isinstance(node, Mapping) and "$call" in node.entries:
        return reading.call(node)
    if isinstance(node, Mapping):
        for entry in node.entries.values():
            if entry.key.text.startswith("$"):
                reading.known(entry, "a default", ("$call", "$file"))
    return reading.data(node)


def _constraints(reading: Reading, value: dict[str, Node]) -> dict[str, Node]:
    found = {}
    for key in sorted(CONSTRAINTS & value.keys()):
        node = value[key]
        if key == "pattern":
            fits = reading.word(node, key) is not None
        else:
            fits = reading.number(node, key, whole=key in ("min_length", "max_length"))
        if fits:
            found[key] = node
    return found


def _examples(reading: Reading, node: Node) -> tuple[Node, ...]:
    if isinstance(node, Sequence):
        return tuple(reading.data(item) for item in node.items)
    reading.wrong(node, "examples is a list")
    return ()


def _text(reading: Reading, value: dict[str, Node], key: str) -> Text | None:
    return reading.text(value[key], key) if key in value else None


def _flag(reading: Reading, value: dict[str, Node], key: str) -> bool | None:
    return reading.flag(value[key], key) if key in value else None


def _spanning(first: Span, last: Span) -> Span:
    path, line, column, _, _ = first
    _, last_line, last_column, end_line, end_column = last
    if (last_line, last_column) < (line, column):
        return first
    return Span(path, line, column, end_line, end_column)
