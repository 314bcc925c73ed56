"""A canonical schema as any reader of JSON Schema takes it.

The canonical form has keywords and a rule of its own (a record holds only what it names), and a
spec's own JSON Schema inside it refers to itself, wherever it stands. Here both are said in JSON
Schema's words: every object that is closed says so, and each reference is a `#/$defs/<name>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias
from urllib.parse import unquote

Schema: TypeAlias = dict[str, Any]
Place: TypeAlias = tuple[str, ...]

ONE = frozenset(
    {
        "items",
        "additionalItems",
        "additionalProperties",
        "contains",
        "propertyNames",
        "not",
        "if",
        "then",
        "else",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
"""Keywords whose value is a schema (`items` may be a list in drafts before 2020-12)."""

MANY = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
"""Keywords whose value is a list of schemas."""

BY_NAME = frozenset(
    {
        "properties",
        "patternProperties",
        "$defs",
        "definitions",
        "dependentSchemas",
        "dependencies",
    }
)
"""Keywords whose value holds schemas by name."""

HOLDING = ONE | MANY | BY_NAME
"""Keywords whose value is, or holds, schemas."""

_DROPPED = frozenset({"$defs", "definitions", "$schema", "$comment"})


def is_schema(value: Any) -> bool:
    """Whether a value can be a schema."""
    return isinstance(value, (dict, bool, Mapping))  # a union takes twice the time


def parts(schema: Mapping[str, Any]) -> Iterator[tuple[Place, Any]]:
    """The schemas right inside a schema, each with the keyword and name or position it is at."""
    for key, value in schema.items():
        if key not in HOLDING:
            continue
        if key in BY_NAME:
            if isinstance(value, Mapping):
                for name, part in value.items():
                    if is_schema(part):
                        yield (key, name), part
        elif isinstance(value, list):
            if key in MANY or key == "items":
                for place, part in enumerate(value):
                    yield (key, str(place)), part
        elif key in ONE and is_schema(value):
            yield (key,), value


def everything(schema: Any) -> list[dict[str, Any]]:
    """A schema of plain data and all schemas inside it, without those that are true or false."""
    found: list[dict[str, Any]] = []
    pending = [schema]
    while pending:
        part = pending.pop()
        if not isinstance(part, dict):
            continue
        found.append(part)
        for key in part:
            if key not in HOLDING:
                continue
            value = part[key]
            if key in BY_NAME:
                if isinstance(value, dict):
                    pending += value.values()
            elif isinstance(value, list):
                if key in MANY or key == "items":
                    pending += value
            elif key in ONE:
                pending.append(value)
    return found


def to_plain(schema: Mapping[str, Any]) -> Schema:
    """The schema in JSON Schema's own words, self-contained.

    Keywords of ours are gone, and so are comments. A reference that leads nowhere stays.
    """
    plain = _Plain(schema)
    made = plain.schema(schema, schema if schema.get("x-aigen-shape") is True else None)
    defs = plain.defs()
    return {**made, "$defs": defs} if defs else made


class _Plain:
    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._outer: Mapping[str, Any] = schema.get("$defs", {})
        self._own = schema.get("x-aigen-shape") is True
        self._names: dict[tuple[int, str], str] = {}
        self._pending: list[tuple[str, Any, Mapping[str, Any] | None]] = []
        self._taken: set[str] = set() if self._own else set(self._outer)

    def defs(self) -> dict[str, Schema]:
        """What was referred to, and what that refers to."""
        found: dict[str, Schema] = {}
        while self._pending:
            name, target, root = self._pending.pop()
            inner = root
            if root is None and _is_shape(target):
                inner = target
            found[name] = self.schema(target, inner)
        return dict(sorted(found.items()))

    def schema(self, node: Any, root: Mapping[str, Any] | None) -> Any:
        """A schema; `root` is the spec's own schema around it, if any."""
        if not isinstance(node, Mapping):
            return node
        if root is None and _is_shape(node):
            root = node
        made: Schema = {}
        for key, value in node.items():
            if key in _DROPPED or key.startswith("x-aigen-"):
                continue
            if key == "$ref" and isinstance(value, str):
                made[key] = self._reference(value, root)
            elif key in BY_NAME and isinstance(value, Mapping):
                made[key] = {name: self.schema(part, root) for name, part in value.items()}
            elif key in MANY or key == "items" or key in ONE:
                made[key] = (
                    [self.schema(part, root) for part in value]
                    if isinstance(value, list)
                    else self.schema(value, root)
                )
            else:
                made[key] = value
        if root is None and "properties" in made:
            made.setdefault("additionalProperties", False)
        return made

    def _reference(self, ref: str, root: Mapping[str, Any] | None) -> str:
        if root is not None and (ref == "#" or ref.startswith("#/")):
            target = pointed(root, ref)
            if target is not None:
                return f"#/$defs/{self._named(ref, target, root)}"
        key = ref.removeprefix("#/$defs/")
        known = self._own or key == ref or key not in self._outer or (0, key) in self._names
        if not known:
            self._names[0, key] = key
            self._pending.append((key, self._outer[key], None))
        return ref

    def _named(self, ref: str, target: Any, root: Mapping[str, Any]) -> str:
        known = self._names.get((id(root), ref))
        if known is None:
            wanted = re.sub(r"\W+", "_", unquote(ref.rpartition("/")[2]), flags=re.ASCII)
            if ref == "#":
                title = root.get("title")
                wanted = re.sub(r"\W+", "_", title, flags=re.ASCII) if title else "Root"
            known, number = wanted, 2
            while not known or known in self._taken:
                known, number = f"{wanted}_{number}", number + 1
            self._taken.add(known)
            self._names[id(root), ref] = known
            self._pending.append((known, target, root))
        return known


def _is_shape(node: Any) -> bool:
    return isinstance(node, Mapping) and node.get("x-aigen-shape") is True


def pointed(root: Any, ref: str) -> Any:
    """What a `#/…` reference leads to inside `root`; None where it leads nowhere."""
    target = root
    for step in ref[2:].split("/") if ref not in ("#", "#/") else ():
        step = unquote(step).replace("~1", "/").replace("~0", "~")
        if isinstance(target, Mapping) and step in target:
            target = target[step]
        elif isinstance(target, list) and step.isdecimal() and int(step) < len(target):
            target = target[int(step)]
        else:
            return None
    return target if is_schema(target) else None
