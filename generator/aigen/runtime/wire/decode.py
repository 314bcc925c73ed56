"""A value of the strict form, as the canonical schema means it.

In the strict form every property is there, and null stands for what may be absent. Which nulls do
is a plan made with the form; it follows the schema, and an option of a union is told by the value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from aigen.runtime.wire.overlap import kinds_of

Schema: TypeAlias = dict[str, Any]
Plan: TypeAlias = "Record | Items | Named | AnyOf | None"


@dataclass(frozen=True, slots=True)
class Record:
    """Decodes an object: members whose null means absent, and plans of members."""

    absent: frozenset[str]
    members: Mapping[str, Plan]


@dataclass(frozen=True, slots=True)
class Items:
    """Decodes every item of an array."""

    item: Plan


@dataclass(frozen=True, slots=True)
class Named:
    """Decodes what a definition decodes."""

    key: str


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Decodes by the first option (a strict schema) that the value fits."""

    options: tuple[tuple[Schema, Plan], ...]


@dataclass(frozen=True, slots=True)
class Decode:
    """What `from_strict` turns back.

    Attributes:
        root: the plan of the whole value.
        plans: of the definitions, by key.
        defs: the strict definitions, to tell options apart.
    """

    root: Plan
    plans: Mapping[str, Plan]
    defs: Mapping[str, Schema]

    def look(self, ref: str) -> Schema | None:
        """What a reference of the strict form means."""
        return self.defs.get(key_of(ref) or "")


def from_strict(value: Any, decode: Decode | None) -> Any:
    """A value of the strict form as the canonical schema means it: nulls for *absent* left out.

    A value that is not of the strict form stays as far as it is not; it is judged later.

    Args:
        value: JSON.
        decode: of the `Strict` that was sent.

    Returns:
        A new value, or `value` itself where nothing is turned back.
    """
    return value if decode is None else _decoded(value, decode.root, decode)


def _decoded(value: Any, plan: Plan, decode: Decode) -> Any:
    while isinstance(plan, Named):
        plan = decode.plans[plan.key]
    match plan:
        case Record() if isinstance(value, dict):
            return {
                name: _decoded(member, plan.members.get(name), decode)
                for name, member in value.items()
                if member is not None or name not in plan.absent
            }
        case Items() if isinstance(value, list):
            return [_decoded(item, plan.item, decode) for item in value]
        case AnyOf():
            return _decoded(value, _option(value, plan, decode), decode)
        case _:
            return value


def _option(value: Any, plan: AnyOf, decode: Decode) -> Plan:
    if not isinstance(value, dict | list):
        return None
    kind = "object" if isinstance(value, dict) else "array"
    near = [
        (schema, inner) for schema, inner in plan.options if kind in kinds_of(schema, decode.look)
    ]
    if len(near) < 2 or all(inner == near[0][1] for _, inner in near):
        return near[0][1] if near else None

    from aigen.runtime.values import fits

    return next((inner for schema, inner in near if fits(value, schema, decode.defs) is None), None)


def key_of(ref: Any) -> str | None:
    """The name in `#/$defs/<name>`."""
    return ref[8:] if isinstance(ref, str) and ref.startswith("#/$defs/") else None
