"""Plain calls to one server, HTTP/1.1 over sockets of our own.

On threads, each look at a socket gives the interpreter's lock away, and it has to be won again. So
a request is one `send`, an answer is waited for once, and most are one `recv`; an HTTP library
costs more than all the rest of a call. Answers are parsed by `httptools`.
"""

from __future__ import annotations

import http.client
import socket
import time
from contextlib import suppress
from typing import Any

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.wire.http_answer import HttpAnswer, unpacked
from aigen.runtime.wire.idle import Idle
from aigen.runtime.wire.route import Headers, Route
from aigen.runtime.wire.sockets import is_ready, left_until, send


class Connections:
    """A process's connections to one server, for any number of threads.

    Args:
        route: to it.
        parser: `httptools.HttpResponseParser`.

    Raises:
        ConfigurationError: TLS through a proxy that is spoken to over TLS itself.
    """

    def __init__(self, route: Route, parser: Any) -> None:
        self._idle = Idle[socket.socket](lambda connection: not is_ready(connection, 0.0))
        if route.certificates and route.inner:
            raise ConfigurationError(
                "transport direct makes no plain calls over TLS through a proxy that is itself "
                "spoken to over TLS: use auto",
                code="transport",
            )
        self._parser, self._route = parser, route

    def post(
        self, path: str, body: bytes, headers: Headers, timeout: float
    ) -> tuple[int, Headers, bytes]:
        """Status, headers (names in lower case) and body, whole before `timeout` seconds are over.

        Raises:
            TimeoutError: they are.
            ConnectionError: the server cannot be reached, or the answer broke off or is none.
            ConfigurationError: a header that cannot be sent.
            ProviderError: the answer is longer than any.
        """
        until = time.monotonic() + timeout
        try:
            if is_stood_in_for():
                return self._handed_over(path, body, headers, until)
            return self._exchanged(self._route.request(path, body, headers), until)
        except (TimeoutError, ConnectionError):
            raise
        except (OSError, UnicodeError, http.client.HTTPException) as problem:  # of the host's name
            raise ConnectionError(str(problem) or type(problem).__name__) from problem

    def _exchanged(self, request: bytes, until: float) -> tuple[int, Headers, bytes]:
        connection = self._idle.taken() or self._opened(until)
        answer = HttpAnswer(self._parser)
        try:
            # A server that refuses a long request may answer before it has read all of it.
            with suppress(BrokenPipeError, ConnectionResetError):
                send(connection, request, until)
            answer.read(connection, until)
        except BaseException:
            connection.close()  # what is left of the answer must not be read as the next one
            raise
        if answer.kept:
            self._idle.give_back(connection)
        else:
            connection.close()
        return answer.status, answer.headers, answer.body()

    def _handed_over(
        self, path: str, body: bytes, headers: Headers, until: float
    ) -> tuple[int, Headers, bytes]:
        """Over what stands in for `http.client`, as packages do that record traffic in tests."""
        handed = self._route.headers({"Accept-Encoding": "identity", **headers})
        opening = _opening(self._route, until)
        try:
            opening.request("POST", self._route.target(path), body, dict(handed))
            response = opening.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            body = unpacked([response.read()], found.get("content-encoding", ""))
            return response.status, found, body
        finally:
            opening.close()

    def _opened(self, until: float) -> socket.socket:
        route = self._route
        connection = socket.create_connection(route.at, left_until(until))
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if route.certificates:
                connection = route.certificates.wrap_socket(connection, server_hostname=route.at[0])
            if route.through:
                connection = self._tunnelled(connection, until)
            connection.setblocking(False)
        except BaseException:
            connection.close()
            raise
        return connection

    def _tunnelled(self, connection: socket.socket, until: float) -> socket.socket:
        """TLS with the server, through a tunnel that a proxy makes."""
        route = self._route
        assert route.through is not None and route.inner is not None
        connection.setblocking(False)
        send(connection, route.tunnel(), until)
        answer = HttpAnswer(self._parser)
        answer.has_no_body = True
        answer.read(connection, until)
        answer.refuse_unless_tunnel()
        connection.settimeout(left_until(until))
        return route.inner.wrap_socket(connection, server_hostname=route.through[0])

    def close(self) -> None:
        """Closes the idle connections."""
        self._idle.close()

    __del__ = close


def is_stood_in_for() -> bool:
    """Whether something is in the place of `http.client`, as what records traffic in tests is."""
    return http.client.HTTPConnection.__module__ != "http.client"


def _opening(route: Route, until: float) -> http.client.HTTPConnection:
    (host, port), left = route.at, left_until(until)
    certificates = route.inner or route.certificates
    opening: http.client.HTTPConnection
    if certificates:
        opening = http.client.HTTPSConnection(host, port, timeout=left, context=certificates)
    else:
        opening = http.client.HTTPConnection(host, port, timeout=left)
    if route.through:
        opening.set_tunnel(*route.through, headers=route.to_proxy)
    return opening
