"""Generic classes of the user's own: their variables, and what each stands for in a form."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from aigen.ir import (
    Boolean,
    Choice,
    Formatted,
    Integer,
    JsonAny,
    List,
    Map,
    Null,
    Number,
    Ref,
    Set,
    Text,
    Tuple,
    Type,
    Union,
)
from aigen.resolve.python_literals import unparsed
from aigen.resolve.python_modules import ClassIn, Outside, PythonModule, PythonModules, ValueIn

Bound: TypeAlias = Mapping[str, Type]
"""What the type variables of a class stand for, by name."""

Read: TypeAlias = Callable[[ast.expr, ClassIn, Bound], Type]
"""Reads an annotation in a class."""

MOST: Final = 50
"""How many forms of one class are read: one that names a larger form of itself never ends."""

LONGEST_NAME: Final = 64
"""Characters of the name of a form; a longer one is called as its class is, and numbered."""

_VARIABLES: Final = frozenset({"typing.TypeVar", "typing_extensions.TypeVar"})


def variables_of(modules: PythonModules, found: ClassIn) -> list[str]:
    """The type variables of a class, in the order in which types are given for them."""
    named = [each.name for each in getattr(found.node, "type_params", ())]
    if named:
        return named
    bases = [base for base in found.node.bases if isinstance(base, ast.Subscript)]
    generic = [base for base in bases if unparsed(base.value).rpartition(".")[2] == "Generic"]
    return variables_in(modules, found.module, generic or bases)


def variables_in(
    modules: PythonModules, module: PythonModule, nodes: Sequence[ast.expr]
) -> list[str]:
    """The type variables that stand in expressions of a module, each once."""
    names = [inner.id for node in nodes for inner in _walked(node) if isinstance(inner, ast.Name)]
    return [name for name in dict.fromkeys(names) if _is_variable(modules, module, name)]


def _walked(node: ast.expr) -> Iterator[ast.AST]:
    """The parts of an expression in the order written."""
    yield node
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.expr):
            yield from _walked(inner)


def _is_variable(modules: PythonModules, module: PythonModule, name: str) -> bool:
    found = modules.meaning(module, name)
    if not isinstance(found, ValueIn) or not isinstance(found.value, ast.Call):
        return False
    made = modules.meaning(found.module, unparsed(found.value.func))
    return isinstance(made, Outside) and made.dotted in _VARIABLES


def bindings(
    modules: PythonModules, found: ClassIn, arguments: Sequence[Type], read: Read
) -> dict[str, Bound]:
    """What the variables of a class and of those that it inherits stand for, by target."""
    own: Bound = dict(zip(variables_of(modules, found), arguments, strict=False))
    made: dict[str, Bound] = {found.target: own}
    for base in found.node.bases:
        node = base.value if isinstance(base, ast.Subscript) else base
        above = modules.meaning(found.module, unparsed(node))
        if isinstance(above, ClassIn) and above.target != found.target:
            given = written(base) if isinstance(base, ast.Subscript) else []
            types = [read(each, found, own) for each in given]
            made |= bindings(modules, above, types, read)
    return made


def written(node: ast.Subscript) -> list[ast.expr]:
    """The types that stand in the brackets."""
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def form_name(base: str, arguments: Sequence[Type]) -> str:
    """What a form of a generic class is called: `Page[int]` is `PageInt`."""
    return base + "".join(map(_word, arguments))


def _word(kind: Type) -> str:
    match kind:
        case Ref():
            return kind.name
        case List():
            return f"List{_word(kind.item)}"
        case Set():
            return f"Set{_word(kind.item)}"
        case Map():
            return f"Dict{_word(kind.value)}"
        case Tuple():
            inner = kind.items if kind.rest is None else (kind.rest,)
            return f"Tuple{''.join(map(_word, inner))}"
        case Union():
            return "Or".join(map(_word, kind.options))
        case Formatted():
            return kind.kind[:1].upper() + kind.kind[1:]
    return _WORDS.get(type(kind), "Value")


_WORDS: Final[Mapping[type, str]] = {
    Text: "Str",
    Integer: "Int",
    Number: "Float",
    Boolean: "Bool",
    Null: "None",
    Choice: "Choice",
    JsonAny: "Any",
}


__all__ = [
    "LONGEST_NAME",
    "MOST",
    "Bound",
    "bindings",
    "form_name",
    "variables_in",
    "variables_of",
    "written",
]
