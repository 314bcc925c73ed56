"""Python classes of the user's own as types of one module."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from aigen.diagnostics import Diagnostics, Span
from aigen.ir import Alias, External, Ref, Type, TypeDef
from aigen.resolve.callables import Callables
from aigen.resolve.names import Declared, class_key
from aigen.resolve.scope import Scope
from aigen.resolve.words import BROKEN
from aigen.spec import tree
from aigen.spec.nodes import Node

if TYPE_CHECKING:
    from aigen.resolve.python_annotation import Annotation
    from aigen.resolve.python_modules import PythonModules
    from aigen.resolve.python_types import ClassReader


class OwnClasses:
    """Reads the classes that a module's spec names, and makes them types of the module."""

    def __init__(self, module: str, scope: Scope, callables: Callables, declared: Declared) -> None:
        self.module = module
        self._called: dict[str, str] = {}  # by target: what they are called here
        self._scope = scope
        self._callables = callables
        self._declared = declared

    def call(self, target: str, name: str) -> None:
        """Says what a class is called here; the first name counts."""
        self._called.setdefault(self._home_of(target), name)

    def _home_of(self, target: str) -> str:
        """The class itself, where a module only gives on what another defines."""
        from aigen.resolve.python_modules import ClassIn, Unreadable

        where, _, path = target.partition(":")
        try:
            module = self._callables.modules.module(where)
            found = module and self._callables.modules.meaning(module, path)
        except Unreadable:
            return target  # which is said where it is read
        return found.target if isinstance(found, ClassIn) else target

    def _put(self, definition: TypeDef) -> None:
        self._scope.definitions[(self.module, definition.name)] = definition

    def type_of(self, expr: tree.PythonType, chosen: str | None) -> Type:
        """The type of a class that is named where it is used; `chosen` is its name here."""
        name = chosen or expr.target.value.rpartition(":")[2].rpartition(".")[2] or "Type"
        known = self._scope.definitions.get((self.module, name))
        if known is not None and getattr(known, "target", None) == expr.target.value:
            return Ref(self.module, name)
        self._declared.add(class_key(name), expr.span, f"type {name}")
        self.call(expr.target.value, name)
        self.define(name, expr, None)
        return Ref(self.module, name)

    def define(self, name: str, expr: tree.PythonType, words: str | None) -> None:
        """Makes a class the type of a name."""
        found: tuple[External, ...] = ()
        if self._may_name(expr.target):
            found = self.reader(name, expr.target.span).read_target(expr.target.value)
        self._put(self._own(found[0]) if found else Alias(name, BROKEN, expr.span, words))
        self.keep(found[1:], expr.span)

    def _may_name(self, target: tree.Text) -> bool:
        """Whether a class may be named here; reports why not."""
        module, _, name = target.value.partition(":")
        stub = self._callables.modules.stubs.get(module)
        if stub is None:
            return self._callables.check(target)
        if stub != self.module:
            self._scope.diagnostics.report(
                "AIG516",
                target.span,
                f"{target.value} stands in a stub, which nothing can import",
                hint=f"name the type that is generated from it: {stub}.{name}",
            )
        return stub == self.module

    def _own(self, found: External) -> TypeDef:
        """The type to keep for a class: one of a stub is written out."""
        from aigen.resolve.python_spec import written_out

        where, _, path = found.target.partition(":")
        is_form = path.endswith("]")  # of a generic class, which has no name to import
        return written_out(found) if is_form or where in self._callables.modules.stubs else found

    def annotation(self, expr: tree.AnnotationOf) -> Annotation:
        """What an annotation of a Python spec means."""
        from aigen.resolve.python_spec import read_annotation

        reader = self.reader(self.module, expr.span)
        found = read_annotation(expr, self._callables.modules, reader)
        self.keep(reader.needed(), expr.span)
        return found

    def default_of(self, expr: tree.AnnotationOf) -> tuple[Node | None, bool]:
        """A default of a Python spec that is no literal, if it can be known, and whether it is."""
        from aigen.resolve.python_spec import computed_default

        reader = self.reader(self.module, expr.default_span or expr.span)
        return computed_default(expr, self._callables.modules, reader)

    def reader(
        self, name: str, span: Span, modules: PythonModules | None = None, *, quiet: bool = False
    ) -> ClassReader:
        """Reads classes of the user's own that a spec names at `span`, and calls `name`.

        Args:
            name: what the spec calls the class.
            span: where faults of the source are reported.
            modules: where it is found; by default under the python path.
            quiet: whether faults are kept to itself.
        """
        from aigen.resolve.python_types import ClassReader

        return ClassReader(
            name,
            span,
            self.module,
            modules or self._callables.modules,
            Diagnostics() if quiet else self._scope.diagnostics,
            self._called.get,
            lambda wanted: self._declared.taken(class_key(wanted)),
        )

    def keep(self, classes: Iterable[External], span: Span) -> None:
        """Makes the classes that something needs types of the module."""
        for each in classes:
            self._declared.add(class_key(each.name), span, f"type {each.name}")
            self._put(self._own(each))
            self._called.setdefault(each.target, each.name)
