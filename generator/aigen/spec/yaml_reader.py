"""YAML as nodes with places.

libyaml gives events, one after the other; the tree is built with a stack of our own, so depth is a
number to check and not a recursion. Anchors and aliases are read within a budget; tags, several
documents and keys that are not text are refused.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, NamedTuple, NoReturn

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from aigen.diagnostics import Diagnostics, Source, Span
from aigen.runtime.values.scalars import plain_scalar
from aigen.spec.nodes import Entry, Mapping, Node, Scalar, Sequence

DEEPEST = 100
"""Levels of nesting; what people write has ten."""

ALIAS_BUDGET = 10_000
"""Nodes that all aliases of a file may stand for together."""

WEIGHT = 100
"""Characters of a text that count as one more node."""

MOST_VALUES = 500_000
"""Values of one file; each costs its place, so a short file could cost much memory."""

MOST_TWICE = 100
"""Duplicate keys that are reported before reading stops."""

_BRACKET = re.compile(r"(?P<word>[A-Za-z_][A-Za-z0-9_.]{0,80})\[$")
"""A word, then the bracket that YAML stopped at."""

_COMMENTED = re.compile(r"[^\s,{\[]\s+(?P<mark>#)[^\n]*[]}]")
"""A text, then a comment with a closing bracket in it."""

_BREAKS = "\x85\u2028\u2029"
"""Line breaks for libyaml, which reads YAML 1.1, and ordinary characters in 1.2."""


_tuple: Any = tuple.__new__
"""Makes a named tuple of all its values in half the time; a file has thousands."""


class _Open(NamedTuple):
    """A collection whose end has not come, and what is known of the one around it."""

    start: Any
    anchor: str | None
    nodes: list[Node]
    size: int


class _Refused(Exception):
    """Reading stops here; the finding is reported."""


def read_yaml(source: Source, diagnostics: Diagnostics) -> Node | None:
    """The document's root, or None where it is empty or a finding says why not."""
    try:
        return _Reader(source, diagnostics).read()
    except _Refused:
        return None
    except yaml.MarkedYAMLError as problem:
        _report_syntax(source, problem, diagnostics)
    except yaml.YAMLError as problem:
        diagnostics.report("AIG105", _unplaced(source, problem), f"not YAML: {_reason(problem)}")
    return None


class _Reader:
    def __init__(self, source: Source, diagnostics: Diagnostics) -> None:
        self.source = source
        self.path = source.path
        self.diagnostics = diagnostics
        self.open: list[_Open] = []
        self.nodes: list[Node] = []
        """Of the innermost open collection: its items, or keys and values in turn."""
        self.size = 1
        """What they count, with the collection itself."""
        self.anchors: dict[str, tuple[Node, int]] = {}
        self.spent = 0
        self.documents = 0
        self.twice = 0
        self.spelled = _spelled(source.text)

    def read(self) -> Node | None:
        text = self.source.text
        # An empty table would be looked into for every character.
        parser = yaml.CSafeLoader(text.translate(self.spelled) if self.spelled else text)
        try:
            for number, event in enumerate(iter(parser.get_event, None)):
                if number > MOST_VALUES:
                    self._refuse("AIG103", event, f"more than {MOST_VALUES:,} values")
                kind = type(event)
                if kind is ScalarEvent:
                    self._scalar(event)
                elif kind is MappingStartEvent or kind is SequenceStartEvent:
                    self._begin(event)
                elif kind is MappingEndEvent or kind is SequenceEndEvent:
                    self._end(event, kind is MappingEndEvent)
                elif kind is AliasEvent:
                    self._alias(event)
                elif kind is DocumentStartEvent:
                    self._document(event)
        finally:
            parser.dispose()
        return self.nodes[0] if self.nodes else None

    def _document(self, event: Any) -> None:
        self.documents += 1
        if self.documents > 1:
            self._refuse("AIG111", event, "a second document begins here", "one file each")

    def _scalar(self, event: Any) -> None:
        if event.tag is not None:
            self._tagged(event)
        text = event.value
        if self.spelled:
            text = text.translate({ord(new): old for old, new in self.spelled.items()})
        style, start, end = event.style, event.start_mark, event.end_mark
        if style == "|" or style == ">":
            span = self._block(start, end)
        else:
            # As `_span`; the call would take as long again, and half of a spec are scalars.
            place = self.path, start.line + 1, start.column + 1, end.line + 1, end.column + 1
            span = _tuple(Span, place)
        value = text if style else plain_scalar(text)
        node = _tuple(Scalar, (value, span, text, not style))
        self.nodes.append(node)
        size = 1 + len(text) // WEIGHT
        self.size += size
        if event.anchor is not None:
            self.anchors[event.anchor] = (node, size)

    def _block(self, start: Any, end: Any) -> Span:
        """The span of a block text, whose end mark is where the next thing begins."""
        line, column = end.line + 1, end.column + 1
        if line > start.line + 1:
            # Blank lines and comments behind a block text belong to nobody.
            lines = self.lines
            line = min(line, len(lines) + 1) - 1
            while line > start.line + 1 and not lines[line - 1].strip():
                line -= 1
            column = len(lines[line - 1]) + 1
        return Span(self.path, start.line + 1, start.column + 1, line, column)

    @cached_property
    def lines(self) -> list[str]:
        return self.source.text.split("\n")

    def _begin(self, event: Any) -> None:
        if event.tag is not None:
            self._tagged(event)
        if len(self.open) >= DEEPEST:
            self._refuse("AIG108", event, f"nested deeper than {DEEPEST} levels")
        self.open.append(_tuple(_Open, (event.start_mark, event.anchor, self.nodes, self.size)))
        self.nodes, self.size = [], 1

    def _end(self, event: Any, mapping: bool) -> None:
        nodes, size = self.nodes, self.size
        start, anchor, self.nodes, around = self.open.pop()
        self.size = around + size
        end = event.end_mark
        if nodes and end.index == event.start_mark.index:
            # A block's end mark is where the next thing begins; ours is where its last value ends.
            first = (start.line + 1, start.column + 1)
            last = nodes[-1].span
            span = Span(self.path, *first, *max(last[3:], first))
        else:
            span = self._span(start, end)
        node: Node = self._mapping(nodes, span) if mapping else Sequence(tuple(nodes), span)
        self.nodes.append(node)
        if anchor is not None:
            self.anchors[anchor] = (node, size)

    def _mapping(self, nodes: list[Node], span: Span) -> Mapping:
        entries: dict[str, Entry] = {}
        turns = iter(nodes)
        for key, value in zip(turns, turns, strict=True):
            if not isinstance(key, Scalar):
                self.diagnostics.report("AIG112", key.span, "a key must be a text")
                raise _Refused
            # `true: …` and `1: …` are texts as keys: a choice may have such levels.
            name = key.text
            if name in entries:
                report_twice(key, entries[name], self.diagnostics)
                self.twice += 1
                if self.twice == MOST_TWICE:
                    raise _Refused
                continue
            entries[name] = _tuple(Entry, (key, value))
        return Mapping(entries, span)

    def _alias(self, event: Any) -> None:
        found = self.anchors.get(event.anchor)
        if found is None:
            self._refuse(
                "AIG110",
                event,
                f"no finished value is anchored as &{event.anchor}",
                "quote a text that begins with *",
            )
        node, size = found
        self.spent += size
        if self.spent > ALIAS_BUDGET:
            self._refuse(
                "AIG110",
                event,
                f"aliases stand for more than {ALIAS_BUDGET:,} values",
                "write them out",
            )
        self.nodes.append(node)
        self.size += size

    def _tagged(self, event: Any) -> None:
        self._refuse("AIG109", event, f"tags such as {event.tag} are not read", "remove it")

    def _refuse(self, code: str, event: Any, message: str, hint: str | None = None) -> NoReturn:
        span = self._span(event.start_mark, event.end_mark)
        self.diagnostics.report(code, span, message, hint=hint)
        raise _Refused

    def _span(self, start: Any, end: Any) -> Span:
        place = start.line + 1, start.column + 1, end.line + 1, end.column + 1
        span: Span = _tuple(Span, (self.path, *place))
        return span


def report_twice(key: Scalar, first: Entry, diagnostics: Diagnostics) -> None:
    """Reports a key that a mapping has already."""
    diagnostics.report(
        "AIG107",
        key.span,
        f'the key "{key.text[:80]}" stands twice',
        hint="remove one, or rename it",
        related=((first.key.span, "first here"),),
    )


def _spelled(text: str) -> dict[int, str]:
    """Stand-ins for characters that libyaml would take for line breaks; mostly none."""
    there = [char for char in _BREAKS if char in text]
    if not there:
        return {}
    unused = (char for char in map(chr, range(0xE000, 0xF8FF)) if char not in text)
    return {ord(char): new for char, new in zip(there, unused, strict=False)}


def _report_syntax(source: Source, problem: yaml.MarkedYAMLError, diagnostics: Diagnostics) -> None:
    place = _place(source, problem)
    if "nesting depth" in (problem.problem or ""):
        diagnostics.report("AIG108", place, f"nested deeper than {DEEPEST} levels")
        return
    lines = source.text.split("\n")
    cut = _cut(source, problem, lines)
    if cut is not None:
        hint = "# begins a comment, so the bracket behind it is none: quote the text"
        diagnostics.report("AIG105", cut, _message(problem), hint=hint)
        return
    line = lines[place.line - 1] if place.line <= len(lines) else ""
    opened = place.column
    bracket = _BRACKET.search(line, max(opened - 100, 0), opened)
    if bracket is None or "{" not in line[:opened]:
        at = line[place.column - 1 : place.column]
        diagnostics.report("AIG105", place, _message(problem), hint=_hint(problem, at))
        return
    closed = _closed(line, place.column - 1)
    written = line[bracket.start("word") : closed] if closed else f"{bracket['word']}[…]"
    quote = "'" if '"' in written else '"'
    mend = f"quote it: {quote}{written}{quote}"
    if bracket["word"] == "list" and written[5:-1].isidentifier():
        mend += f", or write {{list: {written[5:-1]}}}"
    span = Span(source.path, place.line, bracket.start("word") + 1, place.line, place.column + 1)
    diagnostics.report("AIG124", span, "a bracket inside { } ends the text before it", hint=mend)


def _cut(source: Source, problem: yaml.MarkedYAMLError, lines: list[str]) -> Span | None:
    """The # that takes the end of a flow collection into a comment."""
    begun, ended = problem.context_mark, problem.problem_mark
    if begun is None or ended is None or "while parsing a flow" not in (problem.context or ""):
        return None
    for number in range(begun.line, min(ended.line + 1, len(lines))):
        found = _COMMENTED.search(lines[number], begun.column if number == begun.line else 0)
        if found is not None:
            column = found.start("mark") + 1
            return Span(source.path, number + 1, column, number + 1, column + 1)
    return None


def _closed(line: str, opened: int) -> int | None:
    """The offset behind the bracket that closes the one at `opened`."""
    depth = 0
    for at in range(opened, len(line)):
        depth += (line[at] == "[") - (line[at] == "]")
        if not depth:
            return at + 1
    return None


def _place(source: Source, problem: yaml.MarkedYAMLError) -> Span:
    mark = problem.problem_mark or problem.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    return Span(source.path, line, column, line, column + 1)


def _message(problem: yaml.MarkedYAMLError) -> str:
    words = [part for part in (problem.problem, problem.context) if part]
    return "not YAML: " + (", ".join(words) or "it cannot be parsed")


def _hint(problem: yaml.MarkedYAMLError, at: str) -> str | None:
    said = problem.problem or ""
    if "mapping values are not allowed" in said:
        return 'quote a text that has ": " in it, or mend the indentation'
    if problem.context == "while scanning a quoted scalar" and problem.context_mark is not None:
        mark = problem.context_mark
        return f"close the quote that is opened at {mark.line + 1}:{mark.column + 1}"
    if "cannot start any token" in said:
        return (
            "indent with blanks, not tabs" if at == "\t" else f"quote a text that begins with {at}"
        )
    return None


def _unplaced(source: Source, problem: yaml.YAMLError) -> Span:
    position = getattr(problem, "position", None)
    if isinstance(position, int) and 0 <= position < len(source.text):
        return source.span(position, position + 1)
    return Span(source.path, 1, 1, 1, 2)


def _reason(problem: yaml.YAMLError) -> str:
    reason = getattr(problem, "reason", None) or str(problem)
    return str(reason).splitlines()[0]
