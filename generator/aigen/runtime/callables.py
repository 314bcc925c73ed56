"""The callables that specs and settings name, `pkg.mod:func`."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

from aigen.runtime.errors import ConfigurationError


def found(place: str) -> Any:
    """What `pkg.mod:path` names.

    Raises:
        ImportError: there is no such module.
        AttributeError: it has no such name.
    """
    module, _, path = place.partition(":")
    target: Any = importlib.import_module(module)
    for name in path.split("."):
        target = getattr(target, name)
    return target


@cache
def imported(place: str) -> Callable[..., Any]:
    """The callable that `pkg.mod:func` names.

    Raises:
        ConfigurationError: it cannot be imported.
    """
    try:
        target = found(place)
    except (ImportError, AttributeError) as problem:
        raise ConfigurationError(f"cannot import {place}: {problem}", code="import") from problem
    if not callable(target):
        raise ConfigurationError(f"{place} is not callable", code="import")
    return target  # type: ignore[no-any-return]


def at_once(result: Any, what: str) -> Any:
    """What a callable gave, where nothing awaits it.

    Args:
        result: of the callable.
        what: the callable is, for the message.

    Raises:
        ConfigurationError: it is to be awaited.
    """
    if not inspect.isawaitable(result):
        return result
    if inspect.iscoroutine(result):
        result.close()
    raise ConfigurationError(
        f"{what} is async, and nothing awaits it: write it with def", code="async"
    )
