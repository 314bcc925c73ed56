"""A Python spec as syntax: places, literals, and what its names were imported as."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from aigen.diagnostics import Source, Span
from aigen.spec.nodes import Entry, Mapping, Node, Scalar
from aigen.spec.nodes import Sequence as Items
from aigen.spec.python_names import imported_from, module_file, unparsed
from aigen.spec.reading import Reading
from aigen.spec.tree import Text

_MOST_BITS = 14_000
"""Of an integer; Python prints no more than 4,300 digits."""
_STARRED: Final[dict[str, tuple[str, ...]]] = {
    "aigen.declare": ("ai", "answer", "tool"),
    "typing": ("overload",),
    "typing_extensions": ("overload",),
}
"""What a spec gets, of what it is read by, with all of a module."""
_HEAD = re.compile(r"(?:async\s+)?(?:def|class)\s+")


def parse(reading: Reading) -> ast.Module | None:
    """A spec's source, parsed; None where it is no Python, which is reported."""
    source = reading.source
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source.text)
    except SyntaxError as error:
        line, column = error.lineno or 1, error.offset or 1
        reading.report(
            "AIG510",
            Span(source.path, line, max(column, 1), line, max(column, 1) + 1),
            f"this is no Python: {error.msg}",
        )
    except (ValueError, RecursionError, MemoryError) as error:
        wrong = f"this is no Python that can be read: {unparsed(error)}"
        reading.report("AIG510", Span(source.path, 1, 1, 1, 2), wrong)
    return None


class Syntax:
    """Places and values in one source.

    Columns of `ast` count bytes of UTF-8; those of a span count code points.
    """

    def __init__(self, source: Source) -> None:
        self.path = source.path
        self._lines = source.text.split("\n")

    def span(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword) -> Span:
        """The place of a node."""
        end_line = node.end_lineno or node.lineno
        return Span(
            self.path,
            node.lineno,
            self._column(node.lineno, node.col_offset),
            end_line,
            self._column(end_line, node.end_col_offset or node.col_offset),
        )

    def name(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Text:
        """The name of a function or class, where it stands."""
        start = self._column(node.lineno, node.col_offset)
        head = _HEAD.match(self._lines[node.lineno - 1], start - 1)
        at = head.end() + 1 if head else start
        return Text(node.name, Span(self.path, node.lineno, at, node.lineno, at + len(node.name)))

    def start(self, node: ast.arg | ast.keyword, name: str) -> Text:
        """The name that a parameter or keyword argument begins with, where it stands."""
        place = self.span(node)
        end = place.column + len(name)
        return Text(name, Span(self.path, place.line, place.column, place.line, end))

    def shown(self, node: ast.expr) -> str:
        """The beginning of a node's text, for messages and numbers."""
        place = self.span(node)
        line = self._lines[place.line - 1]
        whole = place.line == place.end_line
        text = line[place.column - 1 : place.end_column - 1 if whole else None]
        return text if whole and len(text) <= 60 else f"{text[:60]}…"

    def _column(self, line: int, offset: int) -> int:
        text = self._lines[line - 1] if line <= len(self._lines) else ""
        if text.isascii():
            return offset + 1
        return len(text.encode()[:offset].decode(errors="ignore")) + 1

    def node(self, reading: Reading, value: ast.expr, what: str) -> Node | None:
        """A literal with its places; None where it is none, which is reported."""
        span = self.span(value)
        if _is_endless(value):
            wrong = "this is no Python that can be read: a number of thousands of digits"
            reading.report("AIG510", span, wrong)
            return None
        match value:
            case ast.Constant(value=str(text)) if _is_whole(text):
                return Scalar(text, span, text, False)
            case ast.Constant(value=bool() | int() | float() | None as plain):
                return Scalar(plain, span, self.shown(value), True)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
                if not isinstance(number, bool):
                    return Scalar(-number, span, self.shown(value), True)
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                found = [self.node(reading, item, what) for item in items]
                whole = tuple(item for item in found if item is not None)
                return Items(whole, span) if len(whole) == len(found) else None
            case ast.Dict():
                return self._mapping(reading, value, what, span)
        reading.report(
            "AIG511",
            span,
            f"{what} is no literal: {self.shown(value)}",
            "write the value itself: a spec is read, not run",
        )
        return None

    def _mapping(self, reading: Reading, node: ast.Dict, what: str, span: Span) -> Mapping | None:
        entries: dict[str, Entry] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            entry = self._entry(reading, key, value, what)
            if entry is None:
                continue
            if entry.key.text in entries:
                place, name = entry.key.span, entry.key.text[:80]
                reading.report("AIG107", place, f'"{name}" stands twice')
            entries.setdefault(entry.key.text, entry)
        return Mapping(entries, span) if len(entries) == len(node.keys) else None

    def _entry(
        self, reading: Reading, key: ast.expr | None, value: ast.expr, what: str
    ) -> Entry | None:
        if key is None:
            reading.report("AIG511", self.span(value), f"{what} is no literal: **")
            return None
        name = self.node(reading, key, f"a key of {what}")
        if name is None:
            return None
        if not isinstance(name, Scalar) or isinstance(name.value, bool | float | None):
            reading.report("AIG112", name.span, "a key is a text", f'quote it: "{self.shown(key)}"')
            return None
        found = self.node(reading, value, what)
        return None if found is None else Entry(name, found)


def _is_whole(text: str) -> bool:
    """Whether a text has no half of a surrogate pair, which no file can hold."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _is_endless(node: ast.expr) -> bool:
    """Whether it is an integer that Python reads, in hexadecimal, and would not print."""
    number = node.operand if isinstance(node, ast.UnaryOp) else node
    value = number.value if isinstance(number, ast.Constant) else None
    return isinstance(value, int) and value.bit_length() > _MOST_BITS


def dotted(node: ast.expr) -> str | None:
    """`a.b.c` as text; None for what is no dotted name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None


def statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements at a module's top level, and those inside its `if`, `try`, `with` and loops."""
    pending: list[ast.AST] = [*reversed([*body])]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            parts = ("body", "handlers", "orelse", "finalbody", "cases")
            inside = [each for part in parts for each in getattr(node, part, ())]
            pending += inside[::-1]


class Imports:
    """What the names that a module imports stand for.

    Args:
        tree: the module.
        package: what a relative import starts from.
        roots: the folders of the project's own modules.
    """

    def __init__(self, tree: ast.Module, package: str, roots: Sequence[Path]) -> None:
        self._roots = roots
        self._names: dict[str, str] = {}
        self._modules: set[str] = set()
        for node in statements(tree.body):
            if isinstance(node, ast.Import):
                for each in node.names:
                    self._modules.add(each.name)
                    head = each.name.partition(".")[0]
                    self._names[each.asname or head] = each.name if each.asname else head
            elif isinstance(node, ast.ImportFrom):
                source = imported_from(node, package)
                self._modules.add(source)
                names = [(each.asname or each.name, each.name) for each in node.names]
                starred = _STARRED.get(source, ()) if names == [("*", "*")] else ()
                for own, name in [*names, *((each, each) for each in starred)]:
                    self._names[own] = f"{source}.{name}"

    def full(self, node: ast.expr) -> str | None:
        """A name with the module that it was imported from; None for one that was not."""
        head, _, rest = (dotted(node) or "").partition(".")
        source = self._names.get(head)
        return None if source is None else f"{source}.{rest}" if rest else source

    def target(self, node: ast.expr) -> str | None:
        """An imported name as `pkg.mod:func`; None for one that was not imported."""
        full = self.full(node)
        if full is None or "." not in full:
            return None
        parts = full.split(".")
        for count in range(len(parts) - 1, 0, -1):
            module = ".".join(parts[:count])
            if module in self._modules or module_file(module, self._roots):
                return f"{module}:{'.'.join(parts[count:])}"
        return f"{'.'.join(parts[:-1])}:{parts[-1]}"

    def files(self) -> list[str]:
        """The project's own files that the module imports from."""
        names = {*self._modules, *self._names.values()}
        found = (module_file(name, self._roots) for name in sorted(names))
        return list(dict.fromkeys(str(file.path) for file in found if file is not None))
