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
from aigen.spec.places import within
from aigen.spec.tree import Apply, LiteralOf, Name, TypeExpr, UnionOf

_NAME = r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*"
_TWO_NAMES = re.compile(rf"\s*(?!vector\s){_NAME}\s+({_NAME})")
_TOKEN = re.compile(
    rf"""\s*(?:
      (?P<name>{_NAME})
    | (?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    | (?P<number>-?[0-9]{{1,300}}(?![0-9.]))
    | (?P<dots>\.\.\.)
    | (?P<mark>[\[\],|])
    | (?P<end>\Z)
    )""",
    re.VERBOSE,
)
_ESCAPES = re.compile(
    r"""(?:[^\\]|\\(?:[\\'"abfnrtv]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|N\{[^}]*\}))*"""
)
_HALF = re.compile("[\ud800-\udfff]")
_LOOKS = re.compile(
    r"""\s*(?:
      (?:list|array|set|tuple|dict|map|vector|optional)\s+of\s+\w+
    | (?:str|string|text|int|integer|float|number|bool|boolean|date|datetime|none|null)
      (?:\s+(?:or|and)\s+\w+)+
    | (?:list|array|set|tuple|dict|map|vector|optional|union|literal|sequence|mapping)
      \s*[\[<(].*[\])>]
    | [A-Za-z_.]+(?:\[[\w\s.,|\[\]"']*\]|<[\w\s.,|<>]*>)
    )\s*""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_TYPE_THEN_WORDS = re.compile(
    r"(?P<type>str|int|float|bool|datetime|Decimal|UUID)\s*[,;:(]\s*(?P<words>[^\s)].*?)\)?\s*",
    re.DOTALL,
)
_CONTAINERS = {
    **dict.fromkeys(("List", "Array", "array", "Sequence", "Vec", "Vector"), "list"),
    **dict.fromkeys(("Dict", "Map", "map", "Record", "Mapping"), "dict"),
    "Set": "set",
    "Tuple": "tuple",
}
"""What other languages call the types that hold others."""

_LONGEST_LOOK = 200
"""Characters; words that were meant as a type are few."""

_CONSTANTS = {"True": True, "False": False, "None": None}
_DEEPEST = 50
_LONGEST = 50_000


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
    if scalar.text.isascii() and scalar.text.isidentifier():
        # Most types are one word, and need no parser.
        whole = scalar.span if scalar.plain else within(scalar, 0, len(scalar.text))
        return Name(scalar.text, whole)
    if len(scalar.text) > _LONGEST:
        return Problem(0, 1, f"it has more than {_LONGEST:,} characters")
    if words := _TWO_NAMES.match(scalar.text):
        # Words are, and they need none either.
        return Problem(*words.span(1), _one_too_many(words[1]))
    try:
        return _Parser(scalar).parse()
    except _Wrong as wrong:
        return wrong.problem


def looks_like_type(text: str) -> bool:
    """Whether words were probably meant as a type: `int or str`, `List of Line`."""
    return len(text) <= _LONGEST_LOOK and _LOOKS.fullmatch(text) is not None


def type_then_words(text: str) -> tuple[str, str] | None:
    """The type and the words of a text that seems to say both: `int, the number of words`."""
    found = _TYPE_THEN_WORDS.fullmatch(text) if len(text) <= _LONGEST_LOOK else None
    return (found["type"], found["words"]) if found else None


def was_meant_as_type(text: str) -> bool:
    """Whether a text that is no type was meant as one: `str?`, `Order[]`, `list[str`."""
    return (
        text.isascii() and not re.search(r"\s", text) and re.search(r"[][?|<>]", text) is not None
    )


def likely_type(text: str) -> str | None:
    """The type that a text in another language's writing most likely means, if one can be told."""
    if len(text) > _LONGEST_LOOK:
        return None
    text = text.replace("<", "[").replace(">", "]")
    text = re.sub(r"([A-Za-z]+)(?=\[)", lambda match: _CONTAINERS.get(match[1], match[1]), text)
    while match := re.fullmatch(r"(.+)\[\]", text) or re.fullmatch(r"\[(.+)\]", text):
        text = f"list[{match[1]}]"
    if text.endswith("?"):
        text = f"{likely_type(text[:-1]) or text[:-1]} | None"
    text += "]" * (text.count("[") - text.count("]"))
    span = Span("", 1, 1, 1, 1)
    return None if isinstance(parse_type(Scalar(text, span, text, True)), Problem) else text


class _Parser:
    """One token ahead: words fail at their second one, however long they are."""

    def __init__(self, scalar: Scalar) -> None:
        self.scalar = scalar
        self.text = scalar.text
        self.depth = 0
        self.at = 0
        self.end = 0
        """Where the last token taken ends."""
        self.token = self._token()

    def _token(self) -> _Token | None:
        match = _TOKEN.match(self.text, self.at)
        if match is None or match.lastgroup is None:
            at = len(self.text) - len(self.text[self.at :].lstrip())
            raise _Wrong(Problem(at, at + 1, f'"{self.text[at]}" has no place in a type'))
        kind = match.lastgroup
        if kind == "end":
            return None
        start, self.at = match.span(kind)
        return _Token(kind, match[kind], start, self.at)

    def parse(self) -> TypeExpr:
        found = self.union()
        if self.token:
            self.wrong(_one_too_many(self.token.text))
        return found

    def union(self) -> TypeExpr:
        self.depth += 1
        if self.depth > _DEEPEST:
            self.wrong(f"nested deeper than {_DEEPEST} levels")
        start = self.start()
        options = [self.term()]
        while self.take("|"):
            options.append(self.term())
        self.depth -= 1
        return options[0] if len(options) == 1 else UnionOf(tuple(options), self.span(start))

    def term(self) -> TypeExpr:
        start = self.start()
        name = self.name()
        if name == "vector" and self.token and self.token.kind == "name":
            self.depth += 1
            if self.depth > _DEEPEST:
                self.wrong(f"nested deeper than {_DEEPEST} levels")
            inner = self.term()
            self.depth -= 1
            return Apply("list", (inner,), self.span(start))
        if not self.take("["):
            return Name(name, self.span(start))
        if name == "Literal":
            return self.literal(start)
        return self.apply(name, start)

    def apply(self, name: str, start: int) -> TypeExpr:
        args: list[TypeExpr] = []
        variadic = False
        while not variadic:
            if args and self.token and self.token.kind == "dots":
                self.step()
                variadic = True
            else:
                args.append(self.union())
            if variadic or not self.take(","):
                self.close()
                break
        span = self.span(start)
        if name == "Union" and not variadic:
            return args[0] if len(args) == 1 else UnionOf(tuple(args), span)
        return Apply(name, tuple(args), span, variadic)

    def literal(self, start: int) -> LiteralOf:
        values: list[str | int | bool | None] = []
        while True:
            values.append(self.value())
            if not self.take(","):
                self.close()
                return LiteralOf(tuple(values), self.span(start))

    def value(self) -> str | int | bool | None:
        token = self.token
        if token is None:
            self.wrong("a value is wanted here")
        if token.kind == "text":
            value: str | int | bool | None = _unquoted(token)
        elif token.kind == "number":
            value = int(token.text)
        elif token.text in _CONSTANTS:
            value = _CONSTANTS[token.text]
        else:
            self.wrong(f'Literal takes texts in quotes and integers, not "{token.text[:40]}"')
        self.step()
        return value

    def name(self) -> str:
        token = self.token
        if token is None or token.kind != "name":
            self.wrong("a type is wanted here")
        self.step()
        return token.text

    def close(self) -> None:
        if not self.take("]"):
            self.wrong('a "]" is missing')

    def take(self, mark: str) -> bool:
        if self.token and self.token.kind == "mark" and self.token.text == mark:
            self.step()
            return True
        return False

    def step(self) -> None:
        self.end = self.at
        self.token = self._token()

    def start(self) -> int:
        return self.token.start if self.token else len(self.text)

    def span(self, start: int) -> Span:
        return within(self.scalar, start, self.end)

    def wrong(self, message: str) -> NoReturn:
        end = len(self.text)
        start, stop = (self.token.start, self.token.end) if self.token else (max(end - 1, 0), end)
        raise _Wrong(Problem(start, stop, message))


def _one_too_many(text: str) -> str:
    return f'"{text[:40]}" is more than one type'


def _unquoted(token: _Token) -> str:
    # Python's escapes; one that Python would only warn of is refused, and so is half a surrogate
    # pair, which no file can hold.
    if _ESCAPES.fullmatch(token.text, 1, len(token.text) - 1):
        try:
            value = str(literal_eval(token.text))
        except (SyntaxError, ValueError):
            value = "\ud800"
        if not _HALF.search(value):
            return value
    raise _Wrong(Problem(token.start, token.end, "this text has a broken escape"))
