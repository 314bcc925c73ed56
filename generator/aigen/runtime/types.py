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
| `Boolean()`, `Null()` | `bool`, `None` |
| `Formatted("date")`, `"datetime"`, `"time"` | `Date`, `DateTime`, `Time` |
| `Formatted("timedelta")`, `"Decimal"`, `"UUID"` | `TimeDelta`, `Decimal`, `UUID` |
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

import datetime as _datetime
import decimal as _decimal
import enum as _enum
import json as _json
import uuid as _uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from dataclasses import is_dataclass as _is_dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, get_args, get_origin

import pydantic
from pydantic import GetCoreSchemaHandler, SerializerFunctionWrapHandler, model_serializer
from pydantic_core import PydanticCustomError, SchemaError, SchemaValidator, core_schema
from typing_extensions import is_typeddict

if TYPE_CHECKING:
    from aigen.runtime.values.judge import Judge

# What judges values is imported when a model is first used: importing a generated module is not
# using it, and most programs import more of them than they call.

__all__ = [
    "UUID",
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


def _unfit(expected: str) -> PydanticCustomError:
    return PydanticCustomError("unfit", "Input should be {expected}", {"expected": expected})


def _before(judge: Callable[[Any], Any], inner: core_schema.CoreSchema) -> core_schema.CoreSchema:
    return core_schema.no_info_before_validator_function(judge, inner)


def _after(judge: Callable[[Any], Any], inner: core_schema.CoreSchema) -> core_schema.CoreSchema:
    return core_schema.no_info_after_validator_function(judge, inner)


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


@dataclass(frozen=True)
class Whole:
    """An integer that may be written as a float, such as 5.0."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return _before(_whole, handler(source))


@dataclass(frozen=True)
class _Format:
    name: str

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        from aigen.runtime.values import formats

        expected = formats.NAMES[self.name]

        def judge(value: Any) -> Any:
            if isinstance(value, str):
                value = formats.read(self.name, value)
                if value is not None:
                    return value
            elif formats.is_object(self.name, value):
                return value
            raise _unfit(expected)

        return _before(judge, handler(source))

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Any:
        return {"type": "string", "format": self.name}


Int: TypeAlias = Annotated[int, Whole()]
"""An integer; 5.0 is one and becomes 5, `True` and `"5"` are none."""
Float: TypeAlias = float
"""A finite number, by the model's configuration."""
Date: TypeAlias = Annotated[_datetime.date, _Format("date")]
"""A date, or its text; never a number."""
DateTime: TypeAlias = Annotated[_datetime.datetime, _Format("date-time")]
"""A date and time, or its ISO text; never a number."""
Time: TypeAlias = Annotated[_datetime.time, _Format("time")]
"""A time, or its ISO text; never a number."""
TimeDelta: TypeAlias = Annotated[_datetime.timedelta, _Format("duration")]
"""A duration, or its ISO text of weeks, days, hours, minutes, seconds; never a number."""
Decimal: TypeAlias = Annotated[_decimal.Decimal, _Format("decimal")]
"""A finite decimal, or its text; never a number, which a double has rounded already."""
UUID: TypeAlias = Annotated[_uuid.UUID, _Format("uuid")]
"""A UUID, or its text."""
Url: TypeAlias = Annotated[str, _Format("uri")]
"""A text that is a URL, left as written."""
Email: TypeAlias = Annotated[str, _Format("email")]
"""A text that is an email address, left as written."""


def _json_value(value: Any) -> Any:
    from aigen.runtime.values import keywords

    fault = keywords.json_value(value, {})
    if fault is not None:
        raise _unfit(fault.expected)
    return value


JsonValue: TypeAlias = Annotated[pydantic.JsonValue, pydantic.BeforeValidator(_json_value)]
"""Any JSON; numbers are finite."""


@dataclass(frozen=True)
class Exact:
    """A `Literal` with integers or booleans: `True` is no 1, 1.0 is one."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        from aigen.runtime.values.canonical_json import identity

        known = {identity(level): level for level in get_args(source)}
        shown = ", ".join(repr(level) for level in known.values())

        def judge(value: Any) -> Any:
            try:
                return known[identity(value)]
            except (KeyError, TypeError, RecursionError):
                raise _unfit(f"one of {shown}") from None

        # Pydantic's own literals look 1 and True up as one value, so it is not asked again.
        inner = handler(source)
        return core_schema.no_info_plain_validator_function(
            judge,
            json_schema_input_schema=inner,
            serialization=core_schema.plain_serializer_function_ser_schema(_itself),
        )

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Any:
        return handler(schema.get("json_schema_input_schema", schema))


def _itself(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class ByValue:
    """An enumeration's member, or a member's value by its exact type."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        from aigen.runtime.values.canonical_json import identity

        members: dict[Any, _enum.Enum] = {identity(member.value): member for member in source}

        def judge(value: Any) -> Any:
            if isinstance(value, source):
                return value
            try:
                return members[identity(value)]
            except (KeyError, TypeError, RecursionError):
                raise _unfit("one of " + ", ".join(repr(each.value) for each in source)) from None

        return _before(judge, handler(source))


@dataclass(frozen=True)
class Pattern:
    """A text that holds a match of a regular expression."""

    pattern: str

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        inner = handler(source)
        if inner["type"] == "str" and "pattern" not in inner:
            try:
                # Pydantic's own engine is linear in the text; what it lacks falls to the other.
                SchemaValidator(core_schema.str_schema(pattern=self.pattern))
                return {**inner, "pattern": self.pattern}
            except SchemaError:
                pass
        from aigen.runtime.values import shape

        search = shape.pattern(self.pattern)

        def judge(value: Any) -> Any:
            if not search(value):
                raise _unfit(f"text that matches {self.pattern}")
            return value

        return _after(judge, inner)

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Any:
        return {**handler(schema), "pattern": self.pattern}


@dataclass(frozen=True)
class MultipleOf:
    """A number that is a multiple of another, counted in decimal."""

    step: int | float

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        from aigen.runtime.values import shape

        def judge(value: Any) -> Any:
            if not shape.is_multiple(value, self.step):
                raise _unfit(f"a multiple of {self.step}")
            return value

        return _after(judge, handler(source))

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Any:
        return {**handler(schema), "multipleOf": self.step}


@dataclass(frozen=True)
class SetOf:
    """A set (or list) from a list whose items are all different."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        from aigen.runtime.values import keywords

        inner = handler(source)
        into_set = inner["type"] == "set"

        def judge(value: Any) -> Any:
            if isinstance(value, set | frozenset):
                return set(value) if into_set else list(value)
            if not isinstance(value, list):
                raise _unfit("a list")
            if keywords.unique_items(value, {}) is not None:
                raise _unfit("a list of items that are all different")
            return value

        if into_set:
            inner = {**inner, "strict": False}
        return _before(judge, inner)

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Any:
        return {**handler(schema), "uniqueItems": True}


@dataclass(frozen=True)
class TupleOf:
    """A tuple from a list."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        def judge(value: Any) -> Any:
            return tuple(value) if isinstance(value, list) else value

        return _before(judge, handler(source))


@dataclass(frozen=True)
class InOrder:
    """A union whose options are tried in the order written."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        inner: Any = handler(source)
        if inner["type"] == "nullable" and inner["schema"]["type"] == "union":
            union = {**inner["schema"], "mode": "left_to_right"}
            return {**inner, "schema": union}
        if inner["type"] == "union":
            return {**inner, "mode": "left_to_right"}
        return inner  # type: ignore[no-any-return]


@dataclass(frozen=True)
class MayBeAbsent:
    """A member that may be absent, which `None` stands for; `null` in data is refused."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        def judge(value: Any) -> Any:
            if value is None:
                raise _unfit("left out, not null")
            return value

        return _before(judge, handler(source))


def absent(value: object) -> bool:
    """Whether a member is absent, for `exclude_if`."""
    return value is None


def left_out(*names: str) -> Any:
    """A serializer, for a class body, that leaves out the named members that were not set.

    For members that may be absent and also take null: the value cannot tell the two apart.
    """

    def dump(self: pydantic.BaseModel, handler: SerializerFunctionWrapHandler) -> Any:
        dumped = handler(self)
        unset = [name for name in names if name not in self.model_fields_set]
        if unset and isinstance(dumped, dict):
            fields = type(self).model_fields
            for name in unset:
                # A value assigned without validation counts as set; one by mutation is not None.
                if getattr(self, name) is None:
                    dumped.pop(name, None)
                    alias = fields[name].serialization_alias
                    if alias is not None:
                        dumped.pop(alias, None)
        return dumped

    return model_serializer(mode="wrap")(dump)


class _Enforced:
    """A JSON Schema text, parsed at the first value."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._judge: Judge | None = None

    def __call__(self, value: Any) -> None:
        judge = self._judge
        if judge is None:
            schema = _json.loads(self._text)
            if isinstance(schema, dict):
                schema = {**schema, "x-aigen-shape": True}
            from aigen.runtime.values.judge import Judge

            judge = self._judge = Judge(schema, None)
        try:
            from aigen.runtime.values.convert import jsonable

            given = jsonable(value)
        except (TypeError, ValueError, RecursionError):
            raise _unfit("a JSON value") from None
        fault = judge.fits(given)
        if fault is not None:
            place = "".join(f"[{step!r}]" for step in fault.path)
            raise _unfit(fault.expected + (f" at {place}" if place else ""))


@dataclass(frozen=True)
class ShapeOf:
    """A value that fits a JSON Schema, whatever else its type says."""

    schema: str

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        enforced = _Enforced(self.schema)
        inner = handler(source)
        if _is_own_class(source):
            make = _Lax(source)

            def judge_and_make(value: Any, handler: Any) -> Any:
                enforced(value)
                return make(value)

            return core_schema.no_info_wrap_validator_function(judge_and_make, inner)

        def judge(value: Any) -> Any:
            enforced(value)
            return value

        return _before(judge, inner)


def _is_own_class(source: Any) -> bool:
    """Whether this is a class of the user's own that is no model: a dataclass, a named tuple."""
    kind = get_origin(source) or source
    if not isinstance(kind, type) or hasattr(kind, "__pydantic_config__"):
        return False
    named_tuple = issubclass(kind, tuple) and hasattr(kind, "_fields")
    return named_tuple or _is_dataclass(kind) or is_typeddict(kind)


class _Lax:
    """Makes a value that its schema has judged, by the class's own rules.

    A strict model around it hands its strictness down to a plain class, which then refuses the JSON
    form of its members, and of itself.
    """

    def __init__(self, kind: Any) -> None:
        self._kind = kind
        self._adapter: pydantic.TypeAdapter[Any] | None = None

    def __call__(self, value: Any) -> Any:
        if self._adapter is None:
            self._adapter = pydantic.TypeAdapter(self._kind)
        return self._adapter.validate_python(value)


def enforce_shape(schema: str) -> Any:
    """A validator, for a class body, of the whole object against a JSON Schema text."""
    enforced = _Enforced(schema)

    def judge(cls: Any, value: Any) -> Any:
        if isinstance(value, Mapping):
            fields = cls.model_fields
            original = {_original(fields, name): member for name, member in value.items()}
            enforced(original)
        return value

    return pydantic.model_validator(mode="before")(classmethod(judge))  # type: ignore[arg-type]


def _original(fields: Mapping[str, Any], name: Any) -> Any:
    # In Python members are given by either name; the schema knows the original one.
    alias = getattr(fields.get(name), "serialization_alias", None)
    return alias or name
