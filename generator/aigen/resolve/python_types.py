"""Classes of the user's own (`python: app.models:Order`) as types, read and never imported."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator

from aigen.diagnostics import Diagnostics, Span, nearest
from aigen.ir import Described, External, Integer, JsonAny, Level, Ref, Type
from aigen.resolve.names import camel, class_key
from aigen.resolve.python_annotation import Unknown
from aigen.resolve.python_annotations import Annotations
from aigen.resolve.python_classes import Classes, ClassShape, NotOurs, enum_values, flag_values
from aigen.resolve.python_generics import LONGEST_NAME, MOST, form_name, variables_of
from aigen.resolve.python_literals import MISSING
from aigen.resolve.python_members import Members
from aigen.resolve.python_modules import (
    ClassIn,
    FunctionIn,
    Outside,
    PythonModule,
    PythonModules,
    Unreadable,
    ValueIn,
)
from aigen.source.words import docstring


class ClassReader:
    """Reads classes, and remembers those that they need.

    Args:
        name: what the spec calls the class.
        span: where the spec names it; faults of the Python source are reported here, with the
            file and line of the source in their words.
        module: the module that the types belong to.
        modules: reads the user's modules.
        diagnostics: takes what is wrong.
        named: the name that the spec itself gives a class, by target, if it does.
        taken: whether the module has a class of this name already.

    Attributes:
        span: where the spec names what is read.
        annotations: reads annotations; a class that one names is read as well.
        members: reads members and what stands behind their `=`.
    """

    def __init__(
        self,
        name: str,
        span: Span,
        module: str,
        modules: PythonModules,
        diagnostics: Diagnostics,
        named: Callable[[str], str | None] = lambda target: None,
        taken: Callable[[str], bool] = lambda name: False,
    ) -> None:
        self._name = name
        self.span = span
        self._module = module
        self._modules = modules
        self._diagnostics = diagnostics
        self._named = named
        self._taken = taken
        self._classes = Classes(modules)
        self._names: dict[str, str] = {}
        self._pending: list[tuple[ClassIn, tuple[Type, ...]]] = []
        self.annotations = Annotations(modules, self._refer, self._beyond)
        self.members = Members(modules, self._classes, self.annotations, span, self.report)

    def report(self, code: str, message: str, hint: str | None = None) -> None:
        """Reports where the spec names what is read."""
        self._diagnostics.report(code, self.span, message, hint=hint)

    def read_target(self, target: str) -> tuple[External, ...]:
        """A class, and the classes of the user's own that its members need.

        Args:
            target: `pkg.mod:Class`.

        Returns:
            The class itself first; nothing where it cannot be read, which is reported.
        """
        found = self.find(target)
        return () if found is None else self.read(found, target)

    # --------------------------------------------------------------------------- finding

    def find(self, target: str) -> ClassIn | None:
        """The class; reports where there is none."""
        where, _, path = target.partition(":")
        try:
            module = self._modules.module(where) or self._modules.trusted(where, path)
            if module is None:
                self.report(
                    "AIG501",
                    f"{where} is not under python_path, so its classes cannot be read",
                    "add its folder to python_path in [tool.aigen]",
                )
                return None
            found = self._modules.meaning(module, path)
        except Unreadable as problem:
            self.report("AIG502", str(problem))
            return None
        if isinstance(found, ClassIn):
            return found
        if found is None:
            close = nearest(path, _classes(module))
            self.report(
                "AIG501",
                f"{module.shown} defines no {path}",
                f"did you mean {where}:{close}?" if close else None,
            )
        elif isinstance(found, FunctionIn):
            self.report("AIG503", f"{module.place(found.node)}: {path} is a function, no class")
        else:
            self.report(
                "AIG503",
                f"{path} of {module.shown} is no class that is written under python_path",
                "name a pydantic model, dataclass, TypedDict, NamedTuple or Enum",
            )
        return None

    # --------------------------------------------------------------------------- reading

    def read(self, main: ClassIn, target: str) -> tuple[External, ...]:
        """The class, and those it needs."""
        self._names[main.target] = self._name
        made = self._external(main, target)
        return () if made is None else (made, *self.needed())

    def needed(self) -> tuple[External, ...]:
        """The classes that what was read so far needs, and those that they need."""
        made: list[External] = []
        while self._pending:
            found, arguments = self._pending.pop(0)
            external = self._external(found, _key(found, arguments), arguments)
            if external is not None:
                made.append(external)
        return tuple(made)

    def _refer(self, found: ClassIn, arguments: tuple[Type, ...] = ()) -> Type:
        """The type of a class; one with types in brackets is a type of its own."""
        sums = self._sums(found)
        if sums is not None:
            return sums
        takes = len(variables_of(self._modules, found)) if arguments else 0
        if arguments and not takes:
            raise Unknown(f"{found.path} is not generic, so it takes no types")
        if len(arguments) > takes:
            raise Unknown(f"{found.path} takes fewer than {len(arguments)} types")
        if all(isinstance(each, JsonAny) for each in arguments):
            arguments = ()  # which is what the class itself takes
        key = _key(found, arguments)
        known = self._names.get(key) or self._named(key)
        if known is None:
            plain = found.path.rpartition(".")[2]
            form = form_name(plain, arguments)
            base, number = camel(form if len(form) <= LONGEST_NAME else plain), 2
            known = base
            while class_key(known) in self._used() or self._taken(known):
                known, number = f"{base}{number}", number + 1
        if key not in self._names and self._named(key) is None:
            if sum(each.startswith(f"{found.target}[") for each in self._names) > MOST:
                raise Unknown(f"{found.path} names ever larger forms of itself")
            self._pending.append((found, arguments))
        self._names[key] = known
        return Ref(self._module, known)

    def _sums(self, found: ClassIn) -> Type | None:
        """The values of a `Flag`: whole numbers, each the sum of some; None for another class."""
        try:
            shape = self._classes.shape(found)
        except (NotOurs, Unreadable):
            return None  # which is said where the class is read
        if shape.kind != "flag":
            return None
        values = flag_values(found)
        if values is None:
            raise Unknown(f"the values of {found.path} are known only when it runs")
        shown = ", ".join(f"{value} ({name})" for name, value in values.items())
        most = 0
        for value in values.values():
            most |= value
        return Described(Integer(ge=0, le=most), f"the sum of any of {shown}")

    def _beyond(self, found: Outside) -> ClassIn | ValueIn | str:
        """A class or alias of an installed module, or why there is none."""
        made = self._modules.beyond(found)
        if isinstance(made, ClassIn):
            try:
                kind = self._classes.shape(made).kind
            except NotOurs as problem:
                return f"cannot be read: {problem}"
            return "is a plain class, no type of values" if kind is None else made
        if isinstance(made, ValueIn):
            return made
        return "is no type that is known, and of no module under python_path or in trust"

    def requires(self, found: ClassIn) -> bool:
        """Whether a record has members that must be given."""
        try:
            members = self.members.of(found, self._classes.shape(found))
        except NotOurs:
            return False  # which is said where the class is read
        return not all(member.optional for member in members)

    def _used(self) -> set[str]:
        return {class_key(name) for name in self._names.values()}

    def _external(
        self, found: ClassIn, target: str, arguments: tuple[Type, ...] = ()
    ) -> External | None:
        name = self._names[_key(found, arguments)]
        try:
            shape = self._classes.shape(found)
            if shape.kind is None or shape.kind == "flag":
                what = "a plain class" if shape.kind is None else "a Flag, whose values are sums"
                self.report(
                    "AIG503",
                    f"{found.module.place(found.node)}: {found.path} is {what}",
                    "make it a pydantic model, dataclass, TypedDict, NamedTuple or Enum",
                )
                return None
            words = docstring(found.node).text or None
            if shape.kind == "enum":
                levels = tuple(self._levels(found, shape))
                return External(name, target, "enum", self.span, (), levels, words)
            members = self.members.of(found, shape, arguments)
        except NotOurs as problem:
            self.report("AIG506", str(problem))
            return None
        except Unreadable as problem:
            self.report("AIG502", str(problem))
            return None
        if "typing.TypedDict" in shape.roots and sys.version_info < (3, 12):
            self.report(
                "AIG509",
                f"{found.module.place(found.node)}: before Python 3.12 pydantic cannot judge"
                f" {found.path}",
                "import TypedDict from typing_extensions",
            )
        closed = shape.config.get("extra") not in ("allow", "Extra.allow")
        return External(name, target, shape.kind, self.span, members, (), words, closed)

    def _levels(self, found: ClassIn, shape: ClassShape) -> Iterator[Level]:
        seen: set[tuple[type, object]] = set()
        words = self.members.words(found)
        beneath = dict(zip(found.node.body, found.node.body[1:], strict=False))
        for name, value, node in enum_values(found, shape):
            if value is MISSING or isinstance(value, float) or not isinstance(value, str | int):
                self.report(
                    "AIG507",
                    f"{found.module.place(node)}: the value of {found.path}.{name} is no text and"
                    " no integer that can be read",
                    "write it as a literal",
                )
                continue
            if (type(value), value) not in seen:  # a second name of one value is an alias
                seen.add((type(value), value))
                yield Level(value, words(name, node, beneath.get(node)))


def _key(found: ClassIn, arguments: tuple[Type, ...]) -> str:
    """What tells a class, or a form of a generic one, from all others."""
    shown = ", ".join(map(repr, arguments))
    return f"{found.target}[{shown}]" if arguments else found.target


def _classes(module: PythonModule) -> list[str]:
    found = []
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ClassDef):
            found.append(node.name)
    return sorted({*found, *module.names})
