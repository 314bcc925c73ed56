"""The words of the type table, and types said in those words."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

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
    Level,
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
    TypeDef,
    Union,
)

TEXT: Final = Text()
NULL: Final = Null()
ANY: Final = JsonAny()

BROKEN: Final = JsonAny()
"""Stands for a type that was already reported; told apart by identity, it silences followers."""

WORDS: Final[Mapping[str, Type]] = {
    **dict.fromkeys(("str", "string", "text", "character"), TEXT),
    **dict.fromkeys(("int", "integer"), Integer()),
    **dict.fromkeys(("float", "number", "numeric", "double"), Number()),
    **dict.fromkeys(("bool", "boolean", "logical"), Boolean()),
    "date": Formatted("date"),
    "datetime": Formatted("datetime"),
    "time": Formatted("time"),
    "timedelta": Formatted("timedelta"),
    "Decimal": Formatted("Decimal"),
    "UUID": Formatted("UUID"),
    "url": Text(format="uri"),
    "email": Text(format="email"),
    "json": ANY,
    "None": NULL,
    "image": Media("image"),
    "audio": Media("audio"),
    "file": Media("file"),
    # A bare container holds any JSON, as the bare class does in Python.
    "list": List(ANY),
    "vector": List(ANY),
    "tuple": Tuple((), ANY),
    "dict": Map(ANY),
}
"""What a bare word of the table means."""

GENERIC: Final = ("list", "vector", "set", "tuple", "dict", "Optional", "Union", "Literal")
"""Words that take arguments."""

RESERVED: Final = frozenset({*WORDS, *GENERIC, "choice", "match.arg"})
"""Names that no type of a YAML spec may have."""

ADVICE: Final[Mapping[str, str]] = {
    "Any": "json",
    "JsonValue": "json",
    "object": "json",
    "any": "json",
    "null": "None",
    "NoneType": "None",
    "nil": "None",
    "array": "list",
    "List": "list",
    "Sequence": "list",
    "Iterable": "list",
    "Set": "set",
    "frozenset": "set",
    "FrozenSet": "set",
    "Tuple": "tuple",
    "Dict": "dict",
    "map": "dict",
    "Mapping": "dict",
    "decimal": "Decimal",
    "uuid": "UUID",
    "uri": "url",
    "URL": "url",
    "duration": "timedelta",
    "bytes": "file",
    "enum": "choice",
    "factor": "choice",
}
"""Names of other languages, with the word of the table that says the same."""

_SPEC_WORDS: Final[Mapping[type, str]] = {
    Boolean: "bool",
    Null: "None",
    JsonAny: "json",
}


def wording(kind: Type, definition: Callable[[Ref], TypeDef | None]) -> str:
    """A type in the spec's own words, for a message: `list[Line]`, `choice Tone (kind, brief)`.

    Args:
        kind: the type.
        definition: gives what a name stands for.
    """
    match kind:
        case Ref():
            return _named(kind, definition(kind))
        case Text():
            name = {"uri": "url", "email": "email", None: "str"}[kind.format]
            return _with_bounds(name, kind, ("min_length", "max_length", "pattern"))
        case Integer() | Number():
            name = "int" if isinstance(kind, Integer) else "float"
            return _with_bounds(name, kind, ("ge", "gt", "le", "lt", "multiple_of"))
        case Formatted():
            return _with_bounds(kind.kind, kind, ("ge", "gt", "le", "lt"))
        case Media():
            return kind.kind
        case Choice():
            return f"choice ({level_list(kind.levels)})"
        case Given():
            return f"choice given as {kind.parameter}"
        case List() | Set():
            name = "list" if isinstance(kind, List) else "set"
            inner = wording(kind.item, definition)
            return _with_bounds(f"{name}[{inner}]", kind, ("min_length", "max_length"))
        case Tuple(rest=None):
            return f"tuple[{', '.join(wording(item, definition) for item in kind.items)}]"
        case Tuple():
            return f"tuple[{wording(kind.rest or ANY, definition)}, ...]"
        case Map():
            inner = wording(kind.value, definition)
            return _with_bounds(f"dict[str, {inner}]", kind, ("min_length", "max_length"))
        case Union():
            return " | ".join(wording(option, definition) for option in kind.options)
        case Described():
            return wording(kind.type, definition)
        case Shape():
            return "its json_shape"
        case _:
            return _SPEC_WORDS[type(kind)]


def level_list(levels: Iterable[Level]) -> str:
    """Levels as a message lists them, the first eight of them."""
    values = [_level(level.value) for level in levels]
    return ", ".join(values if len(values) <= 8 else [*values[:8], "…"])


def quoted(value: object) -> str:
    """A value as JSON, cut after 80 characters: what a message shows of it."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else f"{text[:80]}…"


def _level(value: str | int | bool) -> str:
    if isinstance(value, str):
        return value if value else '""'
    return json.dumps(value)


def _named(ref: Ref, found: TypeDef | None) -> str:
    match found:
        case Record() | External(levels=()):
            return f"record {ref.name}"
        case Enumeration() | External():
            return f"choice {ref.name} ({level_list(found.levels)})"
        case Alias(type=Choice(levels=levels)):
            return f"choice {ref.name} ({level_list(levels)})"
        case _:
            return ref.name


def _with_bounds(name: str, kind: object, keys: tuple[str, ...]) -> str:
    bounds = [f"{key} {value}" for key in keys if (value := getattr(kind, key)) is not None]
    return f"{name} ({', '.join(bounds)})" if bounds else name


def union(options: Sequence[Type]) -> Type:
    """`A | B`: flat, each option once, in the order written; one option is itself."""
    flat: list[Type] = []
    for option in options:
        if option is BROKEN:
            return BROKEN
        for single in option.options if isinstance(option, Union) else (option,):
            if single not in flat:
                flat.append(single)
    return flat[0] if len(flat) == 1 else Union(tuple(flat))


def takes_null(kind: Type) -> bool:
    """Whether a type, looked at without its names, takes null."""
    return isinstance(kind, Null) or (isinstance(kind, Union) and NULL in kind.options)
