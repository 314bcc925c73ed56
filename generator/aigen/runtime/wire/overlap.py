"""Which kinds of JSON a schema takes, and whether two schemas can take the same value."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

Look: TypeAlias = Callable[[str], Any]
"""What a `$ref` means; None where it is not known."""

_TYPES = frozenset({"string", "integer", "number", "boolean", "null", "array", "object"})
_OF = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array"}
_WORDS = frozenset({"title", "description", "default", "examples", "deprecated"})
_DEEPEST = 8


def type_of(value: Any) -> str:
    """The JSON type of a value; a whole float is a number."""
    return "null" if value is None else _OF.get(type(value), "object")


def kinds_of(schema: Any, look: Look, known: dict[str, set[str]] | None = None) -> set[str]:
    """The JSON types that might fit a schema; one that takes numbers takes integers.

    Args:
        schema: the schema.
        look: what its references mean.
        known: the types of what was referred to so far; none of a reference to itself.
    """
    known = {} if known is None else known
    if not isinstance(schema, Mapping):
        return set(_TYPES) if schema else set()
    found = set(_TYPES)
    if "type" in schema:
        kinds = schema["type"]
        found &= _with_integers({kinds} if isinstance(kinds, str) else set(kinds))
    if "enum" in schema:
        found &= _levels(schema["enum"])
    if "const" in schema:
        found &= _levels([schema["const"]])
    ref = schema.get("$ref")
    if isinstance(ref, str):
        if ref not in known:
            known[ref] = set()
            target = look(ref)
            known[ref] = set(_TYPES) if target is None else kinds_of(target, look, known)
        found &= known[ref]
    for word in ("anyOf", "oneOf"):
        if word in schema:
            found &= set().union(*(kinds_of(option, look, known) for option in schema[word]))
    for part in schema.get("allOf", ()):
        found &= kinds_of(part, look, known)
    return found


def _with_integers(kinds: set[str]) -> set[str]:
    return kinds | {"integer"} if "number" in kinds else kinds


def _levels(values: list[Any]) -> set[str]:
    # 1.0 is an integer, so a number among the levels may be told as either.
    found = {type_of(value) for value in values}
    return found | {"integer", "number"} if found & {"integer", "number"} else found


def apart(first: Any, second: Any, look: Look, depth: int = 0) -> bool:
    """Whether no value can fit both schemas, as far as this is easily seen."""
    shared = kinds_of(first, look) & kinds_of(second, look)
    if not shared:
        return True
    if depth > _DEEPEST:
        return False
    mine, theirs = _followed(first, look), _followed(second, look)
    for one, other in ((mine, second), (theirs, first)):
        for word in ("anyOf", "oneOf"):
            if word in one:
                return all(apart(option, other, look, depth + 1) for option in one[word])
    if shared == {"object"}:
        return _records_apart(mine, theirs, look, depth)
    levels = [_enum(part) for part in (mine, theirs)]
    return levels[0] is not None and levels[1] is not None and not levels[0] & levels[1]


def all_apart(options: Sequence[Any], look: Look) -> bool:
    """Whether no value can fit two of many schemas, as far as this is easily seen."""
    return _tagged(options, look) or all(
        apart(first, second, look)
        for at, first in enumerate(options)
        for second in options[at + 1 :]
    )


def _tagged(options: Sequence[Any], look: Look) -> bool:
    """Whether a member tells records apart that all of them require: pairs would be very many."""
    records = [_followed(option, look) for option in options]
    if not records or any(record.get("type") != "object" for record in records):
        return False
    return any(_tells_apart(name, records, look) for name in records[0].get("required", ()))


def _tells_apart(name: str, records: Sequence[Mapping[str, Any]], look: Look) -> bool:
    seen: set[str] = set()
    for record in records:
        member = _followed(record.get("properties", {}).get(name), look)
        levels = _enum(member) if name in record.get("required", ()) else None
        if levels is None or not seen.isdisjoint(levels):
            return False
        seen |= levels
    return True


def _records_apart(
    first: Mapping[str, Any], second: Mapping[str, Any], look: Look, depth: int
) -> bool:
    mine, theirs = (part.get("properties", {}) for part in (first, second))
    needed = [set(part.get("required", ())) for part in (first, second)]
    for name in needed[0] & needed[1] & mine.keys() & theirs.keys():
        if apart(mine[name], theirs[name], look, depth + 1):
            return True
    closed = [
        part.get("additionalProperties") is False and not part.get("patternProperties")
        for part in (first, second)
    ]
    return bool(
        (closed[1] and needed[0] - theirs.keys()) or (closed[0] and needed[1] - mine.keys())
    )


def _followed(node: Any, look: Look) -> Mapping[str, Any]:
    """What a bare reference means."""
    seen: set[str] = set()
    while isinstance(node, Mapping) and node.keys() - _WORDS == {"$ref"}:
        if node["$ref"] in seen:
            return {}
        seen.add(node["$ref"])
        node = look(node["$ref"])
    return node if isinstance(node, Mapping) else {}


def _enum(node: Mapping[str, Any]) -> set[str] | None:
    levels = node.get("enum", [node["const"]] if "const" in node else None)
    if levels is None or any(isinstance(level, float) for level in levels):
        return None
    return {json.dumps(level, sort_keys=True) for level in levels}
