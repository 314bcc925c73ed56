"""Server-sent events: payloads out of bytes that arrive in any pieces.

https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
"""

from __future__ import annotations

from aigen.runtime.wire.reading import Body


class Decoder:
    """Takes bytes, gives the data of each event that is whole; all else in it is passed over."""

    def __init__(self) -> None:
        self._rest = Body()
        self._data: list[bytes] = []
        self._returned = False

    def feed(self, piece: bytes) -> list[bytes]:
        """The data of the events that these bytes end.

        Raises:
            ProviderError: a line is longer than any answer.
        """
        if self._returned and piece.startswith(b"\n"):
            piece = piece[1:]
        self._returned = piece.endswith(b"\r")
        if b"\n" not in piece and b"\r" not in piece:
            self._rest.add(piece)
            return []
        lines = (self._rest.whole() + piece).splitlines(keepends=True)
        self._rest = Body()
        if not lines[-1].endswith((b"\n", b"\r")):
            self._rest.add(lines.pop())
        found = []
        for line in lines:
            self._line(line.rstrip(b"\r\n"))
            if self._data and line in (b"\n", b"\r\n", b"\r"):
                found.append(self._event())
        return found

    def end(self) -> list[bytes]:
        """The data of an event that the stream's end ends: some servers leave out the last line."""
        self._line(self._rest.whole())
        self._rest = Body()
        return [self._event()] if self._data else []

    def _line(self, line: bytes) -> None:
        if line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))

    def _event(self) -> bytes:
        data, self._data = b"\n".join(self._data), []
        return data
