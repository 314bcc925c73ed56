"""The types of columns: of what a function answers, in Arrow, Polars and pandas alike.

A kind is what all of them have. What they have no one type for is its JSON text: a union, a map,
any JSON, and where a type holds itself, the inner one. A text of a format is text, but a date: one
column may hold times with and without a zone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

from aigen.runtime.errors import ConfigurationError


@dataclass(frozen=True)
class Kind:
    """The type of a column.

    Attributes:
        name: `text integer number boolean date json list record`.
        item: of a list's items.
        members: of a record, in order.
    """

    name: str
    item: Kind | None = None
    members: Mapping[str, Kind] = field(default_factory=dict)


_JSON: Final = Kind("json")
_NUMBER: Final = Kind("number")
_OF_TYPE: Final = {
    "string": Kind("text"),
    "integer": Kind("integer"),
    "number": _NUMBER,
    "boolean": Kind("boolean"),
}
_OF_CLASS: Final = {
    str: Kind("text"),
    int: Kind("integer"),
    float: _NUMBER,
    bool: Kind("boolean"),
}
_OTHERWISE: Final = ("allOf", "not", "if", "patternProperties", "prefixItems", "dependentSchemas")


def kind_of(shape: Any, defs: Mapping[str, Any], around: tuple[str, ...] = ()) -> Kind:
    """The kind of a plain JSON Schema; see `aigen.runtime.wire.plain`.

    Args:
        shape: the schema.
        defs: what its `#/$defs/<name>` mean.
        around: the names that it is part of.
    """
    if not isinstance(shape, Mapping) or any(key in shape for key in _OTHERWISE):
        return _JSON
    if "$ref" in shape:
        name = str(shape["$ref"]).removeprefix("#/$defs/")
        if name in around or name not in defs:
            return _JSON
        return kind_of(defs[name], defs, (*around, name))
    for word in ("anyOf", "oneOf"):
        if word in shape:
            options = [one for one in shape[word] if not _is_null(one)]
            return _common([kind_of(one, defs, around) for one in options])
    if "enum" in shape or "const" in shape:
        values = shape.get("enum", [shape.get("const")])
        return _common([_OF_CLASS.get(type(value), _JSON) for value in values if value is not None])
    types = shape.get("type", ())
    named = [types] if isinstance(types, str) else list(types)
    return _common([_typed(one, shape, defs, around) for one in named if one != "null"])


def _is_null(shape: Any) -> bool:
    return isinstance(shape, Mapping) and shape.get("type") == "null"


def _common(kinds: Sequence[Kind]) -> Kind:
    """The one kind that takes the values of all."""
    if not kinds:
        return _JSON
    if all(kind == kinds[0] for kind in kinds):
        return kinds[0]
    if {kind.name for kind in kinds} == {"integer", "number"}:
        return _NUMBER
    return _JSON


def _typed(
    name: str, shape: Mapping[str, Any], defs: Mapping[str, Any], around: tuple[str, ...]
) -> Kind:
    if name == "string" and shape.get("format") == "date":
        return Kind("date")
    if name == "array" and "items" in shape:
        return Kind("list", kind_of(shape["items"], defs, around))
    # A record that is open may hold more than it names.
    if name == "object" and shape.get("properties") and shape.get("additionalProperties") is False:
        members = {key: kind_of(part, defs, around) for key, part in shape["properties"].items()}
        return Kind("record", members=members)
    return _OF_TYPE.get(name, _JSON)


def output_kinds(definition: Mapping[str, Any]) -> dict[str, Kind]:
    """The kind of each output of a function, by its column: the formula's name of a single one."""
    from aigen.runtime.wire.adapters.layout import reply_schema
    from aigen.runtime.wire.plain import to_plain

    whole = to_plain(reply_schema(definition))  # type: ignore[arg-type]
    defs = whole.get("$defs", {})
    kinds = {name: kind_of(part, defs) for name, part in whole["properties"].items()}
    if list(kinds) == ["result"]:
        return {definition.get("output", "result"): kinds["result"]}
    return kinds


def cell(value: Any, kind: Kind, text: bool = True) -> Any:
    """A JSON value as it stands in a column.

    Args:
        value: it fits the output's shape.
        kind: of the column.
        text: whether `json` stands as text; else as the value itself.

    Raises:
        OverflowError: an integer that 64 bits do not hold.
    """
    if value is None:
        return None
    if kind.name == "list" and kind.item is not None:
        return [cell(item, kind.item, text) for item in value]
    if kind.name == "record":
        return {name: cell(value.get(name), part, text) for name, part in kind.members.items()}
    if kind.name == "json":
        return json.dumps(value, ensure_ascii=False) if text else value
    return _SCALARS[kind.name](value)


def _integer(value: Any) -> int:
    number = int(value)
    if not -(2**63) <= number < 2**63:
        raise OverflowError(f"{number} does not fit a column of 64-bit integers")
    return number


def _same(value: Any) -> Any:
    return value


_SCALARS: Final[dict[str, Callable[[Any], Any]]] = {
    "text": _same,
    "integer": _integer,
    "number": float,
    "boolean": _same,
    "date": date.fromisoformat,
}


def to_arrow(kind: Kind) -> Any:
    """The Arrow type of a column.

    Raises:
        ConfigurationError: pyarrow is missing.
    """
    try:
        import pyarrow
    except ImportError:
        raise ConfigurationError(
            'Arrow types need a package: pip install "aigen[data]"', code="missing-extra"
        ) from None
    if kind.name == "list" and kind.item is not None:
        return pyarrow.list_(to_arrow(kind.item))
    if kind.name == "record":
        return pyarrow.struct([(name, to_arrow(part)) for name, part in kind.members.items()])
    makers = {
        "integer": pyarrow.int64,
        "number": pyarrow.float64,
        "boolean": pyarrow.bool_,
        "date": pyarrow.date32,
    }
    return makers.get(kind.name, pyarrow.string)()


def to_narwhals(kind: Kind) -> Any:
    """The type of a column in narwhals, which has it in Polars and Arrow."""
    import narwhals as nw

    if kind.name == "list" and kind.item is not None:
        return nw.List(to_narwhals(kind.item))
    if kind.name == "record":
        return nw.Struct({name: to_narwhals(part) for name, part in kind.members.items()})
    types = {
        "integer": nw.Int64(),
        "number": nw.Float64(),
        "boolean": nw.Boolean(),
        "date": nw.Date(),
    }
    return types.get(kind.name, nw.String())
