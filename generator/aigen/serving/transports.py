"""How a server of ours is spoken to: over standard input and output, or over HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TextIO, cast

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

from aigen.serving.server import MOST_CALLS

PATH: Final = "/mcp"
LONGEST_LINE: Final = 16_000_000
"""Bytes of one message."""
LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
_LINGER: Final = 3
"""Seconds that open streams have when the server ends."""


async def serve_stdio(server: Server[Any]) -> None:
    """Serves over standard input and output, until the input is closed or the process is to end.

    What tools print goes to standard error.
    """
    task = asyncio.current_task()
    with contextlib.suppress(NotImplementedError):  # where a loop has no signals
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, cast("Any", task).cancel)
    _make_room()
    lines = _Lines()
    async with stdio_server(stdin=cast("Any", lines)) as (read, write):
        # The SDK points the descriptor there; Python would keep what is printed and write it late.
        with _errors() as printed, contextlib.redirect_stdout(printed):
            await server.run(read, write, server.create_initialization_options())


async def serve_http(
    server: Server[Any],
    listening: socket.socket,
    hosts: Sequence[str],
    started: Callable[[], None],
) -> None:
    """Serves over streamable HTTP, until the process is told to end.

    Args:
        server: what is served.
        listening: a socket that is bound.
        hosts: names besides those of loopback that the server may be called by; a request whose
            `Host` or `Origin` is another is refused, so that no page of a browser reaches the
            server under a name of its own (DNS rebinding).
        started: called once it serves.
    """
    import uvicorn

    _make_room()
    names = [*LOOPBACK, *hosts]
    safe = TransportSecuritySettings(
        allowed_hosts=[*names, *(f"{name}:*" for name in names)],
        allowed_origins=[
            f"{scheme}://{name}{port}"
            for name in names
            for scheme in ("http", "https")
            for port in ("", ":*")
        ],
    )
    app = server.streamable_http_app(streamable_http_path=PATH, transport_security=safe)
    config = uvicorn.Config(
        app, log_config=None, access_log=False, timeout_graceful_shutdown=_LINGER
    )
    http = uvicorn.Server(config)
    serving = asyncio.create_task(http.serve(sockets=[listening]))
    while not (http.started or serving.done()):
        await asyncio.sleep(0.01)  # it has no event to wait for
    if http.started:
        started()
    await serving


def _make_room() -> None:
    """Gives every call a thread: one that waits for a person must not hold up another."""
    pool = ThreadPoolExecutor(MOST_CALLS, thread_name_prefix="aigen-call")
    asyncio.get_running_loop().set_default_executor(pool)


def _errors() -> TextIO:
    """Standard error as a stream that a tool may close: ours stays open."""
    return os.fdopen(os.dup(2), "w", buffering=1, encoding="utf-8", errors="backslashreplace")


class _Lines:
    """Standard input line by line, read on a thread that does not hold up the end of the process.

    The descriptor itself is pointed at nothing, so that no tool reads what is meant for us.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[str | None] = asyncio.Queue(64)
        self._from = os.dup(0)
        nowhere = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nowhere, 0)
        os.close(nowhere)
        threading.Thread(target=self._read, name="aigen-stdin", daemon=True).start()

    async def __aiter__(self) -> AsyncIterator[str]:
        while (line := await self._queue.get()) is not None:
            yield line

    def _read(self) -> None:
        with contextlib.suppress(RuntimeError, OSError, asyncio.CancelledError):  # the loop ended
            rest = b""
            while piece := os.read(self._from, 65536):
                *lines, rest = (rest + piece).split(b"\n")
                for line in lines:
                    self._put(line.decode("utf-8", errors="replace"))
                if len(rest) > LONGEST_LINE:
                    break
            self._put(None)

    def _put(self, line: str | None) -> None:
        asyncio.run_coroutine_threadsafe(self._queue.put(line), self._loop).result()


__all__ = ["PATH", "serve_http", "serve_stdio"]
