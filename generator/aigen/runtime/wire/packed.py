"""Bodies as they come, packed or not, opened piece by piece: few bytes can stand for gigabytes."""

from __future__ import annotations

import zlib
from typing import Any, Final

ENCODING: Final = "gzip"
"""What a request says that it takes; servers send two things that they call `deflate`."""

_GZIP: Final = zlib.MAX_WBITS | 16


class NotAsSaid(ValueError):
    """A body is packed in another way than its answer says, or than was asked for."""


class Packed:
    """A body in a `Content-Encoding`; it may have several members (RFC 1952, 2.2).

    Args:
        encoding: what the answer says of it.

    Raises:
        NotAsSaid: the encoding is not `ENCODING`.
    """

    def __init__(self, encoding: str) -> None:
        name = encoding.strip().lower()
        if name not in ("", "identity", "gzip", "x-gzip"):
            raise NotAsSaid(f"in the encoding {name[:80]!r}, which nobody asked for")
        self._plain = name in ("", "identity")
        self._member: Any = None

    def opened(self, piece: bytes, most: int) -> bytes:
        """What the next piece holds; of more than `most` bytes only so many, where it is packed.

        Raises:
            NotAsSaid: it is not packed.
        """
        if self._plain:
            return piece
        found: list[bytes] = []
        while piece and most > 0:
            if self._member is None or self._member.eof:
                self._member = zlib.decompressobj(_GZIP)
            try:
                found.append(self._member.decompress(piece, most))
            except zlib.error as problem:
                raise NotAsSaid(f"with what is not packed as it says: {problem}") from None
            most -= len(found[-1])
            piece = self._member.unused_data
        return b"".join(found)

    def end(self) -> None:
        """Nothing more comes.

        Raises:
            NotAsSaid: there should.
        """
        if self._member is not None and not self._member.eof:
            raise NotAsSaid("with what is packed and breaks off")


__all__ = ["ENCODING", "NotAsSaid", "Packed"]
