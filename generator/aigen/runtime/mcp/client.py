"""Calls of tools that MCP servers have.

A server is connected to at its first call and then kept: by the process, for all its threads and
event loops. What ends a connection ends the calls that wait on it with a `ToolError`, and the next
call connects anew; no call is ever made twice.
"""

from __future__ import annotations

import asyncio
import atexit
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, Final

from aigen.runtime.errors import ConfigurationError, ToolError
from aigen.runtime.mcp.results import value_of
from aigen.runtime.mcp.servers import Server, server_of
from aigen.runtime.tools import background

if TYPE_CHECKING:
    from mcp import Client

    from aigen.runtime.definition import ToolDefinition
    from aigen.runtime.tools.context import ToolContext

CONNECTING: Final = 60.0
"""Seconds until a server must have answered that it is there, where a call has more."""
MOST_TOOLS: Final = 2000
MOST_PAGES: Final = 100
_CLOSING: Final = 8.0
"""Seconds that all servers have to end; the SDK ends a process that does not within some."""


async def arun(definition: ToolDefinition, arguments: Mapping[str, Any], ctx: ToolContext) -> Any:
    """Calls the tool of an MCP server that implements a tool of ours; what it gives.

    Args:
        definition: of the tool; its option `mcp` names the server and its tool, and holds what the
            project said of the server when it was built.
        arguments: bound.
        ctx: of the call; its deadline and the tool's timeout end the wait.

    Raises:
        ConfigurationError: nothing says where the server is, or a variable or the SDK is missing.
        ToolError: the server cannot be reached, has ended, is too slow, answers what is no result,
            or says that the tool failed.
    """
    from aigen.runtime.values import jsonable

    options: Mapping[str, Any] = definition.get("options", {})
    named = options["mcp"]
    configured = (ctx.settings.mcp_servers or {}).get(named["server"], named.get("at"))
    if configured is None:
        raise ConfigurationError(
            f"nothing says where the MCP server {named['server']} of {definition['name']} is:"
            f" write [tool.aigen.mcp_servers.{named['server']}] and build again, or"
            " configure(mcp_servers={…})",
            code="mcp-server",
        )
    times = (options.get("timeout"), ctx.seconds_left, ctx.settings.timeout)
    result = await called(
        server_of(named["server"], configured),
        named["tool"],
        jsonable(dict(arguments)),
        min(seconds for seconds in times if seconds is not None),
    )
    return value_of(result, definition["name"], "output" in definition)


run = arun
"""Connections to servers are awaited everywhere: who is not async waits for what this gives."""


async def called(server: Server, tool: str, arguments: dict[str, Any], seconds: float) -> Any:
    """What a server answers to a call of one of its tools.

    Raises:
        ConfigurationError: the SDK is not installed.
        ToolError: as `remote` says, but for the tool's own failure.
    """

    async def call(client: Client) -> Any:
        return await client.call_tool(tool, arguments)

    return await background.elsewhere(_within(server, call, seconds, tool))


async def listed(server: Server, seconds: float) -> tuple[str, list[dict[str, Any]]]:
    """What a server calls itself, and its tools as it describes them.

    Raises:
        ConfigurationError: the SDK is not installed.
        ToolError: the server cannot be reached, is too slow, answers what is no list, or has more
            than `MOST_TOOLS` tools.
    """

    async def look(client: Client) -> tuple[str, list[dict[str, Any]]]:
        found: list[dict[str, Any]] = []
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            page = await client.list_tools(cursor=cursor)
            found += [
                tool.model_dump(mode="json", by_alias=True, exclude_none=True)
                for tool in page.tools
            ]
            if len(found) > MOST_TOOLS:
                raise ToolError(f"it lists more than {MOST_TOOLS} tools", code="mcp-server")
            cursor = page.next_cursor
            if cursor is None:
                return (client.server_info.name if client.server_info else ""), found
        raise ToolError(f"its list has more than {MOST_PAGES} pages", code="mcp-server")

    return await background.elsewhere(_within(server, look, seconds, None))


def close() -> None:
    """Ends every connection of the process, and the servers that it started; done at exit too."""
    background.ended(_close_all(), _CLOSING)


atexit.register(close)

# ---------------------------------------------- on the loop of the connections, and only there


class _Connection:
    """A server that is connected to, by a task of its own: the SDK closes where it opened."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.loop = asyncio.get_running_loop()
        self._ready: asyncio.Future[Client] = self.loop.create_future()
        self._stop = asyncio.Event()
        self._lost: asyncio.Future[Exception] = self.loop.create_future()
        self.task = asyncio.create_task(self._keep())

    async def client(self, seconds: float) -> Client:
        """The client, once it is there."""
        async with asyncio.timeout(min(seconds, CONNECTING)):
            return await asyncio.shield(self._ready)

    @property
    def is_usable(self) -> bool:
        """Whether it is open, or opening; one that a parent process had is neither."""
        ended = self.task.done() or self._lost.done()
        return self.loop is asyncio.get_running_loop() and not ended

    @property
    def is_ready(self) -> bool:
        """Whether the server has answered that it is there."""
        return self._ready.done() and self._ready.exception() is None

    async def during(self, work: Coroutine[Any, Any, Any]) -> Any:
        """What work gives, as long as the connection is there.

        Raises:
            ConnectionError: the server holds it up.
        """
        task = asyncio.ensure_future(work)
        try:
            await asyncio.wait((task, self._lost), return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                raise self._lost.result()
            return task.result()
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait((task,))

    def _lose(self, fault: Exception) -> None:
        if not self._lost.done():
            self._lost.set_result(fault)
            self._stop.set()

    async def end(self) -> None:
        """Ends the connection, or the try to make one."""
        self._stop.set()
        if not self._ready.done():
            self.task.cancel()
        await asyncio.wait([self.task])

    async def _keep(self) -> None:
        try:
            async with AsyncExitStack() as stack:
                self._ready.set_result(await _connected(self.server, stack, self._lose))
                await self._stop.wait()
        except asyncio.CancelledError:
            self._fail(ConnectionError("the connection was closed"))
        except Exception as problem:
            self._fail(_first(problem))

    def _fail(self, problem: BaseException) -> None:
        if not self._ready.done():
            self._ready.set_exception(problem)
            self._ready.exception()  # nobody may be waiting any more


_open: dict[Server, _Connection] = {}


async def _within(
    server: Server,
    do: Callable[[Client], Coroutine[Any, Any, Any]],
    seconds: float,
    tool: str | None,
) -> Any:
    """Does something with a server's client, and says as a `ToolError` what goes wrong."""
    connection = _open.get(server)
    if connection is None or not connection.is_usable:
        connection = _open[server] = _Connection(server)
    try:
        async with asyncio.timeout(seconds):
            client = await connection.during(connection.client(seconds))
            return await connection.during(do(client))
    except ConfigurationError:
        await _drop(connection)
        raise
    except Exception as problem:
        fault = _first(problem)
        there = connection.is_ready
        words, lost = _told(fault, seconds if there else min(seconds, CONNECTING))
        if lost or not there:
            await _drop(connection)
        raise ToolError(
            f"the MCP server {server.name} {words}", tool=tool, code="mcp-server"
        ) from fault


async def _drop(connection: _Connection) -> None:
    if _open.get(connection.server) is connection:
        del _open[connection.server]
    await connection.end()


async def _close_all() -> None:
    ending = [connection.end() for connection in _open.values() if connection.is_usable]
    _open.clear()
    await asyncio.gather(*ending)


async def _connected(
    server: Server, stack: AsyncExitStack, lose: Callable[[Exception], None]
) -> Client:
    try:
        from mcp import Client, Implementation
    except ImportError:
        raise ConfigurationError(
            'tools of MCP servers need a package: pip install "aigen[mcp]"', code="missing-extra"
        ) from None
    from aigen.runtime.mcp.transports import on_fault, transport

    on_fault.set(lose)
    reached = await transport(server, stack)
    client = Client(reached, client_info=Implementation(name="aigen", version=""))
    return await stack.enter_async_context(client)


def _first(problem: BaseException) -> BaseException:
    """The fault itself: task groups wrap what one of their tasks raised."""
    while isinstance(problem, BaseExceptionGroup):
        problem = problem.exceptions[0]
    return problem


def _told(problem: BaseException, seconds: float) -> tuple[str, bool]:
    """A fault in words that go on from the server's name, and whether the connection is lost."""
    from mcp import MCPError
    from mcp.types import CONNECTION_CLOSED
    from pydantic import ValidationError

    said = " ".join(str(problem).split())[:500]
    match problem:
        case ToolError():
            return f"cannot be used: {said}", False
        case TimeoutError():
            return f"took longer than {seconds:g} s", False
        case MCPError() if problem.code == CONNECTION_CLOSED:
            return "ended, or closed the connection", True
        case MCPError():
            # A session that HTTP has forgotten is an error of its own words only.
            return f"says: {said}", "terminated" in said
        case ValidationError():
            first = problem.errors()[0]
            where = ".".join(map(str, first["loc"]))
            return f"answers what MCP does not know: {where}: {first['msg'][:200]}", False
        case FileNotFoundError() | PermissionError():
            return f"cannot be started: {problem.strerror}: {problem.filename}", True
        case RuntimeError():
            return f"does not keep its own schema: {said}", False
    return f"cannot be reached: {said or type(problem).__name__}", True


__all__ = ["arun", "called", "close", "listed", "run"]
