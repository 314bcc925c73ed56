"""Which ways a call tries: the adapter's, down to what the server takes.

`auto` goes from a strict schema over a schema, a forced tool call and any JSON object with the form
in the prompt to the form alone. It begins with what the table of providers says of the target, and
steps down where a server answers that it does not take the parameter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from aigen.runtime.definition import Definition
from aigen.runtime.errors import ConfigurationError, ProviderError
from aigen.runtime.wire import learned
from aigen.runtime.wire.adapters.json_schema import strict_form
from aigen.runtime.wire.adapters.layout import is_text
from aigen.runtime.wire.messages import Target

_LADDERS: Final = ("auto", "json", "tool", "prompt")
"""Adapters of several ways; any other is the one way of its name."""


def ways(definition: Definition, target: Target, adapter: str) -> list[str]:
    """The ways to try, best first: at least one.

    Raises:
        ConfigurationError: `prompt`, of a function that has no prompt of its own.
    """
    if adapter == "prompt" and not definition.get("prompt"):
        raise ConfigurationError(
            f"{definition['name']}: adapter: prompt is for functions with a prompt of their own; "
            "leave it at auto",
            code="setting",
        )
    if adapter not in _LADDERS:
        return [adapter]
    if is_text(definition) and adapter != "tool":
        # The whole reply is the answer, so there is nothing to hold a server to.
        return ["schema"]
    held = _held(adapter, target)
    keys = (target.key, _schema_key(definition, target))
    wanted = [way for way in held if not learned.refused(way, *keys)]
    if strict_form(definition).reasons:
        wanted = [way for way in wanted if way not in ("strict", "tool_strict")]
    return wanted or [held[-1]]


def _held(adapter: str, target: Target) -> Sequence[str]:
    if adapter == "json":
        return ("strict", "schema")
    if adapter == "tool":
        return ("tool_strict", "tool") if "strict" in target.takes else ("tool",)
    return (*target.takes, "prompted")


def steps_down(problem: ProviderError, way: str) -> bool:
    """Whether a server's answer says that it does not take a way."""
    return learned.refuses_way(problem, way)


def remember(refusals: Sequence[tuple[str, ProviderError]], asked: Definition, to: Target) -> None:
    """Keeps, for the process, what a target does not take; of one schema, for this function."""
    for way, problem in refusals:
        one = learned.is_about_one_schema(problem)
        learned.remember([way], _schema_key(asked, to) if one else to.key)


def _schema_key(definition: Definition, target: Target) -> object:
    return target.key, definition["ids"]["version"]
