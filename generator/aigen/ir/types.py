"""Types of the intermediate representation.

A type is a tree of these; a name in it is a `Ref` to a definition of some module. Null is a type
of its own, so *may be null* is a union with `Null()`; *may be absent* belongs to the field
(`Field.optional`), not to the type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Text:
    """`str`. Lengths count code points; `format` is checked text left as written."""

    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None
    format: Literal["uri", "email"] | None = None


@dataclass(frozen=True, slots=True)
class Integer:
    """`int`; 5.0 is one, True is none."""

    ge: int | float | None = None
    gt: int | float | None = None
    le: int | float | None = None
    lt: int | float | None = None
    multiple_of: int | float | None = None


@dataclass(frozen=True, slots=True)
class Number:
    """`float`, finite."""

    ge: int | float | None = None
    gt: int | float | None = None
    le: int | float | None = None
    lt: int | float | None = None
    multiple_of: int | float | None = None


@dataclass(frozen=True, slots=True)
class Boolean:
    """`bool`."""


@dataclass(frozen=True, slots=True)
class Null:
    """`None`."""


@dataclass(frozen=True, slots=True)
class Formatted:
    """A standard library type whose JSON form is text in a format.

    JSON Schema formats: `date`, `date-time`, `time`, `duration`, `decimal`, `uuid`. A `Decimal`
    alone has bounds.
    """

    kind: Literal["date", "datetime", "time", "timedelta", "Decimal", "UUID"]
    ge: int | float | None = None
    gt: int | float | None = None
    le: int | float | None = None
    lt: int | float | None = None


@dataclass(frozen=True, slots=True)
class JsonAny:
    """`JsonValue`: any JSON."""


@dataclass(frozen=True, slots=True)
class List:
    """`list[item]`."""

    item: Type
    min_length: int | None = None
    max_length: int | None = None


@dataclass(frozen=True, slots=True)
class Set:
    """`set[item]`: a JSON array of unique items."""

    item: Type
    min_length: int | None = None
    max_length: int | None = None


@dataclass(frozen=True, slots=True)
class Tuple:
    """`tuple[A, B]`; `tuple[T, ...]` is a `Tuple` with `rest` and no items."""

    items: tuple[Type, ...]
    rest: Type | None = None


@dataclass(frozen=True, slots=True)
class Map:
    """`dict[str, value]`."""

    value: Type
    min_length: int | None = None
    max_length: int | None = None


@dataclass(frozen=True, slots=True)
class Union:
    """`A | B`, in the order written; at least two options, none itself a union."""

    options: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class Level:
    """One answer of a choice, with its meaning where it has one."""

    value: str | int | bool
    meaning: str | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """`Literal[...]` in place; at least one level, all different by type and value."""

    levels: tuple[Level, ...]


@dataclass(frozen=True, slots=True)
class Given:
    """A text that is one of the levels that the call gives as `parameter`."""

    parameter: str


@dataclass(frozen=True, slots=True)
class Ref:
    """A definition of a module: `module` is dotted inside the output package."""

    module: str
    name: str


@dataclass(frozen=True, slots=True)
class Described:
    """A type with words of its own inside another, such as a list's item."""

    type: Type
    description: str


@dataclass(frozen=True, slots=True)
class Media:
    """`image`, `audio`, `file`; inputs only."""

    kind: Literal["image", "audio", "file"]


@dataclass(frozen=True, slots=True)
class Shape:
    """A JSON Schema as a spec gave it, enforced whole.

    Attributes:
        schema: compact JSON text of the schema, its own `$defs` inside.
        model: the type it describes as far as Python types say it; `JsonAny` where they do not.
        exact: whether `model` judges as `schema` does, so that nothing more need be enforced.
    """

    schema: str
    model: Type
    exact: bool


Type: TypeAlias = (
    Text
    | Integer
    | Number
    | Boolean
    | Null
    | Formatted
    | JsonAny
    | List
    | Set
    | Tuple
    | Map
    | Union
    | Choice
    | Given
    | Ref
    | Described
    | Media
    | Shape
)

LONE: Final = frozenset(
    (Text, Integer, Number, Boolean, Null, Formatted, JsonAny, Choice, Given, Media)
)
"""The types that hold no other: most of a program, and told from the rest by one look."""


def inside(kind: Type) -> tuple[Type, ...]:
    """The types that a type is made of; none of a name's or of a `json_shape`'s."""
    match kind:
        case List() | Set():
            return (kind.item,)
        case Map():
            return (kind.value,)
        case Tuple():
            return kind.items if kind.rest is None else (*kind.items, kind.rest)
        case Union():
            return kind.options
        case Described():
            return (kind.type,)
        case _:
            return ()


def parts(kind: Type) -> list[Type]:
    """A type and all types in it, as far as they have no name of their own."""
    if type(kind) in LONE:
        return [kind]
    return [kind, *[part for each in inside(kind) for part in parts(each)]]


def refs(kind: Type) -> list[Ref]:
    """The names in a type, in order."""
    if type(kind) in LONE:
        return []
    return [part for part in parts(kind) if isinstance(part, Ref)]
