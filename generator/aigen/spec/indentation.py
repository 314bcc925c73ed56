"""Keys that were written one level too far out: reported once, and read where they belong."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from collections.abc import Mapping as Names

from aigen.spec.advice import is_a_slip
from aigen.spec.keys import FUNCTION, Keys
from aigen.spec.nodes import Entry, Mapping, Node, Scalar
from aigen.spec.reading import Reading

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def indented(
    reading: Reading, entries: Names[str, Entry], what: str, keys: Keys
) -> Iterator[Entry]:
    """The entries of `functions` or `tools`, each with keys of its own that stand beside it.

    Args:
        reading: takes the finding.
        entries: as written.
        what: what an entry is, for the message.
        keys: that an entry may have.
    """
    owner: Entry | None = None
    astray: list[Entry] = []
    for entry in entries.values():
        if owner is not None and _belongs(owner, entry, keys):
            astray.append(entry)
            continue
        if owner is not None:
            yield _with(reading, owner, astray, what)
        owner, astray = entry, []
    if owner is not None:
        yield _with(reading, owner, astray, what)


def fields_indented(reading: Reading, function: Entry) -> Entry:
    """A function whose fields stand among its keys, with all of them under `fields`."""
    node = function.value
    if not isinstance(node, Mapping) or node.entries.keys() <= FUNCTION.keys():
        return function
    names = _formula_names(node)
    astray = [e for name, e in node.entries.items() if name in names and name not in FUNCTION]
    fields = node.entries.get("fields")
    inner = {} if fields is None or _is_null(fields.value) else _entries(fields.value)
    if not astray or inner is None:
        return function
    one = len(astray) == 1
    reading.report(
        "AIG120",
        astray[0].key.span,
        f"{_listed(astray)} {'is a field' if one else 'are fields'} of the function "
        f'"{function.key.text}" and {"stands" if one else "stand"} among its keys',
        f"{'indent' if fields else 'write'} {'it' if one else 'them'} under fields",
    )
    moved = {entry.key.text: entry for entry in astray}
    rest = {name: entry for name, entry in node.entries.items() if name not in moved}
    key = fields.key if fields else function.key._replace(value="fields", text="fields")
    rest["fields"] = Entry(key, Mapping({**moved, **inner}, node.span))
    return function._replace(value=Mapping(rest, node.span))


def members_indented(reading: Reading, name: str, node: Mapping, keys: Keys) -> Mapping:
    """A type whose members stand among its keys, with all of them under `record`."""
    if node.entries.keys() <= keys.keys():
        return node
    astray = [entry for entry in node.entries.values() if entry.key.text not in keys]
    said = [key for key in node.entries if key in keys and key != "description"]
    if said or not any(_is_member(entry, keys) for entry in astray):
        return node
    one = len(astray) == 1
    reading.report(
        "AIG120",
        astray[0].key.span,
        f'{_listed(astray)} {"is no key" if one else "are no keys"} of "{name}"',
        f"if {'it is a member' if one else 'they are members'}, indent"
        f" {'it' if one else 'them'} under record",
    )
    moved = {entry.key.text: entry for entry in astray}
    kept = {key: entry for key, entry in node.entries.items() if key in keys}
    key = astray[0].key._replace(value="record", text="record")
    return Mapping({**kept, "record": Entry(key, Mapping(moved, node.span))}, node.span)


def _is_member(entry: Entry, keys: Keys) -> bool:
    name = entry.key.text
    return not _is_null(entry.value) and bool(_NAME.fullmatch(name)) and not is_a_slip(name, keys)


def _belongs(owner: Entry, entry: Entry, keys: Keys) -> bool:
    """Whether an entry is a key of the one before it: as an entry of its own it would be none."""
    inner = _entries(entry.value)
    own = {} if _is_null(owner.value) else _entries(owner.value)
    return (
        entry.key.text in keys
        and not _is_null(entry.value)
        and own is not None
        and entry.key.text not in own
        and not (inner and any(name in keys for name in inner))
    )


def _with(reading: Reading, owner: Entry, astray: list[Entry], what: str) -> Entry:
    if not astray:
        return owner
    one = len(astray) == 1
    reading.report(
        "AIG120",
        astray[0].key.span,
        f"{_listed(astray)} {f'is no {what}' if one else f'are no {what}s'}, "
        f"but {'a key' if one else 'keys'} of one",
        f'indent {"it" if one else "them"} under "{owner.key.text}"',
    )
    keys = {**(_entries(owner.value) or {}), **{entry.key.text: entry for entry in astray}}
    return owner._replace(value=Mapping(keys, owner.value.span))


def _formula_names(node: Mapping) -> Container[str]:
    texts = [
        scalar.text
        for key in ("formula", "inputs", "outputs")
        if key in node.entries
        for scalar in _scalars(node.entries[key].value)
    ]
    return frozenset(_NAME.findall(" ".join(texts)))


def _scalars(node: Node) -> list[Scalar]:
    items = (node,) if isinstance(node, Scalar) else () if isinstance(node, Mapping) else node.items
    return [item for item in items if isinstance(item, Scalar)]


def _entries(node: Node) -> dict[str, Entry] | None:
    return node.entries if isinstance(node, Mapping) else None


def _is_null(node: Node) -> bool:
    return isinstance(node, Scalar) and node.value is None


def _listed(entries: list[Entry]) -> str:
    return ", ".join(f'"{entry.key.text[:80]}"' for entry in entries[:8])
