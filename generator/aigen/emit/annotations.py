"""Types of the intermediate representation as annotations.

Three renderings of one type: what callers read (`plain`), what a model judges by (`judged`: the
table of `aigen.runtime.types`), and what has arrived of it while it streams (`partial`).
"""

from __future__ import annotations

from collections.abc import Callable

from aigen.emit.layout import Node, group, options
from aigen.emit.literals import value
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
    Media,
    Null,
    Number,
    Record,
    Ref,
    Set,
    Shape,
    Text,
    Tuple,
    Type,
    Union,
)
from aigen.ir.types import refs

_MODULES = {
    "date": "datetime",
    "datetime": "datetime",
    "time": "datetime",
    "timedelta": "datetime",
    "Decimal": "decimal",
    "UUID": "uuid",
}


def plain(kind: Type, scope: ModuleScope) -> Node:
    """What a caller passes and gets: the types of the standard library and generated names."""
    match kind:
        case Text() | Given():
            return scope.builtin("str")
        case Integer():
            return scope.builtin("int")
        case Number():
            return scope.builtin("float")
        case Boolean():
            return scope.builtin("bool")
        case Null():
            return "None"
        case Ref():
            return scope.type(kind)
        case Union():
            return union([plain(option, scope) for option in kind.options])
        case Choice():
            return literal(kind, scope)
        case Formatted():
            return scope.use(_MODULES[kind.kind], kind.kind)
        case List():
            return group(f"{scope.builtin('list')}[", [plain(kind.item, scope)], "]")
        case Set():
            name = scope.builtin("set" if hashable(kind.item, scope) else "list")
            return group(f"{name}[", [plain(kind.item, scope)], "]")
        case Map():
            head = f"{scope.builtin('dict')}["
            return group(head, [scope.builtin("str"), plain(kind.value, scope)], "]")
        case Tuple():
            return _tuple([plain(item, scope) for item in _items(kind)], kind, scope)
        case Described():
            return plain(kind.type, scope)
        case Shape():
            return plain(kind.model, scope)
        case JsonAny():
            return scope.runtime("JsonValue", "types")
        case Media():
            return scope.runtime(kind.kind.title())


def literal(kind: Choice, scope: ModuleScope) -> Node:
    """`Literal[…]` of a choice."""
    values: list[Node] = [value(level.value) for level in kind.levels]
    return group(f"{scope.use('typing', 'Literal')}[", values, "]")


def union(parts: list[Node]) -> Node:
    """A union without the options that read the same."""
    seen: dict[str, Node] = {}
    for part in parts:
        seen.setdefault(part, part)
    return options(list(seen.values()))


def partial(kind: Type, scope: ModuleScope) -> Node:
    """What has arrived of a value: text as it grows, lists and records of partials.

    A scalar is itself; that it may not have arrived is the place's own `| None`.
    """
    return remembered("partial", _arrived, kind, scope)


def remembered(
    form: str, write: Callable[[Type, ModuleScope], Node], kind: Type, scope: ModuleScope
) -> Node:
    """An annotation, written once for each type of a module."""
    key = (form, id(kind))
    found = scope.annotations.get(key)
    if found is None:
        found = scope.annotations[key] = (kind, write(kind, scope))
    return found[1]


def _arrived(kind: Type, scope: ModuleScope, open_aliases: frozenset[str] = frozenset()) -> Node:
    match kind:
        case Ref():
            return _partial_ref(kind, scope, open_aliases)
        case Union():
            return union([_arrived(option, scope, open_aliases) for option in kind.options])
        case List() | Set():
            item = _arrived(kind.item, scope, open_aliases)
            return group(f"{scope.builtin('list')}[", [item], "]")
        case Tuple():
            parts = [_arrived(item, scope, open_aliases) for item in _items(kind)]
            item = union(parts) if parts else plain(JsonAny(), scope)
            return group(f"{scope.builtin('list')}[", [item], "]")
        case Map():
            inner = _arrived(kind.value, scope, open_aliases)
            return group(f"{scope.builtin('dict')}[", [scope.builtin("str"), inner], "]")
        case Described():
            return _arrived(kind.type, scope, open_aliases)
        case Shape():
            return _arrived(kind.model, scope, open_aliases)
        case _:
            return plain(kind, scope)


def streamed(kind: Type, scope: ModuleScope) -> Node:
    """The partial of a whole answer: text and containers begin empty, all else as `None`."""
    node = partial(kind, scope)
    return node if _grows(kind, scope) else nullable(node)


def nullable(node: Node) -> Node:
    """`T | None`, once."""
    return node if node == "None" or node.endswith("| None") else options([node, "None"])


def _grows(kind: Type, scope: ModuleScope) -> bool:
    match kind:
        case Text(format=None) | List() | Set() | Tuple() | Map():
            return True
        case Ref():
            definition = scope.plan.program.definitions[(kind.module, kind.name)]
            if isinstance(definition, Alias):
                inner = definition.type
                return not isinstance(inner, Ref) and _grows(inner, scope)
            return isinstance(definition, Record)
        case Described():
            return _grows(kind.type, scope)
        case _:
            return False


def _partial_ref(kind: Ref, scope: ModuleScope, open_aliases: frozenset[str]) -> Node:
    definition = scope.plan.program.definitions[(kind.module, kind.name)]
    if isinstance(definition, Record):
        return scope.partial(kind) or scope.type(kind)
    if isinstance(definition, Alias) and not isinstance(definition.type, Choice):
        key = f"{kind.module}.{kind.name}"
        if key in open_aliases:
            return plain(JsonAny(), scope)
        return _arrived(definition.type, scope, open_aliases | {key})
    return scope.type(kind)


def _items(kind: Tuple) -> tuple[Type, ...]:
    return kind.items if kind.rest is None else (*kind.items, kind.rest)


def _tuple(parts: list[Node], kind: Tuple, scope: ModuleScope) -> Node:
    head = f"{scope.builtin('tuple')}["
    if kind.rest is not None:
        return group(head, [*parts, "..."], "]")
    return group(head, parts or ["()"], "]")


def hashable(kind: Type, scope: ModuleScope) -> bool:
    """Whether values of a type can stand in a `set`; of others it is a list of unique items."""
    match kind:
        case Set() | List() | Map() | JsonAny() | Media():
            return False
        case Tuple():
            return all(hashable(item, scope) for item in _items(kind))
        case Union():
            return all(hashable(option, scope) for option in kind.options)
        case Described():
            return hashable(kind.type, scope)
        case Shape():
            return hashable(kind.model, scope)
        case Ref():
            definition = scope.plan.program.definitions[(kind.module, kind.name)]
            if isinstance(definition, Alias):
                # What contains itself does so in a list or a map.
                return kind not in refs(definition.type) and hashable(definition.type, scope)
            if isinstance(definition, External):
                return definition.kind == "enum"
            return isinstance(definition, Enumeration)
        case _:
            return True
