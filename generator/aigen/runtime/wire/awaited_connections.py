"""Awaited calls to one server, HTTP/1.1 over an event loop's connections of our own."""

from __future__ import annotations

import asyncio
import os
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, cast

from aigen.runtime.wire.connections import Connections, is_stood_in_for
from aigen.runtime.wire.http_answer import HttpAnswer
from aigen.runtime.wire.idle import Idle
from aigen.runtime.wire.route import Address, Headers, Route
from aigen.runtime.wire.sockets import is_ready

_NEXT: Final = 0.25
"""Seconds until another address of a host is tried beside the first (RFC 8305)."""

_KNOWN: Final = 10
"""Seconds for which a host's addresses are known."""


class AwaitedConnections:
    """An event loop's connections to one server.

    Args:
        route: to it.
        parser: `httptools.HttpResponseParser`.
        connect: `aiohappyeyeballs.start_connection`.
    """

    def __init__(self, route: Route, parser: Any, connect: Callable[..., Any]) -> None:
        self._idle = Idle[_Connection](_Connection.serves)
        self._route, self._parser, self._connect = route, parser, connect
        self._addresses = _Addresses(route.at)

    async def post(
        self, path: str, body: bytes, headers: Headers, timeout: float
    ) -> tuple[int, Headers, bytes]:
        """Status, headers (names in lower case) and body; whoever calls sees to the time.

        Raises:
            ConnectionError: the server cannot be reached, or the answer broke off or is none.
            ConfigurationError: a header that cannot be sent.
            ProviderError: the answer is longer than any.
        """
        if is_stood_in_for():
            plain = Connections(self._route, self._parser)
            return await asyncio.to_thread(plain.post, path, body, headers, timeout)
        try:
            answer = await self._exchanged(self._route.request(path, body, headers))
            return answer.status, answer.headers, answer.body()
        except (TimeoutError, ConnectionError):
            raise
        except (OSError, UnicodeError) as problem:  # of the host's name
            raise ConnectionError(str(problem) or type(problem).__name__) from problem

    async def _exchanged(self, request: bytes) -> HttpAnswer:
        connection = self._idle.taken() or await self._opened()
        answer = HttpAnswer(self._parser)
        try:
            await connection.asked(request, answer)
        except BaseException:
            connection.close()  # what is left of the answer must not be read as the next one
            raise
        if answer.kept and connection.has_sent():
            self._idle.give_back(connection)
        else:
            connection.close()
        return answer

    async def _opened(self) -> _Connection:
        loop, route = asyncio.get_running_loop(), self._route
        found = await self._connect(await self._addresses.known(), happy_eyeballs_delay=_NEXT)
        _, connection = await loop.create_connection(
            _Connection,
            sock=found,
            ssl=route.certificates,
            server_hostname=route.at[0] if route.certificates else None,
        )
        if route.through:
            try:
                await connection.tunnelled(route, HttpAnswer(self._parser))
            except BaseException:
                connection.close()
                raise
        return connection

    async def close(self) -> None:
        """Closes the idle connections."""
        self._idle.close()
        await asyncio.sleep(0)  # which is when the loop closes their sockets

    def __del__(self) -> None:
        with suppress(RuntimeError):  # the loop has ended
            self._idle.close()  # the loop would keep what is open


class _Connection(asyncio.Protocol):
    """One connection, with the answer that it waits for."""

    _process = 0
    _transport: asyncio.Transport
    _answer: HttpAnswer | None = None
    _whole: asyncio.Future[None]

    def asked(self, request: bytes, answer: HttpAnswer) -> asyncio.Future[None]:
        """Sends a request; done when the answer is."""
        self._answer, self._whole = answer, asyncio.get_running_loop().create_future()
        if self._transport.is_closing():
            self._failed(ConnectionError("the server closed the connection"))
        else:
            self._transport.write(request)
        return self._whole

    async def tunnelled(self, route: Route, answer: HttpAnswer) -> None:
        """Has a proxy make a tunnel to the server, and speaks TLS through it.

        Raises:
            OSError: there is none, or no TLS.
        """
        assert route.through is not None and route.inner is not None
        answer.has_no_body = True
        await self.asked(route.tunnel(), answer)
        answer.refuse_unless_tunnel()
        made = await asyncio.get_running_loop().start_tls(
            self._transport, self, route.inner, server_hostname=route.through[0]
        )
        self._transport = cast("asyncio.Transport", made)

    def serves(self) -> bool:
        """Whether another request may be sent: the loop may not have seen its end yet."""
        if self._transport.is_closing():
            return False
        return not is_ready(self._transport.get_extra_info("socket"), 0.0)

    def has_sent(self) -> bool:
        """Whether nothing of the request is left to send."""
        return not (self._transport.is_closing() or self._transport.get_write_buffer_size())

    def close(self) -> None:
        """Closes it at once."""
        self._answer = None
        # A child's loop would take it out of the selector that it has of its parent.
        if self._process == os.getpid():
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It is there."""
        self._process = os.getpid()
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """A piece of the answer."""
        if self._answer is None:
            self.close()  # nobody asked
        else:
            self._take(self._answer, data)

    def eof_received(self) -> None:
        """The server sends no more."""
        if self._answer is not None:
            self._take(self._answer, b"")

    def connection_lost(self, problem: Exception | None) -> None:
        """It is gone, with or without the end of an answer."""
        if problem is None:
            self.eof_received()
        else:
            self._failed(problem)

    def _take(self, answer: HttpAnswer, data: bytes) -> None:
        try:
            answer.take(data)
        except Exception as problem:
            self._failed(problem)
        if answer.done:
            self._answer = None
            if not self._whole.done():
                self._whole.set_result(None)

    def _failed(self, problem: Exception) -> None:
        if self._answer is not None:
            self._answer = None
            if not self._whole.done():
                self._whole.set_exception(problem)


class _Addresses:
    """Where a host is, asked once for all who want to know."""

    def __init__(self, at: Address) -> None:
        self._at = at
        self._asked: asyncio.Task[Any] | None = None
        self._until = 0.0

    async def known(self) -> Any:
        """The addresses, as `getaddrinfo` gives them.

        Raises:
            OSError: it has none.
        """
        asked = self._asked
        if asked is None or (asked.done() and (_failed(asked) or time.monotonic() > self._until)):
            loop = asyncio.get_running_loop()
            asking = loop.getaddrinfo(*self._at, type=socket.SOCK_STREAM)
            asked = self._asked = loop.create_task(asking)
            asked.add_done_callback(_failed)  # whoever asked may have left
            self._until = time.monotonic() + _KNOWN
        await asyncio.wait([asked])  # one that leaves does not end it for the others
        return asked.result()


def _failed(task: asyncio.Task[Any]) -> bool:
    return task.cancelled() or task.exception() is not None
