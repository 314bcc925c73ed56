"""Reading a reply while it arrives: what is there of it so far, never taken back.

The reader takes JSON token by token where it stands and keeps only what is open. It looks again
when the text has grown by a constant fraction, so that the copies it gives away, of what is open
at that time, cost a constant for each character of the reply.

It is more tolerant than JSON (single quotes, bare names, trailing commas, comments, Python's
words), and where it cannot go on it stops: what it has given by then stays, and what the whole
reply means is for `aigen.runtime.wire.reply` to say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final

from aigen.runtime.wire.places import ABSENT, ANYTHING, Place, Record, extend

_FRACTION: Final = 256
"""A reply is looked at again when it has grown by one part in so many."""

_DEPTH: Final = 150
_MANY: Final = 32
"""Characters of items that are worth reading at once."""
_NAME: Final = 4096
"""Longest name of a member; a longer one is none."""
_BEGINNINGS: Final = 64
"""Braces in a text that are tried as the beginning of the answer."""

_SPACE = re.compile(r"(?:\s++|//[^\n]*+\n|/\*(?:[^*]++|\*(?!/))*+\*/)*+")
_KEY = re.compile(
    r"""(?:"((?:[^"\\]++|\\.)*+)"|'((?:[^'\\]++|\\.)*+)'|([^\W\d][\w$-]*+))\s*+:""", re.DOTALL
)
_WORD = re.compile(r"""[^\s,\]}\[{:"'/]++""")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?").fullmatch
_TEXT = {
    mark: re.compile(rf"""(?:[^{mark}\\]++|\\u[0-9a-fA-F]{{4}}|\\["'\\/bfnrt])*+""")
    for mark in "\"'"
}
_HALF = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\Z")
_WORDS: Final = {
    "true": True,
    "false": False,
    "null": None,
    "True": True,
    "False": False,
    "None": None,
}
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?|\\u[dD][89abAB][0-9a-fA-F]{2}\\?(?:(?<=\\)u[0-9a-fA-F]{0,3})?").fullmatch
_THINKS: Final = "<think>"


class _Broken(Exception):
    """The text is not what can be read here."""


class _Object:
    """An object that is open.

    Attributes:
        place: where it stands.
        record: what it is; None while it may still be one of several.
        seen: whether it, and all it stands in, can be shown.
        values: what is whole of it, by name: as it is shown, or as it came where `record` is None.
    """

    def __init__(self, place: Place, seen: bool) -> None:
        self.place = place
        self.record: Record | None = place.records[0] if len(place.records) == 1 else None
        self.can = seen and bool(place.records)
        self.seen = seen and self.record is not None
        self.values: dict[str, Any] = {}
        self.names: set[str] = set()
        self.name = ""
        self.options = place.records

    def begin(self, name: str) -> None:
        if name in self.names:
            raise _Broken
        self.names.add(name)
        self.name = name
        if self.record is None:
            self._narrow([one for one in self.options if one.may_be(name)])

    def inside(self) -> Place | None:
        """The place of the member that comes now."""
        return ANYTHING if self.record is None else self.record.member(self.name)

    def put(self, value: Any) -> bool:
        """Takes a whole member; whether it can be shown."""
        if value is ABSENT:
            return False
        self.values[self.name] = value
        if self.record is None and not isinstance(value, (dict, list)):
            return self._narrow([one for one in self.options if one.may_be(self.name, value)])
        return self.seen

    def _narrow(self, options: list[Record]) -> bool:
        self.options = tuple(options)
        if len(options) != 1 or not self.can:
            return False
        self.record, self.seen = options[0], True
        self.values = self.record.shown(self.values)
        return True

    def shown(self, inner: Any) -> Any:
        """What is there of it, with what is open inside."""
        if not self.seen or self.record is None:
            return ABSENT
        open_member = {} if inner is ABSENT else {self.name: inner}
        return self.record.made({**self.values, **open_member})

    def whole(self) -> Any:
        if self.record is not None:
            return self.record.made(self.values)
        # Its place says what it is, where it is one that can be told at all.
        return self.values


class _List:
    """A list that is open.

    Attributes:
        place, seen, values: as of `_Object`.
        stuck: whether an item cannot be shown; what follows would stand at the wrong index.
        looked: how much of the text had been read when many items were last looked for.
    """

    def __init__(self, place: Place, seen: bool) -> None:
        self.place, self.seen = place, seen and place.items is not None
        self.values: list[Any] = []
        self.stuck = False
        self.looked = -1

    def inside(self) -> Place | None:
        if self.stuck:
            return None
        return self.place.items(len(self.values)) if self.place.items else ANYTHING

    def put(self, value: Any) -> bool:
        if value is ABSENT or self.stuck:
            self.stuck = True
            return False
        self.values.append(value)
        return self.seen

    def extend(self, raw: list[Any]) -> bool:
        """Takes whole items; whether all of them can be shown."""
        if self.place.items is None:
            self.values += raw
            return True
        if self.stuck:
            return False
        self.stuck = not extend(self.values, self.place, raw)
        return not self.stuck

    def shown(self, inner: Any) -> Any:
        if not self.seen:
            return ABSENT
        return self.values.copy() if inner is ABSENT or self.stuck else [*self.values, inner]

    def whole(self) -> Any:
        return self.values


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
        self._stack: list[_Object | _List] = []
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
        return self._waiting * _FRACTION >= self._read and self.flush()

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
        except _Broken:
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
        start = self._text.lstrip()[: len(_THINKS)]
        if not start or (len(start) < len(_THINKS) and _THINKS.startswith(start)):
            return False
        if start == _THINKS:
            end = self._text.find("</think>")
            if end < 0:
                return False
            self._at = end + len("</think>")
        self._tries += 1
        return True

    def _space(self) -> bool:
        """Past white space and comments; whether there is text behind them."""
        match = _SPACE.match(self._text, self._at)
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
            raise _Broken
        return False

    def _member(self) -> bool:
        """A name and its colon, or the object's end."""
        if not self._space():
            return False
        mark = self._text[self._at]
        if mark == "}":
            return self._close()
        match = _KEY.match(self._text, self._at)
        if match is None:
            rest = len(self._text) - self._at
            return self._stop(rest < _NAME and (mark in "\"'_" or mark.isalpha()))
        name = match[match.lastindex or 1]
        frame = self._stack[-1]
        assert isinstance(frame, _Object)
        was_seen = frame.seen
        frame.begin(_unescaped(name, '"') if "\\" in name else name)
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
        assert isinstance(frame, _List)
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
            values, last = _scan(items, 0)
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
            value, end = _scan(self._text, self._at)
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
        match = _WORD.match(self._text, self._at)
        if match is None:
            raise _Broken
        if match.end() == len(self._text):
            return self._stop(match.end() - match.start() < _NAME)
        self._at = match.end()
        return self._put(_scalar(match.group()))

    def _string(self) -> bool:
        """More of a text; its end where that has come."""
        match = _TEXT[self._quote].match(self._text, self._at)
        assert match is not None
        end, piece = match.end(), match.group()
        stopped = end < len(self._text)
        if "\\" in piece:
            rest = self._text[end : end + 6]
            if (half := _HALF.search(piece)) and _may_escape(rest or "\\"):
                # The other half of the pair is still to come.
                end, piece = end - 6, piece[: half.start()]
            piece = _unescaped(piece, self._quote)
        if piece:
            self._parts.append(piece)
            self._changed = self._changed or self._grows
        self._at = end
        if not stopped:
            return False
        if self._text[end] != self._quote:
            return self._stop(_may_escape(self._text[end:]))
        self._at += 1
        self._quote = ""
        value = "".join(self._parts)
        if _halved(value):
            raise _Broken
        return self._put(value)

    def _open(self, place: Place, seen: bool = True) -> None:
        if len(self._stack) >= _DEPTH:
            raise _Broken
        mark = self._text[self._at]
        self._at += 1
        frame: _Object | _List
        if mark == "{":
            frame, self._next = _Object(place, seen), self._member
        else:
            frame, self._next = _List(place, seen), self._item
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

    def _told(self, frame: _Object | _List, value: Any) -> Any:
        """What was not shown while it was open, now that it is whole."""
        if not self._stack:
            return frame.place.whole(value)
        outer = self._stack[-1]
        if isinstance(outer, _Object) and outer.record is None:
            return value
        place = outer.inside()
        return ABSENT if place is None else place.whole(value)

    def _done(self, frame: _Object | _List, value: Any) -> bool:
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
        inside = isinstance(self._stack[-1], _Object)
        mark = self._text[self._at]
        if mark == ",":
            self._at += 1
            self._next = self._member if inside else self._item
            return True
        if mark != ("}" if inside else "]"):
            raise _Broken
        return self._close()


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
        return self._waiting * _FRACTION >= self._read and self.flush()

    def flush(self) -> bool:
        """As of `Growing`."""
        more = self._held + "".join(self._pieces)
        self._read += self._waiting
        self._pieces, self._waiting, self._held = [], 0, ""
        if self._trimmed:
            more = more if self._text else more.lstrip()
            kept = more.rstrip()
            more, self._held = kept, more[len(kept) :]
        if not self._text and more and (more + self._held).startswith(_THINKS[: len(more)]):
            # What a model thinks aloud may be no part of the answer; the end of the reply tells.
            self._held, more = more + self._held, ""
        self._text += more
        return bool(more)

    def shown(self) -> Any:
        """As of `Growing`."""
        return self._text or ABSENT


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names differ."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Broken
    return found


def _no_number(word: str) -> Any:
    raise _Broken


_scan = json.JSONDecoder(
    strict=False, object_pairs_hook=_once, parse_constant=_no_number
).scan_once


def _scalar(word: str) -> Any:
    """A number, or one of the words that stand for a value.

    Raises:
        _Broken: it is neither.
    """
    if word in _WORDS:
        return _WORDS[word]
    if not _NUMBER(word):
        raise _Broken
    try:
        return json.loads(word)
    except ValueError:
        # Python reads no integer of more than some thousand digits.
        raise _Broken from None


def _unescaped(text: str, quote: str) -> str:
    if quote == "'":
        text = re.sub(r"""\\'|"|\\.""", lambda found: _IN_SINGLE.get(found[0], found[0]), text)
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        raise _Broken from None


_IN_SINGLE: Final = {"\\'": "'", '"': '\\"'}


def _may_escape(text: str) -> bool:
    """Whether a text may be the beginning of an escape, or of a pair of them."""
    return bool(_ESCAPE(text[:13]))


def _halved(text: str) -> bool:
    """Whether a text holds half of a surrogate pair, which no answer may."""
    if text.isascii():
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


__all__ = ["ABSENT", "Growing", "GrowingText"]
