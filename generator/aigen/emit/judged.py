"""Types as models judge by them: the table at the top of `aigen.runtime.types`."""

from __future__ import annotations

import math
from collections.abc import Sequence

from aigen.emit.annotations import hashable, literal, plain, remembered, union
from aigen.emit.definition import compact
from aigen.emit.layout import Group, Long, Node, group
from aigen.emit.literals import value
from aigen.emit.names import Identifier
from aigen.emit.scope import ModuleScope
from aigen.ir import (
    Alias,
    Boolean,
    Choice,
    Described,
    Enumeration,
    External,
    Formatted,
    Given,
    Integer,
    JsonAny,
    List,
    Map,
    Null,
    Number,
    Record,
    Ref,
    Set,
    Shape,
    Text,
    Tuple,
    Type,
    TypeDef,
    Union,
)
from aigen.schema.canonical import definition_schema, definitions_for

Bounds = Sequence[tuple[str, int | float | None]]
_FORMATTED = {
    "date": "Date",
    "datetime": "DateTime",
    "time": "Time",
    "timedelta": "TimeDelta",
    "Decimal": "Decimal",
    "UUID": "UUID",
}


def judged(kind: Type, scope: ModuleScope) -> Node:
    """The annotation of a member, or the judge of an answer."""
    return remembered("alone" if scope.alone else "judged", _judged, kind, scope)


def judged_alone(kind: Type, scope: ModuleScope) -> Node:
    """The annotation of a type with a name, which judges the same without a model around it."""
    scope.alone = True
    try:
        return judged(kind, scope)
    finally:
        scope.alone = False


def _judged(kind: Type, scope: ModuleScope) -> Node:
    match kind:
        case Text():
            return _text(kind, scope)
        case Integer() | Number():
            return _number(kind, scope)
        case Boolean() if scope.alone:
            return _checked("Bool", scope)
        case Formatted():
            return _formatted(kind, scope)
        case JsonAny():
            return _checked("JsonValue", scope)
        case Choice():
            if all(isinstance(level.value, str) for level in kind.levels):
                return literal(kind, scope)
            return _annotated(literal(kind, scope), [_checked("Exact", scope) + "()"], scope)
        case Ref():
            return _ref(kind, scope)
        case Union():
            return _union(kind, scope)
        case List():
            inner = group(f"{scope.builtin('list')}[", [judged(kind.item, scope)], "]")
            return _annotated(inner, _lengths(kind, scope), scope)
        case Set():
            name = scope.builtin("set" if hashable(kind.item, scope) else "list")
            inner = group(f"{name}[", [judged(kind.item, scope)], "]")
            marks = [*_lengths(kind, scope), f"{_checked('SetOf', scope)}()"]
            return _annotated(inner, marks, scope)
        case Tuple():
            return _annotated(_tuple(kind, scope), [f"{_checked('TupleOf', scope)}()"], scope)
        case Map():
            head = f"{scope.builtin('dict')}["
            inner = group(head, [scope.builtin("str"), judged(kind.value, scope)], "]")
            return _annotated(inner, _lengths(kind, scope), scope)
        case Described():
            return judged(kind.type, scope)
        case Shape():
            inner = judged(kind.model, scope)
            return inner if kind.exact else _shape_of(inner, kind.schema, scope)
        case _:
            return plain(kind, scope)


def takes_null(kind: Type, scope: ModuleScope) -> bool:
    """Whether null fits a type."""
    return "null" in _kinds(kind, scope)


def _checked(name: str, scope: ModuleScope) -> str:
    return scope.runtime(name, "types")


def _annotated(node: Node, marks: list[Node], scope: ModuleScope) -> Node:
    if not marks:
        return node
    return group(f"{scope.use('typing', 'Annotated')}[", [node, *marks], "]")


def _text(kind: Text, scope: ModuleScope) -> Node:
    if kind.format is not None:
        base = _checked({"uri": "Url", "email": "Email"}[kind.format], scope)
    else:
        base = scope.builtin("str")
    marks = _lengths(kind, scope)
    if kind.pattern is not None:
        marks.append(Group(f"{_checked('Pattern', scope)}(", (Long(kind.pattern),), ")"))
    return _annotated(base, marks, scope)


def _lengths(kind: Text | List | Set | Map, scope: ModuleScope) -> list[Node]:
    bounds = [("min_length", kind.min_length), ("max_length", kind.max_length)]
    return _field(bounds, scope)


def _number(kind: Integer | Number, scope: ModuleScope) -> Node:
    bounds = [("ge", kind.ge), ("gt", kind.gt), ("le", kind.le), ("lt", kind.lt)]
    if isinstance(kind, Number):
        base, marks = _checked("Float", scope), _field(bounds, scope)
    elif all(bound is None for _, bound in bounds):
        base, marks = _checked("Int", scope), []
    else:
        base, marks = scope.builtin("int"), _field(_whole(bounds), scope)
        marks.append(f"{_checked('Whole', scope)}()")
    if kind.multiple_of is not None:
        marks.append(group(f"{_checked('MultipleOf', scope)}(", [value(kind.multiple_of)], ")"))
    return _annotated(base, marks, scope)


def _formatted(kind: Formatted, scope: ModuleScope) -> Node:
    bounds = [("ge", kind.ge), ("gt", kind.gt), ("le", kind.le), ("lt", kind.lt)]
    written: list[Node] = [f"{name}={value(bound)}" for name, bound in bounds if bound is not None]
    marks = [group(f"{_checked('Limits', scope)}(", written, ")")] if written else []
    return _annotated(_checked(_FORMATTED[kind.kind], scope), marks, scope)


def _whole(bounds: Bounds) -> Bounds:
    """The same bounds for integers, which pydantic compares with integers only."""
    rounded = {"ge": math.ceil, "gt": math.floor, "le": math.floor, "lt": math.ceil}
    return [(name, None if bound is None else rounded[name](bound)) for name, bound in bounds]


def _field(bounds: Bounds, scope: ModuleScope) -> list[Node]:
    written: list[Node] = [f"{name}={value(bound)}" for name, bound in bounds if bound is not None]
    return [group(f"{scope.use('pydantic', 'Field')}(", written, ")")] if written else []


def _tuple(kind: Tuple, scope: ModuleScope) -> Node:
    head = f"{scope.builtin('tuple')}["
    if kind.rest is not None:
        return group(head, [judged(kind.rest, scope), "..."], "]")
    return group(head, [judged(item, scope) for item in kind.items] or ["()"], "]")


def _ref(kind: Ref, scope: ModuleScope) -> Node:
    definition = _definition(kind, scope)
    name = scope.type(kind)
    if isinstance(definition, Enumeration) or _is_enum(definition):
        return _annotated(name, [f"{_checked('ByValue', scope)}()"], scope)
    if isinstance(definition, External):
        home = kind.module
        members = [member.type for member in definition.members]
        schema = definition_schema(definition, home)
        needed = definitions_for(scope.plan.program, home, members)
        if needed:
            schema["$defs"] = needed
        text = compact(schema)
        return _shape_of(name, text, scope)
    return name


def _is_enum(definition: TypeDef) -> bool:
    return isinstance(definition, External) and definition.kind == "enum"


def _shape_of(node: Node, schema: str, scope: ModuleScope) -> Node:
    call = Group(f"{_checked('ShapeOf', scope)}(", (Long(schema),), ")")
    return _annotated(node, [call], scope)


def _definition(ref: Ref, scope: ModuleScope) -> TypeDef:
    return scope.plan.program.definitions[(ref.module, ref.name)]


# --------------------------------------------------------------------------------- unions


def _union(kind: Union, scope: ModuleScope) -> Node:
    options = [option for option in kind.options if not isinstance(option, Null)]
    node = union([judged(option, scope) for option in options])
    null: list[Node] = ["None"] if len(options) < len(kind.options) else []
    if len(options) < 2:
        return union([node, *null])
    key = _discriminator(options, scope)
    if key is not None:
        mark = f"{scope.use('pydantic', 'Field')}(discriminator={value(key)})"
        return union([_annotated(node, [mark], scope), *null])
    whole = union([judged(option, scope) for option in kind.options])
    if _overlap(kind.options, scope):
        return _annotated(whole, [f"{_checked('InOrder', scope)}()"], scope)
    return whole


def _discriminator(options: Sequence[Type], scope: ModuleScope) -> str | None:
    """The member that tells records apart: required in all, a choice of texts, none of them shared.

    Only a member that keeps its name can be one.
    """
    records: list[Record] = []
    for option in options:
        definition = _definition(option, scope) if isinstance(option, Ref) else None
        if not isinstance(definition, Record) or definition.shape is not None:
            return None
        records.append(definition)
    for member in records[0].members:
        if Identifier(member.name) == member.name and _tells(member.name, records):
            return member.name
    return None


def _tells(name: str, records: list[Record]) -> bool:
    seen: set[str] = set()
    for record in records:
        member = next((each for each in record.members if each.name == name), None)
        if member is None or member.optional or not isinstance(member.type, Choice):
            return False
        values = [level.value for level in member.type.levels]
        if not all(isinstance(each, str) and each not in seen for each in values):
            return False
        seen.update(map(str, values))
    return True


def _overlap(options: tuple[Type, ...], scope: ModuleScope) -> bool:
    """Whether a value might fit two of the options, so that their order decides."""
    seen: set[str] = set()
    for option in options:
        kinds = _kinds(option, scope)
        if kinds & seen:
            return True
        seen |= kinds
    return False


_ALL = frozenset({"text", "number", "boolean", "null", "array", "object"})


def _kinds(kind: Type, scope: ModuleScope, open_: frozenset[Ref] = frozenset()) -> frozenset[str]:
    """The kinds of JSON that might fit a type."""
    match kind:
        case Text() | Formatted() | Given():
            return frozenset({"text"})
        case Integer() | Number():
            return frozenset({"number"})
        case Boolean():
            return frozenset({"boolean"})
        case Null():
            return frozenset({"null"})
        case List() | Set() | Tuple():
            return frozenset({"array"})
        case Map():
            return frozenset({"object"})
        case Choice():
            return frozenset(_kind_of(level.value) for level in kind.levels)
        case Union():
            return frozenset().union(*(_kinds(each, scope, open_) for each in kind.options))
        case Described():
            return _kinds(kind.type, scope, open_)
        case Shape():
            return _kinds(kind.model, scope, open_)
        case Ref():
            definition = _definition(kind, scope)
            if isinstance(definition, Alias):
                if kind in open_:
                    return frozenset()
                return _kinds(definition.type, scope, open_ | {kind})
            if isinstance(definition, Enumeration | External) and definition.levels:
                return frozenset(_kind_of(level.value) for level in definition.levels)
            return frozenset({"object"})
        case _:
            return _ALL


def _kind_of(data: str | int | bool) -> str:
    if isinstance(data, bool):
        return "boolean"
    return "text" if isinstance(data, str) else "number"
