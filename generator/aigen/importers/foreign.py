"""JSON Schemas that others wrote, as nodes: what a spec cannot hold is put right, and told.

An example that does not fit becomes words, and so does such a default in a list of tools; in a
schema of one's own it is a fault. Values that a spec would read as more than data become words
everywhere: what strangers wrote names no callable and no file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, TypeAlias

from aigen.diagnostics import Diagnostics, Span
from aigen.resolve.json_shape import judge_shape
from aigen.resolve.shape_source import Source
from aigen.resolve.shape_values import Judged
from aigen.resolve.words import quoted
from aigen.runtime.wire.plain import BY_NAME, MANY, ONE, everything
from aigen.spec.nodes import Entry, Json, Mapping, Node, Scalar, Sequence, plain_value

Change: TypeAlias = Callable[[Mapping], Mapping]

VALUES: Final = ("default", "examples")
_UNFIT: Final = "AIG234"
_OURS: Final = frozenset({_UNFIT, "AIG241"})
"""Findings about a schema that the import acts on, or that the build of the spec tells."""


class Read(NamedTuple):
    """A schema as read, and what takes the findings of all that is asked of it."""

    node: Node
    source: Source
    found: Diagnostics

    @classmethod
    def of(cls, node: Node, schema: Json) -> Read:
        """Reads a schema, which is given as plain data too."""
        found = Diagnostics()
        return cls(node, Source(schema, node, found), found)

    def tell(self, diagnostics: Diagnostics) -> bool:
        """Whether nothing found is an error; tells what is not told yet."""
        told = {(each.code, each.span) for each in diagnostics}
        for each in self.found:
            if each.code not in _OURS and (each.code, each.span) not in told:
                diagnostics.add(each)
        return not self.found.failed


def checked(node: Node, name: str, diagnostics: Diagnostics) -> Json:
    """A schema that a spec can hold, as plain data; None where a finding says why there is none.

    Args:
        node: the schema.
        name: of what it describes, for types that the check makes.
        diagnostics: takes what is wrong and what was changed, each at its place.
    """
    read = fitted(node, plain_value(node), diagnostics)
    if read is None:
        return None
    judge_shape(read.source, name, "imported")
    return read.source.given if read.tell(diagnostics) else None


def fitting(node: Node, diagnostics: Diagnostics) -> Json:
    """A schema as `fitted` gives it, as plain data; None where it is no schema, or has a fault."""
    read = _harmless(node, plain_value(node), diagnostics)
    found = _fitted(read, diagnostics, VALUES)
    if found is None:
        return None
    return read.source.given if found is read.node else plain_value(found)


def fitted(
    node: Node, schema: Json, diagnostics: Diagnostics, *, words: tuple[str, ...] = VALUES
) -> Read | None:
    """A schema whose defaults and examples fit it; those that do not are words.

    Args:
        node: the schema, and in its definitions all others.
        schema: the same as plain data.
        diagnostics: takes what is wrong and what was changed, each at its place.
        words: the keywords whose values become words; a default that is none of them and does not
            fit is a fault.

    Returns:
        The schema, of which no types are read yet; None where it is no schema, or has a fault.
    """
    read = _harmless(node, schema, diagnostics)
    found = _fitted(read, diagnostics, words)
    if found is None:
        return None
    return read if found is read.node else Read.of(found, plain_value(found))


def _fitted(read: Read, diagnostics: Diagnostics, words: tuple[str, ...]) -> Node | None:
    node, source, found = read
    good = source.good
    unfit = {*_unfit(source)} if good else set()
    told = _OURS if "default" in words else _OURS - {_UNFIT}
    for each in found:
        if each.code not in told:
            diagnostics.add(each)
    if not good or any(each.code == _UNFIT and each.code not in told for each in found):
        return None
    return rewritten(node, lambda schema: _fitting(schema, unfit, diagnostics)) if unfit else node


def _unfit(source: Source) -> Iterator[Span]:
    """Where the defaults and examples stand that do not fit."""
    judged = Judged(source)
    for part in source.everything:
        if part.get("default") is not None and judged.default(part) is None:
            yield source.at(part, "default")
        examples = part.get("examples")
        if isinstance(examples, list) and len(judged.fitting(examples, part)) < len(examples):
            yield source.at(part, "examples")


def rewritten(node: Node, change: Change) -> Node:
    """A schema with a change made to it and to every schema inside, the inner ones first.

    What the change leaves as it is stays the same object.
    """
    if not isinstance(node, Mapping):
        return node
    entries = _changed(node.entries, lambda key, value: _inside(key, value, change))
    return change(node if entries is node.entries else Mapping(entries, node.span))


def _inside(key: str, value: Node, change: Change) -> Node:
    if key in BY_NAME and isinstance(value, Mapping):
        inner = _changed(value.entries, lambda _, part: rewritten(part, change))
        return value if inner is value.entries else Mapping(inner, value.span)
    if isinstance(value, Sequence) and (key in MANY or key == "items"):
        items = tuple(rewritten(item, change) for item in value.items)
        same = all(one is other for one, other in zip(items, value.items, strict=True))
        return value if same else Sequence(items, value.span)
    return rewritten(value, change) if key in ONE else value


def _changed(entries: dict[str, Entry], change: Callable[[str, Node], Node]) -> dict[str, Entry]:
    """Entries with their values changed; the same ones where nothing is."""
    found: dict[str, Entry] = {}
    for key, entry in entries.items():
        value = change(key, entry.value)
        if value is not entry.value:
            found[key] = Entry(entry.key, value)
    return {**entries, **found} if found else entries


def is_data(node: Node) -> bool:
    """Whether a spec reads a value as nothing but data: no key in it begins with `$`."""
    if isinstance(node, Sequence):
        return all(map(is_data, node.items))
    if isinstance(node, Mapping):
        return all(
            not key.startswith("$") and is_data(entry.value) for key, entry in node.entries.items()
        )
    return True


def _harmless(node: Node, schema: Json, diagnostics: Diagnostics) -> Read:
    """A schema whose defaults and examples are nothing but data, read."""
    if any(not part.keys().isdisjoint(VALUES) for part in everything(schema)):
        made = rewritten(node, lambda part: _with_data(part, diagnostics))
        if made is not node:
            return Read.of(made, plain_value(made))
    return Read.of(node, schema)


def _with_data(schema: Mapping, diagnostics: Diagnostics) -> Mapping:
    for key in VALUES:
        entry = schema.entries.get(key)
        if entry is not None and not is_data(entry.value):
            diagnostics.report(
                "AIG140",
                entry.value.span,
                f"this {key.removesuffix('s')} has a key with $, so it is kept as words",
            )
            schema = _as_words(schema, key)
    return schema


def _fitting(schema: Mapping, unfit: set[Span], diagnostics: Diagnostics) -> Mapping:
    for key in VALUES:
        entry = schema.entries.get(key)
        if entry is None or entry.value.span not in unfit:
            continue
        said = f"{quoted(plain_value(entry.value))} does not fit, so it is kept as words"
        diagnostics.report("AIG140", entry.value.span, f"{key} {said}")
        schema = _as_words(schema, key)
    return schema


def _as_words(schema: Mapping, key: str) -> Mapping:
    """A schema whose description says what one of its keywords said."""
    entries = dict(schema.entries)
    gone = entries.pop(key)
    words = entries.get("description")
    before = words.value.value if words is not None and isinstance(words.value, Scalar) else None
    said = f"({key}: {json.dumps(plain_value(gone.value), ensure_ascii=False)})"
    text = f"{before} {said}" if isinstance(before, str) and before else said
    place = gone.value.span
    entries["description"] = Entry(
        words.key if words is not None else Scalar("description", place, "description", False),
        Scalar(text, place, text, False),
    )
    return Mapping(entries, schema.span)


__all__ = ["Read", "checked", "fitted", "fitting", "is_data", "rewritten"]
