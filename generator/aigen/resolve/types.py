"""Type expressions of one spec file, resolved to types of the intermediate representation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from aigen.diagnostics import Span
from aigen.ir import (
    Alias,
    Described,
    Field,
    Given,
    List,
    Media,
    Record,
    Ref,
    Type,
    TypeDef,
)
from aigen.resolve.binding import holds_media
from aigen.resolve.callables import Callables
from aigen.resolve.choices import choice, enumeration, literal
from aigen.resolve.constraints import constrain
from aigen.resolve.generics import applied, is_generic
from aigen.resolve.names import Declared, camel, class_key
from aigen.resolve.own_classes import OwnClasses
from aigen.resolve.scope import Scope
from aigen.resolve.words import BROKEN, NULL, RESERVED, TEXT, WORDS, union
from aigen.spec import tree
from aigen.spec.tree import FieldSpec, TypeExpr

if TYPE_CHECKING:
    from aigen.resolve.python_annotation import Annotation


class Types:
    """Resolves the types of one module, and defines those written in place.

    Attributes:
        drafts: record members by definition, as written: their defaults are bound when every
            definition of the program is known.
        given: inside an AI function, the parameters that give choices their levels, with the
            place of each; None elsewhere, where none may stand.
        media: whether media types may stand here.
        classes: those of the user's own that the spec names.
    """

    def __init__(
        self,
        module: str,
        scope: Scope,
        callables: Callables,
        declared: Declared,
    ) -> None:
        self.module = module
        self.drafts: dict[str, tuple[FieldSpec, ...]] = {}
        self.given: dict[str, Span] | None = None
        self.media = False
        self._annotations: dict[Span, Annotation] = {}
        self.classes = OwnClasses(module, scope, callables, declared)
        self._scope = scope
        self._declared = declared
        self._diagnostics = scope.diagnostics

    # ------------------------------------------------------------------- named types

    def declare(self, specs: Sequence[FieldSpec]) -> None:
        """Takes the names of the types under `types`."""
        for spec in specs:
            name, span = spec.name
            if name in RESERVED:
                self._diagnostics.report(
                    "AIG209",
                    span,
                    f"{name} is a word for a type of its own",
                    hint=f"call it {camel(name)}" if camel(name) not in RESERVED else "rename it",
                )
            self._declared.add(class_key(name), span, f"type {name}")
            if isinstance(spec.type, tree.PythonType):
                self.classes.call(spec.type.target.value, name)

    def define(self, spec: FieldSpec) -> None:
        """Resolves an entry of `types`."""
        name = spec.name.value
        words = spec.description.value if spec.description else None
        self._refuse_for_a_type(spec)
        match spec.type:
            case tree.RecordOf(members=members):
                self._record(name, members, spec.span, words, spec.deprecated)
            case tree.ChoiceOf(enum=True) as levels:
                self._put(enumeration(name, levels, spec.span, words, self._diagnostics))
            case tree.PythonType() as python:
                self.classes.define(name, python, words)
            case tree.ShapeOf() as shape:
                kind = self._shape(name, shape, under_types=True)
                if (self.module, name) not in self._known:
                    self._put(Alias(name, kind, spec.span, words))
            case _:
                self._put(Alias(name, self.of_field(spec, name, in_types=True), spec.span, words))

    @property
    def _known(self) -> dict[tuple[str, str], TypeDef]:
        return self._scope.definitions

    def _put(self, definition: TypeDef) -> None:
        self._known[(self.module, definition.name)] = definition

    def _refuse_for_a_type(self, spec: FieldSpec) -> None:
        if spec.default is not None:
            self._diagnostics.report(
                "AIG222", spec.default.span, "a type has no default", hint="put it on the field"
            )
        if spec.required is not None:
            self._diagnostics.report(
                "AIG222", spec.span, "a type is not required", hint="put it on the field"
            )
        if isinstance(spec.type, tree.RecordOf | tree.PythonType | tree.ShapeOf):
            if spec.optional:
                self._diagnostics.report(
                    "AIG222",
                    spec.span,
                    f"type {spec.name.value} cannot be optional itself",
                    hint=f"write {spec.name.value} | None where it is used",
                )
            self._unconstrained(spec)
        if spec.type_name is not None:
            self._diagnostics.report(
                "AIG221", spec.type_name.span, "a type under types is named by its key"
            )

    def _unconstrained(self, spec: FieldSpec) -> None:
        for key, node in spec.constraints.items():
            self._diagnostics.report(
                "AIG206", node.span, f"{key} does not apply to {spec.name.value}"
            )

    # ------------------------------------------------------------------------ fields

    def of_field(
        self, spec: FieldSpec, owner: str, *, in_types: bool = False, unsaid: Type = TEXT
    ) -> Type:
        """The type of a field: its expression, constraints and `optional`.

        Args:
            spec: the field.
            owner: what a type written in place is named after; with `in_types` its own name.
            in_types: whether the field is itself an entry of `types`.
            unsaid: the type of a field that says none.
        """
        expr = spec.type
        if expr is None:
            kind = unsaid
        elif isinstance(expr, tree.Name):
            kind = self._name(expr)
        else:
            kind = self._expression(expr, spec, owner if in_types else None, owner)
        if spec.constraints:
            kind = constrain(kind, spec.constraints, self._scope.wording, self._diagnostics)
        if spec.optional and kind is not BROKEN:
            kind = union((kind, NULL))
        if spec.type_name is not None and not in_types and not _takes_name(expr):
            self._diagnostics.report(
                "AIG221",
                spec.type_name.span,
                "name is for a record or choice written in place",
                hint="leave it out",
            )
        return kind

    def draft(self, spec: FieldSpec, owner: str, unsaid: Type = TEXT) -> Field:
        """A field without its default and examples, which are bound later."""
        kind = self.of_field(spec, owner, unsaid=unsaid)
        words = spec.description.value if spec.description else None
        if words is None and isinstance(spec.type, tree.AnnotationOf):
            words = self._annotated(spec.type).description or spec.type.words
        return Field(
            spec.name.value,
            kind,
            spec.span,
            words,
            spec.required is False or (spec.default is not None and not spec.required),
            None,
            (),
            (),
            spec.deprecated,
        )

    # ------------------------------------------------------------------- expressions

    def of(self, expr: TypeExpr) -> Type:
        """The type of an expression that has no field around it."""
        return self._expression(expr, None, None, "")

    def _name(self, expr: tree.Name) -> Type:
        kind = WORDS.get(expr.name)
        if kind is None:
            return self._scope.type_named(expr.name, expr.span, self.module, alone=expr.alone)
        if isinstance(kind, Media) and not self.media:
            self._refuse_media(expr.name, expr.span)
            return BROKEN
        return kind

    def _refuse_media(self, name: str, span: Span) -> None:
        self._diagnostics.report(
            "AIG215",
            span,
            f"{name} is for inputs of functions only",
            hint="make it an input of its own",
        )

    def _expression(
        self, expr: TypeExpr, spec: FieldSpec | None, name: str | None, owner: str
    ) -> Type:
        match expr:
            case tree.Name():
                return self._name(expr)
            case tree.Apply():
                if not is_generic(expr.name):
                    return self._not_generic(expr)
                return applied(
                    expr, lambda arg: self._expression(arg, None, None, owner), self._diagnostics
                )
            case tree.UnionOf():
                return self._union(expr, spec, owner)
            case tree.LiteralOf():
                return literal(expr, self._diagnostics)
            case tree.ChoiceOf():
                return self._choice(expr, spec, name, owner)
            case tree.GivenChoice():
                return self._given(expr)
            case tree.RecordOf():
                given_name = self._in_place(spec, owner, "record", expr.span)
                self._record(given_name, expr.members, expr.span, None, False)
                return Ref(self.module, given_name)
            case tree.ListOf():
                return self._list_of(expr, spec, owner)
            case tree.ShapeOf():
                place = name or self._place_name(spec, owner)
                return self._shape(place, expr, under_types=False)
            case tree.PythonType():
                chosen = spec.type_name if spec is not None else None
                return self.classes.type_of(expr, chosen.value if chosen else None)
            case tree.AnnotationOf():
                return self._annotated(expr).type

    def _not_generic(self, expr: tree.Apply) -> Type:
        if expr.name in WORDS:
            return self._misapplied_name(expr)
        kind = self._scope.type_named(expr.name, expr.span, self.module)
        return kind if kind is BROKEN else self._misapplied_name(expr)

    def _misapplied_name(self, expr: tree.Apply) -> Type:
        self._diagnostics.report(
            "AIG202", expr.span, f"{expr.name} takes no types", hint=f"write {expr.name}"
        )
        return BROKEN

    def _union(self, expr: tree.UnionOf, spec: FieldSpec | None, owner: str) -> Type:
        options = tuple(self._expression(item, spec, None, owner) for item in expr.options)
        return union(options)

    def _choice(
        self, expr: tree.ChoiceOf, spec: FieldSpec | None, name: str | None, owner: str
    ) -> Type:
        if expr.enum:
            given_name = self._in_place(spec, owner, "choice", expr.span)
            definition = enumeration(given_name, expr, expr.span, None, self._diagnostics)
            self._put(definition)
            return Ref(self.module, given_name)
        kind = choice(expr, self._diagnostics)
        if name is None and spec is not None and spec.type_name is not None and kind is not BROKEN:
            given_name = self._in_place(spec, owner, "choice", expr.span)
            self._put(Alias(given_name, kind, expr.span))
            return Ref(self.module, given_name)
        return kind

    def _given(self, expr: tree.GivenChoice) -> Type:
        parameter, span = expr.parameter
        if self.given is None:
            self._diagnostics.report(
                "AIG213",
                expr.span,
                "a choice is given at run time to a function's own fields only",
                hint="write it in the function's fields",
            )
            return BROKEN
        self.given.setdefault(parameter, span)
        return Given(parameter)

    def _list_of(self, expr: tree.ListOf, spec: FieldSpec | None, owner: str) -> Type:
        item = expr.item
        if item.default is not None or item.required is not None:
            place = item.default.span if item.default is not None else item.span
            self._diagnostics.report(
                "AIG222", place, "a list's items are there or not: no default, no required"
            )
        kind = self.of_field(item, self._place_name(spec, owner))
        if item.description is not None and kind is not BROKEN:
            kind = Described(kind, item.description.value)
        return List(kind)

    # -------------------------------------------------------------- types of their own

    def _place_name(self, spec: FieldSpec | None, owner: str) -> str:
        if spec is None:
            return owner
        if spec.type_name is not None:
            return spec.type_name.value
        return camel(owner) + camel(spec.name.value) if owner else camel(spec.name.value)

    def _in_place(self, spec: FieldSpec | None, owner: str, what: str, span: Span) -> str:
        name = self._place_name(spec, owner)
        chosen = spec.type_name if spec is not None else None
        if chosen is not None and name in RESERVED:
            self._diagnostics.report("AIG209", chosen.span, f"{name} is a word for a type")
        named = f"{what} {name}" if chosen else f"{what} {name} (written in place)"
        place = chosen.span if chosen else span
        if not self._declared.add(class_key(name), place, named, hint="give it another `name:`"):
            # Its own definition must not be lost under another's name.
            name = f"{name}_2"
        return name

    def _record(
        self,
        name: str,
        members: Sequence[FieldSpec],
        span: Span,
        words: str | None,
        deprecated: str | bool,
    ) -> None:
        media, self.media = self.media, False
        fields = tuple([self.draft(member, name) for member in members])
        self.media = media
        for member in members:
            if member.checks:
                self._diagnostics.report(
                    "AIG316",
                    member.checks[0].span,
                    "check stands on an output or a function",
                    hint="check the output that holds this record",
                )
            if member.default is not None or member.examples:
                self.drafts[name] = tuple(members)
        self._put(Record(name, fields, span, words, deprecated=deprecated))

    def _shape(self, name: str, expr: tree.ShapeOf, *, under_types: bool) -> Type:
        from aigen.resolve.json_shape import read_shape

        kind, definitions = read_shape(
            expr.schema,
            name,
            self.module,
            self._diagnostics,
            taken=lambda wanted: self._declared.taken(class_key(wanted)),
            known=self._scope.shapes.get(name) if under_types else None,
        )
        for definition in definitions:
            if definition.name != name or not under_types:
                key = class_key(definition.name)
                self._declared.add(key, definition.span, f"type {definition.name}")
            self._put(definition)
        return kind

    def _annotated(self, expr: tree.AnnotationOf) -> Annotation:
        """What an annotation of a Python spec means, read once."""
        found = self._annotations.get(expr.span)
        if found is None:
            found = self.classes.annotation(expr)
            if not self.media and holds_media(found.type):
                self._refuse_media(expr.shown, expr.span)
                found.type = BROKEN
            self._annotations[expr.span] = found
        return found

    def default_of(self, spec: FieldSpec) -> FieldSpec:
        """A field with the default of a Python spec that is no literal, where it can be known."""
        expr = spec.type
        if not isinstance(expr, tree.AnnotationOf) or expr.default is None or spec.default:
            return spec
        default, given = self.classes.default_of(expr)
        return replace(spec, default=default, required=None if given else True)


def _takes_name(expr: TypeExpr | None) -> bool:
    return isinstance(
        expr, tree.RecordOf | tree.ChoiceOf | tree.ShapeOf | tree.PythonType | tree.ListOf
    ) or (isinstance(expr, tree.UnionOf) and any(map(_takes_name, expr.options)))
