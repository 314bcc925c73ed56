"""The body of an answer as it arrives: no longer than it may be, packed or not."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any, Final

PACKED: Final = "gzip, deflate"
"""Encodings that a request says it takes; `zlib` opens them piece by piece, however small a piece
is that stands for gigabytes."""

_ZLIB_OR_GZIP: Final = 15 + 32
"""The largest window, and either head."""


class Arriving:
    """The body of an answer, piece by piece."""

    def __init__(self, encoding: str, largest: int, fail: Callable[[str], Exception]) -> None:
        """Begins a body.

        Args:
            encoding: what the answer says of it (`Content-Encoding`).
            largest: bytes that it may have, opened.
            fail: gives what is raised, of words that go on from the request.

        Raises:
            Exception: of `fail`: the encoding is another than `PACKED` names.
        """
        self._largest = largest
        self._fail = fail
        self._pieces: list[bytes] = []
        self._size = 0
        self._opener: Any = None
        match encoding.strip().lower():
            case "" | "identity":
                pass
            case "gzip" | "x-gzip" | "deflate":
                self._opener = zlib.decompressobj(_ZLIB_OR_GZIP)
            case other:
                raise fail(f"answered in the encoding {other[:80]!r}, which nobody asked for")

    def add(self, piece: bytes) -> None:
        """Takes the next piece.

        Raises:
            Exception: of `fail`: the answer is larger than it may be, or not packed as it says.
        """
        if self._opener is not None:
            try:
                # A byte more than may be shows that there is more.
                piece = self._opener.decompress(piece, self._largest - self._size + 1)
            except zlib.error as problem:
                raise self._fail(
                    f"answered with what is not packed as it says: {problem}"
                ) from None
        self._pieces.append(piece)
        self._size += len(piece)
        if self._size > self._largest:
            raise self._fail(f"answered with more than {self._largest} bytes: ask for less")

    def whole(self) -> bytes:
        """All of it.

        Raises:
            Exception: of `fail`: it is packed, and broke off.
        """
        if self._opener is not None and self._size and not self._opener.eof:
            raise self._fail("answered with what is packed and breaks off")
        return b"".join(self._pieces)


__all__ = ["PACKED", "Arriving"]
