"""YAML and JSON values with their places: what both readers give and the rest reads.

Scalars are already values by YAML 1.2's core rules (or JSON's): `no`, `on`, `12:30`, `012` and
dates are text. Mappings keep their order; their keys are text and unique.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, TypeAlias

from aigen.diagnostics import Span

Json: TypeAlias = "str | int | float | bool | None | list[Json] | dict[str, Json]"


class Unread(str):
    """The text in place of one that could not be read, which was reported."""

    __slots__ = ()


UNREAD: Final = Unread()


class Scalar(NamedTuple):
    """A text, number, truth value or null.

    Attributes:
        value: by the core rules.
        span: its characters, quotes included.
        text: what stands there; for a plain scalar, exactly as written.
        plain: whether it stands without quotes (YAML only; a JSON number or word is plain).
    """

    value: str | int | float | bool | None
    span: Span
    text: str
    plain: bool


class Sequence(NamedTuple):
    """A list."""

    items: tuple[Node, ...]
    span: Span


class Entry(NamedTuple):
    """One member of a mapping."""

    key: Scalar
    value: Node


class Mapping(NamedTuple):
    """A mapping in the order written."""

    entries: dict[str, Entry]
    span: Span


named_tuple: Final[Any] = tuple.__new__
"""Makes a named tuple of all its values in half the time; a file has thousands."""

Node: TypeAlias = Scalar | Sequence | Mapping


def plain_value(node: Node) -> Json:
    """The node as ordinary data, places left behind."""
    # Most nodes are scalars, and a call costs more than all else here.
    if isinstance(node, Mapping):
        return {
            key: value.value if type(value) is Scalar else plain_value(value)
            for key, (_, value) in node.entries.items()
        }
    if isinstance(node, Sequence):
        return [item.value if type(item) is Scalar else plain_value(item) for item in node.items]
    return node.value


def at_one_place(value: Json, span: Span) -> Node:
    """Data as a node, all of it at one place."""
    if isinstance(value, list):
        return Sequence(tuple([at_one_place(item, span) for item in value]), span)
    if isinstance(value, dict):
        entries: dict[str, Entry] = {}
        for key, item in value.items():
            name = named_tuple(Scalar, (key, span, key, False))
            entries[key] = named_tuple(Entry, (name, at_one_place(item, span)))
        return Mapping(entries, span)
    node: Scalar = named_tuple(Scalar, (value, span, str(value), not isinstance(value, str)))
    return node
