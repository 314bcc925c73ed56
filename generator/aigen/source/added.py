"""Documentation that a module adds to its functions (`aigen.tooling.add_docs`), read as text."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any


class AddedDocs:
    """The words that a module adds to one of its functions, where they are literals.

    Args:
        tree: the module.
        name: of a function at its top level.
    """

    def __init__(self, tree: ast.Module, name: str) -> None:
        self._docs: Mapping[str, Any] = {}
        for statement in tree.body:
            node = _added(statement, name)
            if node is not None:
                self._docs = _literal(node)

    @property
    def text(self) -> str | None:
        """The description."""
        return _text(self._docs, "description")

    @property
    def returned(self) -> str | None:
        """The words of what is returned."""
        return _text(self._docs.get("return"), "description")

    def parameter(self, name: str) -> str | None:
        """The words of a parameter."""
        arguments = self._docs.get("arguments")
        return _text(arguments.get(name), "description") if isinstance(arguments, dict) else None


def _added(statement: ast.stmt, name: str) -> ast.expr | None:
    """The docs of `f.__aigen_docs__ = {…}`, `add_docs(f, {…})` and `f = add_docs(f, {…})`."""
    match statement:
        case ast.Assign(
            targets=[ast.Attribute(value=ast.Name(id=owner), attr="__aigen_docs__")], value=docs
        ) if owner == name:
            return docs
        case ast.Expr(value=ast.Call() as call) | ast.Assign(value=ast.Call() as call):
            called = ast.unparse(call.func).rpartition(".")[2]
            match call.args:
                case [ast.Name(id=owner), docs] if owner == name and called == "add_docs":
                    return docs
    return None


def _literal(node: ast.expr) -> Mapping[str, Any]:
    try:
        found = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return {}  # made while the program runs
    return found if isinstance(found, dict) else {}


def _text(found: Any, key: str) -> str | None:
    value = found.get(key) if isinstance(found, dict) else None
    return value if isinstance(value, str) else None
