"""Arguments and results between JSON and the types that an implementation is written with.

A model gives JSON, and a function that says `order: Order` is given an `Order`: a pydantic model,
dataclass, `NamedTuple`, enum member, date, whatever its annotation says.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import GenericAlias, SimpleNamespace
from typing import Any, Final, get_args, get_origin, get_type_hints

from aigen.runtime.errors import InterfaceInputError
from aigen.runtime.values import fits, jsonable, located

_UNREADABLE: Final = (NameError, AttributeError, SyntaxError, TypeError)
"""What an annotation raises that cannot be read while the program runs."""


class Parameters:
    """The types of a function's parameters.

    Args:
        func: the implementation: a function, method, partial, or object with `__call__`.
        otherwise: the types of parameters whose annotation cannot be read, such as one that is
            imported for type checkers only.
    """

    def __init__(self, func: Callable[..., Any], otherwise: Mapping[str, Any]) -> None:
        self._adapters = {
            name: adapter
            for name, kind in parameter_types(func, otherwise).items()
            if (adapter := adapter_of(kind)) is not None
        }

    def typed(self, arguments: Mapping[str, Any], tool: str) -> dict[str, Any]:
        """Bound arguments as the annotations say; one that has none stays as it is.

        Raises:
            InterfaceInputError: a type's own check refuses a value.
        """
        found = dict(arguments)
        for name in found.keys() & self._adapters.keys():
            found[name] = _typed(self._adapters[name], found[name], name, tool)
        return found


def _typed(adapter: Any, value: Any, name: str, tool: str) -> Any:
    from pydantic import ValidationError

    try:
        return from_json(adapter, value)
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        raise InterfaceInputError(
            f"{tool}: the input {located(name, first['loc'])}: {first['msg']}",
            field=name,
            path=tuple(first["loc"]),
            expected=first["msg"],
            function=tool,
        ) from None


def from_json(adapter: Any, value: Any) -> Any:
    """The value of a type whose JSON form a value has: what a strict model takes too.

    Raises:
        ValidationError: the type takes no such JSON.
    """
    import json

    return adapter.validate_json(json.dumps(jsonable(value)))


def returned(adapter: Any, result: Any, shape: Mapping[str, Any], defs: Any) -> Any:
    """A result as the declared type: taken as it is, else by its JSON form.

    Args:
        adapter: of the type, a strict one; None where only the schema can judge it.
        result: what the implementation gave.
        shape: the schema of the result.
        defs: the definitions that the schema refers to.

    Raises:
        ValueError: it is not what the type says.
        TypeError: it has no JSON form.
    """
    from pydantic import ValidationError

    if adapter is None:
        misfit = fits(jsonable(result), shape, defs)
        if misfit is not None:
            raise ValueError(f"{located('result', misfit.path)} wants {misfit.expected}")
        return result
    try:
        return adapter.validate_python(result, from_attributes=True)
    except ValidationError as problem:
        try:
            return from_json(adapter, result)
        except (TypeError, ValueError):
            first = problem.errors(include_url=False)[0]
        raise ValueError(f"{located('result', first['loc'])}: {first['msg']}") from None


def adapter_of(kind: Any, *, strict: bool = False) -> Any:
    """What judges values of a type; None for a type that pydantic does not know.

    Args:
        kind: the type.
        strict: whether 1 is no boolean and `"5"` no integer. A class goes by its own rules.
    """
    from pydantic import ConfigDict, TypeAdapter
    from pydantic.errors import PydanticUserError

    if strict:
        with suppress(PydanticUserError, *_UNREADABLE):
            return _ready(TypeAdapter(kind, config=ConfigDict(strict=True)))
    try:
        return _ready(TypeAdapter(kind))
    except (PydanticUserError, *_UNREADABLE):
        return None


def _ready(adapter: Any) -> Any:
    """A type that waits for its definitions (`defer_build`) is judged by them from now on."""
    adapter.rebuild(raise_errors=True)
    return adapter


def parameter_types(func: Callable[..., Any], otherwise: Mapping[str, Any]) -> dict[str, Any]:
    """The types of parameters by name; `*x: T` takes a list of `T`, `**x: T` a mapping."""
    target = _written(func)
    try:
        parameters = inspect.signature(target).parameters
    except (ValueError, TypeError):
        return {}
    found = _hints(target, otherwise)
    kinds = {name: each.kind for name, each in parameters.items() if name in found}
    return {name: _whole(found[name], kind) for name, kind in kinds.items()}


def unpacked(kind: Any) -> Any:
    """What `Unpack[…]` holds, of either module that has it; None for any other type."""
    origin: Any = get_origin(kind)
    return get_args(kind)[0] if getattr(origin, "_name", None) == "Unpack" else None


def _whole(kind: Any, way: Any) -> Any:
    """The type of all that a parameter takes."""
    inner = unpacked(kind)
    if inner is not None:
        return inner
    if way is inspect.Parameter.VAR_POSITIONAL:
        return GenericAlias(list, (kind,))
    return GenericAlias(dict, (str, kind)) if way is inspect.Parameter.VAR_KEYWORD else kind


def _written(func: Any) -> Any:
    """The plain function behind something that can be called."""
    while isinstance(func, functools.partial):
        func = func.func
    if not inspect.isroutine(func) and not inspect.isclass(func) and not hasattr(func, "__name__"):
        func = type(func).__call__
    return inspect.unwrap(getattr(func, "__func__", func))


def _hints(target: Any, otherwise: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return get_type_hints(target, include_extras=True)
    except _UNREADABLE:
        pass
    try:
        written = dict(getattr(target, "__annotations__", {}))
    except NameError:
        return dict(otherwise)
    found: dict[str, Any] = {}
    for name, text in written.items():
        alone = SimpleNamespace(__annotations__={name: text})
        try:
            found |= get_type_hints(alone, getattr(target, "__globals__", {}), include_extras=True)
        except _UNREADABLE:
            if name in otherwise:
                found[name] = otherwise[name]
    return found


__all__ = ["Parameters", "adapter_of", "parameter_types", "returned", "unpacked"]
