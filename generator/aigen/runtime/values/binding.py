"""Binding: what a caller gives, as the value a shape wants (3-runtime, *Binding a call's inputs*).

A value that fits already comes back as it is, the same object; all else is a new value. Every
binder checks what it makes, so nothing is walked twice.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, TypeAlias

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.values import formats
from aigen.runtime.values.canonical_json import canonical, identity, number, pretty
from aigen.runtime.values.check import Checker
from aigen.runtime.values.convert import jsonable, plain, record, sequence
from aigen.runtime.values.keywords import json_value
from aigen.runtime.values.media import KINDS
from aigen.runtime.values.shape import (
    Check,
    Memo,
    Path,
    Scope,
    Shape,
    additional,
    describe,
    finite,
    is_type,
    pattern,
    resolve,
    unicode,
)

Bind: TypeAlias = Callable[[Any, Memo], Any]

_number = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?").fullmatch
_JSON_SPACE = " \t\n\r"
_DIGITS = 4000
_LONGEST_CHAIN = 20
"""References one behind the other that are followed."""
_default_text = re.compile(r"<.* object at 0x[0-9a-fA-F]+>", re.DOTALL).fullmatch
_ITEM = object()


class NotBound(ValueError):
    """A value does not bind.

    Attributes:
        path: where in the whole value.
        expected: what is wanted there, in words.
        value: what stands there.
    """

    def __init__(self, path: Path, expected: str, value: Any) -> None:
        super().__init__(path, expected, value)
        self.path = path
        self.expected = expected
        self.value = value

    def __str__(self) -> str:
        return f"expected {self.expected}"

    def under(self, step: str | int) -> NotBound:
        """The same refusal, seen from the value around it."""
        return NotBound((step, *self.path), self.expected, self.value)


class Binder:
    """Compiles shapes to binders; what a reference means is compiled once."""

    def __init__(self, checker: Checker) -> None:
        self._checker = checker
        self._refs: dict[tuple[int, int], list[Bind]] = {}
        self._kept: list[Any] = []

    def compile(self, shape: Shape, scope: Scope) -> Bind:
        """The binder of a shape."""
        if not isinstance(shape, Mapping):
            return _checked(_any_json, [self._checker.compile(shape, scope)])
        scope = scope.inside(shape)
        if "enum" in shape or "const" in shape:
            levels = shape["enum"] if "enum" in shape else [shape["const"]]
            bind = _choice(levels, describe(shape, scope))
            return _checked(bind, [self._checker.compile(shape, scope)])
        if "x-aigen-media" in shape:
            return _media(shape["x-aigen-media"], describe(shape, scope))
        if set(shape) <= {"type", "title", "description", "default"} and shape.get("type") == (
            "string"
        ):
            return _text
        bind = self._base(shape, scope)
        if _whole_first(shape):
            return _checked(bind, [self._checker.compile(shape, scope)])
        return _checked(bind, self._checker.local(shape, scope))

    def _base(self, shape: Mapping[str, Any], scope: Scope) -> Bind:
        kinds = shape.get("type")
        if isinstance(kinds, list):
            options = [{**shape, "type": kind} for kind in kinds]
            return self._union(options, describe(shape, scope), scope)
        if kinds == "array":
            return self._list(shape, scope)
        if kinds == "object":
            return self._record(shape, scope)
        if kinds == "string":
            form = shape.get("format")
            if form in scope.formats and form in formats.CLASSES:
                return _formatted(form)
            return _text
        if isinstance(kinds, str):
            return _scalar(kinds)
        if "$ref" in shape:
            return self._reference(shape["$ref"], scope)
        for key in ("anyOf", "oneOf"):
            if key in shape:
                wanted = describe({key: shape[key]}, scope)
                return self._union(shape[key], wanted, scope)
        if shape.get("allOf"):
            return self.compile(shape["allOf"][0], scope)
        if "properties" in shape:
            return self._record(shape, scope)
        return _any_json

    def _reference(self, ref: str, scope: Scope) -> Bind:
        target, inner = resolve(ref, scope)
        key = (id(target), id(inner.root))
        cell = self._refs.get(key)
        if cell is None:
            cell = self._refs[key] = []
            self._kept.append((target, inner.root))
            cell.append(self.compile(target, inner))

        def follow(value: Any, memo: Memo) -> Any:
            if type(value) in (str, int, float, bool) or value is None:
                return cell[0](value, memo)
            # Options of a union may meet the same part again: it is bound once.
            place = (key, id(value), "bound")
            if place not in memo:
                memo[place] = value, NotBound((), "a value that is not inside itself", None)
                try:
                    memo[place] = value, cell[0](value, memo)
                except NotBound as fault:
                    memo[place] = value, fault
            bound = memo[place][1]
            if isinstance(bound, NotBound):
                raise NotBound(bound.path, bound.expected, bound.value)
            return bound

        return follow

    def _union(self, options: Sequence[Shape], expected: str, scope: Scope) -> Bind:
        binders = [self.compile(option, scope) for option in options]
        checks = [self._checker.compile(option, scope) for option in options]
        records = [at for at, option in enumerate(options) if _is_record(option, scope)]
        only = binders[records[0]] if len(records) == 1 else None

        def union(value: Any, memo: Memo) -> Any:
            value = plain(value)
            if value is None:
                if any(check(None, memo) is None for check in checks):
                    return None
                raise NotBound((), expected, value)
            deepest: NotBound | None = None
            for bind in binders:
                try:
                    return bind(value, memo)
                except NotBound as fault:
                    if fault.path and (deepest is None or len(fault.path) > len(deepest.path)):
                        deepest = fault
                    elif deepest is None and bind is only and isinstance(value, Mapping):
                        deepest = fault  # a member that is missing: only this option has members
            raise deepest or NotBound((), expected, value)

        return union

    def _list(self, shape: Mapping[str, Any], scope: Scope) -> Bind:
        heads, rest = shape.get("prefixItems", []), shape.get("items", True)
        if isinstance(rest, list):
            heads, rest = rest, shape.get("additionalItems", True)
        firsts = [self.compile(head, scope) for head in heads]
        other = self.compile(rest, scope)
        unique = shape.get("uniqueItems") is True

        def items(value: Any, memo: Memo) -> Any:
            given = sequence(value)
            if given is None and unique and isinstance(value, set | frozenset):
                given = sorted(value, key=_order)
            if given is None:
                raise NotBound((), "a list", value)
            same, bound = given is value, []
            for position, item in enumerate(given):
                bind = firsts[position] if position < len(firsts) else other
                try:
                    made = bind(item, memo)
                except NotBound as fault:
                    raise fault.under(position) from None
                same = same and made is item
                bound.append(made)
            return value if same else bound

        return items

    def _record(self, shape: Mapping[str, Any], scope: Scope) -> Bind:
        properties = shape.get("properties") or {}
        named = {name: self.compile(member, scope) for name, member in properties.items()}
        matched = [
            (pattern(text), self.compile(member, scope))
            for text, member in (shape.get("patternProperties") or {}).items()
        ]
        rest = additional(shape, scope)
        other = None if rest is False else self.compile(rest, scope)
        required = frozenset(shape.get("required") or ())
        checker, takes_null = self._checker, {}
        for name, member in properties.items():
            takes_null[name] = checker.compile(member, scope)
        is_map = "properties" not in shape

        def members(value: Any, memo: Memo) -> Any:
            found = record(value)
            if found is None or (is_map and not isinstance(value, Mapping) and not found[1]):
                raise NotBound((), "a mapping" if is_map else "a record", value)
            given, row = found
            same, bound = given is value, {}
            for key, member in given.items():
                name = plain(key)
                if not isinstance(name, str):
                    if other is None:
                        same = False
                        continue
                    raise NotBound((), "a mapping whose names are text", value)
                bind = named.get(name)
                if bind is None:
                    bind = next((each for search, each in matched if search(name)), other)
                elif (
                    row
                    and name not in required
                    and plain(member) is None
                    and takes_null[name](None, memo) is not None
                ):
                    # A table's gap: the member is left out where null is no value of it.
                    same = False
                    continue
                if bind is None:
                    same = False
                    continue
                try:
                    made = bind(member, memo)
                except NotBound as fault:
                    raise fault.under(name) from None
                same = same and made is member and name is key
                bound[name] = made
            return value if same else bound

        return members


def _is_record(shape: Shape, scope: Scope) -> bool:
    """Whether a shape takes objects, as far as it says so itself."""
    for _ in range(_LONGEST_CHAIN):
        if not isinstance(shape, Mapping) or "$ref" not in shape:
            break
        shape, scope = resolve(shape["$ref"], scope.inside(shape))
    if not isinstance(shape, Mapping):
        return shape
    kinds = shape.get("type", "object")
    levels = "enum" in shape or "const" in shape
    return not levels and (kinds == "object" or "object" in kinds)


def _whole_first(shape: Mapping[str, Any]) -> bool:
    """Whether keywords beside the binder's own look at the whole value."""
    apart = {"allOf", "not", "if", "dependentSchemas", "dependencies", "contains"}
    if apart & shape.keys() or "propertyNames" in shape or "oneOf" in shape:
        return True
    if "$ref" in shape or "anyOf" in shape:
        return "type" in shape or ("$ref" in shape and "anyOf" in shape)
    # A spec's own schema may be judged by another engine as a whole.
    return shape.get("x-aigen-shape") is True


def _checked(bind: Bind, checks: list[Check]) -> Bind:
    if not checks:
        return bind

    def checked(value: Any, memo: Memo) -> Any:
        bound = bind(value, memo)
        for check in checks:
            # What is bound here has just been made: its ids say nothing about other values.
            fault = check(bound, {})
            if fault is not None:
                raise NotBound(fault.path, fault.expected, fault.value)
        return bound

    return checked


def _order(item: Any) -> tuple[str, str]:
    try:
        return type(item).__name__, canonical(jsonable(item))
    except (TypeError, ValueError):
        return type(item).__name__, repr(item)


def _any_json(value: Any, memo: Memo) -> Any:
    bound = value if isinstance(value, list | dict) else plain(value)
    if isinstance(value, float) and bound is None:
        raise NotBound((), "a finite number", value)
    fault = json_value(bound, memo)
    if fault is not None:
        raise NotBound(fault.path, fault.expected, fault.value)
    return bound


def _text(value: Any, memo: Memo) -> str:
    if type(value) is str and (value.isascii() or unicode(value)):
        return value
    return text_of(value)


def text_of(value: Any) -> str:
    """The text that a value binds to.

    Raises:
        NotBound: it has none.
    """
    given, value = value, plain(value)
    try:
        found = _worded(value)
    except (TypeError, ValueError, RecursionError, OverflowError):
        found = None
    if found is None or not unicode(found):
        raise NotBound((), "text", given)
    return found


def _worded(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bool):
        return None if value is None else canonical(value)
    if isinstance(value, int | float):
        return number(value) if math.isfinite(value) else None
    shown: Any = None
    if isinstance(value, tuple):
        found = record(value)
        shown = found[0] if found else value
    else:
        shown = sequence(value)
        if shown is None:
            # A row is a record; a frame of many rows has a text of its own.
            found = record(value)
            shown = found[0] if found else None
    if shown is not None:
        return pretty(jsonable(shown))
    return str(value) if _has_text(value) else None


def _has_text(value: Any) -> bool:
    if isinstance(value, type | bytes | bytearray | memoryview | set | frozenset | BaseException):
        return False
    if inspect.isroutine(value) or inspect.ismodule(value) or hasattr(value, "__aigen_media__"):
        return False
    if hasattr(value, "__next__") or hasattr(value, "__anext__") or inspect.isawaitable(value):
        return False
    kind = type(value)
    words: tuple[Any, Any] = (kind.__str__, kind.__repr__)
    if words == (object.__str__, object.__repr__):
        return False
    return not _default_text(str(value))


def _scalar(kind: str) -> Bind:
    return {"integer": _integer, "number": _real}.get(kind) or _exact(kind)


def _exact(kind: str) -> Bind:
    expected = describe({"type": kind}, Scope({}, frozenset()))

    def exact(value: Any, memo: Memo) -> Any:
        given, value = value, plain(value)
        if is_type(kind, value):
            return value
        raise NotBound((), expected, given)

    return exact


def _integer(value: Any, memo: Memo) -> int:
    if type(value) is int:
        return value
    bound = plain(value)
    if isinstance(bound, int) and not isinstance(bound, bool):
        return bound
    if isinstance(bound, float) and bound.is_integer():
        return int(bound)
    if isinstance(bound, str):
        read = _read_number(bound)
        if read is not None and abs(read.adjusted()) < _DIGITS and read == read.to_integral_value():
            return int(read)
    raise NotBound((), "an integer", value)


def _real(value: Any, memo: Memo) -> int | float:
    bound = plain(value)
    if isinstance(bound, int | float) and not isinstance(bound, bool):
        if finite(bound):
            return bound
    elif isinstance(bound, str):
        read = _read_number(bound)
        if read is not None:
            whole = bound.strip(_JSON_SPACE).lstrip("-").isdecimal()
            made = int(read) if whole else float(read)
            if finite(made):
                return made
    raise NotBound((), "a number", value)


def _read_number(text: str) -> Decimal | None:
    text = text.strip(_JSON_SPACE)
    if len(text) > _DIGITS or not _number(text):
        return None
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def _formatted(form: str) -> Bind:
    expected = formats.NAMES[form]

    def formatted(value: Any, memo: Memo) -> Any:
        bound = plain(value)
        if formats.is_object(form, bound):
            return bound
        if isinstance(bound, str):
            read = formats.read(form, bound)
            if read is not None:
                return read
        # Tables hold dates as midnights.
        if form == "date" and isinstance(bound, datetime) and bound == _midnight(bound):
            return bound.date()
        raise NotBound((), expected, value)

    return formatted


def _midnight(value: datetime) -> datetime:
    return datetime(value.year, value.month, value.day)


def _media(kind: str, expected: str) -> Bind:
    make = KINDS[kind]

    def media(value: Any, memo: Memo) -> Any:
        if isinstance(value, make):
            return value
        try:
            return make(value)
        except (TypeError, ValueError, OSError) as error:
            reason = f"{expected} ({error})" if isinstance(error, OSError) else expected
            raise NotBound((), reason, value) from None

    return media


def _choice(levels: list[Any], expected: str) -> Bind:
    known: dict[Any, Any] = {}
    kinds: set[str] = set()
    for level in levels:
        known.setdefault(identity(level), level)
        for kind in ("string", "boolean", "integer", "number"):
            if is_type(kind, level):
                kinds.add(kind)
                break
    tries = [
        bind
        for kind, bind in (("integer", _integer), ("number", _real), ("string", _text))
        if kind in kinds
    ]

    def choice(value: Any, memo: Memo) -> Any:
        bound = plain(value)
        found = _known(known, bound)
        if found is _ITEM:
            for bind in tries:
                try:
                    found = _known(known, bind(bound, memo))
                except NotBound:
                    continue
                if found is not _ITEM:
                    break
        if found is _ITEM:
            raise NotBound((), expected, value)
        return bound if type(found) is type(bound) else found

    return choice


def _known(levels: dict[Any, Any], value: Any) -> Any:
    try:
        return levels.get(identity(value), _ITEM)
    except TypeError:
        return _ITEM


def refused(error: RecursionError) -> ConfigurationError:
    """A shape that is nested too deeply to be compiled."""
    return ConfigurationError("a shape is nested too deeply", code="interface-malformed")
