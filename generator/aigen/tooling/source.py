"""The source of functions and classes at hand, for their comments and docstrings."""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Callable, Iterator
from functools import lru_cache
from types import CodeType
from typing import Any, TypeAlias

from aigen.source.words import (
    Comments,
    Docstring,
    Function,
    FunctionWords,
    docstring,
    member_words,
)

Definition: TypeAlias = Function | ast.ClassDef


def function_words(func: Callable[..., Any]) -> FunctionWords | None:
    """What the source of a function says; None where it has none that can be found."""
    code = getattr(inspect.unwrap(func), "__code__", None)
    if not isinstance(code, CodeType):
        return None
    names = getattr(inspect.unwrap(func), "__globals__", None)
    found = _read("".join(linecache.getlines(code.co_filename, names)))
    if found is None:
        return None
    for node in found.at(code.co_firstlineno):
        if node.name == code.co_name and not isinstance(node, ast.ClassDef):
            return FunctionWords(node, found.comments)
    return None


class ClassWords:
    """What the source of a class says of it, and of the members it has or inherits.

    Attributes:
        text: its docstring, without sections; None where there is none.
    """

    def __init__(self, cls: type) -> None:
        self.text: str | None = None
        self._members: dict[str, str | None] = {}
        documented: dict[str, str] = {}
        own = [(each, *found) for each in cls.__mro__[::-1] if (found := _class(each))]
        for each, node, comments in own:
            read = docstring(node)
            documented |= read.members
            if each is cls:
                self.text = read.text or None
            self._add(node, comments, read)
        self._members |= documented if not own else {}
        last = documented if own and own[-1][0] is cls else {}
        for name in last:
            self._members[name] = self._members.get(name) or last[name]

    def _add(self, node: ast.ClassDef, comments: Comments, read: Docstring) -> None:
        told = member_words(comments, read.members)
        for at, statement in enumerate(node.body):
            match statement:
                case (
                    ast.AnnAssign(target=ast.Name(id=name))
                    | ast.Assign(targets=[ast.Name(id=name)])
                ):
                    beneath = node.body[at + 1] if at + 1 < len(node.body) else None
                    self._members[name] = told(name, statement, beneath)

    def member(self, name: str) -> str | None:
        """The words of a member."""
        return self._members.get(name)


def _class(cls: type) -> tuple[ast.ClassDef, Comments] | None:
    if cls.__module__ in ("builtins", "typing", "enum", "pydantic.main"):
        return None
    try:
        lines, at = inspect.findsource(cls)
    except (OSError, TypeError):
        return None
    found = _read("".join(lines))
    for node in found.at(at + 1) if found is not None else ():
        if node.name == cls.__name__ and isinstance(node, ast.ClassDef):
            return node, found.comments  # type: ignore[union-attr]
    return None


class _Text:
    def __init__(self, text: str) -> None:
        self.comments = Comments(text)
        self._at: dict[int, list[Definition]] = {}
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, Definition):
                for line in {node.lineno, *(each.lineno for each in node.decorator_list)}:
                    self._at.setdefault(line, []).append(node)

    def at(self, line: int) -> Iterator[Definition]:
        """The functions and classes that begin on a line."""
        yield from self._at.get(line, ())


@lru_cache(maxsize=64)
def _read(text: str) -> _Text | None:
    try:
        return _Text(text) if text else None
    except (SyntaxError, ValueError, RecursionError):
        return None  # what runs is not what stands there any more
