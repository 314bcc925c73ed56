"""The words of Python source: comments beside members, and sections of docstrings.

Docstrings are read in the styles of Google, NumPy and reST (Sphinx).
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from aigen.source.comments import comments_of
from aigen.source.parameters import with_defaults

_DIRECTIVE = re.compile(
    r"\s*(?:type:|noqa\b|pragma:|pyright:|mypy:|pylint:|ruff:|fmt:|isort:|nosec\b|TODO\b|FIXME\b|XXX\b)"
)
_MARK = re.compile(r"\s+#+[:!]?\s*")
"""Where a second comment begins on a line that has one."""
_SECTION = re.compile(
    r"(?P<name>Args|Arguments|Parameters|Params|Attributes|Keyword Args|Keyword Arguments|"
    r"Other Parameters|Fields|Members|Returns?|Yields?|Raises?|Examples?|Notes?|See Also|"
    r"References|Warnings?|Warns|Methods|Todo):?\s*"
)
_MEMBERS = frozenset(
    {"args", "arguments", "parameters", "params", "attributes", "fields", "members"}
    | {"keyword args", "keyword arguments", "other parameters"}
)
_GOOGLE = re.compile(r"\*{0,2}(?P<name>\w+)\s*(?:\((?P<type>.*?)\))?\s*:(?:\s+(?P<words>.*)|$)")
_NUMPY = re.compile(r"\*{0,2}(?P<names>\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?::.*)?$")
_REST = re.compile(
    r":(?:param|parameter|arg|argument|key|keyword|ivar|cvar|var|attr)\s+(?:[^:]*\s)?"
    r"\*{0,2}(?P<name>\w+)\s*:\s*(?P<words>.*)"
)
_REST_OTHER = re.compile(r":(?P<name>\w+)[^:]*:\s*(?P<words>.*)")
_RULE = re.compile(r"\s*-{3,}\s*")
_TYPED = re.compile(r"[\w.]+(?:\[.*?\])?(?:\s*\|\s*[\w.]+(?:\[.*?\])?)*:\s+(?=\S)")


Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


class Docstring(NamedTuple):
    """A docstring taken apart.

    Attributes:
        text: what stands before the first section.
        members: the words of parameters or attributes, by name.
        returns: the words of what is returned.
    """

    text: str
    members: Mapping[str, str]
    returns: str | None = None


def docstring(node: ast.ClassDef | Function) -> Docstring:
    """The docstring of a class or function; empty where it has none."""
    return read_docstring(ast.get_docstring(node, clean=False) or "")


def read_docstring(text: str) -> Docstring:
    """A docstring's text, taken apart."""
    lines = inspect.cleandoc(text).split("\n")
    words: list[str] = []
    members: dict[str, str] = {}
    returns: str | None = None
    at, inside = 0, False
    while at < len(lines):
        section = _SECTION.fullmatch(lines[at])
        ruled = at + 1 < len(lines) and _RULE.fullmatch(lines[at + 1]) is not None
        rest = _REST.match(lines[at])
        if section and (lines[at].rstrip().endswith(":") or ruled):
            inside = True
            start = at + (2 if ruled else 1)
            at = _end(lines, start, ruled)
            if section["name"].lower() in _MEMBERS:
                found = _numpy if ruled else _google
                members.update(found(lines[start:at]))
            elif section["name"].lower() in ("return", "returns"):
                returns = _returned(lines[start:at], ruled)
        elif rest:
            inside = True
            at = _rest(lines, at, rest, members)
        elif directive := _REST_OTHER.match(lines[at]):
            inside = True
            said: dict[str, str] = {}
            at = _rest(lines, at, directive, said)
            returns = said.get("return") or said.get("returns") or returns
        else:
            if not inside:
                words.append(lines[at])
            at += 1
    return Docstring("\n".join(words).strip(), members, returns)


def _end(lines: list[str], start: int, ruled: bool) -> int:
    """Where a section ends: the next one, or text at the margin."""
    at = start
    while at < len(lines):
        line = lines[at]
        if ruled:
            if at + 1 < len(lines) and _RULE.fullmatch(lines[at + 1]):
                break
        elif line.strip() and not line[0].isspace():
            break
        at += 1
    return at


def _google(lines: list[str]) -> dict[str, str]:
    filled = [line for line in lines if line.strip()]
    margin = min((len(line) - len(line.lstrip()) for line in filled), default=0)
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for line in filled:
        indent = len(line) - len(line.lstrip())
        entry = _GOOGLE.match(line.strip()) if indent == margin else None
        if entry:
            current = found.setdefault(entry["name"], [])
            current.append((entry["words"] or "").strip())
        else:
            current.append(line.strip())
    return {name: " ".join(filter(None, words)) for name, words in found.items()}


def _numpy(lines: list[str]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    current: list[list[str]] = []
    for line in lines:
        if line.strip() and not line[0].isspace():
            entry = _NUMPY.match(line.strip())
            names = re.findall(r"\w+", entry["names"]) if entry else []
            current = [found.setdefault(name, []) for name in names]
        else:
            for words in current:
                words.append(line.strip())
    return {name: " ".join(filter(None, words)) for name, words in found.items()}


def _returned(lines: list[str], ruled: bool) -> str | None:
    """The words of a section on what is returned; a type before them is none of them."""
    if ruled:
        lines = [line for line in lines if line[:1].isspace()] or lines
    text = " ".join(filter(None, map(str.strip, lines)))
    typed = _TYPED.match(text)
    return (text[typed.end() :] if typed and not ruled else text) or None


def _rest(lines: list[str], at: int, entry: re.Match[str], members: dict[str, str]) -> int:
    words = [entry["words"].strip()]
    at += 1
    while at < len(lines) and lines[at].strip() and lines[at][0].isspace():
        words.append(lines[at].strip())
        at += 1
    members[entry["name"]] = " ".join(filter(None, words))
    return at


class Comments:
    """The comments of a source text, by line."""

    def __init__(self, text: str) -> None:
        self._beside: dict[int, str] = {}
        self._alone: dict[int, str] = {}
        lines = text.split("\n")
        for row, column, comment in comments_of(text):
            alone = not lines[row - 1][:column].strip()
            (self._alone if alone else self._beside)[row] = _said(comment)

    def of(self, first: int, last: int) -> str | None:
        """The words of what stands on these lines: beside it, else right before it."""
        return self.beside(first, last) or self.above(first)

    def beside(self, first: int, last: int) -> str | None:
        """The words at the ends of these lines."""
        found = [self._beside[row] for row in range(first, last + 1) if self._beside.get(row)]
        return " ".join(found) or None

    def above(self, first: int) -> str | None:
        """The words of the comments that stand alone right before a line."""
        return " ".join(self._alone[row] for row in self.rows_above(first)) or None

    def rows_above(self, first: int) -> list[int]:
        """The lines of those comments that say words."""
        found: list[int] = []
        row = first - 1
        while row in self._alone:
            if self._alone[row]:
                found.insert(0, row)
            row -= 1
        return found


def _said(comment: str) -> str:
    """The words of a comment, without what it says to tools, before or behind them."""
    words = comment.lstrip("#:!").strip()
    if _DIRECTIVE.search(words):
        parts = (part.strip() for part in _MARK.split(words))
        words = " # ".join(part for part in parts if not _DIRECTIVE.match(part))
    return words if any(map(str.isalnum, words)) else ""


def reworded(comment: str, words: str) -> str:
    """A comment with other words, and with what it says to tools as it is."""
    parts = _MARK.split(comment.lstrip("#:!").strip())
    kept = [part for part in parts if _DIRECTIVE.match(part)]
    if kept and kept[0] == parts[0]:
        return "# " + "  # ".join([*kept, words])
    return "# " + "  # ".join([words, *kept])


class FunctionWords:
    """What a function's source says of its parameters and of what it returns.

    Attributes:
        documented: its docstring, taken apart.
        places: the first and the last line of each parameter with its default.
    """

    def __init__(self, node: Function, comments: Comments) -> None:
        self.documented = docstring(node)
        self._line = node.lineno
        self._returns = node.returns
        self._comments = comments
        self.places = dict(_places(node.args))

    def comment(self, name: str) -> str | None:
        """The comment on a parameter's lines, else right before them."""
        first, last = self.places[name]
        if self._returns is not None and self._returns.lineno <= last:
            last = self._returns.lineno - 1  # a comment on that line is the return's
        beside = self._comments.beside(first, last) if last >= first else None
        # What stands before the line of `def` is not said of its parameters.
        return beside or (self._comments.above(first) if first > self._line else None)

    def parameter(self, name: str) -> str | None:
        """The words of a parameter: its comment, else its entry in the docstring."""
        return self.comment(name) or self.documented.members.get(name)

    def returned(self) -> str | None:
        """The words of what it returns: the comment on the line of `->`, else the docstring's."""
        node = self._returns
        found = self._comments.beside(node.lineno, node.end_lineno or node.lineno) if node else None
        return found or self.documented.returns


def _places(args: ast.arguments) -> list[tuple[str, tuple[int, int]]]:
    """The first and the last line of each parameter with its default."""
    rest = [(each, None) for each in (args.vararg, args.kwarg) if each is not None]
    return [
        (node.arg, (node.lineno, (default or node).end_lineno or node.lineno))
        for node, default in [*with_defaults(args), *rest]
    ]


Told: TypeAlias = Callable[[str, ast.stmt, ast.stmt | None], str | None]
"""Gives the words of a member: its name, its statement, and the statement beneath it."""


def member_words(comments: Comments, documented: Mapping[str, str]) -> Told:
    """What a class's source says of its members: a text beneath, a comment, its docstring."""

    def told(name: str, node: ast.stmt, beneath: ast.stmt | None) -> str | None:
        match beneath:
            case ast.Expr(value=ast.Constant(value=str(text))):
                return " ".join(text.split())
        beside = comments.of(node.lineno, node.end_lineno or node.lineno)
        return beside or documented.get(name) or None

    return told


def function_at(tree: ast.Module, path: str) -> Function | None:
    """The function of a dotted path; the last of several definitions."""
    *owners, name = path.split(".")
    inside: ast.AST = tree
    for owner in owners:
        found = [n for n in _statements(inside) if isinstance(n, ast.ClassDef) and n.name == owner]
        if not found:
            return None
        inside = found[-1]
    functions = [n for n in _statements(inside) if isinstance(n, Function) and n.name == name]
    return functions[-1] if functions else None


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """The statements of a block, those under `if`, `try` and `with` among them."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | Function):
            yield child
        elif isinstance(child, ast.stmt | ast.excepthandler):
            yield from _statements(child)
