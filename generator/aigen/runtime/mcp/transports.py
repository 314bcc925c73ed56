"""How a server is reached: as a process or over HTTP, with what the environment holds for it."""

from __future__ import annotations

import asyncio
import codecs
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from contextvars import ContextVar
from encodings import utf_8
from typing import Any, Final, TextIO, TypeAlias

import httpx2
from mcp import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from aigen.runtime.mcp.results import MOST_BYTES
from aigen.runtime.mcp.servers import Server

_SECONDS = httpx2.Timeout(30.0, read=None)
"""Of HTTP itself; how long an answer may take is the call's to say."""


async def transport(server: Server, stack: AsyncExitStack) -> Any:
    """The SDK's transport to a server; what it holds is closed with the stack."""
    if server.url is None:
        program, *arguments = server.command
        started = StdioServerParameters(
            command=program,
            args=arguments,
            env=dict(server.secrets),
            cwd=server.cwd,
            encoding=ENCODING,
        )
        return stdio_client(started, errlog=_errors(stack))
    client = httpx2.AsyncClient(
        headers={"Accept-Encoding": "identity", **dict(server.secrets)},
        timeout=_SECONDS,
        event_hooks={"response": [_bound]},
    )
    await stack.enter_async_context(client)
    return streamable_http_client(server.url, http_client=client)


def _errors(stack: AsyncExitStack) -> TextIO:
    """Where a server's own messages go: to ours, where that is a file."""
    try:
        sys.stderr.fileno()
    except (AttributeError, OSError, ValueError):
        return stack.enter_context(open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123
    return sys.stderr


ENCODING: Final = "aigen_bounded_lines"
"""Of what a process writes."""


LINE: Final = 30.0
"""Seconds in which a process ends a line that it has begun."""

Told: TypeAlias = Callable[[Exception], None]
on_fault: ContextVar[Told] = ContextVar("aigen_on_fault")
"""What is told of a line that is too long or too late: the SDK tells nobody who waits."""


class _Lines(utf_8.IncrementalDecoder):
    """UTF-8 in which no line is longer than any tool's answer, nor takes longer than `LINE`.

    The SDK keeps a process's line until it ends, and has no other place to bound it.
    """

    _taken = 0
    _timer: asyncio.TimerHandle | None = None

    def decode(self, data: Any, final: bool = False) -> str:
        text = super().decode(data, final)
        end = text.rfind("\n")
        self._taken = len(text) - end - 1 + (self._taken if end < 0 else 0)
        told = on_fault.get(None)
        if self._taken > MOST_BYTES:
            fault = ConnectionError(f"a line is longer than {MOST_BYTES:,} characters")
            if told is not None:
                told(fault)
            raise fault
        if told is not None:
            self._timed(told, end >= 0 or final)
        return text

    def _timed(self, told: Told, ended: bool) -> None:
        if self._timer is not None and ended:
            self._timer.cancel()
            self._timer = None
        if self._timer is None and self._taken:
            fault = ConnectionError(f"it began a line and did not end it within {LINE:g} s")
            self._timer = asyncio.get_running_loop().call_later(LINE, told, fault)


def _codec(name: str) -> codecs.CodecInfo | None:
    if name != ENCODING:
        return None
    return codecs.CodecInfo(utf_8.encode, utf_8.decode, incrementaldecoder=_Lines, name=name)


codecs.register(_codec)


async def _bound(response: httpx2.Response) -> None:
    """Ends an answer that is larger than any tool's; of a stream the SDK bounds each event.

    A packed one, of which some bytes can stand for gigabytes, was not asked for.
    """
    packed = response.headers.get("content-encoding", "identity").strip().lower()
    if packed not in ("", "identity"):
        raise httpx2.DecodingError(f"the answer is packed ({packed[:80]}), and nobody asked for it")
    kind = response.headers.get("content-type", "")
    if not kind.startswith("text/event-stream"):
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Counted(response.stream)


class _Counted(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        taken = 0
        async for piece in self._stream:
            taken += len(piece)
            if taken > MOST_BYTES:
                raise httpx2.ReadError(f"the answer is larger than {MOST_BYTES:,} bytes")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


__all__ = ["ENCODING", "LINE", "on_fault", "transport"]
