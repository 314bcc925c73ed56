"""A function at hand as the data of a tool: what the compiler makes of its source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from pydantic_core import PydanticSerializationError, to_jsonable_python

from aigen.runtime.definition import FORMAT, FieldDefinition, ToolDefinition
from aigen.runtime.errors import ConfigurationError
from aigen.runtime.values import fits
from aigen.tooling.schemas import NoSchema, Schema, canonical_schemas
from aigen.tooling.signature import REQUIRED, UNTYPED, Argument, Signature

_RETURN: Final = "return "
"""A name that no parameter has."""


def define(signature: Signature, types: Mapping[str, Any], returns: Any) -> ToolDefinition:
    """The definition of a function as a tool, without keys that only a spec gives.

    Args:
        signature: of the function.
        types: of parameters, in place of the function's own.
        returns: what it returns, in place of what the function says; `REQUIRED` for that.

    Raises:
        ConfigurationError: a type cannot be known or has no JSON form; the message names it.
    """
    kinds = {each.name: types.get(each.name, each.type) for each in signature.arguments}
    for name, kind in kinds.items():
        if kind is UNTYPED:
            raise ConfigurationError(
                f"the type of {name} of {signature.name} is not written: annotate it, or say it"
                f" with add_docs(func, {{'arguments': {{{name!r}: {{'type': …}}}}}})",
                code="tool",
                field=name,
            )
    shapes, defs = _schemas(signature, kinds)
    output, more = _output(signature, signature.returns if returns is REQUIRED else returns)
    defs = dict(sorted({**more, **defs}.items()))
    found: dict[str, Any] = {
        "format": FORMAT,
        "name": signature.name,
        "module": signature.module,
        "description": signature.description,
        "inputs": [_input(each, shapes[each.name], defs) for each in signature.arguments],
        "output": output,
        "$defs": defs,
        "python": f"{signature.module}:{signature.path}",
        "passing": dict(signature.passing),
        "context": list(signature.context),
    }
    defaults = {
        each["name"]: {"value": each["shape"]["default"]}
        for each in found["inputs"]
        if "default" in each["shape"]
    }
    found["defaults"] = defaults
    always = ("format", "description", "inputs")
    return cast("ToolDefinition", {k: v for k, v in found.items() if v or k in always})


def _schemas(
    signature: Signature, kinds: Mapping[str, Any]
) -> tuple[dict[str, Schema], dict[str, Schema]]:
    try:
        return canonical_schemas(kinds)
    except NoSchema:
        for name, kind in kinds.items():
            try:
                canonical_schemas({name: kind})
            except NoSchema as problem:
                raise ConfigurationError(
                    f"the type of {name} of {signature.name} has no JSON form: {problem}",
                    code="tool",
                    field=name,
                ) from None
        raise


def _output(signature: Signature, kind: Any) -> tuple[FieldDefinition | None, dict[str, Schema]]:
    """What a function returns; a type without a JSON form is not judged."""
    if kind is REQUIRED and signature.returned is None:
        return None, {}
    try:
        shapes, defs = canonical_schemas({_RETURN: Any if kind is REQUIRED else kind})
    except NoSchema:
        return None, {}
    shape = shapes[_RETURN]
    words = signature.returned or shape.pop("description", None)
    shape.pop("description", None)
    found: FieldDefinition = {"name": "result", "shape": shape}
    if words:
        found["desc"] = words
    return found, defs


def _input(each: Argument, shape: Schema, defs: Mapping[str, Schema]) -> FieldDefinition:
    shape = {key: value for key, value in shape.items() if key not in ("description", "default")}
    found: FieldDefinition = {"name": each.name, "shape": shape}
    if each.words:
        found["desc"] = each.words
    if each.optional:
        default = _json(each.default)
        variadic = isinstance(each.default, list | dict) and not each.default
        if not variadic and default is not REQUIRED and fits(default, shape, defs) is None:
            shape["default"] = default
        found["optional"] = True
    return found


def _json(value: Any) -> Any:
    """A default in its JSON form; `REQUIRED` where it has none."""
    try:
        return to_jsonable_python(value)
    except (PydanticSerializationError, ValueError):
        return REQUIRED
