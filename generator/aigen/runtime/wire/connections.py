"""Plain calls to one server, HTTP/1.1 over sockets of our own.

On threads, each look at a socket gives the interpreter's lock away, and it has to be won again. So
a request is one `send`, an answer is waited for once, and most are one `recv`; an HTTP library
costs more than all the rest of a call. Answers are parsed by `httptools`; `http.client` makes the
connections.
"""

from __future__ import annotations

import http.client
import re
import select
import socket
import ssl
import time
import urllib.parse
import zlib
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final, TypeAlias

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.wire.reading import LONGEST, refuse_endless
from aigen.runtime.wire.server import Server, as_user, trusted

IDLE: Final = 50
"""Seconds that an idle connection is kept: servers behind the usual balancers keep theirs 60."""

_POOL: Final = 1024
"""Connections kept to a server; more calls in flight open some that are closed again."""

_PIECE: Final = 1 << 16
_LONG: Final = 1_000_000.0
"""Seconds that the system's own wait may take; it counts them in a small number."""

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
        self._headers = {"Host": _host(parts), **self._headers, "Accept-Encoding": "gzip"}
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
        until = time.monotonic() + timeout
        head = _lines(_laid_over(self._headers, headers)) if headers else self._head
        request = b"POST %b HTTP/1.1\r\n%bContent-Length: %d\r\n\r\n%b" % (
            (self._before + path).encode("ascii"),
            head,
            len(body),
            body,
        )
        try:
            return self._exchanged(request, until)
        except (TimeoutError, ConnectionError):
            raise
        except (OSError, http.client.HTTPException) as problem:
            raise ConnectionError(str(problem) or type(problem).__name__) from problem

    def _exchanged(self, request: bytes, until: float) -> tuple[int, _Headers, bytes]:
        connection = self._taken() or self._opened(until)
        answer = _Answer(self._parser)
        try:
            # A server that refuses a long request may answer before it has read all of it.
            with suppress(BrokenPipeError, ConnectionResetError):
                _send(connection, request, until)
            answer.read(connection, until)
        except BaseException:
            connection.close()  # what is left of the answer must not be read as the next one
            raise
        if answer.kept:
            self._give_back(connection)
        else:
            connection.close()
        return answer.status, answer.headers, answer.body()

    def _taken(self) -> socket.socket | None:
        """An idle connection that the server has not closed."""
        oldest = time.monotonic() - IDLE
        while self._idle:
            with suppress(IndexError):  # another thread may be faster
                connection, since = self._idle.pop()
                # Nothing is to be read from one that is idle, but its end.
                if since > oldest and not _is_ready(connection, 0.0):
                    return connection
                connection.close()
        return None

    def _give_back(self, connection: socket.socket) -> None:
        now = time.monotonic()
        self._idle.append((connection, now))
        with suppress(IndexError):
            if self._idle[0][1] < now - IDLE or len(self._idle) > _POOL:
                self._idle.popleft()[0].close()

    def _opened(self, until: float) -> socket.socket:
        host, port = self._at
        opening: http.client.HTTPConnection
        if self._certificates:
            opening = http.client.HTTPSConnection(
                host, port, timeout=_left(until), context=self._certificates
            )
        else:
            opening = http.client.HTTPConnection(host, port, timeout=_left(until))
        if self._through:
            opening.set_tunnel(*self._through, headers=self._to_proxy)
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


class _Answer:
    """An answer as it is parsed; the methods `on_…` are what the parser calls.

    Attributes:
        status: of the answer.
        headers: by their names in lower case.
        kept: whether the connection serves for another request.
    """

    def __init__(self, parser: Any) -> None:
        self.status, self.kept = 0, False  # the status, as soon as all headers are there
        self.headers: dict[str, str] = {}
        self._pieces: list[bytes] = []
        self._done = False
        self._parser = parser(self)

    def read(self, connection: socket.socket, until: float) -> None:
        """Reads it to its end.

        Raises:
            TimeoutError: it is not whole in time.
            ConnectionError: it broke off, or is no answer.
            ProviderError: it is longer than any.
        """
        size = 0
        try:
            while not self._done:
                data = _received(connection, until)
                size += len(data)
                refuse_endless(size)
                if data:
                    self._parser.feed_data(data)
                else:
                    self._end()
        except Exception as problem:
            if type(problem).__module__.partition(".")[0] != "httptools":
                raise
            if isinstance(problem.__context__, KeyboardInterrupt):  # while it called a method here
                raise problem.__context__ from None
            if not self._done:
                raise ConnectionError(f"the answer is no HTTP: {problem}") from None
            self.kept = False  # the answer is whole, and more follows that nobody asked for
        finally:
            del self._parser  # the two hold each other

    def _end(self) -> None:
        """The server has closed the connection; an answer may end so that says no length."""
        if not self.status or self.headers.keys() & {"content-length", "transfer-encoding"}:
            raise ConnectionError("the server closed the connection before its answer was whole")
        self._done = True

    def body(self) -> bytes:
        """The body as it was before it was packed.

        Raises:
            ConnectionError: it is packed in a way that was not asked for, or wrongly.
            ProviderError: it is longer than any.
        """
        whole = b"".join(self._pieces)
        packed = self.headers.get("content-encoding", "identity").strip().lower()
        if packed == "identity" or not whole:
            return whole
        if packed not in ("gzip", "x-gzip"):
            raise ConnectionError(f"the answer is packed as {packed}, and gzip was asked for")
        try:
            return _unpacked(whole)
        except zlib.error as problem:
            raise ConnectionError(f"the answer is not gzip: {problem}") from None

    def on_message_begin(self) -> None:
        if self._done:
            raise ValueError("a second answer to one request")

    def on_header(self, name: bytes, value: bytes) -> None:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        self.headers[key] = f"{self.headers[key]}, {text}" if key in self.headers else text

    def on_headers_complete(self) -> None:
        self.status = self._parser.get_status_code()

    def on_body(self, piece: bytes) -> None:
        self._pieces.append(piece)

    def on_message_complete(self) -> None:
        if self.status < 200:  # a word in between: the answer follows
            self.status = 0
            self.headers.clear()
        else:
            self._done, self.kept = True, self._parser.should_keep_alive()


def _unpacked(packed: bytes) -> bytes:
    whole, size = [], 0
    while packed:
        unpacking = zlib.decompressobj(zlib.MAX_WBITS | 16)
        whole.append(unpacking.decompress(packed, LONGEST - size + 1))
        size += len(whole[-1])
        refuse_endless(size)
        if not unpacking.eof:
            raise zlib.error("it is cut off")
        packed = unpacking.unused_data
    return b"".join(whole)


def _send(connection: socket.socket, data: bytes, until: float) -> None:
    left = memoryview(data)
    while left:
        try:
            left = left[connection.send(left) :]
        except (BlockingIOError, ssl.SSLWantWriteError):
            _wait(connection, until, writing=True)
        except ssl.SSLWantReadError:
            _wait(connection, until)


def _received(connection: socket.socket, until: float) -> bytes:
    """The next piece, as long as TLS has at once; empty where the server has closed."""
    writing = False
    while True:
        _wait(connection, until, writing=writing)
        try:
            return connection.recv(_PIECE)
        except (BlockingIOError, ssl.SSLWantReadError):
            writing = False
        except ssl.SSLWantWriteError:
            writing = True


def _wait(connection: socket.socket, until: float, *, writing: bool = False) -> None:
    if not _is_ready(connection, _left(until), writing=writing):
        raise TimeoutError


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return min(left, _LONG)


def _is_ready(connection: socket.socket, seconds: float, *, writing: bool = False) -> bool:
    """Whether something can be read, or written, within so many seconds."""
    if not hasattr(select, "poll"):  # Windows, where select takes any socket
        reads, writes = ([], [connection]) if writing else ([connection], [])
        return any(select.select(reads, writes, [], seconds))
    waiting = select.poll()
    waiting.register(connection, select.POLLOUT if writing else select.POLLIN)
    return bool(waiting.poll(seconds * 1000))


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
