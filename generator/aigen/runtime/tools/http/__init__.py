"""Tools that are an HTTP request: the key `http` of a spec's tool.

The request is made from the tool's arguments (`request`), sent over connections that the process
and each event loop keep (`connections`), and its answer is what the tool gives (`answer`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aigen.runtime.definition import ToolDefinition
    from aigen.runtime.tools.context import ToolContext


def run(definition: ToolDefinition, arguments: Mapping[str, Any], ctx: ToolContext) -> Any:
    """Sends the request of a tool; what its answer holds.

    Args:
        definition: of the tool.
        arguments: bound.
        ctx: of the call; its deadline and the tool's timeout end the request.

    Raises:
        InterfaceInputError: a value cannot stand where the request puts it.
        ConfigurationError: a variable of the environment is not set.
        ToolError: there is no answer, or one that says what went wrong.
    """
    from aigen.runtime.tools.http.answer import read
    from aigen.runtime.tools.http.connections import send
    from aigen.runtime.tools.http.request import build

    request = build(definition, arguments)
    return read(request, send(request, _seconds(definition, ctx)))


async def arun(definition: ToolDefinition, arguments: Mapping[str, Any], ctx: ToolContext) -> Any:
    """Like `run`, awaited."""
    from aigen.runtime.tools.http.answer import read
    from aigen.runtime.tools.http.connections import asend
    from aigen.runtime.tools.http.request import build

    request = build(definition, arguments)
    return read(request, await asend(request, _seconds(definition, ctx)))


def _seconds(definition: ToolDefinition, ctx: ToolContext) -> float:
    own: Any = definition.get("options", {}).get("timeout")
    seconds = ctx.settings.request_timeout if own is None else float(own)
    left = ctx.seconds_left
    return seconds if left is None else max(min(seconds, left), 0.001)


__all__ = ["arun", "run"]
