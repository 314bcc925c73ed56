"""A server of tools and AI functions over MCP, on standard input and output or over HTTP.

Every call goes the way of a model's: bound and checked, judged by its risk, by policies and by who
approves, run in its time, its result checked. What fails is a result with `isError`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ContentBlock,
    InputRequiredResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)

from aigen.runtime.errors import AigenError, ToolError
from aigen.runtime.layers import resolve
from aigen.runtime.setting_kinds import Settings
from aigen.runtime.tools.available import Available
from aigen.runtime.tools.outcome import Outcome
from aigen.runtime.tools.printing import raised
from aigen.runtime.tools.running import Runner
from aigen.runtime.tools.threads import on_a_thread
from aigen.runtime.tools.work import Late, awaited_in_time
from aigen.runtime.values import jsonable
from aigen.runtime.wire.content import sendable
from aigen.runtime.wire.deadline import Deadline
from aigen.runtime.wire.messages import ToolCall
from aigen.serving.asking import AnswerNeeded, person
from aigen.serving.listing import Served

CALLER: Final = "mcp"
"""Who asks, in the paths that `approve` and policies read: `mcp/refund`."""
MOST_CALLS: Final = 64
"""Calls under way at once; what is more is told to come again."""


def server_of(
    tools: Sequence[Served], name: str, version: str, configured: Mapping[str, Any]
) -> Server[Any]:
    """The SDK's server of some tools.

    Args:
        tools: what it serves.
        name: what it calls itself.
        version: its own.
        configured: `[tool.aigen.settings]`: the weakest layer of the settings of every call.

    Raises:
        pydantic.ValidationError: a tool cannot be listed.
    """
    serving = _Serving(tools, configured)
    return Server(name, version=version, on_list_tools=serving.listed, on_call_tool=serving.called)


class _Serving:
    """Answers the two requests of the protocol that are about tools."""

    def __init__(self, tools: Sequence[Served], configured: Mapping[str, Any]) -> None:
        self._tools = {each.tool.name: each for each in tools}
        self._listed = {name: Tool.model_validate(each.body) for name, each in self._tools.items()}
        self._configured = configured
        self._under_way = 0

    async def listed(
        self, ctx: ServerRequestContext[Any], params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        """The tools that are available now."""
        tools = [each.tool for each in self._tools.values()]
        now = Available(tools, CALLER, self._settings())
        seconds = now.settings.timeout
        try:
            found = await awaited_in_time(lambda: on_a_thread(lambda: now.tools), seconds)
        except Late:
            words = f"what is available was not found out within {seconds:g} s"
            raise MCPError(INTERNAL_ERROR, words) from None
        return ListToolsResult(tools=[self._listed[tool.name] for tool in found])

    async def called(
        self, ctx: ServerRequestContext[Any], params: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        """What a call gives; what it says where it fails; or what is to be asked first."""
        served = self._tools.get(params.name)
        if served is None:
            raise MCPError(INVALID_PARAMS, f"there is no tool {params.name[:200]}")
        if self._under_way >= MOST_CALLS:
            return _failed(f"not run: the server is busy with {MOST_CALLS} calls; try again later")
        self._under_way += 1
        try:
            settings = self._settings()
            runner = Runner(
                [each.tool for each in self._tools.values()],
                CALLER,
                settings,
                Deadline(settings.timeout),
                person(ctx, params, settings.timeout),
            )
            arguments = json.dumps(params.arguments or {}, ensure_ascii=False)
            call = ToolCall(str(ctx.request_id), params.name, arguments)
            [outcome] = await runner.arun([call], 1, True)
            return _result(served, outcome)
        except AnswerNeeded as needed:
            return needed.result
        except AigenError as problem:
            return _failed(problem.message)
        except (Exception, KeyboardInterrupt) as problem:  # what a tool, or a rule, raises itself
            return _failed(f"{params.name} failed: {raised(problem)}")
        finally:
            self._under_way -= 1

    def _settings(self) -> Settings:
        return resolve({}, self._configured, {})


def _result(served: Served, outcome: Outcome) -> CallToolResult:
    if outcome.is_error:
        return _failed(outcome.text)
    content: list[ContentBlock] = [TextContent(type="text", text=outcome.text)]
    if served.wrapped is None:
        return CallToolResult(content=content)
    try:
        value = jsonable(served.tool.judged(outcome.value))
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()  # else the SDK would end
    except (ToolError, TypeError, ValueError, RecursionError) as problem:
        return _failed(f"{served.tool.name} gave no structured result: {problem}")
    return CallToolResult(
        content=content, structured_content={"result": value} if served.wrapped else value
    )


def _failed(words: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=sendable(words))], is_error=True)


__all__ = ["CALLER", "server_of"]
