"""The callables that specs and settings name, `pkg.mod:func`."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

from aigen.runtime.errors import ConfigurationError


@cache
def imported(place: str) -> Callable[..., Any]:
    """The callable that `pkg.mod:func` names.

    Raises:
        ConfigurationError: it cannot be imported.
    """
    module, _, path = place.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for name in path.split("."):
            found = getattr(found, name)
    except (ImportError, AttributeError) as problem:
        raise ConfigurationError(f"cannot import {place}: {problem}", code="import") from problem
    if not callable(found):
        raise ConfigurationError(f"{place} is not callable", code="import")
    return found  # type: ignore[no-any-return]
