"""JSON as nodes with places, by JSON's own rules (RFC 8259).

Every value has its place, duplicate keys are refused, and `NaN` is no value.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]
from typing import NoReturn

from aigen.diagnostics import Diagnostics, Source, Span
from aigen.spec.nodes import Entry, Mapping, Node, Scalar, Sequence, named_tuple
from aigen.spec.yaml_reader import DEEPEST, MOST_TWICE, MOST_VALUES, report_twice

_BLANKS = " \t\n\r"
_SPACE = re.compile(f"[{_BLANKS}]*")
_COMMA = re.compile(f"[{_BLANKS}]*,[{_BLANKS}]*")
_COLON = re.compile(f"[{_BLANKS}]*:[{_BLANKS}]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_WORD = re.compile(r"[A-Za-z]+")
_LONGEST_NUMBER = 3500
_HALF = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair, which `\\ud800` alone gives: no character, and no file can hold it."""


class _Refused(Exception):
    """Reading stops here; the finding is reported."""


def read_json(source: Source, diagnostics: Diagnostics, first_line: int = 1) -> Node | None:
    """The document's root, or None where it is empty or a finding says why not.

    `first_line` is the line of the file that the text begins on, where it is a part of one.
    """
    if not source.text.strip():
        return None
    reader = _Reader(source, diagnostics, first_line)
    try:
        reader.next()
        node = reader.value(0)
        if reader.next():
            reader.refuse("AIG106", "more text after the document")
    except _Refused:
        return None
    return node


class _Reader:
    def __init__(self, source: Source, diagnostics: Diagnostics, first_line: int) -> None:
        self.source = source
        self.first_line = first_line
        self.text = source.text
        self.diagnostics = diagnostics
        self.at = 0
        self.twice = 0
        self.values = 0
        # Offsets of line starts, so that a place costs a search and not a count.
        self.lines = [0, *(match.end() for match in re.finditer("\n", self.text))]

    def value(self, depth: int) -> Node:
        """The value that begins here."""
        char = self.text[self.at : self.at + 1]
        self.values += 1
        if self.values > MOST_VALUES:
            self.refuse("AIG103", f"more than {MOST_VALUES:,} values")
        if depth > DEEPEST:
            self.refuse("AIG108", f"nested deeper than {DEEPEST} levels")
        if char == '"':
            return self.string()
        if char == "{":
            return self.mapping(depth)
        if char == "[":
            return self.sequence(depth)
        return self.word_or_number()

    def mapping(self, depth: int) -> Mapping:
        start = self.at
        entries: dict[str, Entry] = {}
        char = self.step()
        while char != "}":
            key = self.key(char)
            value = self.value(depth + 1)
            if key.text in entries:
                report_twice(key, entries[key.text], self.diagnostics)
                self.twice += 1
                if self.twice == MOST_TWICE:
                    raise _Refused
            else:
                entries[key.text] = named_tuple(Entry, (key, value))
            char = self.following("}")
        self.at += 1
        mapping: Mapping = named_tuple(Mapping, (entries, self.span(start)))
        return mapping

    def sequence(self, depth: int) -> Sequence:
        start = self.at
        items: list[Node] = []
        char = self.step()
        while char != "]":
            items.append(self.value(depth + 1))
            char = self.following("]")
        self.at += 1
        return Sequence(tuple(items), self.span(start))

    def following(self, closer: str) -> str:
        """Steps over a comma; gives what comes behind it, or the closer."""
        comma = _COMMA.match(self.text, self.at)
        if comma is None:
            if self.next() != closer:
                self.refuse("AIG106", f'a "," or "{closer}" is wanted here')
            return closer
        self.at = comma.end()
        char = self.text[self.at : self.at + 1]
        if char == closer:
            self.refuse("AIG106", f'a comma stands before "{closer}"')
        return char

    def key(self, char: str) -> Scalar:
        """A key; this steps to its value."""
        if char != '"':
            self.refuse("AIG106", 'a key in double quotes, or "}", is wanted here')
        key = self.string()
        colon = _COLON.match(self.text, self.at)
        if colon is None:
            self.next()
            self.refuse("AIG106", 'a ":" is wanted here')
        self.at = colon.end()
        return key

    def string(self) -> Scalar:
        start = self.at
        try:
            value, self.at = scanstring(self.text, start + 1, True)
        except JSONDecodeError as problem:
            self.at = min(problem.pos, max(len(self.text) - 1, 0))
            said = problem.msg.removesuffix(" at").removesuffix(" starting")
            self.refuse("AIG106", f"not JSON: {said[0].lower()}{said[1:]}")
        if not value.isascii() and _HALF.search(value):
            self.at = start
            self.refuse("AIG106", "a text with half of a surrogate pair, such as \\ud800")
        return self.scalar(value, start, value, False)

    def word_or_number(self) -> Scalar:
        start = self.at
        if number := _NUMBER.match(self.text, start):
            self.at = number.end()
            written = number.group()
            if len(written) > _LONGEST_NUMBER:
                self.at = start
                self.refuse("AIG106", "a number of thousands of digits")
            value = float(written) if number.group(1) or number.group(2) else int(written)
            if isinstance(value, float) and math.isinf(value):
                self.at = start
                self.refuse("AIG106", f"{written[:40]} is larger than any number")
            return self.scalar(value, start, written, True)
        word = _WORD.match(self.text, start)
        if word and word.group() in _WORDS:
            self.at = word.end()
            return self.scalar(_WORDS[word.group()], start, word.group(), True)
        wrong = f'"{word.group()[:40]}" is no JSON value' if word else "a value is wanted here"
        self.refuse("AIG106", wrong)

    def next(self) -> str:
        """The next character that is no space, which this steps to; empty at the end."""
        char = self.text[self.at : self.at + 1]
        if char in _BLANKS and (match := _SPACE.match(self.text, self.at)):
            self.at = match.end()
            char = self.text[self.at : self.at + 1]
        return char

    def step(self) -> str:
        """Steps over a character; gives what is next."""
        self.at += 1
        return self.next()

    def scalar(
        self, value: str | float | bool | None, start: int, text: str, plain: bool
    ) -> Scalar:
        """A scalar from `start` to here, which is on one line."""
        row = bisect_right(self.lines, start)
        line, column = row + self.first_line - 1, start - self.lines[row - 1] + 1
        place = self.source.path, line, column, line, column + self.at - start
        made: Scalar = named_tuple(Scalar, (value, named_tuple(Span, place), text, plain))
        return made

    def span(self, start: int) -> Span:
        made: Span = named_tuple(Span, (self.source.path, *self.place(start), *self.place(self.at)))
        return made

    def place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self.lines, offset)
        return line + self.first_line - 1, offset - self.lines[line - 1] + 1

    def refuse(self, code: str, message: str) -> NoReturn:
        if code == "AIG106" and self.text.startswith(("//", "/*"), self.at):
            message = "JSON has no comments"
        line, column = self.place(self.at)
        span = Span(self.source.path, line, column, line, column + 1)
        self.diagnostics.report(code, span, message)
        raise _Refused
