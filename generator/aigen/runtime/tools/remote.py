"""Tools that are implemented elsewhere than in a function of the user's own."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

from aigen.runtime.errors import HOME

REMOTE: Final[Mapping[str, str]] = {"http": "tools.http", "mcp": "mcp.client"}
"""By the key of a tool's definition, or of its options: the module that runs it.

It has `run(definition, arguments, ctx)`, which may give an awaitable, and `arun`, which is awaited.
"""


def remote(definition: Mapping[str, Any]) -> Any | None:
    """The module that runs a tool; None where a function of the user's own does."""
    options = definition.get("options", {})
    for key, module in REMOTE.items():
        if key in definition or key in options:
            return import_module(f"{HOME}.{module}")
    return None


__all__ = ["REMOTE", "remote"]
