"""Reading a reply that is one text while it arrives."""

from __future__ import annotations

from typing import Any

from aigen.runtime.wire.partial import FRACTION
from aigen.runtime.wire.places import ABSENT
from aigen.runtime.wire.tokens import THINKS


class GrowingText:
    """A text that is the whole answer.

    Args:
        trimmed: whether the white space round it is no part of it.
    """

    def __init__(self, trimmed: bool) -> None:
        self.whole = False
        self._trimmed = trimmed
        self._text, self._held = "", ""
        self._pieces: list[str] = []
        self._waiting = self._read = 0

    def feed(self, piece: str) -> bool:
        """As of `Growing`."""
        self._pieces.append(piece)
        self._waiting += len(piece)
        return self._waiting * FRACTION >= self._read and self.flush()

    def flush(self) -> bool:
        """As of `Growing`."""
        more = self._held + "".join(self._pieces)
        self._read += self._waiting
        self._pieces, self._waiting, self._held = [], 0, ""
        if self._trimmed:
            more = more if self._text else more.lstrip()
            kept = more.rstrip()
            more, self._held = kept, more[len(kept) :]
        if not self._text and more and (more + self._held).startswith(THINKS[: len(more)]):
            # What a model thinks aloud may be no part of the answer; the end of the reply tells.
            self._held, more = more + self._held, ""
        self._text += more
        return bool(more)

    def shown(self) -> Any:
        """As of `Growing`."""
        return self._text or ABSENT
