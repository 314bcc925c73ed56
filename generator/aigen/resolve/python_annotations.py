"""Annotations of Python source as types of the intermediate representation."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

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
from aigen.resolve.python_annotation import (
    Annotation,
    Unknown,
    canonical,
    operands,
    parsed,
    shown,
)
from aigen.resolve.python_constraints import constrained, marked
from aigen.resolve.python_generics import Bound, variables_in, written
from aigen.resolve.python_known import (
    BYTES,
    CONSTRUCTORS,
    DEEPEST,
    LISTS,
    MAPS,
    NO_VALUE,
    NULL,
    OUTSIDE,
    PLAIN,
    SETS,
    TRANSPARENT,
    TYPING,
)
from aigen.resolve.python_literals import keywords, literal
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

_UNBOUND: Final[Bound] = {}


class Annotations:
    """Reads annotations of some modules.

    Args:
        modules: the modules.
        refer: gives the type of a class that an annotation names, with what stands in brackets.
        beyond: gives what a name outside these modules means, or says why it means nothing.

    Attributes:
        bound: what type variables stand for in what is read.
    """

    def __init__(
        self,
        modules: PythonModules,
        refer: Callable[[ClassIn, tuple[Type, ...]], Type],
        beyond: Callable[[Outside], ClassIn | ValueIn | str],
    ) -> None:
        self._modules = modules
        self._refer = refer
        self._beyond = beyond
        self.bound: Bound = {}
        self._open: list[tuple[str, str]] = []
        self._followed = 0

    @contextmanager
    def binding(self, bound: Bound) -> Iterator[None]:
        """Reads with other type variables inside the block."""
        before, self.bound = self.bound, bound
        try:
            yield
        finally:
            self.bound = before

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
            case ast.BinOp(op=ast.BitOr()):
                return self._union(operands(node), module, owner)
            case ast.Name() | ast.Attribute():
                return self._named(node, module, owner)
            case ast.Subscript():
                return self._applied(node, module, owner)
            case ast.Call():
                return self._called(node, module, owner)
        raise Unknown(f"{shown(node)} is no type")

    def _union(self, nodes: list[ast.expr], module: PythonModule, owner: ClassIn | None) -> Type:
        """`A | B`; bytes beside text are left out, for JSON has text alone."""
        kept = [node for node in nodes if self.meaning(node, module, owner) not in BYTES]
        parts = [self._type(node, module, owner) for node in kept]
        if len(kept) < len(nodes) and not any(isinstance(part, Text) for part in parts):
            parts = [self._type(node, module, owner) for node in nodes]  # which says what is wrong
        return union(parts)

    def _named(self, node: ast.expr, module: PythonModule, owner: ClassIn | None) -> Type:
        if isinstance(node, ast.Name) and node.id in self.bound:
            return self.bound[node.id]
        found = self.meaning(node, module, owner)
        match found:
            case str():
                if found in PLAIN:
                    return PLAIN[found]
                if found in NO_VALUE:
                    raise Unknown(*NO_VALUE[found])
                if hasattr(builtins, found):
                    raise Unknown(f"{found} has no JSON form")
                raise Unknown(f"{found} is defined nowhere in {module.shown}")
            case Outside():
                return self._outside(found, owner)
            case ClassIn():
                own = Outside(found.module.name, found.path)
                return OUTSIDE.get(own.dotted) or self._refer(found, ())
            case ValueIn():
                return self._alias(found)
            case FunctionIn():
                raise Unknown(f"{shown(node)} is a function")
        raise Unknown(f"{shown(node)} is not defined in {module.shown}")

    def _outside(self, found: Outside, owner: ClassIn | None) -> Type:
        full = canonical(found)
        if full in OUTSIDE:
            return OUTSIDE[full]
        if found.module in TYPING:
            if found.name == "Self" and owner is not None:
                return self._refer(owner, ())
            if found.name in NO_VALUE:
                raise Unknown(*NO_VALUE[found.name])
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
            return self._refer(beyond, ())
        if isinstance(beyond, ValueIn):
            return self._alias(beyond)
        raise Unknown(f"{found.dotted} {beyond}")

    def _alias(self, found: ValueIn, bound: Bound = _UNBOUND) -> Type:
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
            with self.binding(bound):
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
            kind = self._union(args, module, owner)
            return union([kind, NULL]) if name == "Optional" else kind
        if name in NO_VALUE:
            raise Unknown(*NO_VALUE[name])
        if name in ("tuple", "Tuple"):
            return self._tuple(args, module, owner)
        if name in ("list", *LISTS):
            return List(self._type(args[0], module, owner))
        if name in ("set", "frozenset", *SETS):
            return Set(self._type(args[0], module, owner))
        if name in ("dict", *MAPS) and len(args) == 2:
            key = self._type(args[0], module, owner)
            if not isinstance(key, Text | Choice) and not isinstance(key, Ref):
                raise Unknown(f"the keys of {shown(node)} are not texts")
            return Map(self._type(args[1], module, owner))
        return self._form(found, node, module, owner)

    def _form(
        self,
        found: Meaning | str | None,
        node: ast.Subscript,
        module: PythonModule,
        owner: ClassIn | None,
    ) -> Type:
        """A generic class or alias of the user's own with its types."""
        if isinstance(found, Outside) and not isinstance(beyond := self._beyond(found), str):
            found = beyond
        arguments = [self._type(each, module, owner) for each in written(node)]
        if isinstance(found, ClassIn):
            return self._refer(found, tuple(arguments))
        if isinstance(found, ValueIn):
            names = variables_in(self._modules, found.module, [found.value])
            if names:
                return self._alias(found, dict(zip(names, arguments, strict=False)))
        raise Unknown(f"{shown(node)} is no type that is known")

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
                raise Unknown(f"Literal takes texts, integers and truth values, not {shown(arg)}")
        chosen: list[Type] = [Choice(tuple(levels.values()))] if levels else []
        return union([*chosen, *others])

    def _constant(self, node: ast.expr, module: PythonModule, owner: ClassIn | None) -> Any:
        """The value of a name that was assigned a literal, such as an enum's member."""
        found = self.meaning(node, module, owner)
        return literal(found.value) if isinstance(found, ValueIn) else None

    def _called(self, node: ast.Call, module: PythonModule, owner: ClassIn | None) -> Type:
        found = self.meaning(node.func, module, owner)
        if isinstance(found, Outside):
            made = CONSTRUCTORS.get(canonical(found))
            if made is None and canonical(found) in ("pydantic.conlist", "pydantic.conset"):
                item = self._type(node.args[0], module, owner) if node.args else JsonAny()
                made = List(item) if found.name == "conlist" else Set(item)
            if made is not None:
                return constrained(made, keywords(node))
        raise Unknown(f"what {shown(node)} gives is known only when it runs")

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
        full = canonical(made) if isinstance(made, Outside) else ""
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
