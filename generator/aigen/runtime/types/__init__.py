"""The annotations of generated models: types that judge as their JSON Schema does.

Pydantic's own strict classes judge otherwise in places (`True` is a `Literal[1]`, text is no
`date` in Python, a list is no `tuple`), so generated code writes these names instead. A model's
configuration is `ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)`, and what its
annotations accept is what `aigen.runtime.values.fits` accepts, in Python and in JSON alike.

| type of the intermediate representation | annotation |
|---|---|
| `Text()` | `str` |
| `Text(min_length=1, max_length=9)` | `Annotated[str, Field(min_length=1, max_length=9)]` |
| `Text(pattern=p)` | `Annotated[str, Pattern(p)]`, after any lengths; never `Field(pattern=…)` |
| `Text(format="uri")`, `"email"` | `Url`, `Email` |
| `Integer()`, `Number()` | `Int`, `Float` |
| `Integer(ge=…, gt=…, le=…, lt=…)` | `Annotated[int, Field(ge=0, lt=10), Whole()]`, whole bounds |
| `Number(ge=…, gt=…, le=…, lt=…)` | `Annotated[Float, Field(ge=0, lt=9.5)]` |
| `Integer(multiple_of=…)`, `Number` alike | `Annotated[Float, MultipleOf(0.01)]`; never `Field` |
| `Boolean()`, `Null()` | `bool`, `None`; `Bool` in a type with a name, which may stand alone |
| `Formatted("date")`, `"datetime"`, `"time"` | `Date`, `DateTime`, `Time` |
| `Formatted("timedelta")`, `"Decimal"`, `"UUID"` | `TimeDelta`, `Decimal`, `UUID` |
| `Formatted("Decimal", ge=0.1)` | `Annotated[Decimal, Limits(ge=0.1)]` |
| `JsonAny()` | `JsonValue` (of this module, not pydantic's) |
| `List(T, 1, 9)` | `Annotated[list[T], Field(min_length=1, max_length=9)]` |
| `Set(T, 1, 9)` | `Annotated[set[T], Field(min_length=1, max_length=9), SetOf()]` |
| `Set` of what Python cannot hash (records, lists, maps, json) | `Annotated[list[T], SetOf()]` |
| `Tuple((A, B))`, `Tuple((), rest=T)` | `Annotated[tuple[A, B], TupleOf()]`, `[tuple[T, ...], …]` |
| `Map(T, 1, 9)` | `Annotated[dict[str, T], Field(min_length=1, max_length=9)]` |
| `Choice` of texts only | `Literal["a", "b"]` |
| `Choice` with an integer or a boolean | `Annotated[Literal[1, 2, True], Exact()]` |
| `Ref` to an enumeration (own or imported) | `Annotated[Color, ByValue()]` |
| `Ref` to a record | the class |
| `Ref` to an imported class that is not strict itself | `Annotated[Order, ShapeOf('{…}')]` |
| `Union(A, B)` | `A | B`; where options overlap, `Annotated[A | B, InOrder()]` |
| `Given(p)` | `str` |
| `Shape(exact=True)` | the annotation of its model |
| `Shape(exact=False)` | `Annotated[<its model>, ShapeOf('<schema>')]` |
| `Record(shape='…')` | a class whose body has `_shape = enforce_shape('<schema>')` |
| media | `Image`, `Audio`, `File` of `aigen.runtime` |

Members:

| member | written |
|---|---|
| required | `name: T` |
| with a default that fits | `name: T = <the bound value>` |
| may be absent, takes no null | as `note` below |
| may be absent, takes null too | `name: T | None = None`, and `left_out` as below |

    note: Annotated[T | None, MayBeAbsent()] = Field(default=None, exclude_if=absent)

    _absent = left_out("name", "other")  # once in a class, the Python names of all such members

An `Annotated` inside another flattens, so `Annotated[Annotated[str, Pattern(p)] | None,
MayBeAbsent()]` is fine. The order of markers matters: `Field` stands next to its type, where
pydantic writes its bounds as keywords of JSON Schema; so what FastAPI and others show of a model
is the schema it judges by.

The schema texts given to `ShapeOf` and `enforce_shape` are JSON Schema (2020-12) with their own
`$defs`; they are parsed at the first value. String discriminators (`Field(discriminator="kind")`)
work on members whose annotation is a `Literal` of texts only.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aigen.runtime.types.choices import ByValue, Exact, InOrder
    from aigen.runtime.types.containers import SetOf, TupleOf
    from aigen.runtime.types.members import MayBeAbsent, absent, left_out
    from aigen.runtime.types.scalars import (
        UUID,
        Bool,
        Date,
        DateTime,
        Decimal,
        Email,
        Float,
        Int,
        JsonValue,
        Limits,
        MultipleOf,
        Pattern,
        Time,
        TimeDelta,
        Url,
        Whole,
    )
    from aigen.runtime.types.shapes import ShapeOf, enforce_shape

__all__ = [
    "UUID",
    "Bool",
    "ByValue",
    "Date",
    "DateTime",
    "Decimal",
    "Email",
    "Exact",
    "Float",
    "InOrder",
    "Int",
    "JsonValue",
    "Limits",
    "MayBeAbsent",
    "MultipleOf",
    "Pattern",
    "SetOf",
    "ShapeOf",
    "Time",
    "TimeDelta",
    "TupleOf",
    "Url",
    "Whole",
    "absent",
    "enforce_shape",
    "left_out",
]


_HOMES = {
    "UUID": "scalars",
    "Bool": "scalars",
    "ByValue": "choices",
    "Date": "scalars",
    "DateTime": "scalars",
    "Decimal": "scalars",
    "Email": "scalars",
    "Exact": "choices",
    "Float": "scalars",
    "InOrder": "choices",
    "Int": "scalars",
    "JsonValue": "scalars",
    "Limits": "scalars",
    "MayBeAbsent": "members",
    "MultipleOf": "scalars",
    "Pattern": "scalars",
    "SetOf": "containers",
    "ShapeOf": "shapes",
    "Time": "scalars",
    "TimeDelta": "scalars",
    "TupleOf": "containers",
    "Url": "scalars",
    "Whole": "scalars",
    "absent": "members",
    "enforce_shape": "shapes",
    "left_out": "members",
}


if not TYPE_CHECKING:  # else every slip would be a name to a type checker

    def __getattr__(name: str) -> Any:
        """A type, imported at its first use (PEP 562): few modules need them all."""
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = getattr(import_module(f"{__name__}.{home}"), name)
        globals()[name] = found
        return found
