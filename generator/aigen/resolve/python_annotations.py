"""Annotations of Python source as types of the intermediate representation."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from aigen.ir import (
    Choice,
    JsonAny,
    Level,
    List,
    Map,
    Ref,
    Set,
    Text,
    Tuple,
    Type,
    Union,
)
from aigen.resolve.expansion import LARGEST
from aigen.resolve.python_constraints import constrained, marked
from aigen.resolve.python_known import (
    CONSTRUCTORS,
    DEEPEST,
    LISTS,
    MAPS,
    NULL,
    OUTSIDE,
    PLAIN,
    SETS,
    TRANSPARENT,
    TYPING,
)
from aigen.resolve.python_literals import keywords, literal, unparsed
from aigen.resolve.python_modules import (
    ClassIn,
    FunctionIn,
    Meaning,
    Outside,
    PythonModule,
    PythonModules,
    ValueIn,
)
from aigen.resolve.words import union
from aigen.spec.python_syntax import dotted


class Unknown(Exception):
    """What an annotation means cannot be known; the text says why."""


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


class Annotations:
    """Reads annotations of some modules.

    Args:
        modules: the modules.
        refer: gives the reference to a class that an annotation names.
        beyond: gives what a name outside these modules means, or says why it means nothing.
    """

    def __init__(
        self,
        modules: PythonModules,
        refer: Callable[[ClassIn], Ref],
        beyond: Callable[[Outside], ClassIn | ValueIn | str],
    ) -> None:
        self._modules = modules
        self._refer = refer
        self._beyond = beyond
        self._open: list[tuple[str, str]] = []
        self._followed = 0

    def read(self, node: ast.expr, module: PythonModule, owner: ClassIn | None) -> Annotation:
        """An annotation of a member of `owner`.

        Raises:
            Unknown: it cannot be known without running code, or is too large.
        """
        try:
            return self._read(node, module, owner)
        except RecursionError:
            raise Unknown("it is nested too deeply") from None

    def _read(self, node: ast.expr, module: PythonModule, owner: ClassIn | None) -> Annotation:
        found = Annotation(NULL)
        node = parsed(node)
        while isinstance(node, ast.Subscript):
            name = self._typing_name(self.meaning(node.value, module, owner))
            if name in TRANSPARENT:
                found.wrappers.append(name)
                node = parsed(node.slice)
            elif name == "Annotated" and isinstance(node.slice, ast.Tuple) and node.slice.elts:
                inner = self.read(node.slice.elts[0], module, owner)
                found.wrappers += inner.wrappers
                found.fields += inner.fields
                found.description = inner.description
                found.type = inner.type
                for mark in node.slice.elts[1:]:
                    self._mark(mark, found, module, owner)
                return found
            elif name == "InitVar":
                raise Unknown("InitVar is no member")
            else:
                break
        if isinstance(node, ast.Name | ast.Attribute):
            name = self._typing_name(self.meaning(node, module, owner))
            if name in ("ClassVar", "Final", "KW_ONLY"):
                found.wrappers.append(name)
                return found
        found.type = self._type(node, module, owner)
        return found

    # --------------------------------------------------------------------------- names

    def meaning(
        self, node: ast.expr, module: PythonModule, owner: ClassIn | None
    ) -> Meaning | str | None:
        """What a name means: a `Meaning`, or the name of a builtin."""
        name = dotted(node)
        if name is None:
            return None
        head = name.partition(".")[0]
        while owner is not None:
            # A class body sees its own names, and pydantic those of the classes around it.
            inner = self._modules.meaning(module, f"{owner.path}.{name}")
            if isinstance(inner, ClassIn):
                return inner
            outer = owner.path.rpartition(".")[0]
            around = self._modules.meaning(module, outer) if outer else None
            owner = around if isinstance(around, ClassIn) else None
        found = self._modules.meaning(module, name)
        if found is None and name == head:
            return name
        return found

    def _typing_name(self, found: Meaning | str | None) -> str:
        if isinstance(found, Outside):
            if found.module in TYPING:
                return found.name
            if found.dotted in ("dataclasses.InitVar", "dataclasses.KW_ONLY"):
                return found.name
        return ""

    # --------------------------------------------------------------------------- types

    def _type(self, node: ast.expr, module: PythonModule, owner: ClassIn | None) -> Type:
        if len(self._open) > DEEPEST:
            raise Unknown("it is nested too deeply")
        self._followed = self._followed + 1 if self._open else 0
        if self._followed > LARGEST:
            raise Unknown(f"it stands for more than {LARGEST} types, where names are followed")
        node = parsed(node)
        match node:
            case ast.Constant(value=None):
                return NULL
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                parts = [self._type(left, module, owner), self._type(right, module, owner)]
                return union(parts)
            case ast.Name() | ast.Attribute():
                return self._named(node, module, owner)
            case ast.Subscript():
                return self._applied(node, module, owner)
            case ast.Call():
                return self._called(node, module, owner)
        raise Unknown(f"{_shown(node)} is no type")

    def _named(self, node: ast.expr, module: PythonModule, owner: ClassIn | None) -> Type:
        found = self.meaning(node, module, owner)
        match found:
            case str():
                if found in PLAIN:
                    return PLAIN[found]
                if hasattr(builtins, found):
                    raise Unknown(f"{found} has no JSON form")
                raise Unknown(f"{found} is defined nowhere in {module.shown}")
            case Outside():
                return self._outside(found, owner)
            case ClassIn():
                own = Outside(found.module.name, found.path)
                return OUTSIDE.get(own.dotted) or self._refer(found)
            case ValueIn():
                return self._alias(found)
            case FunctionIn():
                raise Unknown(f"{_shown(node)} is a function")
        raise Unknown(f"{_shown(node)} is not defined in {module.shown}")

    def _outside(self, found: Outside, owner: ClassIn | None) -> Type:
        full = _canonical(found)
        if full in OUTSIDE:
            return OUTSIDE[full]
        if found.module in TYPING:
            if found.name == "Self" and owner is not None:
                return self._refer(owner)
            if found.name in LISTS:
                return List(JsonAny())
            if found.name in SETS:
                return Set(JsonAny())
            if found.name in MAPS:
                return Map(JsonAny())
            if found.name == "Tuple":
                return Tuple((), JsonAny())
        beyond = self._beyond(found)
        if isinstance(beyond, ClassIn):
            return self._refer(beyond)
        if isinstance(beyond, ValueIn):
            return self._alias(beyond)
        raise Unknown(f"{found.dotted} {beyond}")

    def _alias(self, found: ValueIn) -> Type:
        """What a module-level name stands for: an alias, or a `NewType`."""
        key = (found.module.name, found.name)
        if key in self._open:
            raise Unknown(f"{found.name} is an alias of itself")
        self._open.append(key)
        try:
            value = found.value
            if isinstance(value, ast.Call):
                made = self.meaning(value.func, found.module, None)
                if self._typing_name(made) == "NewType" and len(value.args) == 2:
                    return self.read(value.args[1], found.module, None).type
                if self._typing_name(made) == "TypeVar":
                    return self._variable(value, found.module)
            return self.read(value, found.module, None).type
        finally:
            self._open.pop()

    def _variable(self, node: ast.Call, module: PythonModule) -> Type:
        """What fits a type variable: its bound, one of its constraints, else anything."""
        bounds = [word.value for word in node.keywords if word.arg == "bound"]
        options = bounds or node.args[1:]
        return union([self._type(each, module, None) for each in options]) if options else JsonAny()

    def _applied(self, node: ast.Subscript, module: PythonModule, owner: ClassIn | None) -> Type:
        found = self.meaning(node.value, module, owner)
        args = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        name = found if isinstance(found, str) else self._typing_name(found)
        if isinstance(found, str) and found not in PLAIN:
            return self._named(node.value, module, owner)  # which says what is wrong
        if name in TRANSPARENT or name == "Annotated":
            return self.read(node, module, owner).type
        if name == "Literal":
            return self._literal(args, module, owner)
        if name in ("Optional", "Union"):
            parts = [self._type(arg, module, owner) for arg in args]
            return union([*parts, NULL] if name == "Optional" else parts)
        if name in ("tuple", "Tuple"):
            return self._tuple(args, module, owner)
        if name in ("list", *LISTS):
            return List(self._type(args[0], module, owner))
        if name in ("set", "frozenset", *SETS):
            return Set(self._type(args[0], module, owner))
        if name in ("dict", *MAPS) and len(args) == 2:
            key = self._type(args[0], module, owner)
            if not isinstance(key, Text | Choice) and not isinstance(key, Ref):
                raise Unknown(f"the keys of {_shown(node)} are not texts")
            return Map(self._type(args[1], module, owner))
        raise Unknown(f"{_shown(node)} is no type that is known")

    def _tuple(self, args: list[ast.expr], module: PythonModule, owner: ClassIn | None) -> Type:
        if len(args) == 2 and isinstance(args[1], ast.Constant) and args[1].value is ...:
            return Tuple((), self._type(args[0], module, owner))
        if len(args) == 1 and isinstance(args[0], ast.Tuple):  # tuple[()]
            args = args[0].elts
        return Tuple(tuple(self._type(arg, module, owner) for arg in args))

    def _literal(self, args: list[ast.expr], module: PythonModule, owner: ClassIn | None) -> Type:
        levels: dict[tuple[type, object], Level] = {}
        others: list[Type] = []
        for arg in args:
            value = literal(arg)
            if isinstance(arg, ast.Attribute):
                value = self._constant(arg, module, owner)
            if value is None and isinstance(arg, ast.Constant):
                others.append(NULL)
            elif isinstance(value, str | int):
                levels.setdefault((type(value), value), Level(value))
            elif isinstance(arg, ast.Name) and isinstance(
                named := self._constant(arg, module, owner), str | int
            ):
                raise Unknown(f"Literal takes values as they are: write {named!r}, not {arg.id}")
            elif isinstance(arg, ast.Subscript | ast.Name):
                inner = self._type(arg, module, owner)
                options = inner.options if isinstance(inner, Union) else (inner,)
                for option in options:
                    if isinstance(option, Choice):
                        levels.update({(type(x.value), x.value): x for x in option.levels})
                    else:
                        others.append(option)
            else:
                raise Unknown(f"Literal takes texts, integers and truth values, not {_shown(arg)}")
        chosen: list[Type] = [Choice(tuple(levels.values()))] if levels else []
        return union([*chosen, *others])

    def _constant(self, node: ast.expr, module: PythonModule, owner: ClassIn | None) -> Any:
        """The value of a name that was assigned a literal, such as an enum's member."""
        found = self.meaning(node, module, owner)
        return literal(found.value) if isinstance(found, ValueIn) else None

    def _called(self, node: ast.Call, module: PythonModule, owner: ClassIn | None) -> Type:
        found = self.meaning(node.func, module, owner)
        if isinstance(found, Outside):
            made = CONSTRUCTORS.get(_canonical(found))
            if made is None and _canonical(found) in ("pydantic.conlist", "pydantic.conset"):
                item = self._type(node.args[0], module, owner) if node.args else JsonAny()
                made = List(item) if found.name == "conlist" else Set(item)
            if made is not None:
                return constrained(made, keywords(node))
        raise Unknown(f"what {_shown(node)} gives is known only when it runs")

    def _mark(
        self, node: ast.expr, found: Annotation, module: PythonModule, owner: ClassIn | None
    ) -> None:
        """What stands behind the type in `Annotated`."""
        text = literal(node)
        if isinstance(text, str):
            found.description = text
        if not isinstance(node, ast.Call):
            return
        made = self.meaning(node.func, module, owner)
        full = _canonical(made) if isinstance(made, Outside) else ""
        if full in ("pydantic.Field", "pydantic.fields.Field"):
            found.fields.append(node)
            said = keywords(node)
            words = said.get("description")
            found.description = words if isinstance(words, str) else found.description
            found.type = constrained(found.type, said)
        elif full.startswith("annotated_types."):
            found.type = constrained(found.type, marked(full.rpartition(".")[2], node))
        elif full == "pydantic.StringConstraints":
            found.type = constrained(found.type, keywords(node))
        elif full in ("typing.Doc", "annotated_doc.Doc") and node.args:
            words = literal(node.args[0])
            found.description = words if isinstance(words, str) else found.description


# --------------------------------------------------------------------------------- parts


def _canonical(found: Outside) -> str:
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


def _shown(node: ast.expr) -> str:
    text = unparsed(node)
    return text if len(text) <= 60 else f"{text[:60]}…"
