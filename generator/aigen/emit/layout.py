"""Lines within 100 columns, laid out as `ruff format` lays them out.

A piece of code is a text: what it is on one line. One that may need several lines is a `Group`,
`Long` or `Options`, a text that knows what it is made of.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Self, TypeAlias

from aigen.emit.literals import doc_width, pieces, quote
from aigen.emit.widths import width

COLUMNS = 100
STEP = 4
_SHORT = 25
"""Columns of code that is never broken: it fits behind the longest name of a member."""

Node: TypeAlias = str


class Tree(str):
    """Code that may be written on several lines."""

    __slots__ = ()


class Group(Tree):
    """`head` + opening bracket + items + closing bracket.

    Attributes:
        head: what stands before the bracket, with it: `Field(`, `Literal[`, `{`.
        close: the closing bracket.
        body: whether all items may stand on one line of their own (arguments, subscripts), which
            lists and mappings never do.
    """

    __slots__ = ("body", "close", "head", "items")

    head: str
    items: tuple[Node, ...]
    close: str
    body: bool

    def __new__(cls, head: str, items: tuple[Node, ...], close: str, body: bool = True) -> Self:
        """The items, on one line."""
        made = super().__new__(cls, f"{head}{', '.join(items)}{close}")
        made.head, made.items, made.close, made.body = head, items, close, body
        return made


class Long(Tree):
    """A text that is written as several literals where one line is too short.

    `head` stands before it: `description=`. Each of `parts`, which are the text, begins a literal.
    """

    __slots__ = ("head", "parts")

    head: str
    parts: Sequence[str]

    def __new__(cls, text: str, head: str = "", parts: Sequence[str] = ()) -> Self:
        """The text as one literal."""
        made = super().__new__(cls, head + quote(text))
        made.head, made.parts = head, parts or (text,)
        return made


class Options(Tree):
    """`A | B | C`."""

    __slots__ = ("items",)

    items: tuple[Node, ...]

    def __new__(cls, items: tuple[Node, ...]) -> Self:
        """The options, on one line."""
        made = super().__new__(cls, " | ".join(items))
        made.items = items
        return made


def lay(node: Node, indent: int, before: int = 0, after: int = 0) -> str:
    """The node, its further lines indented.

    Args:
        node: what to lay out.
        indent: columns of indentation of the line on which it begins.
        before: columns of that line already taken, its indentation among them.
        after: columns that must stay free behind the last line.
    """
    if not isinstance(node, Tree) or max(before, indent) + width(node) + after <= COLUMNS:
        return node
    if isinstance(node, Options):
        pad = "\n" + " " * indent
        laid = [lay(item, indent, indent + 2, after) for item in node.items]
        return f"{pad}| ".join(laid)
    inner = indent + STEP
    pad = "\n" + " " * inner
    if isinstance(node, Long):
        columns = COLUMNS - indent - len(node.head) - after
        literals = [piece for part in node.parts for piece in pieces(part, columns)]
        return node.head + ("\n" + " " * indent).join(literals)
    assert isinstance(node, Group), "there is no other"
    if node.body:
        body = ", ".join(node.items)
        if inner + width(body) <= COLUMNS:
            return f"{node.head}{pad}{body}\n{' ' * indent}{node.close}"
    lone = node.close == "]" and len(node.items) == 1 and node.head != "["
    comma = "" if lone else ","
    laid = [lay(item, inner, 0, len(comma)) + comma for item in node.items]
    return f"{node.head}{pad}{pad.join(laid)}\n{' ' * indent}{node.close}"


def assigned(left: str, node: Node, indent: int = 0) -> str:
    """`left = node`; a union in parentheses where it needs several lines."""
    before = indent + width(left) + 3
    if isinstance(node, Options | Long) and before + width(node) > COLUMNS:
        return f"{left} = {_enclosed(node, indent)}"
    return f"{left} = {lay(node, indent, before)}"


def _enclosed(node: Node, indent: int) -> str:
    """In parentheses, on lines of its own."""
    return f"(\n{' ' * (indent + STEP)}{lay(node, indent + STEP)}\n{' ' * indent})"


def signature(head: str, parameters: list[str], returns: str, indent: int = STEP) -> str:
    """`head(parameters) -> returns:`, as many lines as it needs.

    Parameters are single lines: a long annotation has a name of its own.
    """
    line = f"{head}({', '.join(parameters)}) -> {returns}:"
    if indent + width(line) <= COLUMNS:
        return line
    pad = "\n" + " " * (indent + STEP)
    body = ", ".join(parameters)
    if indent + STEP + width(body) <= COLUMNS:
        return f"{head}({pad}{body}\n{' ' * indent}) -> {returns}:"
    # A comma may not follow a lone `*`, and none does: a keyword-only parameter stands behind it.
    return f"{head}({pad}{f',{pad}'.join(parameters)},\n{' ' * indent}) -> {returns}:"


def wrapped(text: str, columns: int, hanging: str = "") -> list[str]:
    """A paragraph of a docstring in lines of at most so many columns, the later behind `hanging`.

    A word longer than a line stands alone, as an address does; one of a script that writes no
    spaces is cut.
    """
    if doc_width(text) <= columns and "\n" not in text:
        return [text] if text else []
    lines: list[str] = []
    line = ""
    for word in text.split():
        room = columns - doc_width(line) - 1
        if line and doc_width(word) > room:
            lines.append(line)
            line = ""
        *cut, word = _pieces(word, columns - len(hanging))
        for piece in cut:
            lines.append((hanging if lines else "") + piece)
        if line:
            line = f"{line} {word}"
        elif word:
            line = (hanging if lines else "") + word
    if line:
        lines.append(line)
    return lines


def _pieces(word: str, columns: int) -> Iterator[str]:
    """A word in pieces that fit, up to what is left of it: all that fits, or is ASCII alone."""
    last = next((at for at in range(len(word) - 1, -1, -1) if not word[at].isascii()), -1)
    start = 0
    while start <= last:
        fitting = _fitting(word, start, columns)
        if start + fitting >= len(word):
            break
        end = start + max(1, columns // 2, fitting)
        yield word[start:end]
        start = end
    yield word[start:]


def _fitting(word: str, start: int, columns: int) -> int:
    """How many characters from `start` fit; many may take no column at all."""
    end = columns
    while start + end < len(word) and doc_width(word[start : start + end]) <= columns:
        end *= 2
    counts = range(min(end, len(word) - start) + 1)
    return bisect_right(counts, columns, key=lambda at: doc_width(word[start : start + at])) - 1


def group(head: str, items: list[Node], close: str) -> Node:
    """The items in brackets; text already where it is short."""
    made = Group(head, tuple(items), close)
    return str(made) if _is_short(made) else made


def options(items: list[Node]) -> Node:
    """`A | B`; one option is itself."""
    if len(items) == 1:
        return items[0]
    made = Options(tuple(items))
    return str(made) if _is_short(made) else made


def _is_short(node: Group | Options) -> bool:
    if len(node) > _SHORT:
        return False
    for item in node.items:  # noqa: SIM110 - a generator takes longer, and this is asked often
        if isinstance(item, Tree):
            return False
    return True


def annotated(name: str, annotation: Node, value: Node | None, indent: int = STEP) -> str:
    """`name: annotation = value`, an attribute of a class."""
    line = f"{name}: {annotation}"
    if value is None:
        if indent + width(line) <= COLUMNS:
            return line
        return f"{name}: {_broken(annotation, indent, width(name) + 2, 0)}"
    before = indent + width(line) + 3
    taken = width(value)
    if before + taken <= COLUMNS:
        return f"{line} = {value}"
    opening = len(value.head) if isinstance(value, Group) else taken
    if before + opening <= COLUMNS:
        return f"{line} = {lay(value, indent, before)}"
    # No parentheses where they would not help.
    helps = isinstance(value, Tree) or indent + STEP + taken <= COLUMNS
    if before + 1 <= COLUMNS:
        return f"{line} = {_enclosed(value, indent) if helps else value}"
    left = f"{name}: {_broken(annotation, indent, width(name) + 2, len(' = '))}"
    last = width(left.rpartition("\n")[2])
    if isinstance(value, Long) and last + 3 + taken > COLUMNS:
        return f"{left} = {_enclosed(value, indent)}"
    return f"{left} = {lay(value, indent, last + 3)}"


def _broken(annotation: Node, indent: int, before: int, after: int) -> str:
    if isinstance(annotation, Options):
        return _enclosed(annotation, indent)
    return lay(annotation, indent, indent + before, after + COLUMNS)


def imports(wanted: Mapping[tuple[str, str], str], own: Collection[str] = ()) -> list[str]:
    """Import statements in the order and the groups of isort, as lines.

    In the project that the output belongs to, aigen is a third party as pydantic is.

    Args:
        wanted: the name in the module, by (module, name there).
        own: top-level packages that stand in the third group, before relative ones.
    """
    found: dict[tuple[int, str], list[tuple[str, str]]] = {}
    for (module, name), here in wanted.items():
        found.setdefault((_section(module, own), module), []).append((name, here))
    lines: list[str] = []
    section = -1
    for number, module in sorted(found, key=lambda key: (key[0], _module_order(key[1]))):
        if section not in (-1, number):
            lines.append("")
        section = number
        names = found[(number, module)]
        plain = sorted((name for name, here in names if name == here), key=_member_order)
        if plain:
            lines.append(_from(module, plain))
        for name, here in sorted(names, key=lambda pair: _member_order(pair[0])):
            if name != here:
                lines.append(f"from {module} import {name} as {here}")
    return lines


def _from(module: str, names: list[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    if width(line) <= COLUMNS:
        return line
    inner = "".join(f"    {name},\n" for name in names)
    return f"from {module} import (\n{inner})"


def _section(module: str, own: Collection[str]) -> int:
    top = module.partition(".")[0]
    if module.startswith("."):
        return 4
    if module == "__future__":
        return 0
    if top in _STANDARD:
        return 1
    return 3 if top in own else 2


_STANDARD = frozenset(
    {
        "builtins",
        "collections",
        "datetime",
        "decimal",
        "enum",
        "importlib",
        "types",
        "typing",
        "uuid",
    }
)


def _module_order(module: str) -> tuple[int, list[tuple[int, int, str]], str]:
    dots = len(module) - len(module.lstrip("."))
    return (-dots, _natural(module.lstrip(".").lower()), module)


@lru_cache(1024)
def _member_order(name: str) -> tuple[int, list[tuple[int, int, str]], str]:
    kind = 0 if len(name) > 1 and name.isupper() else 1 if name[:1].isupper() else 2
    return (kind, _natural(name.lower()), name)


def _natural(text: str) -> list[tuple[int, int, str]]:
    parts = re.findall(r"[0-9]+|[^0-9]+", text)
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts]
