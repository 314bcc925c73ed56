"""Type expressions of one spec file, resolved to types of the intermediate representation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from aigen.diagnostics import Diagnostics, Span
from aigen.ir import (
    Alias,
    Choice,
    Described,
    Enumeration,
    External,
    Field,
    Given,
    Level,
    List,
    Map,
    Media,
    Record,
    Ref,
    Set,
    Tuple,
    Type,
    TypeDef,
)
from aigen.resolve.binding import holds_media
from aigen.resolve.callables import Callables
from aigen.resolve.constraints import constrain
from aigen.resolve.names import Declared, camel, class_key
from aigen.resolve.scope import Scope
from aigen.resolve.words import BROKEN, NULL, RESERVED, TEXT, WORDS, union
from aigen.spec import tree
from aigen.spec.nodes import plain_value
from aigen.spec.tree import FieldSpec, TypeExpr

if TYPE_CHECKING:
    from aigen.resolve.python_annotations import Annotation
    from aigen.resolve.python_modules import PythonModules
    from aigen.resolve.python_types import ClassReader

_COUNTS: Final = {"list": 1, "vector": 1, "set": 1, "dict": 2, "Optional": 1}


class Types:
    """Resolves the types of one module, and defines those written in place.

    Attributes:
        drafts: record members by definition, as written: their defaults are bound when every
            definition of the program is known.
        given: inside an AI function, the parameters that give choices their levels, with the
            place of each; None elsewhere, where none may stand.
        media: whether media types may stand here.
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
        self._classes: dict[str, str] = {}  # the user's own, by target: what they are called here
        self._scope = scope
        self._callables = callables
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
                self._classes.setdefault(spec.type.target.value, name)

    def define(self, spec: FieldSpec) -> None:
        """Resolves an entry of `types`."""
        name = spec.name.value
        words = spec.description.value if spec.description else None
        self._refuse_for_a_type(spec)
        match spec.type:
            case tree.RecordOf(members=members):
                self._record(name, members, spec.span, words, spec.deprecated)
            case tree.ChoiceOf(enum=True) as choice:
                self._put(self._enumeration(name, choice, spec.span, words))
            case tree.PythonType() as python:
                self._external(name, python, words)
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

    def of_field(self, spec: FieldSpec, owner: str, *, in_types: bool = False) -> Type:
        """The type of a field: its expression, constraints and `optional`.

        Args:
            spec: the field.
            owner: what a type written in place is named after; with `in_types` its own name.
            in_types: whether the field is itself an entry of `types`.
        """
        expr = spec.type
        if expr is None:
            kind: Type = TEXT
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

    def draft(self, spec: FieldSpec, owner: str) -> Field:
        """A field without its default and examples, which are bound later."""
        kind = self.of_field(spec, owner)
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
                return self._apply(expr, owner)
            case tree.UnionOf():
                return self._union(expr, spec, owner)
            case tree.LiteralOf():
                return self._literal(expr)
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
                return self._python(expr, spec)
            case tree.AnnotationOf():
                return self._annotated(expr).type

    def _apply(self, expr: tree.Apply, owner: str) -> Type:
        count = _COUNTS.get(expr.name)
        if count is None and expr.name not in ("tuple", "Union"):
            return self._not_generic(expr)
        if count is not None and (len(expr.args) != count or expr.variadic):
            wanted = "two types" if count == 2 else "one type"
            return self._misapplied(expr, f"{expr.name} takes {wanted}, not {len(expr.args)}")
        args = tuple(self._expression(arg, None, None, owner) for arg in expr.args)
        match expr.name:
            case "list" | "vector":
                return List(args[0])
            case "set":
                return Set(args[0])
            case "dict":
                if args[0] != TEXT and args[0] is not BROKEN:
                    return self._misapplied(expr, "keys of a dict are texts: dict[str, …]")
                return Map(args[1])
            case "tuple":
                return Tuple((), args[0]) if expr.variadic else Tuple(args)
            case "Optional":
                return union((*args, NULL))
            case _:
                return union(args)

    def _misapplied(self, expr: tree.Apply, message: str) -> Type:
        hints = {"dict": "write dict[str, T]", "tuple": "write tuple[T, ...]"}
        self._diagnostics.report(
            "AIG202", expr.span, message, hint=hints.get(expr.name, f"write {expr.name}[T]")
        )
        return BROKEN

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

    def _literal(self, expr: tree.LiteralOf) -> Type:
        levels = tuple(Level(value) for value in expr.values if value is not None)
        options: list[Type] = []
        if levels:
            self._different(levels, [expr.span] * len(levels))
            options.append(Choice(_once(levels)))
        if None in expr.values:
            options.append(NULL)
        return union(tuple(options)) if options else BROKEN

    def _choice(
        self, expr: tree.ChoiceOf, spec: FieldSpec | None, name: str | None, owner: str
    ) -> Type:
        if expr.enum:
            given_name = self._in_place(spec, owner, "choice", expr.span)
            definition = self._enumeration(given_name, expr, expr.span, None)
            self._put(definition)
            return Ref(self.module, given_name)
        kind = self._levels(expr)
        if name is None and spec is not None and spec.type_name is not None and kind is not BROKEN:
            given_name = self._in_place(spec, owner, "choice", expr.span)
            self._put(Alias(given_name, kind, expr.span))
            return Ref(self.module, given_name)
        return kind

    def _levels(self, expr: tree.ChoiceOf) -> Type:
        if not expr.levels:
            self._diagnostics.report(
                "AIG212", expr.span, "a choice needs levels", hint="write choice: [a, b]"
            )
            return BROKEN
        levels = tuple(Level(level.value, level.meaning) for level in expr.levels)
        self._different(levels, [level.span for level in expr.levels])
        return Choice(_once(levels))

    def _different(self, levels: Sequence[Level], spans: Sequence[Span]) -> None:
        seen: dict[tuple[type, object], Span] = {}
        for level, span in zip(levels, spans, strict=True):
            key = (type(level.value), level.value)
            if key in seen:
                self._diagnostics.report(
                    "AIG212",
                    span,
                    f"level {level.value} stands twice",
                    hint="leave one out",
                    related=[(seen[key], "first here")] if seen[key] != span else (),
                )
            seen.setdefault(key, span)

    def _enumeration(
        self, name: str, expr: tree.ChoiceOf, span: Span, words: str | None
    ) -> TypeDef:
        kind = self._levels(expr)
        if not isinstance(kind, Choice):
            return Alias(name, BROKEN, span, words)
        if len({type(level.value) for level in kind.levels}) > 1:
            self._diagnostics.report(
                "AIG212",
                expr.span,
                f"enum {name} mixes texts and integers",
                hint="quote the integers, or leave enum out",
            )
            return Alias(name, kind, span, words)
        return Enumeration(name, kind.levels, span, words)

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
            plain_value(expr.schema),
            expr.schema,
            name,
            self.module,
            self._diagnostics,
            taken=lambda wanted: self._declared.taken(class_key(wanted)),
        )
        for definition in definitions:
            if definition.name != name or not under_types:
                key = class_key(definition.name)
                self._declared.add(key, definition.span, f"type {definition.name}")
            self._put(definition)
        return kind

    def _python(self, expr: tree.PythonType, spec: FieldSpec | None) -> Type:
        chosen = spec.type_name.value if spec is not None and spec.type_name is not None else None
        name = chosen or expr.target.value.rpartition(":")[2].rpartition(".")[2] or "Type"
        known = self._known.get((self.module, name))
        if known is not None and getattr(known, "target", None) == expr.target.value:
            return Ref(self.module, name)
        self._declared.add(class_key(name), expr.span, f"type {name}")
        self._external(name, expr, None)
        return Ref(self.module, name)

    def _external(self, name: str, expr: tree.PythonType, words: str | None) -> None:
        found: tuple[External, ...] = ()
        if self._may_name(expr.target):
            found = self.class_reader(name, expr.target.span).read_target(expr.target.value)
        self._put(self._own(found[0]) if found else Alias(name, BROKEN, expr.span, words))
        self.keep_classes(found[1:], expr.span)

    def _may_name(self, target: tree.Text) -> bool:
        """Whether a class may be named here; reports why not."""
        module, _, name = target.value.partition(":")
        stub = self._callables.modules.stubs.get(module)
        if stub is None:
            return self._callables.check(target)
        if stub != self.module:
            self._diagnostics.report(
                "AIG516",
                target.span,
                f"{target.value} stands in a stub, which nothing can import",
                hint=f"name the type that is generated from it: {stub}.{name}",
            )
        return stub == self.module

    def _own(self, found: External) -> TypeDef:
        """The type to keep for a class: one of a stub is written out."""
        from aigen.resolve.python_spec import written_out

        stub = found.target.partition(":")[0] in self._callables.modules.stubs
        return written_out(found) if stub else found

    def _annotated(self, expr: tree.AnnotationOf) -> Annotation:
        """What an annotation of a Python spec means, read once."""
        from aigen.resolve.python_spec import read_annotation

        found = self._annotations.get(expr.span)
        if found is None:
            reader = self.class_reader(self.module, expr.span)
            found = read_annotation(expr, self._callables.modules, reader)
            self.keep_classes(reader.needed(), expr.span)
            if not self.media and holds_media(found.type):
                self._refuse_media(expr.shown, expr.span)
                found.type = BROKEN
            self._annotations[expr.span] = found
        return found

    def default_of(self, spec: FieldSpec) -> FieldSpec:
        """A field with the default of a Python spec that is no literal, where it can be known."""
        from aigen.resolve.python_spec import computed_default

        expr = spec.type
        if not isinstance(expr, tree.AnnotationOf) or expr.default is None or spec.default:
            return spec
        reader = self.class_reader(self.module, expr.default_span or expr.span)
        return replace(spec, default=computed_default(expr, self._callables.modules, reader))

    def class_reader(
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
            Diagnostics() if quiet else self._diagnostics,
            self._classes.get,
            lambda wanted: self._declared.taken(class_key(wanted)),
        )

    def keep_classes(self, classes: Iterable[External], span: Span) -> None:
        """Makes the classes that something needs types of the module."""
        for each in classes:
            self._declared.add(class_key(each.name), span, f"type {each.name}")
            self._put(self._own(each))
            self._classes.setdefault(each.target, each.name)


def _takes_name(expr: TypeExpr | None) -> bool:
    return isinstance(
        expr, tree.RecordOf | tree.ChoiceOf | tree.ShapeOf | tree.PythonType | tree.ListOf
    ) or (isinstance(expr, tree.UnionOf) and any(map(_takes_name, expr.options)))


def _once(levels: Sequence[Level]) -> tuple[Level, ...]:
    return tuple({(type(level.value), level.value): level for level in levels}.values())
