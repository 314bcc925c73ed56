"""The tools that an AI function's spec names, found in its generated package."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.function_like import FunctionLike
from aigen.runtime.tools.offered import Tool, offered


def tools_of(function: Any) -> tuple[Tool, ...]:
    """The tools of an AI function, in the order of its spec, under the names the model calls.

    Raises:
        ConfigurationError: one is not there any more, or two have one name.
    """
    names = function.definition.get("tools", ())
    return with_own(offered([_found(function, name) for name in names]))


def with_own(tools: tuple[Tool, ...]) -> tuple[Tool, ...]:
    """Tools, with those of ours that lead to them: to search, and to run code.

    Args:
        tools: under the names that the model calls.

    Raises:
        ConfigurationError: one has the name of such a tool.
    """
    exposures = {tool.exposure for tool in tools}
    own: list[Tool] = []
    if "deferred" in exposures:
        from aigen.runtime.tools.deferred import search_tool

        own.append(search_tool(tools))
    if "code" in exposures:
        from aigen.runtime.tools.code import code_tool

        own.append(code_tool())
    taken = {tool.name for tool in own} & {tool.name for tool in tools}
    if taken:
        raise ConfigurationError(
            f"a tool cannot be called {min(taken)}: the one that leads to others is; give it"
            " another name",
            code="tool-name",
        )
    return (*tools, *own)


def only_reads(target: Any) -> bool:
    """Whether a tool says that it changes nothing; an AI function's effects are its tools'."""
    pending, seen = [target], set()
    while pending:
        one = pending.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if "ids" in one.definition:
            pending += [tool.target for tool in tools_of(one)]
        elif not _says_it_reads(one.definition):
            return False
    return True


def _says_it_reads(definition: Mapping[str, Any]) -> bool:
    rule = definition.get("options", {}).get("risk")
    if rule is None:
        return bool(definition.get("annotations", {}).get("read_only"))
    return rule == "read" or (rule == 0 and not isinstance(rule, bool))


def _found(function: Any, name: str) -> Any:
    """A tool that a function's spec names, dotted inside the generated package."""
    own = type(function).__module__
    home = str(function.definition["module"])
    parts = own.split(".")
    roots = [".".join(parts[:depth]) for depth in range(len(parts))]
    if own == home or own.endswith(f".{home}"):
        roots.insert(0, own[: -len(home)].rstrip("."))
    module, _, attribute = name.rpartition(".")
    for root in roots:
        dotted = f"{root}.{module}" if root else module
        try:
            target = getattr(importlib.import_module(dotted), attribute, None)
        except ModuleNotFoundError as problem:
            if problem.name is not None and dotted.startswith(problem.name):
                continue  # not this root
            raise
        if isinstance(target, FunctionLike):
            return target
    raise ConfigurationError(
        f"{function.__name__}: there is no tool {name} any more: build its package again",
        code="tool",
    )
