"""The documents that imports read: JSON, or YAML by its suffix, with the place of every value."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from aigen.diagnostics import Diagnostics
from aigen.spec.json_reader import read_json
from aigen.spec.nodes import Entry, Mapping, Node, Scalar, Sequence
from aigen.spec.source import LARGEST_FILE, load, whole
from aigen.spec.yaml_reader import read_yaml


def read_document(path: Path, diagnostics: Diagnostics) -> Node | None:
    """The root of a document, or None where a finding says why there is none."""
    source = load(path, path.as_posix(), diagnostics, limit=LARGEST_FILE)
    if source is None:
        return None
    before = len(diagnostics)
    yaml = path.suffix in (".yaml", ".yml")
    node = (read_yaml if yaml else read_json)(source, diagnostics)
    if node is None and len(diagnostics) == before:
        diagnostics.report("AIG104", whole(source.path), "the file is empty")
    if node is None or not yaml or "<<" not in source.text:
        return node
    node = _merged(node, diagnostics)
    return node if len(diagnostics) == before else None


def _merged(node: Node, diagnostics: Diagnostics) -> Node:
    """A value with the members in place that `<<` takes from other mappings, as in YAML 1.1."""
    if isinstance(node, Sequence):
        return node._replace(items=tuple([_merged(item, diagnostics) for item in node.items]))
    if isinstance(node, Scalar):
        return node
    own = {
        key: entry._replace(value=_merged(entry.value, diagnostics))
        for key, entry in node.entries.items()
    }
    if "<<" not in own or not own["<<"].key.plain:
        return node._replace(entries=own)
    taken = own.pop("<<").value
    entries: dict[str, Entry] = {}
    for each in taken.items[::-1] if isinstance(taken, Sequence) else (taken,):
        if not isinstance(each, Mapping):
            diagnostics.report("AIG121", each.span, "<< takes the members of a mapping")
            return node
        entries.update(each.entries)
    return node._replace(entries={**entries, **own})


def member(node: Node, key: str) -> Node | None:
    """A mapping's value; None where there is none, or null."""
    entry = node.entries.get(key) if isinstance(node, Mapping) else None
    value = None if entry is None else entry.value
    return None if isinstance(value, Scalar) and value.value is None else value


def listed(node: Node, within: tuple[str, ...], what: str, diagnostics: Diagnostics) -> list[Node]:
    """The items of a list that is the document, stands in it, or is a single item.

    Args:
        node: the document.
        within: keys, one of them inside the other, of which the list may be the last's value.
        what: the item, as a message says it.
        diagnostics: takes what is wrong.
    """
    for key in within:
        node = member(node, key) or node
    if isinstance(node, Sequence):
        if not node.items:
            diagnostics.report("AIG121", node.span, f"the list of {what}s is empty")
        return list(node.items)
    if isinstance(node, Mapping):
        return [node]
    diagnostics.report("AIG121", node.span, f"this is no {what}, nor a list of them")
    return []


def text_of(node: Node, key: str, diagnostics: Diagnostics) -> str | None:
    """A member that is a text."""
    value = member(node, key)
    if value is None:
        return None
    if isinstance(value, Scalar) and isinstance(value.value, str):
        return value.value
    diagnostics.report("AIG121", value.span, f"{key} is a text")
    return None


def named_items(
    items: list[Node], what: str, diagnostics: Diagnostics
) -> Iterator[tuple[str, Mapping]]:
    """The items that are mappings with a name; reports the others."""
    for item in items:
        if not isinstance(item, Mapping):
            diagnostics.report("AIG121", item.span, f"this is no {what}, which is a mapping")
            continue
        before = len(diagnostics)
        name = text_of(item, "name", diagnostics)
        if name:
            yield name, item
        elif len(diagnostics) == before:
            diagnostics.report("AIG122", item.span, f"this {what} has no name")


__all__ = ["listed", "member", "named_items", "read_document", "text_of"]
