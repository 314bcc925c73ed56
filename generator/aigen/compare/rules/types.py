"""Codes 90x: named types, which code imports."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from aigen.compare.model import Comparison, Found, Place
from aigen.compare.pairs import only_in
from aigen.compare.registering import MOOD, rule
from aigen.compare.shapes import Node, differences
from aigen.compare.words import quoted

_ALONE = "aigen: 1\ntypes:\n  Order: {record: {id: str%s}}\n"


@rule(
    "AIG906",
    "breaking",
    "A type is gone",
    why="Code that imports its class or alias fails.",
    before="aigen: 1\ntypes:\n  Tone: {choice: [kind, brief]}\n" + MOOD.removeprefix("aigen: 1\n"),
    after=MOOD,
    mend="Keep it under its name until nobody imports it.",
    breaks="callers",
)
def type_removed(both: Comparison) -> Iterator[Found]:
    """Types of a module that only the earlier version has."""
    foreign = _prefixes(both.before)
    for module, name in only_in(both.before, both.after, "$defs"):
        # Another module's type stands under that module's name and is reported there.
        if not name.startswith(foreign):
            yield Found(Place(module, "type", name), f"the type {name} is gone")


@rule(
    "AIG909",
    "breaking",
    "A type that no function uses is another",
    why="Code that imports its class makes objects of it, or reads them. What a change of a type "
    "does to functions and tools is said there.",
    before=_ALONE % "",
    after=_ALONE % ", total: int",
    mend="Give new members a default, and keep old ones.",
    breaks="callers",
)
def type_changed(both: Comparison) -> Iterator[Found]:
    """Types of both versions that differ and are in no function's or tool's types."""
    changed = [*_changed(both)]
    # What only functions of one version use is said nowhere else.
    used = {
        module: _used(both.before[module]) & _used(data)
        for module, data in both.after.items()
        if changed and module in both.before
    }
    lent = set().union(*used.values())
    for module, name, before, after in changed:
        # Where another module's function uses it, it stands under this module's name.
        if name in used[module] or f"{module.replace('.', '_')}_{name}" in lent:
            continue
        # Without definitions: a type that this one refers to is said by itself.
        for one in differences(Node(before, {}), Node(after, {}), ""):
            if one.facet not in ("words", "default") and one.way != "added":
                words = f"{one.path}: {one.words}" if one.path else one.words
                yield Found(Place(module, "type", name, one.path), words)


def _changed(both: Comparison) -> Iterator[tuple[str, str, Any, Any]]:
    """Types of modules' own that differ: module, name, and both schemas."""
    foreign = _prefixes(both.after)
    for module in sorted(both.before.keys() & both.after.keys()):
        before, after = (one[module].get("$defs", {}) for one in (both.before, both.after))
        for name in sorted(before.keys() & after.keys()):
            if quoted(before[name]) != quoted(after[name]) and not name.startswith(foreign):
                yield module, name, before[name], after[name]


def _prefixes(modules: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(f"{name.replace('.', '_')}_" for name in modules)


def _used(module: Mapping[str, Any]) -> set[str]:
    """The names of definitions that functions and tools need, directly or not."""
    pending = _refs([module.get("functions"), module.get("tools")])
    found: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending |= _refs(module.get("$defs", {}).get(name))
    return found


def _refs(data: Any) -> set[str]:
    return set(re.findall(r'"\$ref": "#/\$defs/([^"]+)"', quoted(data)))


RULES = (type_removed, type_changed)
