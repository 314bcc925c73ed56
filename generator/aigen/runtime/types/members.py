"""Members that may be absent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pydantic
from pydantic import GetCoreSchemaHandler, SerializerFunctionWrapHandler, model_serializer
from pydantic_core import core_schema

from aigen.runtime.types.judging import before, unfit


@dataclass(frozen=True)
class MayBeAbsent:
    """A member that may be absent, which `None` stands for; `null` in data is refused."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        def judge(value: Any) -> Any:
            if value is None:
                raise unfit("left out, not null")
            return value

        return before(judge, handler(source))


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
