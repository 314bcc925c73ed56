"""Writes words into Python source: comments and docstrings, and nothing else of it."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from aigen.source.docstrings import edited, is_docstring, literal
from aigen.source.sections import with_entry, with_returned, with_text
from aigen.source.words import Comments, Function, FunctionWords, function_at, reworded

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


class NotWritten(Exception):
    """Words that cannot be written; the text says which and why."""


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a function that are to be written.

    Attributes:
        text: its description; None leaves it as it is.
        members: of parameters, by name.
        returned: of what it returns; None leaves them.
    """

    text: str | None = None
    members: Mapping[str, str] = field(default_factory=dict)
    returned: str | None = None


def rewritten(data: bytes, path: str, words: Words) -> bytes:
    """Source with the words of a function written into it.

    A parameter's words replace those it has, in its comment or the docstring. Words that are new
    stand in a comment where the parameter has lines of its own, else in the docstring.

    Args:
        data: of the file.
        path: of the function in the module, such as `Desk.look`.
        words: to be written.

    Raises:
        NotWritten: the file is no Python, it has no such function, or words could not be read back.
    """
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    try:
        text = data.decode(encoding)
        node = function_at(ast.parse(text), path)
    except (SyntaxError, ValueError) as problem:
        raise NotWritten(f"the source is no Python that can be read: {problem}") from None
    except (RecursionError, MemoryError):
        raise NotWritten("the source is no Python that can be read: nested too deep") from None
    if node is None:
        raise NotWritten(f"the source has no function {path}")
    made = _Editing(text, node).apply(words)
    _read_back(text, made, path, words)
    return made.encode(encoding)


class _Editing:
    def __init__(self, text: str, node: Function) -> None:
        self._lines = _LINE.findall(text)
        self._node = node
        self._comments = Comments(text)
        self._said = FunctionWords(node, self._comments)
        self._newline = "\r\n" if "\r\n" in text else "\n"
        self._columns = dict(_columns(text))

    def apply(self, words: Words) -> str:
        """The text with the words in it; rows of comments stand before the docstring's."""
        docs = ast.get_docstring(self._node, clean=True) or ""
        docs = docs if words.text is None else with_text(docs, words.text)
        beside: dict[int, str] = {}
        for name, said in words.members.items():
            docs = self._placed(name, _one_line(said), docs, beside)
        if words.returned is not None:
            docs = self._returned(_one_line(words.returned), docs, beside)
        if docs != (ast.get_docstring(self._node, clean=True) or ""):
            self._write_docstring(docs)
        for row, said in beside.items():
            self._write_comment(row, said)
        return "".join(self._lines)

    def _placed(self, name: str, said: str, docs: str, beside: dict[int, str]) -> str:
        first, last = self._said.places[name]
        if self._said.comment(name) is None and name in self._said.documented.members:
            return with_entry(docs, name, said)
        if not self._is_alone(name, first, last):
            return with_entry(docs, name, said)
        above = self._comments.rows_above(first)
        if above and self._comments.beside(first, last) is None:
            for row in above[:-1]:  # its lines become one
                self._lines[row - 1] = ""
            beside[above[-1]] = said
        else:
            row = next((r for r in range(first, last + 1) if r in self._columns), last)
            beside[row] = said
        return docs

    def _is_alone(self, name: str, first: int, last: int) -> bool:
        """Whether no other parameter, no `def` and no `->` stands on its lines."""
        others = [place for each, place in self._said.places.items() if each != name]
        taken = [*others, (self._node.lineno, self._node.lineno)]
        if self._node.returns is not None:
            taken.append((self._node.returns.lineno, self._node.returns.lineno))
        body = self._node.body[0].lineno
        return all(end < first or start > last for start, end in taken) and last < body

    def _returned(self, said: str, docs: str, beside: dict[int, str]) -> str:
        node = self._node.returns
        row = (node.end_lineno or node.lineno) if node is not None else 0
        has_comment = node is not None and self._comments.beside(node.lineno, row) is not None
        if not has_comment and self._said.documented.returns is not None:
            return with_returned(docs, said)
        if node is None or self._node.body[0].lineno <= row:
            return with_returned(docs, said)
        beside[row] = said
        return docs

    def _write_comment(self, row: int, said: str) -> None:
        line = self._lines[row - 1]
        content = line.rstrip("\r\n")
        ending = line[len(content) :]
        column = self._columns.get(row)
        comment = f"# {said}"
        if column is not None:
            content, before = content[:column], content[column:]
            comment = reworded(before, said)
        gap = "  " if content.strip() and column is None else ""
        self._lines[row - 1] = f"{content}{gap}{comment}{ending}"

    def _write_docstring(self, docs: str) -> None:
        first = self._node.body[0]
        if first.lineno == self._node.lineno or self._is_beside_header(first):
            raise NotWritten(f"the body of {self._node.name} stands on the line of its def")
        line = self._lines[first.lineno - 1]
        indent = line[: len(line) - len(line.lstrip())]
        if not is_docstring(first):
            made = literal(docs, indent, self._newline)
            self._lines.insert(first.lineno - 1 - _decorators(first), made + self._newline)
            return
        end = (first.end_lineno or first.lineno) - 1
        rest = self._lines[end].encode()[first.end_col_offset or 0 :].decode()
        written = "".join(self._lines[first.lineno - 1 : end + 1])
        written = written[: len(written) - len(rest)] if rest else written
        made = edited(written, docs, self._newline) or literal(docs, indent, self._newline)
        self._lines[first.lineno - 1 : end + 1] = [made + rest, *[""] * (end + 1 - first.lineno)]

    def _is_beside_header(self, first: ast.stmt) -> bool:
        before = self._lines[first.lineno - 1].encode()[: first.col_offset].decode()
        return bool(before.strip())


def _decorators(node: ast.stmt) -> int:
    """How many lines before its own a statement begins."""
    listed = getattr(node, "decorator_list", [])
    return node.lineno - min(each.lineno for each in listed) if listed else 0


def _columns(text: str) -> Iterator[tuple[int, int]]:
    """Where the comment of each line begins."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start


def _one_line(words: str) -> str:
    return " ".join(words.split())


def _read_back(before: str, after: str, path: str, words: Words) -> None:
    """Makes sure that the words are read as they were meant, and that no code has changed."""
    node = function_at(ast.parse(after), path)
    if node is None or _code(before, path) != _code(after, path):
        raise NotWritten(f"the words of {path} cannot stand in its source")
    found = FunctionWords(node, Comments(after))
    if words.text is not None and found.documented.text != words.text.strip():
        raise NotWritten("the description would be read as something else: a section begins in it")
    for name, said in words.members.items():
        if found.parameter(name) != _one_line(said):
            raise NotWritten(f"the words of {name} would be read as something else: {said!r:.80}")
    if words.returned is not None and found.returned() != _one_line(words.returned):
        raise NotWritten("the words of what is returned would be read as something else")


def _code(text: str, path: str) -> str:
    """What a text does, without the docstring of a function."""
    tree = ast.parse(text)
    node = function_at(tree, path)
    if node is not None and is_docstring(node.body[0]):
        node.body = node.body[1:]
    return ast.dump(tree)
