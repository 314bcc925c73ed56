"""Fields: the codebook's entries, record members, parameters and named types."""

from __future__ import annotations

from aigen.diagnostics import Span
from aigen.spec.keys import CONSTRAINTS, FIELD, TYPE, TYPES
from aigen.spec.nodes import Entry, Mapping, Node, Scalar, Sequence
from aigen.spec.reading import Reading
from aigen.spec.tree import (
    Call,
    ChoiceOf,
    FieldSpec,
    GivenChoice,
    Level,
    ListOf,
    PythonType,
    RecordOf,
    ShapeOf,
    Text,
    TypeExpr,
)
from aigen.spec.type_expr import Problem, looks_like_type, parse_type, within


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
    if isinstance(node, Mapping):
        return _mapping(reading, name, node, span, named)
    if isinstance(node, Sequence):
        levels = ", ".join(item.text for item in node.items if isinstance(item, Scalar))
        reading.wrong(
            node, "a field is words, a type or a mapping", f"write {{choice: [{levels}]}}"
        )
        return FieldSpec(name, span)
    if node.value is None:
        return FieldSpec(name, span)
    if not isinstance(node.value, str):
        reading.wrong(node, "a field is words, a type or a mapping", f'quote it: "{node.text}"')
        return FieldSpec(name, span)
    kind, words = _type_or_words(reading, node)
    return FieldSpec(name, span, type=kind, description=words)


def _type_or_words(reading: Reading, node: Scalar) -> tuple[TypeExpr | None, Text | None]:
    if node.text.isascii():
        parsed = parse_type(node)
        if not isinstance(parsed, Problem):
            return parsed, None
        if looks_like_type(node.text):
            reading.report(
                "AIG128",
                node.span,
                f'"{node.text}" is read as words, but looks like a type',
                f"as a type: {parsed.message}; as words: write {{description: …}}",
            )
    return None, Text(node.text, node.span)


def _mapping(reading: Reading, name: Text, node: Mapping, span: Span, named: bool) -> FieldSpec:
    what = f'"{name.value}"'
    entries = reading.mapping(node, what, TYPE if named else FIELD)
    value = {key: entry.value for key, entry in entries.items()}
    _one_type(reading, name, entries)
    default = value.get("default")
    return FieldSpec(
        name,
        span,
        type=_type(reading, entries),
        description=_text(reading, value.get("description"), "description"),
        default=None if default is None else _default(reading, default),
        required=_flag(reading, value.get("required"), "required"),
        optional=bool(_flag(reading, value.get("optional"), "optional")),
        type_name=_text(reading, value.get("name"), "name"),
        examples=_examples(reading, value.get("examples")),
        constraints=_constraints(reading, value),
        checks=reading.callables(value["check"], "check") if "check" in value else (),
        deprecated=reading.flag_or_text(value["deprecated"], "deprecated")
        if "deprecated" in value
        else False,
    )


def _one_type(reading: Reading, name: Text, entries: dict[str, Entry]) -> None:
    said = [key for key in TYPES if key in entries]
    if len(said) > 1:
        reading.report(
            "AIG134",
            entries[said[1]].key.span,
            f'"{name.value}" has two types: {said[0]} and {said[1]}',
            "write one of them",
        )
    if "enum" in entries and "choice" not in entries:
        reading.report(
            "AIG134", entries["enum"].key.span, "enum stands beside a choice", "write a choice"
        )


def _type(reading: Reading, entries: dict[str, Entry]) -> TypeExpr | None:
    for key in TYPES:
        if key not in entries:
            continue
        node = entries[key].value
        match key:
            case "type":
                return _written(reading, node)
            case "choice":
                enum = entries.get("enum")
                flagged = bool(_flag(reading, enum.value if enum else None, "enum"))
                return _choice(reading, node, flagged)
            case "record":
                return RecordOf(read_fields(reading, node, "a record"), node.span)
            case "list":
                item = Text("item", entries[key].key.span)
                return ListOf(read_field(reading, item, node), node.span)
            case "json_shape":
                if isinstance(node, Mapping) or _truth(node):
                    return ShapeOf(node, node.span)
                reading.wrong(node, "json_shape is a JSON Schema, a mapping")
            case "python":
                target = reading.callable(node, "python")
                return None if target is None else PythonType(target, node.span)
        return None
    return None


def _truth(node: Node) -> bool:
    return isinstance(node, Scalar) and isinstance(node.value, bool)


def _written(reading: Reading, node: Node) -> TypeExpr | None:
    if isinstance(node, Scalar) and node.value is None and node.plain and node.text:
        node = node._replace(value="None", text="None")
    text = reading.text(node, "type")
    if text is None or not isinstance(node, Scalar):
        return None
    parsed = parse_type(node)
    if not isinstance(parsed, Problem):
        return parsed
    reading.report(
        "AIG129",
        within(node, parsed.start, parsed.end),
        f'"{node.text}" is no type: {parsed.message}',
        "words go to description" if not looks_like_type(node.text) else None,
    )
    return None


def _choice(reading: Reading, node: Node, enum: bool) -> TypeExpr | None:
    if isinstance(node, Mapping) and "$given" in node.entries:
        return _given(reading, node)
    levels: list[Level] = []
    if isinstance(node, Sequence):
        for item in node.items:
            level = _level(reading, item, None)
            if level is not None:
                levels.append(level)
    elif isinstance(node, Mapping):
        levels = _with_meanings(reading, node)
    else:
        reading.wrong(node, "a choice is a list, or a mapping to meanings", "write [a, b]")
        return None
    return ChoiceOf(tuple(levels), enum, node.span)


def _given(reading: Reading, node: Mapping) -> GivenChoice | None:
    parameter = reading.text(node.entries["$given"].value, "$given")
    if len(node.entries) > 1:
        reading.report("AIG127", node.span, "beside $given stands nothing else")
    return None if parameter is None else GivenChoice(parameter, node.span)


def _with_meanings(reading: Reading, node: Mapping) -> list[Level]:
    levels = []
    meant = [e for e in node.entries.values() if isinstance(e.value, Scalar) and e.value.value]
    for entry in node.entries.values():
        meaning = None
        if isinstance(entry.value, Scalar) and entry.value.value is None:
            if meant and entry.value.text == "":
                reading.report(
                    "AIG126",
                    entry.key.span,
                    f'the level "{entry.key.text}" has no meaning, and others have one',
                    'quote a meaning that has a comma, or write a meaning (or "")',
                )
        else:
            meaning = reading.text(entry.value, "a meaning")
        level = _level(reading, entry.key, meaning.value if meaning and meaning.value else None)
        if level is not None:
            levels.append(level)
    return levels


def _level(reading: Reading, node: Node, meaning: str | None) -> Level | None:
    if isinstance(node, Scalar):
        if isinstance(node.value, (str, int)) and not isinstance(node.value, bool):
            return Level(node.value, meaning, node.span)
        if isinstance(node.value, bool) or node.value is None:
            reading.wrong(node, "a level is a text or a whole number", f'quote it: "{node.text}"')
            return None
    reading.wrong(node, "a level is a text or a whole number")
    return None


def _default(reading: Reading, node: Node) -> Node | Call | None:
    if isinstance(node, Mapping) and "$call" in node.entries:
        return reading.call(node)
    return node


def _constraints(reading: Reading, value: dict[str, Node]) -> dict[str, Node]:
    found = {}
    for key in CONSTRAINTS & value.keys():
        node = value[key]
        if key == "pattern":
            if reading.text(node, key) is not None:
                found[key] = node
        elif reading.number(node, key, whole=key in ("min_length", "max_length")):
            found[key] = node
    return dict(sorted(found.items()))


def _examples(reading: Reading, node: Node | None) -> tuple[Node, ...]:
    if node is None:
        return ()
    if isinstance(node, Sequence):
        return node.items
    reading.wrong(node, "examples is a list")
    return ()


def _text(reading: Reading, node: Node | None, what: str) -> Text | None:
    return None if node is None else reading.text(node, what)


def _flag(reading: Reading, node: Node | None, what: str) -> bool | None:
    return None if node is None else reading.flag(node, what)


def _spanning(first: Span, last: Span) -> Span:
    if (last.line, last.column) < (first.line, first.column):
        return first
    return Span(first.path, first.line, first.column, last.end_line, last.end_column)
