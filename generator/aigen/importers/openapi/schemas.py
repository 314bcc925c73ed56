"""The schemas of an OpenAPI document as one JSON Schema of draft 2020-12.

Those of OpenAPI 3.0 are no JSON Schemas: `nullable`, `exclusiveMinimum: true`, what stands beside
`$ref`. Formats that are words only (`int64`, `password`) are left out. What a request may not hold
(`readOnly`) is required of answers only, and what answers do not hold (`writeOnly`) of requests
only; a schema of which that is true at any depth is there twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from aigen.importers.document import member
from aigen.importers.foreign import rewritten
from aigen.importers.names import first_free
from aigen.importers.openapi.document import Document, pointer, reference
from aigen.resolve.shape_words import encoded
from aigen.spec.nodes import Entry, Mapping, Node, Scalar, Sequence, plain_value

_FORMATS: Final = frozenset({"date", "date-time", "time", "uuid", "email", "uri"})
_ASIDE: Final = ("xml", "externalDocs", "discriminator", "example", "$schema", "$id", "readOnly",
                 "writeOnly", "nullable")  # fmt: skip
_BOUNDS: Final = (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum"))
_BESIDE_REF: Final = ("$ref", "description")
_COMBINED: Final = ("allOf", "anyOf", "oneOf")


class Schemas:
    """Schemas as they are asked for, and all that they refer to.

    Attributes:
        definitions: those referred to, by their names under `$defs`.
    """

    def __init__(self, document: Document) -> None:
        self.definitions: dict[str, Entry] = {}
        self._document = document
        self._names: dict[tuple[str, bool], str] = {}
        self._pending: list[tuple[str, Node, bool]] = []
        self._apart = frozenset(_differing(document))

    def of(self, node: Node, *, request: bool) -> Node:
        """A schema in JSON Schema's words, its references into `$defs`.

        Args:
            node: the schema.
            request: whether values of it are sent; else they come back.
        """
        made = self._made(node, request)
        while self._pending:  # a chain of references may be longer than calls may be deep
            name, target, asked = self._pending.pop()
            self.definitions[name] = Entry(self.definitions[name].key, self._made(target, asked))
        return made

    def every(self) -> list[str]:
        """Takes all schemas of the components, as they come back; gives their names."""
        components = member(self._document.root, "components")
        found = {} if components is None else self._document.entries(components, "schemas")
        for name, entry in found.items():
            ref = _entry("$ref", f"#/components/schemas/{encoded(name)}", entry.key)
            self.of(Mapping({"$ref": ref}, entry.key.span), request=False)
        return [*self.definitions]

    def _made(self, node: Node, request: bool) -> Node:
        asked = rewritten(node, lambda schema: _required(schema, request))
        return rewritten(asked, lambda schema: self._schema(schema, request))

    def _schema(self, schema: Mapping, request: bool) -> Mapping:
        entries = dict(schema.entries)
        if self._document.old:
            entries = _from_3_0(entries)
        entries = _without_words(entries)
        ref = reference(schema)
        if ref is not None:
            name = self._name(ref, request)
            if name is None:
                del entries["$ref"]
            else:
                entries["$ref"] = _entry("$ref", f"#/$defs/{name}", ref)
        return Mapping(entries, schema.span)

    def _name(self, ref: Scalar, request: bool) -> str | None:
        """The name of the definition that a reference means, which is made before long."""
        words = str(ref.value)
        target = self._document.target(ref)
        if target is None:
            return None
        key = words, request and words in self._apart
        if key not in self._names:
            name = self._free(words, key[1])
            self._names[key] = name
            self.definitions[name] = _entry(name, "", ref)
            self._pending.append((name, target, request))
        return self._names[key]

    def _free(self, ref: str, apart: bool) -> str:
        steps = pointer(ref)
        plain = len(steps) == 3 and steps[:2] == ["components", "schemas"]
        wanted = steps[-1] if plain else "_".join(steps[-3:]) or "document"
        wanted = re.sub(r"[^\w.-]+", "_", wanted) + ("_request" if apart else "")
        return first_free(wanted, lambda n: f"{wanted}_{n}", self.definitions.__contains__)


# --------------------------------------------------------------------------- keywords


def _from_3_0(entries: dict[str, Entry]) -> dict[str, Entry]:
    """The keywords of a schema of OpenAPI 3.0 as JSON Schema has them."""
    if "$ref" in entries:
        return {key: entries[key] for key in _BESIDE_REF if key in entries}
    made = dict(entries)
    for exclusive, bound in _BOUNDS:
        entry = made.get(exclusive)
        if entry is not None and isinstance(plain_value(entry.value), bool):
            del made[exclusive]
            if plain_value(entry.value) and bound in made:
                value = made.pop(bound).value
                made[exclusive] = Entry(entry.key, value)
    nullable = made.get("nullable")
    return _nullable(made) if nullable and plain_value(nullable.value) is True else made


def _nullable(made: dict[str, Entry]) -> dict[str, Entry]:
    """Takes null, too, which an enumeration then has among its values."""
    place = made["nullable"].key
    null = Scalar("null", place.span, "null", False)
    enum = made.get("enum")
    if enum is not None and isinstance(enum.value, Sequence):
        values = enum.value.items
        if all(plain_value(value) is not None for value in values):
            nothing = Scalar(None, place.span, "null", True)
            made["enum"] = Entry(enum.key, Sequence((*values, nothing), enum.value.span))
    kind = made.get("type")
    if kind is not None and isinstance(kind.value, Scalar):
        made["type"] = Entry(kind.key, Sequence((kind.value, null), kind.value.span))
    combined: dict[str, Entry] = {word: made[word] for word in _COMBINED if word in made}
    if kind is None and combined:
        made = {key: entry for key, entry in made.items() if key not in combined}
        option = Mapping({"type": Entry(_text("type", place), null)}, place.span)
        made |= _or_null(combined, option, place)
    return made


def _or_null(combined: dict[str, Entry], null: Mapping, place: Scalar) -> dict[str, Entry]:
    """What combined schemas say, or null."""
    word, inner = next(iter(combined.items()))
    if len(combined) == 1 and word != "allOf" and isinstance(inner.value, Sequence):
        items = (*inner.value.items, null)
        return {word: Entry(inner.key, Sequence(items, inner.value.span))}
    options = Sequence((Mapping(combined, place.span), null), place.span)
    return {"anyOf": Entry(_text("anyOf", place), options)}


def _without_words(entries: dict[str, Entry]) -> dict[str, Entry]:
    """The keywords that say something of values, or that models read."""
    made = {
        key: entry
        for key, entry in entries.items()
        if key not in _ASIDE and not key.startswith("x-")
    }
    example = entries.get("example")
    if example is not None and "examples" not in entries:
        values = Sequence((example.value,), example.value.span)
        made["examples"] = Entry(_text("examples", example.key), values)
    written = made.get("format")
    if written is not None and plain_value(written.value) not in _FORMATS:
        del made["format"]
    return made


def _required(schema: Mapping, request: bool) -> Mapping:
    """A schema that does not require what a request, or an answer, does not hold."""
    required = schema.entries.get("required")
    if required is None or not isinstance(required.value, Sequence):
        return schema
    absent = _marked(schema, "readOnly" if request else "writeOnly")
    named = {str(plain_value(item)): item for item in required.value.items}  # some name one twice
    kept = tuple(item for name, item in named.items() if name not in absent)
    if kept == required.value.items and kept:
        return schema
    entries = {
        **schema.entries,
        "required": Entry(required.key, Sequence(kept, required.value.span)),
    }
    if not kept:
        del entries["required"]
    return Mapping(entries, schema.span)


def _marked(schema: Mapping, word: str) -> set[object]:
    properties = member(schema, "properties")
    entries = properties.entries if isinstance(properties, Mapping) else {}
    found = {}
    for name, entry in entries.items():
        flag = member(entry.value, word)
        found[name] = flag is not None and plain_value(flag) is True
    return {name for name, marked in found.items() if marked}


def _differing(document: Document) -> Iterator[str]:
    """The references to schemas that are not the same in requests and in answers."""
    components = member(document.root, "components")
    schemas = {} if components is None else document.entries(components, "schemas")
    referring: dict[str, list[str]] = {}
    pending = []
    for name, entry in schemas.items():
        own = f"#/components/schemas/{name}"
        for part in _mappings(entry.value):
            required = member(part, "required")
            names = set(map(str, _plain_items(required)))
            if names & (_marked(part, "readOnly") | _marked(part, "writeOnly")):
                pending.append(own)
            ref = reference(part)
            if ref is not None:
                referring.setdefault(str(ref.value), []).append(own)
    found: set[str] = set()
    while pending:
        ref_to = pending.pop()
        if ref_to not in found:
            found.add(ref_to)
            yield ref_to
            pending += referring.get(ref_to, [])


def _plain_items(node: Node | None) -> list[object]:
    return [plain_value(item) for item in node.items] if isinstance(node, Sequence) else []


def _mappings(node: Node) -> Iterator[Mapping]:
    pending = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, Mapping):
            yield part
            pending += [entry.value for entry in part.entries.values()]
        elif isinstance(part, Sequence):
            pending += part.items


def _text(value: str, at: Node) -> Scalar:
    return Scalar(value, at.span, value, False)


def _entry(key: str, value: str, at: Node) -> Entry:
    return Entry(_text(key, at), _text(value, at))


__all__ = ["Schemas"]
