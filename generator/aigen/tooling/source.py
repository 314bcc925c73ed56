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
    Function,
    FunctionWords,
    Told,
    docstring,
    member_words,
    read_docstring,
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

    Args:
        cls: the class.
        otherwise: its docstring, where its source cannot be found.

    Attributes:
        text: its docstring, without sections; None where there is none.
    """

    def __init__(self, cls: type, otherwise: str = "") -> None:
        # A form of a generic model has no source of its own.
        cls = getattr(cls, "__pydantic_generic_metadata__", {}).get("origin") or cls
        sources = [(each, *found) for each in reversed(cls.__mro__) if (found := _class(each))]
        has_own = bool(sources) and sources[-1][0] is cls
        own = docstring(sources[-1][1]) if has_own else read_docstring(otherwise)
        self.text = own.text or None
        self._members: dict[str, str | None] = dict(own.members)
        for _, node, comments in sources:
            told = member_words(comments, {**docstring(node).members, **own.members})
            self._members |= _members(node, told)

    def member(self, name: str) -> str | None:
        """The words of a member."""
        return self._members.get(name)


def _members(node: ast.ClassDef, told: Told) -> Iterator[tuple[str, str | None]]:
    for statement, beneath in zip(node.body, [*node.body[1:], None], strict=True):
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                yield name, told(name, statement, beneath)


def _class(cls: type) -> tuple[ast.ClassDef, Comments] | None:
    if cls.__module__ in ("builtins", "typing", "enum", "pydantic.main"):
        return None
    try:
        lines, at = inspect.findsource(cls)
    except (OSError, TypeError):
        return None
    found = _read("".join(lines))
    if found is None:
        return None
    classes = (node for node in found.at(at + 1) if isinstance(node, ast.ClassDef))
    return next(((node, found.comments) for node in classes if node.name == cls.__name__), None)


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
