"""Documentation that a module adds to its functions (`aigen.tooling.add_docs`), read as text."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from typing import Any


class AddedDocs:
    """The words that a module adds to one of its functions, where they are literals.

    Args:
        tree: the module.
        name: of a function at its top level.
    """

    def __init__(self, tree: ast.Module, name: str) -> None:
        self._docs: dict[str, Any] = {}
        for statement in tree.body:
            node = _added(statement, name)
            if node is not None:
                self._docs = _literal(node)

    @property
    def arguments(self) -> Mapping[str, Any]:
        """What is said of the arguments, as JSON."""
        found = self._docs.get("arguments")
        return found if isinstance(found, dict) else {}

    @property
    def typed(self) -> frozenset[str]:
        """The arguments whose type is said."""
        return frozenset(
            name
            for name, said in self.arguments.items()
            if isinstance(said, dict) and "type" in said
        )

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
        return _text(self.arguments.get(name), "description")


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


def _literal(node: ast.expr) -> dict[str, Any]:
    try:
        # Through JSON: tuples become lists, and what is no JSON is no documentation.
        found = json.loads(json.dumps(ast.literal_eval(node), allow_nan=False))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return {}  # made while the program runs
    return found if isinstance(found, dict) else {}


def _text(found: Any, key: str) -> str | None:
    value = found.get(key) if isinstance(found, dict) else None
    return value if isinstance(value, str) else None
