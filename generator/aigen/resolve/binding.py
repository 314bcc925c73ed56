"""Values that stand in a spec (defaults, examples, demos, tests), bound to their types.

The runtime's own binding is used, so a build refuses exactly what a call would.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from collections.abc import Mapping as MappingOf
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, NamedTuple, cast

from aigen.diagnostics import Span, nearest
from aigen.ir import (
    Alias,
    Choice,
    Default,
    Described,
    Enumeration,
    External,
    Field,
    Given,
    List,
    Map,
    Media,
    Program,
    Record,
    Ref,
    Set,
    Tuple,
    Type,
    TypeDef,
    Union,
)
from aigen.ir.types import parts
from aigen.resolve.callables import Callables
from aigen.resolve.scope import Scope
from aigen.resolve.words import quoted, takes_null
from aigen.runtime.errors import ConfigurationError
from aigen.runtime.values import NotBound, bind, fits, jsonable
from aigen.runtime.values.inputs import with_levels
from aigen.schema.canonical import definitions_for, type_schema
from aigen.spec.nodes import Json, Mapping, Node, Scalar, Sequence, Unread, plain_value
from aigen.spec.reading import kind_of
from aigen.spec.tree import Call, FieldSpec

FAILED: Final = cast("Json", object())
"""What binding gives for a value that was reported."""

Levels = MappingOf[str, list[str]]
"""The levels of choices that a call gives, by parameter."""


class _Asked(NamedTuple):
    """What a value is, as messages say it, and what else is known where it stands."""

    what: str
    code: str
    levels: Levels
    lacking: str


class Binding:
    """Binds the values of one module's spec."""

    def __init__(self, module: str, scope: Scope, callables: Callables) -> None:
        self._module = module
        self._scope = scope
        self._callables = callables
        self._diagnostics = scope.diagnostics
        self._program = Program({}, scope.definitions)
        self._schemas: dict[Type, tuple[dict[str, Any], dict[str, Any]]] = {}

    def field(self, field: Field, spec: FieldSpec) -> Field:
        """The drafted field with its default and examples."""
        if spec.default is None and not spec.examples:
            return field
        default = None if spec.default is None else self._default(spec.default, field)
        examples = tuple(
            value
            for node in spec.examples
            if (value := self.value(node, field.type, "example", "AIG205")) is not FAILED
        )
        # `required: true` wins: the default was checked, and stands for nothing.
        return replace(field, default=None if spec.required else default, examples=examples)

    def _default(self, default: Node | Call, field: Field) -> Default | None:
        if isinstance(default, Call):
            return (
                Default(call=default.target.value)
                if self._callables.check_default(default.target)
                else None
            )
        if isinstance(default, Scalar) and default.value is None and not self.null_fits(field.type):
            self._diagnostics.report(
                "AIG214",
                default.span,
                f"null does not fit {self._scope.wording(field.type)}: "
                f"{field.name} may be absent, not null",
                hint="write required: false, or optional: true where null is meant",
            )
            return None
        value = self.value(default, field.type, "default", "AIG203")
        return None if value is FAILED else Default(value)

    def null_fits(self, kind: Type) -> bool:
        """Whether null is a value of a type."""
        if takes_null(kind):
            return True
        schema, definitions = self._schema(kind)
        return fits(None, schema, definitions) is None

    def value(
        self,
        node: Node,
        kind: Type,
        what: str,
        code: str,
        *,
        levels: Levels = MappingProxyType({}),
        lacking: str = "",
    ) -> Json:
        """A value bound to a type, in its JSON form; FAILED where it was reported.

        Args:
            node: the value as it stands in the spec.
            kind: the type.
            what: what it is, as a message says it: `default`.
            code: the rule that one that does not fit breaks.
            levels: of the choices that are given at run time, where the value says them.
            lacking: said beside the name of a member that is missing.
        """
        if (place := _valueless(node)) is not None:
            if isinstance(place.value, Unread):
                return FAILED
            self._diagnostics.report(
                "AIG204",
                place.span,
                f"{place.text} is no number that JSON has",
                hint="write a finite number, or null",
            )
            return FAILED
        value = plain_value(node)
        if holds_media(kind):
            return value
        schema, definitions = with_levels(list(self._schema(kind)), levels)
        try:
            found = bind(value, schema, definitions)
        except NotBound as wrong:
            asked = _Asked(what, code, levels, lacking)
            self._misfit(node, kind, tuple(wrong.path), asked)
        except ConfigurationError as wrong:
            self._diagnostics.report(code, node.span, f"{what} cannot be judged: {wrong}")
        else:
            if (altered := _altered(node, found)) is None:
                bound: Json = jsonable(found)
                return bound
            self._diagnostics.report(
                "AIG121",
                altered.span,
                f"{what} is a text here, not {kind_of(altered)}",
                hint=f'quote it: "{altered.text[:40]}"',
            )
        return FAILED

    def _schema(self, kind: Type) -> tuple[dict[str, Any], dict[str, Any]]:
        found = self._schemas.get(kind)
        if found is None:
            schema = type_schema(kind, self._module)
            found = (schema, definitions_for(self._program, self._module, [kind]))
            self._schemas[kind] = found
        return found

    def _misfit(self, node: Node, kind: Type, path: tuple[str | int, ...], asked: _Asked) -> None:
        done: list[str | int] = []
        for step in path:
            below, inside = _child(node, step), self._inside(kind, step)
            if below is None or inside is None:
                break
            node, kind = below, inside
            done.append(step)
        at = f" at {_path(done)}" if done else ""
        wanted = self._scope.wording(kind)
        missing = self._missing(node, kind)
        if missing is not None:
            message = f"{asked.what}{at} has no {missing}, which {wanted} requires"
            hint = f"add {missing}{asked.lacking}"
            self._diagnostics.report(asked.code, node.span, message, hint=hint)
            return
        self._diagnostics.report(
            asked.code,
            node.span,
            f"{asked.what} {quoted(plain_value(node))}{at} does not fit {wanted}",
            hint=self._hint(node, kind, asked.levels),
        )

    def _missing(self, node: Node, kind: Type) -> str | None:
        """The first member that a record requires and a mapping lacks."""
        if isinstance(kind, Union):
            options = [one for one in kind.options if self._definition(one) is not None]
            kind = options[0] if len(options) == 1 else kind
        definition = self._definition(kind)
        if not isinstance(node, Mapping) or not isinstance(definition, Record | External):
            return None
        required = (member.name for member in definition.members if not member.optional)
        return next((name for name in required if name not in node.entries), None)

    def _definition(self, kind: Type) -> TypeDef | None:
        if not isinstance(kind, Ref):
            return None
        definition = self._scope.definitions.get((kind.module, kind.name))
        return (
            self._definition(definition.type)
            if isinstance(definition, Alias) and isinstance(definition.type, Ref)
            else definition
        )

    def _inside(self, kind: Type | None, step: str | int) -> Type | None:
        """The type of a member or item, or None where it is not one type."""
        match kind:
            case Ref():
                definition = self._scope.definitions.get((kind.module, kind.name))
                if isinstance(definition, Record | External):
                    types = {member.name: member.type for member in definition.members}
                    return types.get(str(step))
                return (
                    self._inside(definition.type, step) if isinstance(definition, Alias) else None
                )
            case List() | Set():
                return kind.item
            case Map():
                return kind.value
            case Tuple() if isinstance(step, int):
                return kind.rest or (kind.items[step] if step < len(kind.items) else None)
            case Described():
                return self._inside(kind.type, step)
            case Union():
                found = [self._inside(option, step) for option in kind.options]
                known = [option for option in found if option is not None]
                return known[0] if len(known) == 1 else None
            case _:
                return None

    def _hint(self, node: Node, kind: Type, given: Levels) -> str | None:
        if not isinstance(node, Scalar):
            return None
        levels = self._levels(kind, given)
        if not levels:
            return None
        for level in levels:
            if str(level) == node.text:
                return f'quote it: "{level}"' if isinstance(level, str) else f"write {level}"
        texts = [level for level in levels if isinstance(level, str)]
        close = nearest(str(node.value), texts)
        return f'did you mean "{close}"?' if close else None

    def _levels(self, kind: Type, given: Levels) -> list[str | int | bool]:
        match kind:
            case Choice():
                return [level.value for level in kind.levels]
            case Given():
                return [*given.get(kind.parameter, ())]
            case Ref():
                definition = self._scope.definitions.get((kind.module, kind.name))
                if isinstance(definition, Enumeration | External):
                    return [level.value for level in definition.levels]
                return self._levels(definition.type, given) if isinstance(definition, Alias) else []
            case Union():
                return [value for option in kind.options for value in self._levels(option, given)]
            case Described():
                return self._levels(kind.type, given)
            case _:
                return []


def entries(node: Node) -> MappingOf[str, tuple[Span, Node]] | None:
    """A mapping's values by key, each with its key's place; None for another node."""
    if not isinstance(node, Mapping):
        return None
    return {key: (entry.key.span, entry.value) for key, entry in node.entries.items()}


def _valueless(node: Node) -> Scalar | None:
    """The first number in a value that is not finite, or text that could not be read."""
    if isinstance(node, Scalar):
        value = node.value
        finite = not isinstance(value, float) or math.isfinite(value)
        return None if finite and not isinstance(value, Unread) else node
    inside = (
        node.items
        if isinstance(node, Sequence)
        else tuple(entry.value for entry in node.entries.values())
    )
    return next((found for item in inside if (found := _valueless(item)) is not None), None)


def _altered(node: Node, bound: object) -> Scalar | None:
    """The first number or word without quotes that became another text than stands there."""
    if isinstance(node, Scalar):
        altered = isinstance(bound, str) and node.plain and bound != node.text
        return node if altered and not isinstance(node.value, str) else None
    pairs: Iterable[tuple[Node, object]] = ()
    if isinstance(node, Mapping) and isinstance(bound, MappingOf):
        pairs = ((entry.value, bound.get(name)) for name, entry in node.entries.items())
    elif isinstance(node, Sequence) and isinstance(bound, list | tuple):
        pairs = zip(node.items, bound, strict=False)
    return next((found for pair in pairs if (found := _altered(*pair)) is not None), None)


def holds_media(kind: Type) -> bool:
    """Whether a value of a type may hold an image, a recording or a file."""
    return any(isinstance(part, Media) for part in parts(kind))


def _child(node: Node, step: str | int) -> Node | None:
    if isinstance(node, Mapping):
        entry = node.entries.get(str(step))
        return None if entry is None else entry.value
    if isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
        return node.items[step]
    return None


def _path(path: list[str | int]) -> str:
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")
