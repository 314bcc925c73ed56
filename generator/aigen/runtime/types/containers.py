"""Sets and tuples, from lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic_core import core_schema

from aigen.runtime.types.judging import before, unfit


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
                raise unfit("a list")
            if keywords.unique_items(value, {}) is not None:
                raise unfit("a list of items that are all different")
            return value

        if into_set:
            inner = {**inner, "strict": False}
        return before(judge, inner)

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

        return before(judge, handler(source))
