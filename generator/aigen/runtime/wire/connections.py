"""Plain calls to one server, HTTP/1.1 over sockets of our own.

On threads, each look at a socket gives the interpreter's lock away, and it has to be won again. So
a request is one `send`, an answer is waited for once, and most are one `recv`; an HTTP library
costs more than all the rest of a call. Answers are parsed by `httptools`; `http.client` makes the
connections.
"""

from __future__ import annotations

import http.client
import re
import socket
import time
import urllib.parse
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final, TypeAlias

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.wire.http_answer import HttpAnswer, unpacked
from aigen.runtime.wire.packed import ENCODING
from aigen.runtime.wire.server import Server, as_user, trusted
from aigen.runtime.wire.sockets import is_ready, left_until, send

IDLE: Final = 50
"""Seconds that an idle connection is kept: servers behind the usual balancers keep theirs 60."""

_POOL: Final = 1024
"""Connections kept to a server; more calls in flight open some that are closed again."""

_NO_HEADER: Final = re.compile(r"[^\t\x20-\x7e\x80-\xff]")
_Headers: TypeAlias = Mapping[str, str]


class Connections:
    """A process's connections to one server, for any number of threads.

    Args:
        server: where it is.
        parser: `httptools.HttpResponseParser`.

    Raises:
        ConfigurationError: TLS through a proxy that is spoken to over TLS itself.
    """

    def __init__(self, server: Server, parser: Any) -> None:
        self._idle: deque[tuple[socket.socket, float]] = deque()  # the last one given back is first
        self._parser, self._headers = parser, server.headers
        parts = urllib.parse.urlsplit(server.url)
        self._certificates, proxy = server.certificates, server.proxy
        self._at = _address(parts)
        self._through: tuple[str, int] | None = None
        self._to_proxy: dict[str, str] = {}
        self._before = parts.path
        if proxy and self._certificates:
            self._through, self._at = self._at, _address(urllib.parse.urlsplit(proxy))
            self._to_proxy = {"Host": "{}:{}".format(*self._through), **as_user(proxy)}
            _refuse_tls_in_tls(proxy)
        elif proxy:
            self._at = _address(urllib.parse.urlsplit(proxy))
            self._before = f"http://{_host(parts)}{parts.path}"
            self._headers = {**self._headers, **as_user(proxy)}
            self._certificates = trusted() if proxy.lower().startswith("https:") else None
        self._headers = {"Host": _host(parts), **self._headers, "Accept-Encoding": ENCODING}
        self._head = _lines(self._headers)

    def post(
        self, path: str, body: bytes, headers: _Headers, timeout: float
    ) -> tuple[int, _Headers, bytes]:
        """Status, headers (names in lower case) and body, whole before `timeout` seconds are over.

        Raises:
            TimeoutError: they are.
            ConnectionError: the server cannot be reached, or the answer broke off or is none.
            ConfigurationError: a header that cannot be sent.
            ProviderError: the answer is longer than any.
        """
        until, target = time.monotonic() + timeout, self._before + path
        head = _lines(_laid_over(self._headers, headers)) if headers else self._head
        request = b"POST %b HTTP/1.1\r\n%bContent-Length: %d\r\n\r\n%b" % (
            target.encode("ascii"),
            head,
            len(body),
            body,
        )
        try:
            if http.client.HTTPConnection.__module__ != "http.client":
                return self._handed_over(target, body, headers, until)
            return self._exchanged(request, until)
        except (TimeoutError, ConnectionError):
            raise
        except (OSError, UnicodeError, http.client.HTTPException) as problem:  # of the host's name
            raise ConnectionError(str(problem) or type(problem).__name__) from problem

    def _exchanged(self, request: bytes, until: float) -> tuple[int, _Headers, bytes]:
        connection = self._taken() or self._opened(until)
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
            self._give_back(connection)
        else:
            connection.close()
        return answer.status, answer.headers, answer.body()

    def _handed_over(
        self, target: str, body: bytes, headers: _Headers, until: float
    ) -> tuple[int, _Headers, bytes]:
        """Over what stands in for `http.client`, as packages do that record traffic in tests."""
        handed = _laid_over(self._headers, {"Accept-Encoding": "identity", **headers})
        opening = self._opening(until)
        try:
            opening.request("POST", target, body, dict(handed))
            response = opening.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            body = unpacked([response.read()], found.get("content-encoding", ""))
            return response.status, found, body
        finally:
            opening.close()

    def _taken(self) -> socket.socket | None:
        """An idle connection that the server has not closed."""
        oldest = time.monotonic() - IDLE
        while self._idle:
            with suppress(IndexError):  # another thread may be faster
                connection, since = self._idle.pop()
                # Nothing is to be read from one that is idle, but its end.
                if since > oldest and not is_ready(connection, 0.0):
                    return connection
                connection.close()
        return None

    def _give_back(self, connection: socket.socket) -> None:
        now = time.monotonic()
        self._idle.append((connection, now))
        with suppress(IndexError):
            if self._idle[0][1] < now - IDLE or len(self._idle) > _POOL:
                self._idle.popleft()[0].close()

    def _opening(self, until: float) -> http.client.HTTPConnection:
        (host, port), left = self._at, left_until(until)
        opening: http.client.HTTPConnection
        if self._certificates:
            known = self._certificates
            opening = http.client.HTTPSConnection(host, port, timeout=left, context=known)
        else:
            opening = http.client.HTTPConnection(host, port, timeout=left)
        if self._through:
            opening.set_tunnel(*self._through, headers=self._to_proxy)
        return opening

    def _opened(self, until: float) -> socket.socket:
        opening = self._opening(until)
        try:
            opening.connect()
        except BaseException:
            opening.close()
            raise
        connection: socket.socket = opening.sock
        connection.setblocking(False)
        return connection

    def close(self) -> None:
        """Closes the idle connections."""
        while self._idle:
            with suppress(IndexError):
                self._idle.pop()[0].close()

    __del__ = close


def _lines(headers: _Headers) -> bytes:
    for name, value in headers.items():
        if _NO_HEADER.search(f"{name}{value}"):
            raise ConfigurationError(
                f"the header {name!r} holds what no header takes", code="header"
            )
    return "".join(f"{name}: {value}\r\n" for name, value in headers.items()).encode("latin-1")


def _laid_over(headers: _Headers, more: _Headers) -> _Headers:
    names = {name.lower() for name in more}
    return {**{n: value for n, value in headers.items() if n.lower() not in names}, **more}


def _host(parts: urllib.parse.SplitResult) -> str:
    return parts.netloc.rpartition("@")[2]


def _address(parts: urllib.parse.SplitResult) -> tuple[str, int]:
    return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)


def _refuse_tls_in_tls(proxy: str) -> None:
    if proxy.lower().startswith("https:"):
        raise ConfigurationError(
            "transport direct makes no plain calls over TLS through a proxy that is itself spoken "
            "to over TLS: use auto",
            code="transport",
        )
