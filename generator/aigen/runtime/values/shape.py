"""Shapes: JSON Schema (2020-12), what its references mean, what it wants in words.

A shape of our own is strict where JSON Schema is open: a record (`properties` without
`additionalProperties`) holds only what it names. Under `x-aigen-shape: true`, a schema that a spec
wrote itself, JSON Schema's own rules hold.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeAlias, TypeVar
from urllib.parse import unquote

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.values import formats
from aigen.runtime.values.canonical_json import canonical

Shape: TypeAlias = "Mapping[str, Any] | bool"
Memo: TypeAlias = "dict[Any, Any]"
Path: TypeAlias = "tuple[str | int, ...]"


@dataclass(frozen=True, slots=True)
class Misfit:
    """Where a value does not fit.

    Attributes:
        path: names and positions from the whole value to the part at fault.
        expected: what should stand there, in words.
        value: what stands there.
    """

    path: Path
    expected: str
    value: Any


Check: TypeAlias = Callable[[Any, Memo], Misfit | None]


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """Where a shape stands.

    Attributes:
        defs: what `#/$defs/<name>` means outside a spec's own schema.
        root: the spec's own schema around it, if any: `#` in its references.
        formats: the formats that are enforced here.
    """

    defs: Mapping[str, Any]
    formats: frozenset[str]
    root: Any = None

    def inside(self, shape: Mapping[str, Any]) -> Scope:
        """The scope of a shape's keywords; another one where a spec's own schema begins."""
        if self.root is None and shape.get("x-aigen-shape") is True:
            return Scope(self.defs, self.formats & formats.IN_SHAPES, shape)
        return self


ALL_FORMATS = frozenset(formats.READERS)
_MAX = sys.float_info.max


def finite(value: int | float) -> bool:
    """Whether a number has a double, as every JSON reader takes it."""
    return -_MAX <= value <= _MAX


def unicode(value: str) -> bool:
    """Whether a text has no lone surrogate, so that it can be sent."""
    if value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_type(name: str, value: Any) -> bool:
    """Whether a value is of a JSON type; 5.0 is an integer, True is not."""
    match name:
        case "string":
            return isinstance(value, str) and unicode(value)
        case "integer":
            if isinstance(value, float):
                return value.is_integer()
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            if isinstance(value, int | float) and not isinstance(value, bool):
                return finite(value)
            return False
        case "boolean":
            return isinstance(value, bool)
        case "null":
            return value is None
        case "array":
            return isinstance(value, list | tuple)
        case "object":
            return isinstance(value, dict) and all(isinstance(name, str) for name in value)
    raise ConfigurationError(f"{name!r} is no JSON type", code="interface-malformed")


# A type of another module stands behind that module's name in `$defs`: `shop_refunds_Order`.
_without_module = partial(re.compile(r"^(?:[a-z0-9]+_)+(?=[A-Z])").sub, "")

TYPE_NAMES = {
    "string": "text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
    "array": "a list",
    "object": "a record",
}


def describe(shape: Shape, scope: Scope) -> str:
    """What a shape wants, in a few words."""
    if not isinstance(shape, Mapping):
        return "any JSON value" if shape else "nothing"
    if "enum" in shape or "const" in shape:
        levels = shape["enum"] if "enum" in shape else [shape["const"]]
        shown = ", ".join(canonical(level) for level in levels[:12])
        return f"one of {shown}{', …' if len(levels) > 12 else ''}"
    if shape.get("format") in scope.formats:
        return formats.NAMES[shape["format"]]
    if "x-aigen-media" in shape:
        return f"a path, URL, bytes or file of an {shape['x-aigen-media']}"
    kinds = shape.get("type")
    if isinstance(kinds, list):
        return " or ".join(TYPE_NAMES.get(kind, "a value") for kind in kinds)
    if isinstance(kinds, str):
        if kinds == "object" and "properties" not in shape:
            return "a mapping"
        return TYPE_NAMES.get(kinds, "a value")
    ref = shape.get("$ref")
    if isinstance(ref, str):
        return _without_module(ref.rpartition("/")[2]) or "a value"
    options = shape.get("anyOf") or shape.get("oneOf")
    if options:
        return " or ".join(dict.fromkeys(describe(option, scope) for option in options))
    return "a value that fits"


def resolve(ref: str, scope: Scope) -> tuple[Any, Scope]:
    """The shape that a `$ref` means, and the scope it stands in.

    Raises:
        ConfigurationError: there is none (code `interface-malformed`).
    """
    if scope.root is not None and (ref == "#" or ref.startswith("#/")):
        target = scope.root
        for step in ref[2:].split("/") if ref != "#" else ():
            step = unquote(step).replace("~1", "/").replace("~0", "~")
            if isinstance(target, Mapping) and step in target:
                target = target[step]
            elif isinstance(target, list) and step.isdecimal() and int(step) < len(target):
                target = target[int(step)]
            else:
                break
        else:
            return target, scope
    name = ref.removeprefix("#/$defs/")
    if name != ref and name in scope.defs:
        return scope.defs[name], Scope(scope.defs, ALL_FORMATS) if scope.root else scope
    raise ConfigurationError(f"$ref {ref!r} refers to nothing", code="interface-malformed")


C = TypeVar("C")


class References(Generic[C]):
    """What the references of shapes are compiled to, each once, so that a shape may hold itself."""

    def __init__(self) -> None:
        self._cells: dict[tuple[int, int], list[C]] = {}
        self._kept: list[Any] = []  # so that no id is used twice

    def cell(
        self, ref: str, scope: Scope, compile: Callable[[Any, Scope], C]
    ) -> tuple[tuple[int, int], list[C]]:
        """The key of what a `$ref` means, and where it is compiled to, empty until that is done."""
        target, inner = resolve(ref, scope)
        key = (id(target), id(inner.root))
        cell = self._cells.get(key)
        if cell is None:
            cell = self._cells[key] = []
            self._kept.append((target, inner.root))
            cell.append(compile(target, inner))
        return key, cell


_patterns: dict[str, Callable[[str], Any]] = {}


def pattern(text: str) -> Callable[[str], Any]:
    """A search for a regular expression, by the engine that models use.

    That is pydantic's (linear in the text); what it lacks, such as look-around, Python's takes,
    with `$` as the end of the text.

    Raises:
        ConfigurationError: neither takes it.
    """
    found = _patterns.get(text)
    if found is None:
        from pydantic_core import SchemaError, SchemaValidator, core_schema

        try:
            found = SchemaValidator(core_schema.str_schema(pattern=text)).isinstance_python
        except SchemaError:
            try:
                found = re.compile(_ended(text)).search
            except (re.error, RecursionError, OverflowError) as error:
                message = f"the pattern {text!r} cannot be compiled: {error}"
                raise ConfigurationError(message, code="interface-malformed") from None
        _patterns[text] = found
    return found


def _ended(text: str) -> str:
    parts = re.findall(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", text, re.DOTALL)
    return "".join(r"\Z" if part == "$" else part for part in parts)


def is_multiple(value: int | float, step: int | float) -> bool:
    """Whether a number is a multiple of another, in decimal: 0.0075 is one of 0.0001."""
    if isinstance(value, int) and isinstance(step, int):
        return value % step == 0
    from fractions import Fraction

    return (Fraction(str(value)) / Fraction(str(step))).denominator == 1


def additional(shape: Mapping[str, Any], scope: Scope) -> Shape:
    """What members that `properties` does not name must fit."""
    closed = scope.root is None and "properties" in shape
    found: Shape = shape.get("additionalProperties", not closed)
    return found
