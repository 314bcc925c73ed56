"""The type grammar: `int`, `list[Line]`, `Order | None`, `Literal["a", "b"]`, `vector integer`.

Nothing is looked up here: a word stays the word that was written, and `aigen.resolve` says what it
means. ASCII only, one expression.
"""

from __future__ import annotations

import re
from ast import literal_eval
from typing import NamedTuple, NoReturn

from aigen.diagnostics import Span
from aigen.spec.nodes import Scalar
from aigen.spec.tree import Apply, LiteralOf, Name, TypeExpr, UnionOf

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<name>[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)
    | (?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    | (?P<number>-?[0-9]+(?![0-9.]))
    | (?P<dots>\.\.\.)
    | (?P<mark>[\[\],|])
    )""",
    re.VERBOSE,
)
_LOOKS = re.compile(
    r"""^\s*(?:
      (?:list|array|set|tuple|dict|map|vector|optional)\s+of\s+\w+
    | (?:str|string|text|int|integer|float|number|bool|boolean|date|datetime|none|null)
      (?:\s+(?:or|and)\s+\w+)+
    | [A-Za-z_.]+\s*[\[<(].*[\])>]
    )\s*$""",
    re.VERBOSE | re.IGNORECASE,
)
_CONSTANTS = {"True": True, "False": False, "None": None}
_DEEPEST = 50


class Problem(NamedTuple):
    """Why a text is no type: offsets into it, and what is wrong."""

    start: int
    end: int
    message: str


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


class _Wrong(Exception):
    def __init__(self, problem: Problem) -> None:
        self.problem = problem


def parse_type(scalar: Scalar) -> TypeExpr | Problem:
    """The type that a text says, or why it says none."""
    if scalar.text.isidentifier():
        # Most types are one word, and need no parser.
        return Name(scalar.text, within(scalar, 0, len(scalar.text)))
    try:
        return _Parser(scalar).parse()
    except _Wrong as wrong:
        return wrong.problem


def looks_like_type(text: str) -> bool:
    """Whether words were probably meant as a type: `int or str`, `List of Line`."""
    return _LOOKS.match(text) is not None


def within(scalar: Scalar, start: int, end: int) -> Span:
    """The place of a part of a text, where the text stands on one line as it is read."""
    span = scalar.span
    written = span.end_column - span.column
    quotes = 0 if scalar.plain else 2
    if span.line != span.end_line or written != len(scalar.text) + quotes:
        return span
    first = span.column + quotes // 2
    return Span(span.path, span.line, first + start, span.line, first + max(end, start + 1))


class _Parser:
    def __init__(self, scalar: Scalar) -> None:
        self.scalar = scalar
        self.tokens = list(self._tokens(scalar.text))
        self.at = 0
        self.depth = 0

    def _tokens(self, text: str) -> list[_Token]:
        found = []
        at = 0
        while text[at:].strip():
            match = _TOKEN.match(text, at)
            if match is None or match.lastgroup is None:
                first = at + len(text[at:]) - len(text[at:].lstrip())
                raise _Wrong(Problem(first, first + 1, f'"{text[first]}" has no place in a type'))
            kind = match.lastgroup
            found.append(_Token(kind, match.group(kind), match.start(kind), match.end(kind)))
            at = match.end()
        return found

    def parse(self) -> TypeExpr:
        found = self.union()
        if self.at < len(self.tokens):
            token = self.tokens[self.at]
            self.wrong(token, f'"{token.text}" is more than one type')
        return found

    def union(self) -> TypeExpr:
        self.depth += 1
        if self.depth > _DEEPEST:
            self.wrong(self.peek(), f"nested deeper than {_DEEPEST} levels")
        start = self.start()
        options = [self.term()]
        while self.take("|"):
            options.append(self.term())
        self.depth -= 1
        return options[0] if len(options) == 1 else UnionOf(tuple(options), self.span(start))

    def term(self) -> TypeExpr:
        start = self.start()
        token = self.next("name", "a type is wanted here")
        following = self.peek()
        if token.text == "vector" and following and following.kind == "name":
            inner = self.term()
            return Apply("list", (inner,), self.span(start))
        if not self.take("["):
            return Name(token.text, self.span(start))
        if token.text == "Literal":
            return self.literal(start)
        return self.apply(token.text, start)

    def apply(self, name: str, start: int) -> TypeExpr:
        args: list[TypeExpr] = []
        variadic = False
        while True:
            dots = self.peek()
            if dots and dots.kind == "dots" and args:
                self.at += 1
                variadic = True
                self.close()
                break
            args.append(self.union())
            if not self.take(","):
                self.close()
                break
        span = self.span(start)
        return (
            UnionOf(tuple(args), span)
            if name == "Union"
            else Apply(name, tuple(args), span, variadic)
        )

    def literal(self, start: int) -> LiteralOf:
        values: list[str | int | bool | None] = []
        while True:
            token = self.peek()
            if token is None:
                self.wrong(None, "a value is wanted here")
            self.at += 1
            if token.kind == "text":
                values.append(_unquoted(token))
            elif token.kind == "number":
                values.append(int(token.text))
            elif token.text in _CONSTANTS:
                values.append(_CONSTANTS[token.text])
            else:
                self.wrong(token, f'Literal takes texts in quotes and integers, not "{token.text}"')
            if not self.take(","):
                self.close()
                return LiteralOf(tuple(values), self.span(start))

    def close(self) -> None:
        if not self.take("]"):
            self.wrong(self.peek(), 'a "]" is missing')

    def take(self, mark: str) -> bool:
        token = self.peek()
        if token and token.kind == "mark" and token.text == mark:
            self.at += 1
            return True
        return False

    def next(self, kind: str, wanted: str) -> _Token:
        token = self.peek()
        if token is None or token.kind != kind:
            self.wrong(token, wanted)
        self.at += 1
        return token

    def peek(self) -> _Token | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def start(self) -> int:
        token = self.peek()
        return token.start if token else len(self.scalar.text)

    def span(self, start: int) -> Span:
        return within(self.scalar, start, self.tokens[self.at - 1].end)

    def wrong(self, token: _Token | None, message: str) -> NoReturn:
        end = len(self.scalar.text)
        start, stop = (token.start, token.end) if token else (max(end - 1, 0), end)
        raise _Wrong(Problem(start, stop, message))


def _unquoted(token: _Token) -> str:
    try:
        return str(literal_eval(token.text))
    except (SyntaxError, ValueError):
        raise _Wrong(Problem(token.start, token.end, "this text has a broken escape")) from None
