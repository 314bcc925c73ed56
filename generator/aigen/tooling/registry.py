"""Tools by name: those that a process has registered, and boxes of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from itertools import islice
from typing import Any

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.layers import resolve
from aigen.runtime.tools.available import Available
from aigen.runtime.tools.catalogue import BUDGET, catalogue, help_text
from aigen.runtime.tools.offered import Tool, offered
from aigen.runtime.tools.search import LIMIT, Index
from aigen.tooling.making import tool

_registered: dict[str, Any] = {}
_lock = threading.Lock()


def register(target: Any) -> Callable[[], None]:
    """Registers a tool for the whole process; `toolbox()` holds what is registered.

    Args:
        target: a tool, an AI function, or a function at hand.

    Returns:
        Takes the tool out again; calling it twice does nothing.

    Raises:
        ConfigurationError: another tool is registered under its name.
    """
    found = _as_tool(target)
    name = found.definition["name"]
    with _lock:
        if _registered.get(name, found) is not found:
            raise ConfigurationError(
                f"a tool called {name} is registered already: take it out first, or give this one"
                " another name",
                code="tool-name",
            )
        _registered[name] = found

    def unregister() -> None:
        with _lock:
            if _registered.get(name) is found:
                del _registered[name]

    return unregister


class Toolbox:
    """Some tools, to be searched and read about by people and models."""

    def __init__(self, tools: tuple[Tool, ...]) -> None:
        """Takes tools under the names that the model calls them by; use `toolbox`."""
        self._tools = {each.name: each for each in tools}
        self._index = Index([each.definition for each in tools])

    def search(self, words: str, limit: int = LIMIT) -> list[Any]:
        """The tools that fit some words best, the best first; equals in the order declared.

        Those that are not available now are left out.

        Args:
            words: what is looked for.
            limit: how many at most.
        """
        tools = list(self._tools.values())
        call = Available(tools, None, resolve({}, {}, {}))
        ranked = (tools[at] for at in self._index.search(words, len(tools)))
        now = (tool for tool in ranked if tool.is_available(call.context(tool)))
        return [tool.target for tool in islice(now, max(limit, 0))]

    def help(self, name: str) -> str:
        """All that is to be known of a tool: signature, description, arguments, result.

        Raises:
            ConfigurationError: there is no such tool; the message names the nearest.
        """
        return help_text(self._offered(name).definition)

    def catalogue(self, budget: int = BUDGET) -> str:
        """A line for each tool: its signature, and what it does while the budget lasts.

        Args:
            budget: estimated tokens.
        """
        return catalogue([each.definition for each in self._tools.values()], budget)

    def _offered(self, name: str) -> Tool:
        found = self._tools.get(name)
        if found is None:
            close = get_close_matches(name, self._tools, n=1)
            hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(self._tools)}"
            raise ConfigurationError(f"there is no tool {name}; {hint}", code="tool")
        return found

    def __getitem__(self, name: str) -> Any:
        return self._offered(name).target

    def __iter__(self) -> Iterator[Any]:
        return (each.target for each in self._tools.values())

    def __len__(self) -> int:
        return len(self._tools)

    def __repr__(self) -> str:
        return f"<toolbox of {len(self)}: {', '.join(self._tools)}>"


def toolbox(*tools: Any) -> Toolbox:
    """A box of tools.

    Args:
        tools: tools, AI functions and functions at hand; without any, all that are registered.

    Raises:
        ConfigurationError: two have one name and one namespace.
    """
    with _lock:
        known = list(_registered.values())
    return Toolbox(offered([_as_tool(each) for each in tools] if tools else known))


def _as_tool(target: Any) -> Any:
    from aigen.runtime.function_like import FunctionLike

    return target if isinstance(target, FunctionLike) else tool(target)
