"""Strings of a tolerant parser: whatever quotes they have, and quotes inside that nobody escaped.

A quote ends a string only where what follows goes on as JSON would. Lookaheads are bounded, so a
text is read in time linear in its length.
"""

from __future__ import annotations

import re
import textwrap
from json.decoder import scanstring  # type: ignore[attr-defined]

QUOTES = frozenset("\"'`“”„‘’«")
_CLOSING = {"“": '”“"', "”": '”"', "„": '“”"', "‘": "’'", "’": "’'", "«": "»"}
_KEY = (
    r"""(?:"(?:[^"\\\n]|\\.){0,256}+"|'(?:[^'\\\n]|\\.){0,256}+'"""
    r"""|[“”„][^“”"\n]{1,256}+[”“"])\s*+:"""
)
_BARE_KEY = r"[\w$@][\w$.\-]{0,64}+\s*+:(?!//)"
_SPACED_KEY = r"[^\S\n]*+\n\s*+[^\W\d][\w $.\-]{0,64}+:"
_GAP = (
    r"(?:\s++|/\*(?:[^*]|\*(?!/)){0,200}+\*/|//[^\n]{0,200}+(?=\n|\Z)|\#[^\n]{0,200}+(?=\n|\Z))*+"
)
_LINE = r"[^\S\n]*+\n\s*+"
_ITEM = r"""["'`“„«‘{\[\-\d]|(?:true|false|null|True|False|None)\b"""

QUOTED_KEY = re.compile(_KEY)
KEY = re.compile(f"{_KEY}|{_BARE_KEY}")
_MEMBER_INSIDE = re.compile(rf",\s*+{_KEY}")
_APOSTROPHE = re.compile(r"[^\W\d_]['’][^\W\d_]")
_COLON = re.compile(r"\s*+:")


def _after_member(key: str) -> re.Pattern[str]:
    member = rf",(?:{_GAP},)*+(?:{_GAP}(?:\Z|\}}|```|{key})|{_SPACED_KEY})"
    return re.compile(rf"{_GAP}(?:\Z|\}}|```|{member})|{_LINE}(?:{key})|\s++{_KEY}")


_MEMBER = _after_member(_KEY)
_ANY_MEMBER = _after_member(f"{_KEY}|{_BARE_KEY}")
_AFTER_ITEM = re.compile(
    rf"{_GAP}(?:\Z|\]|```|,{_GAP}(?:\Z|\]|```|{_ITEM}))|{_LINE}[\"'{{\[]|\s++\""
)
_BEFORE_MEMBER = re.compile(rf",(?:{_GAP}(?:\Z|\}}|```|{_KEY}|{_BARE_KEY})|{_SPACED_KEY})")
_BEFORE_LINE = re.compile(rf"\n[ \t]*+(?:{_KEY}|{_BARE_KEY}|\}})")

_ESCAPE = re.compile(
    r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|U000[0-9a-fA-F]{5}|U0010[0-9a-fA-F]{4}|.)", re.DOTALL
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_LITERAL = frozenset("\"'`\\/“”‘’\n")
_INFO = re.compile(r"[\w+#./-]*(?:[ \t]+[\w+#./-]+)?[ \t]*\n")
_LATER = 4
"""Ends of a string that are looked at after the first."""


class Strings:
    """Reads the strings of one text.

    Args:
        text: the whole text.
        repairs: where repairs are recorded.
        paired: whether a string ends only after an even number of quotes inside, where it can.
        clean: whether the strings are JSON's, so that the first quote is the end of one.

    Attributes:
        doubtful: a string was read whose end might be another.
        reach: how far the text was looked at.
        bare_keys: whether keys without quotes have been met, so that others may follow.
    """

    member = _BEFORE_MEMBER
    line = _BEFORE_LINE

    def __init__(self, text: str, repairs: dict[str, None], paired: bool, clean: bool) -> None:
        self.text, self.repairs, self.paired, self.clean = text, repairs, paired, clean
        self.doubtful = False
        self.reach = 0
        self.bare_keys = False

    def closes(self, at: int) -> bool:
        """Whether three backticks at a place have three more after them; one always may."""
        text = self.text
        return not text.startswith("```", at) or text.find("```", at + 3) >= 0

    def key(self, at: int) -> tuple[str, int] | None:
        """The key that begins at a quote, and where its value may begin."""
        text, mark = self.text, self.text[at]
        for closing in _CLOSING.get(mark, mark):
            end = self._next(closing, at + 1)
            colon = _COLON.match(text, end + 1) if end >= 0 else None
            if colon:
                self._quoted_by(mark)
                return self._unescaped(text[at + 1 : end]), colon.end()
        return None

    def _next(self, closing: str, at: int) -> int:
        text = self.text
        end = text.find(closing, at)
        while end > at and text[end - 1] == "\\" and _odd(text, end):
            end = text.find(closing, end + 1)
        self.reach = max(self.reach, len(text) if end < 0 else end)
        return end

    def value(self, at: int, listed: bool) -> tuple[str | None, int]:
        """The string that begins at a quote, and where it ends; None where it has no end.

        Args:
            at: of the quote.
            listed: whether it is an item of an array.
        """
        text, mark = self.text, self.text[at]
        follows = _AFTER_ITEM if listed else _ANY_MEMBER
        if mark == '"' and (self.clean or not text.startswith('"""', at)):
            try:
                found, end = scanstring(text, at + 1, False)
            except ValueError:
                pass
            else:
                if self.clean or follows.match(text, end):
                    if not found.isprintable() and "\n" in text[at:end]:
                        self.repairs["raw newline escaped"] = None
                    return found, end
        if text.startswith(mark * 3, at) and mark in "\"'`":
            return self._tripled(at, mark * 3, follows)
        return self._mended(at, mark, follows)

    def _quoted_by(self, mark: str) -> None:
        if mark in "'`":
            self.repairs["single quotes made double" if mark == "'" else "backticks removed"] = None
        elif mark != '"':
            self.repairs["typographic quotes made plain"] = None

    def _tripled(self, at: int, mark: str, follows: re.Pattern[str]) -> tuple[str | None, int]:
        """What stands between three quotes or backticks: as written, less its indentation."""
        text, start = self.text, at + 3
        end = text.find(mark, start)
        while end >= 0:
            # Of four quotes in a row the first belongs to the text.
            while text.startswith(mark[0], end + 3):
                end += 1
            if follows.match(text, end + 3):
                break
            end = text.find(mark, end + 3)
        self.reach = max(self.reach, len(text) if end < 0 else end)
        if end < 0:
            return None, at
        self.repairs["triple quotes removed" if mark[0] != "`" else "backticks removed"] = None
        inside = text[start:end]
        info = _INFO.match(inside) if mark[0] == "`" else None
        inside = inside[info.end() :] if info else inside
        if "\n" in inside:
            inside = textwrap.dedent(inside).strip("\n").rstrip()
        return inside, end + 3

    def _mended(self, at: int, mark: str, follows: re.Pattern[str]) -> tuple[str | None, int]:
        """A string that strict JSON would not take."""
        end, inner = self._end_of(at, mark, follows)
        if end < 0:
            return self._unended(at, mark)
        self._quoted_by(mark)
        raw = self.text[at + 1 : end]
        if inner % 2 and _MEMBER_INSIDE.search(raw):
            # A quote is missing rather than one too many: a member was swallowed.
            return None, at
        if inner or (mark in "'‘’" and _APOSTROPHE.search(raw)):
            self.repairs["inner quotes escaped"] = None
        if "\n" in raw:
            self.repairs["raw newline escaped"] = None
        return self._unescaped(raw), end + 1

    def _end_of(self, at: int, mark: str, follows: re.Pattern[str]) -> tuple[int, int]:
        """Where a string ends and how many quotes are inside; -1 where it does not end."""
        text, inner, later = self.text, 0, 0
        first = (-1, 0)
        closing = re.escape(_CLOSING.get(mark, mark))
        for found in _quotes(closing).finditer(text, at + 1):
            if found.group()[0] == "\\" or _APOSTROPHE.match(text, found.start() - 1):
                continue
            if not follows.match(text, found.end()):
                # After quotes inside, words and a colon are more likely text than a bare key.
                follows = _MEMBER if follows is _ANY_MEMBER and not self.bare_keys else follows
                inner += 1
                continue
            end = found.start()
            if first[0] < 0:
                if inner % 2 == 0:
                    first = (end, inner)
                    break
                first = (end, inner)
            elif inner % 2 == 0:
                self.doubtful = True
                if self.paired:
                    first = (end, inner)
                break
            later += 1
            inner += 1
            if later > _LATER:
                break
        self.reach = max(self.reach, len(text) if first[0] < 0 else first[0])
        return first

    def _unended(self, at: int, mark: str) -> tuple[str | None, int]:
        """A string that runs to the end of the text."""
        text = self.text
        rest = text[at + 1 :]
        if any(closing in rest for closing in _CLOSING.get(mark, mark)):
            return None, at
        self._quoted_by(mark)
        self.repairs["missing quote added"] = None
        return self._unescaped(rest.rstrip()), len(text)

    def _unescaped(self, raw: str) -> str:
        if "\\" not in raw:
            return raw
        found = _ESCAPE.sub(self._escape, raw)
        try:
            # Two escapes may be the halves of one character.
            return found.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            return found

    def _escape(self, found: re.Match[str]) -> str:
        mark = found[1]
        if len(mark) > 1:
            return chr(int(mark[1:], 16))
        if mark in _ESCAPES:
            return _ESCAPES[mark]
        if mark in _LITERAL:
            return mark
        self.repairs["unknown escape kept"] = None
        return found[0]


def _odd(text: str, end: int) -> bool:
    """Whether an odd number of backslashes stands before a place."""
    at = end
    while at > 0 and text[at - 1] == "\\":
        at -= 1
    return (end - at) % 2 == 1


_patterns: dict[str, re.Pattern[str]] = {}


def _quotes(closing: str) -> re.Pattern[str]:
    """Escapes and any of these quotes."""
    found = _patterns.get(closing)
    if found is None:
        found = _patterns[closing] = re.compile(rf"\\.|[{closing}]", re.DOTALL)
    return found
