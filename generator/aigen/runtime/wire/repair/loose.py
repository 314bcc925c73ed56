"""A tolerant JSON parser: one pass over the text, every repair recorded by name.

It reads one object or array from a place in a text and says where it ends. What is written without
quotes stays `Bare`: whether it is a number, a literal or text is for the schema to say. No text is
scanned more than a constant number of times, and nothing recurses.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from aigen.runtime.wire.repair.strings import KEY, QUOTED_KEY, QUOTES, Strings

DEEPEST = 200
"""Containers inside each other, as the strict parser takes them."""


class Broken(Exception):
    """A text that cannot be read as JSON from the place that was tried.

    Attributes:
        reach: how far the text was looked at.
        doubtful: as of `Parsed`.
    """

    def __init__(self, reason: str, reach: int, doubtful: bool = False) -> None:
        super().__init__(reason)
        self.reach, self.doubtful = reach, doubtful


class TooDeep(Broken):
    """What no reader of JSON takes; it is not looked for inside either."""


class Bare(str):
    """A value without quotes, as written: a number, a literal, or text."""

    __slots__ = ()


class Object(dict[str, Any]):
    """An object, and where it stood in the text."""

    __slots__ = ("end", "start")
    start: int
    end: int


class Array(list[Any]):
    """An array, and where it stood in the text."""

    __slots__ = ("end", "start")
    start: int
    end: int


@dataclass(slots=True)
class Parsed:
    """What stood in a text.

    Attributes:
        value: of `Object`, `Array`, `str` (quoted) and `Bare`.
        end: where the text goes on.
        repairs: their names, each once, in the order they were met.
        doubtful: a string ended after an odd number of quotes inside, so that a later end is as
            good; `parse(..., paired=True)` gives that reading.
    """

    value: Any
    end: int
    repairs: dict[str, None] = field(default_factory=dict)
    doubtful: bool = False


_Next: TypeAlias = Literal["key", "value", "after", "done"]
_SPACE = re.compile(r"[\s\ufeff]*+")
_BARE_KEY = re.compile(r"""([^\s"'`“”{}\[\],:][^"`“”{}\[\],:\n]{0,127}?)\s*+:""")
_TOKEN = re.compile(r"""[-+\w.]++(?=\s*+(?:[}\]]|,\s*+["“'}\]]|,[^\S\n]*+\n|\Z))""")
_ITEM = re.compile(r"[-+\w.]++(?=\s*+[,\]])")
_STOP = re.compile(r"""[,(\[{)\]}\n"]|\s(?=//|/\*|\#\s)""")
_decode = json.JSONDecoder().raw_decode


def parse(text: str, start: int, *, paired: bool = False) -> Parsed:
    """The object or array that begins at a place.

    Args:
        text: the whole text.
        start: where `{` or `[` stands.
        paired: whether a string with quotes inside ends only after an even number of them, where
            there is such an end.

    Raises:
        Broken: no reading is left; `TooDeep` where no other place is better.
    """
    return _Parser(text, start, paired).run()


def _clean(text: str, start: int) -> bool:
    """Whether JSON as it should be begins at a place: then every string ends where it says."""
    try:
        _decode(text, start)
    except (ValueError, RecursionError):
        return False
    return True


class _Parser:
    def __init__(self, text: str, start: int, paired: bool) -> None:
        self.text, self.at = text, start
        self.repairs: dict[str, None] = {}
        self.strings = Strings(text, self.repairs, paired, _clean(text, start))
        self.stack: list[Object | Array] = []
        self.names: list[str] = []
        self.root: Any = None
        self.comma = False

    def run(self) -> Parsed:
        following: _Next = "value"
        while following != "done":
            self._skip()
            if following == "key":
                following = self._key()
            elif following == "value":
                following = self._value()
            else:
                following = self._after()
        return Parsed(self.root, self.at, self.repairs, self.strings.doubtful)

    def _broken(self, reason: str) -> Broken:
        return Broken(reason, max(self.at, self.strings.reach), self.strings.doubtful)

    def _skip(self) -> None:
        """White space and comments."""
        text = self.text
        while True:
            self.at = at = _SPACE.match(text, self.at).end()  # type: ignore[union-attr]
            if text[at : at + 1] not in ("/", "#"):
                return
            if text.startswith("//", at) or text.startswith("#", at):
                end = text.find("\n", at)
            elif text.startswith("/*", at):
                end = text.find("*/", at) + 2
                end = -1 if end == 1 else end
            else:
                return
            self.repairs["comment removed"] = None
            self.at = len(text) if end < 0 else end

    # ------------------------------------------------------------------ keys

    def _key(self) -> _Next:
        text, at = self.text, self.at
        mark = text[at : at + 1]
        if mark == "}" or mark == "]":
            return self._close(mark)
        if mark == ",":
            return self._extra_comma()
        if mark in QUOTES:
            found = self.strings.key(at)
            if found is not None:
                name, self.at = found
                return self._named(name)
        else:
            bare = _BARE_KEY.match(text, at)
            if bare:
                self.repairs["bare key quoted"] = None
                self.strings.bare_keys = True
                self.at = bare.end()
                return self._named(bare[1].strip())
        return self._cut("a key")

    def _named(self, name: str) -> _Next:
        if name in self.stack[-1]:
            raise self._broken(f"the key {name[:80]!r} stands twice")
        self.names.append(name)
        return "value"

    # ------------------------------------------------------------------ values

    def _value(self) -> _Next:
        text, at = self.text, self.at
        mark = text[at : at + 1]
        inside = self.stack[-1] if self.stack else None
        listed = type(inside) is Array
        if mark == "{" or mark == "[":
            return self._open(mark)
        if mark in QUOTES and (mark != "`" or self.strings.closes(at)):
            value, self.at = self.strings.value(at, listed)
            if value is None:
                raise self._broken("a string does not end")
            return self._put(value)
        if listed and mark == "]":
            return self._close(mark)
        if listed and mark == ",":
            return self._extra_comma()
        if not mark or mark in ",]}" or text.startswith("```", at):
            return self._cut("a value") if listed else self._no_value()
        token = (_ITEM if listed else _TOKEN).match(text, at)
        if token:
            self.at = token.end()
            return self._put(Bare(token.group()))
        return self._put(self._bare(listed))

    def _no_value(self) -> _Next:
        raise self._broken("a member has no value")

    def _bare(self, listed: bool) -> Bare:
        """Text without quotes, up to what can only be the next member or the end."""
        text, start, depth = self.text, self.at, 0
        end = len(text)
        for stop in _STOP.finditer(text, start):
            mark, at = stop.group(), stop.start()
            if mark in "([{":
                depth += 1
            elif mark in ")]}" and depth:
                depth -= 1
            elif depth == 0 and mark != ")" and self._ends_bare(mark, at, listed):
                end = at
                break
        self.at = end
        return Bare(text[start:end].strip())

    def _ends_bare(self, mark: str, at: int, listed: bool) -> bool:
        if mark == ",":
            return listed or self.strings.member.match(self.text, at) is not None
        if mark == "\n":
            return not listed and self.strings.line.match(self.text, at) is not None
        if mark == '"':
            return not listed and QUOTED_KEY.match(self.text, at) is not None
        return True

    def _open(self, mark: str) -> _Next:
        if len(self.stack) >= DEEPEST:
            raise TooDeep("the reply is nested too deeply", self.at)
        made: Object | Array = Object() if mark == "{" else Array()
        made.start = self.at
        self._hold(made)
        self.stack.append(made)
        self.at += 1
        self.comma = False
        return "key" if mark == "{" else "value"

    def _put(self, value: Any) -> _Next:
        self._hold(value)
        self.comma = False
        return "after"

    def _hold(self, value: Any) -> None:
        if not self.stack:
            self.root = value
        elif type(self.stack[-1]) is Array:
            self.stack[-1].append(value)
        else:
            self.stack[-1][self.names.pop()] = value  # type: ignore[call-overload]

    # ------------------------------------------------------------------ what follows a value

    def _after(self) -> _Next:
        text, at = self.text, self.at
        mark = text[at : at + 1]
        listed = type(self.stack[-1]) is Array
        if mark == ",":
            self.at += 1
            self.comma = True
            return "value" if listed else "key"
        if mark == "}" or mark == "]":
            return self._close(mark)
        if not mark or text.startswith("```", at):
            return self._end()
        if listed and (mark in QUOTES or mark in "{[-" or mark.isdigit()):
            self.repairs["missing comma added"] = None
            return "value"
        if not listed and KEY.match(text, at):
            self.repairs["missing comma added"] = None
            return "key"
        return self._cut("a comma")

    def _extra_comma(self) -> _Next:
        if not self.stack[-1]:
            raise self._broken("a comma stands first")
        self.repairs["extra comma removed"] = None
        self.at += 1
        self.comma = True
        return "value" if type(self.stack[-1]) is Array else "key"

    def _close(self, mark: str) -> _Next:
        if self.comma:
            self.repairs["trailing comma removed"] = None
            self.comma = False
        wanted = Object if mark == "}" else Array
        if type(self.stack[-1]) is not wanted:
            if not any(type(one) is wanted for one in self.stack):
                raise self._broken(f"{mark} closes nothing")
            self.repairs["missing closers added"] = None
            self._closed(self.at)
            return "after"
        self.at += 1
        self._closed(self.at)
        return "after" if self.stack else "done"

    def _closed(self, end: int) -> None:
        self.stack.pop().end = end

    def _cut(self, wanted: str) -> _Next:
        """The end of what is JSON, where no bracket follows; else it is broken."""
        rest = self.text
        if any(rest.find(mark, self.at) >= 0 for mark in "{}[]"):
            self.strings.reach = len(rest)
            raise self._broken(f"{wanted} is missing")
        return self._end()

    def _end(self) -> _Next:
        if self.comma:
            self.repairs["trailing comma removed"] = None
        self.repairs["missing closers added"] = None
        while self.stack:
            self._closed(self.at)
        return "done"
