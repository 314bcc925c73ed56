"""One annotation of Python source: what was read of it, and how its expression is taken apart."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace

from aigen.ir import Described, Type
from aigen.resolve.python_constraints import constrained
from aigen.resolve.python_literals import keywords, unparsed
from aigen.resolve.python_modules import Outside


class Unknown(Exception):
    """What an annotation means cannot be known; the text says why.

    Args:
        why: the text.
        hint: what to write instead, where that depends on the reason.
    """

    def __init__(self, why: str, hint: str | None = None) -> None:
        super().__init__(why)
        self.hint = hint


@dataclass
class Annotation:
    """An annotation, read.

    Attributes:
        type: what it means.
        description: words inside `Annotated`.
        wrappers: `ClassVar`, `Required` and the like around it, outermost first.
        fields: the `Field(...)` calls inside `Annotated`.
    """

    type: Type
    description: str | None = None
    wrappers: list[str] = field(default_factory=list)
    fields: list[ast.Call] = field(default_factory=list)

    def under(self, call: ast.Call) -> Annotation:
        """The annotation of a parameter whose default is `Field(…)`, with what that says."""
        said = keywords(call)
        words = said.get("description")
        return replace(
            self,
            type=constrained(self.type, said),
            description=words if isinstance(words, str) else self.description,
        )


def told(kind: Type, words: object) -> str | None:
    """The words of what has a type, and those that the type has of its own."""
    said = words if isinstance(words, str) and words else None
    if not isinstance(kind, Described):
        return said
    return f"{said.rstrip('. ')}; {kind.description}" if said else kind.description


def canonical(found: Outside) -> str:
    """The full name of something outside, whichever module gives it on."""
    full = found.dotted.replace("typing_extensions.", "typing.")
    for inner in ("pydantic.types.", "pydantic.networks.", "pydantic.fields."):
        full = full.replace(inner, "pydantic.")
    return full.replace("aigen.runtime.values.", "aigen.runtime.")


def parsed(node: ast.expr) -> ast.expr:
    """A text annotation as the expression it holds.

    Raises:
        Unknown: it holds none.
    """
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            inner = ast.parse(node.value.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise Unknown(f"{node.value!r:.80} is no type") from None
        return ast.copy_location(inner, node)
    return node


def operands(node: ast.expr) -> list[ast.expr]:
    """The options of `A | B | C`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*operands(node.left), *operands(node.right)]
    return [node]


def shown(node: ast.expr) -> str:
    """An expression as it is written, shortened."""
    text = unparsed(node)
    return text if len(text) <= 60 else f"{text[:60]}…"


__all__ = ["Annotation", "Unknown", "canonical", "operands", "parsed", "shown", "told"]
