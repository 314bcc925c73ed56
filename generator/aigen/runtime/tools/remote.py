"""Tools that are implemented elsewhere than in a function of the user's own."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

from aigen.runtime.errors import HOME

REMOTE: Final[Mapping[str, str]] = {"http": "tools.http"}
"""By the key of a tool's definition: the module that runs it.

It has `run(definition, arguments, ctx)` and `arun`, the same awaited.
"""


def remote(definition: Mapping[str, Any]) -> Any | None:
    """The module that runs a tool; None where a function of the user's own does."""
    for key, module in REMOTE.items():
        if key in definition:
            return import_module(f"{HOME}.{module}")
    return None


__all__ = ["REMOTE", "remote"]
