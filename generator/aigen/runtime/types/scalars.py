"""Texts, numbers, dates and the like, and any JSON."""

from __future__ import annotations

import datetime as _datetime
import decimal as _decimal
import uuid as _uuid
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

import pydantic
from pydantic import GetCoreSchemaHandler
from pydantic_core import SchemaError, SchemaValidator, core_schema

from aigen.runtime.types.judging import after, before, unfit


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


@dataclass(frozen=True)
class Whole:
    """An integer that may be written as a float, such as 5.0."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        inner = handler(source)
        if inner["type"] != "int":
            return before(_whole, inner)
        number = core_schema.int_schema(strict=True)  # also where no model around it says so
        # Most are written as integers, and need no function; what is none has one error, not two.
        either = core_schema.union_schema(
            [number, before(_whole, number)], mode="left_to_right", custom_error_type="int_type"
        )
        return core_schema.chain_schema([either, {**inner, "strict": True}])

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Any:
        return handler(schema["steps"][-1] if schema["type"] == "chain" else schema)


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
            raise unfit(expected)

        return before(judge, handler(source))

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Any:
        return {"type": "string", "format": self.name}


Bool: TypeAlias = Annotated[bool, pydantic.Strict()]
"""True or false, and nothing else, also where no strict model is around it."""
Int: TypeAlias = Annotated[int, Whole()]
"""An integer; 5.0 is one and becomes 5, `True` and `"5"` are none."""
Float: TypeAlias = Annotated[float, pydantic.Strict(), pydantic.AllowInfNan(False)]
"""A finite number; `True` and `"5"` are none."""
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
        raise unfit(fault.expected)
    return value


JsonValue: TypeAlias = Annotated[pydantic.JsonValue, pydantic.BeforeValidator(_json_value)]
"""Any JSON; numbers are finite."""


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
                raise unfit(f"text that matches {self.pattern}")
            return value

        return after(judge, inner)

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Any:
        return {**handler(schema), "pattern": self.pattern}


@dataclass(frozen=True)
class Limits:
    """The limits of a `Decimal`, counted in decimal: 0.1 is 0.1, not the nearest double."""

    ge: int | float | None = None
    gt: int | float | None = None
    le: int | float | None = None
    lt: int | float | None = None

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        from aigen.runtime.values import keywords

        (check,) = keywords.decimal_checks(self._words())

        def judge(value: Any) -> Any:
            fault = check(value, {})
            if fault is not None:
                raise unfit(fault.expected)
            return value

        return after(judge, handler(source))

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Any:
        return {**handler(schema), **self._words()}

    def _words(self) -> dict[str, int | float]:
        bounds = {
            "minimum": self.ge,
            "exclusiveMinimum": self.gt,
            "maximum": self.le,
            "exclusiveMaximum": self.lt,
        }
        return {word: bound for word, bound in bounds.items() if bound is not None}


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
                raise unfit(f"a multiple of {self.step}")
            return value

        return after(judge, handler(source))

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Any:
        return {**handler(schema), "multipleOf": self.step}
