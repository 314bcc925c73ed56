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
    from aigen.runtime.tools.http.request import Request


def run(definition: ToolDefinition, arguments: Mapping[str, Any], ctx: ToolContext) -> Any:
    """Sends the request of a tool; what its answer holds, once it is awaited.

    Callers that are not async share the connections of one event loop: only there can an answer
    that comes drop by drop be left in time.

    Args:
        definition: of the tool.
        arguments: bound.
        ctx: of the call; its deadline and the tool's timeout end the request.

    Raises:
        InterfaceInputError: a value cannot stand where the request puts it.
        ConfigurationError: a variable of the environment is not set.
        ToolError: there is no answer, or one that says what went wrong.
    """
    from aigen.runtime.tools.background import elsewhere
    from aigen.runtime.tools.http.request import build

    request = build(definition, arguments)
    return elsewhere(_answered(request, _seconds(definition, ctx)))


async def arun(definition: ToolDefinition, arguments: Mapping[str, Any], ctx: ToolContext) -> Any:
    """Like `run`, over connections of the caller's own event loop."""
    from aigen.runtime.tools.http.request import build

    request = build(definition, arguments)
    return await _answered(request, _seconds(definition, ctx))


async def _answered(request: Request, seconds: float) -> Any:
    from aigen.runtime.tools.http.answer import read
    from aigen.runtime.tools.http.connections import send

    return read(request, await send(request, seconds))


def _seconds(definition: ToolDefinition, ctx: ToolContext) -> float:
    own: Any = definition.get("options", {}).get("timeout")
    seconds = ctx.settings.request_timeout if own is None else float(own)
    left = ctx.seconds_left
    return seconds if left is None else max(min(seconds, left), 0.001)


__all__ = ["arun", "run"]
