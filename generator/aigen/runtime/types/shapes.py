"""Values that a JSON Schema judges, whatever else their type says."""

from __future__ import annotations

import json as _json
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import is_dataclass as _is_dataclass
from typing import TYPE_CHECKING, Any, get_origin

import pydantic
from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import core_schema
from typing_extensions import is_typeddict

from aigen.runtime.types.judging import before, unfit

if TYPE_CHECKING:
    from aigen.runtime.values.judge import Judge


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
            raise unfit("a JSON value") from None
        fault = judge.fits(given)
        if fault is not None:
            place = "".join(f"[{step!r}]" for step in fault.path)
            raise unfit(fault.expected + (f" at {place}" if place else ""))


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

            return core_schema.no_info_wrap_validator_function(
                judge_and_make, inner, serialization=_canonical(inner)
            )

        def judge(value: Any) -> Any:
            enforced(value)
            return value

        if isinstance(source, type) and issubclass(source, pydantic.BaseModel):
            return core_schema.no_info_before_validator_function(
                judge, inner, serialization=_as_objects(inner)
            )
        return before(judge, inner)

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        shown = handler(schema)
        resolved = handler.resolve_ref_schema(shown)
        said = _json.loads(self.schema)
        if not isinstance(said, dict) or (said.get("type"), resolved.get("type")) != _NAMED_TUPLE:
            return shown
        members = zip(said["properties"], resolved.get("prefixItems", []), strict=False)
        return {**said, "properties": {**said["properties"], **dict(members)}}


_NAMED_TUPLE = ("object", "array")
"""What the schema of a named tuple is here, and what pydantic shows."""


def _is_own_class(source: Any) -> bool:
    """Whether this is a class of the user's own that is no model: a dataclass, a named tuple."""
    kind = get_origin(source) or source
    if not isinstance(kind, type) or hasattr(kind, "__pydantic_config__"):
        return False
    named_tuple = issubclass(kind, tuple) and hasattr(kind, "_fields")
    return named_tuple or _is_dataclass(kind) or is_typeddict(kind)


def _canonical(inner: core_schema.CoreSchema) -> core_schema.WrapSerializerFunctionSerSchema:
    """Writes a value as its schema has it: a named tuple is an object, not an array."""

    def write(value: Any, handler: Any, info: Any) -> Any:
        if info.mode == "json":
            from aigen.runtime.values.convert import jsonable

            return jsonable(value)
        return _members(value) if isinstance(value, tuple) else handler(value)

    return core_schema.wrap_serializer_function_ser_schema(write, info_arg=True, schema=inner)


def _as_objects(inner: core_schema.CoreSchema) -> core_schema.WrapSerializerFunctionSerSchema:
    """Writes a model of the user's own as it writes itself, but named tuples in it as objects."""

    def write(value: Any, handler: Any) -> Any:
        return _named(value, handler(value))

    return core_schema.wrap_serializer_function_ser_schema(
        write, schema=inner, when_used="json-unless-none"
    )


def _named(value: Any, written: Any) -> Any:
    """What was written of a value, with the arrays that stand for named tuples made objects."""
    if isinstance(written, list) and isinstance(value, list | tuple) and len(written) == len(value):
        items = [_named(*pair) for pair in zip(value, written, strict=True)]
        names = getattr(value, "_fields", None)
        return items if names is None else dict(zip(names, items, strict=True))
    if not isinstance(written, dict):
        return written
    if isinstance(value, Mapping) and len(value) == len(written):
        pairs = zip(value.values(), written.items(), strict=True)
        return {key: _named(inner, part) for inner, (key, part) in pairs}
    fields = type(value).model_fields if isinstance(value, pydantic.BaseModel) else {}
    aliases = {one.serialization_alias or name: name for name, one in fields.items()}
    return {
        key: _named(getattr(value, aliases.get(key) or str(key), None), part)
        for key, part in written.items()
    }


def _members(value: Any) -> Any:
    """A value with named tuples as mappings."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {name: _members(getattr(value, name)) for name in value._fields}
    if type(value) in (list, tuple):
        return type(value)(map(_members, value))
    return {k: _members(v) for k, v in value.items()} if type(value) is dict else value


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
