"""`docs` of a tool: documentation laid over what its source says."""

from __future__ import annotations

from aigen.spec.fields import name_of, read_field
from aigen.spec.keys import ARGUMENT_DOCS, DOCS, RETURN_DOCS
from aigen.spec.nodes import Entry, Mapping, Node, Scalar, Sequence, plain_value
from aigen.spec.reading import Reading
from aigen.spec.tree import ArgumentDocs, DocsSpec, Text

CHOICE = "match.arg"
"""The type whose choices stand in `default_value`, the first of them the default."""


def read_docs(reading: Reading, node: Node) -> DocsSpec:
    """The documentation of a tool."""
    entries = reading.mapping(node, "docs", DOCS)
    value = {name: entry.value for name, entry in entries.items()}
    arguments = reading.mapping(value["arguments"], "arguments") if "arguments" in value else {}
    returned = reading.mapping(value["return"], "return", RETURN_DOCS) if "return" in value else {}
    return DocsSpec(
        name=reading.word(value["name"], "name") if "name" in value else None,
        description=_words(reading, entries),
        arguments=tuple(_argument(reading, entry) for entry in arguments.values()),
        returns=_words(reading, returned),
    )


def _words(reading: Reading, entries: dict[str, Entry]) -> Text | None:
    found = entries.get("description")
    return reading.text(found.value, "description") if found is not None else None


def _argument(reading: Reading, entry: Entry) -> ArgumentDocs:
    """One argument as the field that its documentation describes."""
    name = name_of(entry)
    entries = reading.mapping(entry.value, f"docs of {name.value}", ARGUMENT_DOCS)
    kind = entries["type"].value if "type" in entries else None
    given = entries["default_value"].value if "default_value" in entries else None
    said = None if kind is None else plain_value(kind)
    default = given
    if said == CHOICE:
        default = given.items[0] if isinstance(given, Sequence) and given.items else None
    written = {key: entries[key] for key in entries if key == "description"}
    if kind is not None:
        written |= _type(reading, kind, given)
    if default is not None:
        written["default"] = _entry("default", default)
    field = read_field(reading, name, Mapping(written, entry.value.span))
    return ArgumentDocs(field, said, None if given is None else plain_value(given))


def _entry(key: str, value: Node) -> Entry:
    return Entry(Scalar(key, value.span, key, True), value)


def _type(reading: Reading, kind: Node, default: Node | None) -> dict[str, Entry]:
    """The keys of a field that say a type in the words of documentation."""
    if isinstance(kind, Mapping):
        return {"record": _entry("record", _record(kind))}
    if plain_value(kind) != CHOICE:
        return {"type": _entry("type", kind)}
    if isinstance(default, Sequence) and default.items:
        return {"choice": _entry("choice", default)}
    wanted = f"{CHOICE} takes its choices as default_value, a list, the first the default"
    reading.wrong(default or kind, wanted, "write default_value: [a, b]")
    return {"type": _entry("type", Scalar("json", kind.span, "json", True))}


def _record(kind: Mapping) -> Mapping:
    """A mapping of members to types, as the members of a record are written."""
    members = {
        name: entry._replace(value=_member(entry.value)) for name, entry in kind.entries.items()
    }
    return Mapping(members, kind.span)


def _member(kind: Node) -> Mapping:
    if isinstance(kind, Mapping):
        return Mapping({"record": _entry("record", _record(kind))}, kind.span)
    return Mapping({"type": _entry("type", kind)}, kind.span)
