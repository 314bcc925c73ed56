"""A pydantic model as data, named tuples in it as the objects that their schema says they are."""

from __future__ import annotations

import dataclasses
from functools import lru_cache
from typing import Any, Literal


def dumped(model: Any, mode: Literal["json", "python"] = "python") -> dict[str, Any]:
    """The members of a model, by alias.

    Args:
        model: an instance of a model.
        mode: `json` for values that JSON has, `python` for Python's own.
    """
    found: dict[str, Any] = model.model_dump(mode=mode, by_alias=True, warnings=False)
    kind: Any = type(model)
    if _holds_named_tuples(kind):
        found = _named(model, found)
    return found


@lru_cache(maxsize=1024)
def _holds_named_tuples(kind: type) -> bool:
    """Whether a member, at any depth, may be a named tuple."""
    schema = str(getattr(kind, "__pydantic_core_schema__", ""))
    # Before 2.14, pydantic's schema of one is the call that makes it.
    return "'type': 'named-tuple'" in schema or "'type': 'call'" in schema


def _named(value: Any, found: Any) -> Any:
    """What a value became, with names for the members of named tuples in it."""
    names = getattr(value, "_fields", None)
    if isinstance(value, tuple) and names and isinstance(found, list | tuple):
        pairs = zip(names, value, found, strict=False)
        return {name: _named(member, one) for name, member, one in pairs}
    if isinstance(found, list | tuple) and isinstance(value, list | tuple):
        if len(found) != len(value):
            return found
        return type(found)(map(_named, value, found))
    if not isinstance(found, dict):
        return found
    members = _members(value)
    return {
        name: _named(members[name], one) if name in members else one for name, one in found.items()
    }


def _members(value: Any) -> dict[Any, Any]:
    """The members of what was written as an object, by the names that it has there."""
    if isinstance(value, dict):
        return value
    fields = getattr(type(value), "__pydantic_fields__", None)
    if fields is None:
        own = dataclasses.fields(value) if dataclasses.is_dataclass(value) else ()
        return {each.name: getattr(value, each.name, None) for each in own}
    return {
        field.serialization_alias or field.alias or name: getattr(value, name, None)
        for name, field in fields.items()
    }


__all__ = ["dumped"]
