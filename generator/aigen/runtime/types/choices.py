"""Choices, enumerations, and unions in their order."""

from __future__ import annotations

import enum as _enum
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import GetCoreSchemaHandler
from pydantic_core import core_schema

from aigen.runtime.types.judging import before, unfit


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
                raise unfit(f"one of {shown}") from None

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
                raise unfit("one of " + ", ".join(repr(each.value) for each in source)) from None

        return before(judge, handler(source))


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
