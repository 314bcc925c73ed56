"""Reading a reply while it arrives: what is there of it so far, never taken back.

The reader takes JSON token by token where it stands and keeps only what is open. It looks again
when the text has grown by a constant fraction, so that the copies it gives away, of what is open
at that time, cost a constant for each character of the reply.

It is more tolerant than JSON (single quotes, bare names, trailing commas, comments, Python's
words), and where it cannot go on it stops: what it has given by then stays, and what the whole
reply means is for `aigen.runtime.wire.reply` to say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from aigen.runtime.wire.opened import OpenList, OpenObject
from aigen.runtime.wire.places import ABSENT, ANYTHING, Place
from aigen.runtime.wire.tokens import (
    HALF,
    KEY,
    KEY_BEGUN,
    SPACE,
    TEXT,
    THINKS,
    WORD,
    Broken,
    halved,
    may_escape,
    scalar,
    scan,
    unescaped,
)

FRACTION: Final = 256
"""A reply is looked at again when it has grown by one part in so many."""

_DEPTH: Final = 150
_MANY: Final = 32
"""Characters of items that are worth reading at once."""
_NAME: Final = 4096
"""Longest name of a member; a longer one is none."""
_BEGINNINGS: Final = 64
"""Braces in a text that are tried as the beginning of the answer."""


class Growing:
    """The answer in a text that arrives.

    Args:
        root: the place of the outermost value, an object or a list.

    Attributes:
        whole: whether the value has been read to its end and all of it is shown.
    """

    def __init__(self, root: Place) -> None:
        self.root = root
        self.whole = False
        self._pieces: list[str] = []
        self._waiting = self._read = 0
        self._text, self._at = "", 0
        self._stack: list[OpenObject | OpenList] = []
        self._quote = ""
        self._parts: list[str] = []
        self._grows = False
        self._changed = self._given = self._hidden = False
        self._begun, self._tries = 0, 0
        self._value: Any = ABSENT
        self._next: Callable[[], bool] = self._seek

    def feed(self, piece: str) -> bool:
        """Takes a piece of the text; whether `shown` has more to show than before."""
        self._pieces.append(piece)
        self._waiting += len(piece)
        return self._waiting * FRACTION >= self._read and self.flush()

    def flush(self) -> bool:
        """Like `feed`, without waiting for more."""
        if not self._waiting:
            return False
        keep = self._begun if not self._given and self._stack else self._at
        self._text = self._text[keep:] + "".join(self._pieces)
        self._at, self._begun = self._at - keep, self._begun - keep
        self._read += self._waiting
        self._pieces, self._waiting = [], 0
        self._changed = False
        while self._step():
            pass
        self._given = self._given or self._changed
        return self._changed

    def shown(self) -> Any:
        """What is there of the value; `ABSENT` where nothing is."""
        if not self._stack:
            return self._value
        inner: Any = ABSENT
        if self._quote and self._grows:
            # Joined once: the next join copies one text and a few pieces.
            self._parts = ["".join(self._parts)]
            inner = self._parts[0]
        for frame in reversed(self._stack):
            inner = frame.shown(inner)
        return inner

    # ------------------------------------------------------------------ one step: whether to go on

    def _step(self) -> bool:
        try:
            return self._next()
        except Broken:
            if self._given or self._changed:
                return self._end()
            return self._again(self._begun + 1)

    def _again(self, at: int) -> bool:
        """Looks for another beginning: nothing of this one has been shown."""
        self._stack.clear()
        self._quote, self._hidden = "", False
        self._at, self._next = at, self._seek
        self._tries += 1
        return self._tries < _BEGINNINGS or self._end()

    def _end(self) -> bool:
        self._next = lambda: False
        self._at = len(self._text)
        return False

    def _seek(self) -> bool:
        """To the first bracket that may begin the value, past what a model thinks aloud."""
        if not self._tries and not self._past_thoughts():
            return False
        marks = "{[" if self.root.items is not None else "{"
        found = [at for at in (self._text.find(mark, self._at) for mark in marks) if at >= 0]
        self._at = min(found, default=len(self._text))
        if not found:
            return False
        self._begun = self._at
        self._open(self.root)
        return True

    def _past_thoughts(self) -> bool:
        start = self._text.lstrip()[: len(THINKS)]
        if not start or (len(start) < len(THINKS) and THINKS.startswith(start)):
            return False
        if start == THINKS:
            end = self._text.find("</think>")
            if end < 0:
                return False
            self._at = end + len("</think>")
        self._tries += 1
        return True

    def _space(self) -> bool:
        """Past white space and comments; whether there is text behind them."""
        match = SPACE.match(self._text, self._at)
        assert match is not None
        self._at = match.end()
        if self._at == len(self._text):
            return False
        if self._text[self._at] == "/":
            return self._stop(self._text[self._at : self._at + 2] in ("/", "//", "/*"))
        return True

    def _stop(self, unfinished: bool) -> bool:
        """Waits for more text where it may make sense of this."""
        if not unfinished:
            raise Broken
        return False

    def _member(self) -> bool:
        """A name and its colon, or the object's end."""
        if not self._space():
            return False
        mark = self._text[self._at]
        if mark == "}":
            return self._close()
        match = KEY.match(self._text, self._at)
        if match is None:
            begun = len(self._text) - self._at < _NAME
            return self._stop(begun and KEY_BEGUN.match(self._text, self._at) is not None)
        name = match[match.lastindex or 1]
        frame = self._stack[-1]
        assert isinstance(frame, OpenObject)
        was_seen = frame.seen
        frame.begin(unescaped(name, '"') if "\\" in name else name)
        self._changed = self._changed or frame.seen is not was_seen
        self._at = match.end()
        self._next = self._start
        return True

    def _item(self) -> bool:
        """An item, or the list's end."""
        if not self._space():
            return False
        if self._text[self._at] == "]":
            return self._close()
        return self._many() or self._start()

    def _many(self) -> bool:
        """Takes all items that have arrived to their end, by the reader written in C."""
        frame, start = self._stack[-1], self._at
        assert isinstance(frame, OpenList)
        if frame.looked == self._read:
            return False
        frame.looked = self._read
        if self._text[start] == "{":
            end = self._text.rfind("}", start) + 1
        else:
            end = self._text.rfind(",", start)
        if end - start < _MANY:
            return False
        items = f"[{self._text[start:end]}]"
        try:
            values, last = scan(items, 0)
        except (ValueError, StopIteration, RecursionError):
            return False
        if last != len(items):
            return False
        self._hidden = not frame.extend(values) or self._hidden
        self._changed = self._changed or frame.seen
        self._at, self._next = end, self._comma
        return True

    def _at_once(self) -> bool:
        """Takes an object or a list that has arrived to its end, by the reader written in C."""
        try:
            value, end = scan(self._text, self._at)
        except (ValueError, StopIteration, RecursionError):
            return False
        self._at = end
        return self._put(value)

    def _start(self) -> bool:
        """The beginning of a value."""
        if not self._space():
            return False
        frame = self._stack[-1]
        mark = self._text[self._at]
        if mark in "{[":
            place = frame.inside()
            if self._at_once():
                return True
            self._open(ANYTHING if place is None else place, frame.seen and place is not None)
            return True
        if mark in "\"'":
            place = frame.inside()
            self._quote, self._parts = mark, []
            self._at += 1
            self._grows = frame.seen and place is not None and place.grows
            self._changed = self._changed or self._grows
            self._next = self._string
            return True
        match = WORD.match(self._text, self._at)
        if match is None:
            raise Broken
        if match.end() == len(self._text):
            return self._stop(match.end() - match.start() < _NAME)
        self._at = match.end()
        return self._put(scalar(match.group()))

    def _string(self) -> bool:
        """More of a text; its end where that has come."""
        match = TEXT[self._quote].match(self._text, self._at)
        assert match is not None
        end, piece = match.end(), match.group()
        stopped = end < len(self._text)
        if "\\" in piece:
            rest = self._text[end : end + 6]
            if (half := HALF.search(piece)) and may_escape(rest or "\\"):
                # The other half of the pair is still to come.
                end, piece = end - 6, piece[: half.start()]
            piece = unescaped(piece, self._quote)
        if halved(piece):
            raise Broken
        if piece:
            self._parts.append(piece)
            self._changed = self._changed or self._grows
        self._at = end
        if not stopped:
            return False
        if self._text[end] != self._quote:
            return self._stop(may_escape(self._text[end:]))
        self._at += 1
        self._quote = ""
        value = "".join(self._parts)
        changed = self._changed
        self._put(value)
        if self._grows:
            # All of it has been shown.
            self._changed = changed
        return True

    def _open(self, place: Place, seen: bool = True) -> None:
        if len(self._stack) >= _DEPTH:
            raise Broken
        mark = self._text[self._at]
        self._at += 1
        frame: OpenObject | OpenList
        if mark == "{":
            frame, self._next = OpenObject(place, seen), self._member
        else:
            frame, self._next = OpenList(place, seen), self._item
        # An empty answer says nothing yet, and after it is shown nobody is asked again.
        self._changed = self._changed or (frame.seen and bool(self._stack))
        self._stack.append(frame)

    def _put(self, value: Any) -> bool:
        """A scalar is whole."""
        frame = self._stack[-1]
        place = frame.inside()
        shown = ABSENT if place is None else place.whole(value)
        self._hidden = self._hidden or (shown is ABSENT and value is not None)
        if frame.put(shown):
            self._changed = True
        self._next = self._comma
        return True

    def _close(self) -> bool:
        """The innermost list or object is whole."""
        frame = self._stack.pop()
        self._at += 1
        value: Any = frame.whole()
        if not frame.seen:
            value = self._told(frame, value)
        if not self._stack:
            return self._done(frame, value)
        self._hidden = self._hidden or value is ABSENT
        if self._stack[-1].put(value) and not frame.seen:
            self._changed = True
        self._next = self._comma
        return True

    def _told(self, frame: OpenObject | OpenList, value: Any) -> Any:
        """What was not shown while it was open, now that it is whole."""
        if not self._stack:
            return frame.place.whole(value)
        outer = self._stack[-1]
        if isinstance(outer, OpenObject) and outer.record is None:
            return value
        place = outer.inside()
        return ABSENT if place is None else place.whole(value)

    def _done(self, frame: OpenObject | OpenList, value: Any) -> bool:
        if not (self._given or self._changed) and (value is ABSENT or not frame.values):
            return self._again(self._at)
        self._value = value
        self._changed = self._changed or not frame.seen
        self.whole = not self._hidden
        return self._end()

    def _comma(self) -> bool:
        """Between two values."""
        if not self._space():
            return False
        inside = isinstance(self._stack[-1], OpenObject)
        mark = self._text[self._at]
        if mark == ",":
            self._at += 1
            self._next = self._member if inside else self._item
            return True
        if mark != ("}" if inside else "]"):
            raise Broken
        return self._close()
