"""An answer in HTTP/1.1, parsed by `httptools` as it comes."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from typing import Any, Final

from aigen.runtime.errors import ProviderError
from aigen.runtime.wire.packed import NotAsSaid, Packed
from aigen.runtime.wire.reading import LONGEST, Body, refuse_endless
from aigen.runtime.wire.sockets import received

_HEAD: Final = 128 * 1024
"""Bytes before the body: the more headers of one name, the longer each of them takes."""


class HttpAnswer:
    """An answer as it is parsed; the methods `on_…` are what the parser calls.

    Args:
        parser: `httptools.HttpResponseParser`.

    Attributes:
        status: of the answer.
        headers: by their names in lower case.
        done: whether it is whole.
        has_no_body: whether a good answer ends with its headers, as of a tunnel's.
        kept: whether the connection serves for another request.
    """

    def __init__(self, parser: Any) -> None:
        self.status, self.kept = 0, False  # the status, as soon as all headers are there
        self.headers: dict[str, str] = {}
        self.done = self.has_no_body = False
        self._pieces: list[bytes] = []
        self._size = 0
        self._parser = parser(self)

    def read(self, connection: socket.socket, until: float) -> None:
        """Reads it to its end.

        Raises:
            TimeoutError: it is not whole in time.
            ConnectionError: it broke off, or is no answer.
            ProviderError: it is longer than any.
        """
        while not self.done:
            self.take(received(connection, until))

    def take(self, data: bytes) -> None:
        """Takes the next piece; an empty one is the end.

        Raises:
            ConnectionError: it broke off, or is no answer.
            ProviderError: it is longer than any.
        """
        self._size += len(data)
        refuse_endless(self._size)
        try:
            if data:
                self._parser.feed_data(data)
            else:
                self._end()
        except Exception as problem:
            if type(problem).__module__.partition(".")[0] != "httptools":
                raise
            if isinstance(problem.__context__, KeyboardInterrupt):  # while it called a method here
                raise problem.__context__ from None
            if not self.done:
                raise ConnectionError(f"the answer is no HTTP: {problem}") from None
            self.kept = False  # the answer is whole, and more follows that nobody asked for
        if self._size > _HEAD and not self.status:
            raise ProviderError(
                f"the answer's headers are longer than {_HEAD >> 10} KiB", code="too-long"
            )
        if self.done:
            del self._parser  # the two hold each other

    def _end(self) -> None:
        """The server has closed the connection; an answer may end so that says no length."""
        if not self.status or self.headers.keys() & {"content-length", "transfer-encoding"}:
            raise ConnectionError("the server closed the connection before its answer was whole")
        self.done = True

    def refuse_unless_tunnel(self) -> None:
        """What a proxy answers that is to make a tunnel.

        Raises:
            ConnectionError: it makes none.
        """
        if not 200 <= self.status < 300:
            raise ConnectionError(f"the proxy makes no tunnel: {self.status}")

    def body(self) -> bytes:
        """The body as it was before it was packed.

        Raises:
            ConnectionError: it is packed in a way that was not asked for, or wrongly.
            ProviderError: it is longer than any.
        """
        return unpacked(self._pieces, self.headers.get("content-encoding", ""))

    def on_message_begin(self) -> None:
        """An answer begins: there must be one."""
        if self.done:
            raise ValueError("a second answer to one request")

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header, or a trailer, which says nothing of what was before it."""
        if self.status:
            return
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        self.headers[key] = f"{self.headers[key]}, {text}" if key in self.headers else text

    def on_headers_complete(self) -> None:
        """All headers are there."""
        self.status = self._parser.get_status_code()
        if self.has_no_body and 200 <= self.status < 300:
            self.done = self.kept = True

    def on_body(self, piece: bytes) -> None:
        """A piece of the body."""
        self._pieces.append(piece)

    def on_message_complete(self) -> None:
        """An answer is whole: the one that was asked for, or a word before it."""
        if self.status < 200:
            self.status = 0
            self.headers.clear()
        else:
            self.done, self.kept = True, self._parser.should_keep_alive()


def unpacked(pieces: Iterable[bytes], encoding: str) -> bytes:
    """A body as it was before it was packed.

    Args:
        pieces: of the body as they came.
        encoding: what the header `Content-Encoding` says.

    Raises:
        ConnectionError: that was not asked for, or is not so.
        ProviderError: it is longer than any.
    """
    body = Body()
    try:
        packed = Packed(encoding)
        for piece in pieces:
            body.add(packed.opened(piece, LONGEST - body.size + 1))
        packed.end()
    except NotAsSaid as problem:
        raise ConnectionError(f"the server answered {problem}") from None
    return body.whole()
