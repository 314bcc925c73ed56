"""The intermediate representation as JSON, for caches, debugging and tests of determinism."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Final

from aigen import ir
from aigen.diagnostics import Span
from aigen.ir.model import Json, Module, Program

_TAG: Final = "$"


def to_data(program: Program) -> dict[str, Json]:
    """A program as JSON values: each node an object with its class under `$`, places as lists.

    Fields that hold nothing are left out. Equal programs give equal data, in the same order.
    """
    return {name: _data(module) for name, module in sorted(program.modules.items())}


def from_data(data: Mapping[str, Json]) -> Program:
    """The program that `to_data` was given."""
    modules: dict[str, Module] = {name: _node(value) for name, value in data.items()}
    definitions = {
        (module.name, definition.name): definition
        for module in modules.values()
        for definition in module.types
    }
    return Program(modules, definitions)


def _data(value: Any) -> Json:
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Span):
        return {_TAG: "Span", "at": list(value)}
    if is_dataclass(value):
        found: dict[str, Json] = {_TAG: type(value).__name__}
        for field in fields(value):
            inner = getattr(value, field.name)
            if inner is not None and inner is not False and inner != () and inner != {}:
                found[field.name] = _data(inner)
        return found
    if isinstance(value, tuple):
        return {_TAG: "tuple", "of": [_data(item) for item in value]}
    if isinstance(value, list):
        return [_data(item) for item in value]
    # A user's own mapping may have a key like the tag, so mappings are wrapped.
    return {_TAG: "dict", "of": {key: _data(inner) for key, inner in value.items()}}


def _node(data: Any) -> Any:
    if isinstance(data, list):
        return [_node(item) for item in data]
    if not isinstance(data, dict):
        return data
    tag = data[_TAG]
    if tag == "Span":
        return Span(*data["at"])
    if tag == "tuple":
        return tuple(_node(item) for item in data["of"])
    if tag == "dict":
        return {key: _node(inner) for key, inner in data["of"].items()}
    kind = getattr(ir, tag)
    values = {key: _node(inner) for key, inner in data.items() if key != _TAG}
    return kind(**{**_empty(kind), **values})


def _empty(kind: type[Any]) -> dict[str, Any]:
    """What a field that was left out held, where it has no default of its own."""
    given: dict[str, Any] = {}
    for field in fields(kind):
        if field.default is MISSING and field.default_factory is MISSING:
            given[field.name] = _EMPTY.get((kind.__name__, field.name))
    return given


_EMPTY: Final[Mapping[tuple[str, str], Any]] = {
    ("Record", "members"): (),
    ("Tuple", "items"): (),
    ("Function", "inputs"): (),
    ("Function", "outputs"): (),
    ("Enumeration", "levels"): (),
    ("Choice", "levels"): (),
    ("Union", "options"): (),
    ("Level", "value"): False,
    ("Shape", "exact"): False,
    ("Test", "inputs"): {},
    ("Test", "expect"): {},
}
