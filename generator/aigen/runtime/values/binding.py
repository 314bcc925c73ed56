"""Binding: what a caller gives, as the value a shape wants (3-runtime, *Binding a call's inputs*).

A value that fits already comes back as it is, the same object; all else is a new value. Every
binder checks what it makes, so nothing is walked twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.values import formats
from aigen.runtime.values.bound_scalars import (
    bind_any_json,
    choice_binder,
    formatted_binder,
    media_binder,
    scalar_binder,
)
from aigen.runtime.values.bound_text import bind_text
from aigen.runtime.values.canonical_json import canonical
from aigen.runtime.values.check import Checker
from aigen.runtime.values.convert import jsonable, plain, record, sequence
from aigen.runtime.values.not_bound import Bind, NotBound
from aigen.runtime.values.shape import (
    Check,
    Memo,
    References,
    Scope,
    Shape,
    additional,
    describe,
    pattern,
    resolve,
)

_LONGEST_CHAIN = 20
"""References one behind the other that are followed."""


class Binder:
    """Compiles shapes to binders; what a reference means is compiled once."""

    def __init__(self, checker: Checker) -> None:
        self._checker = checker
        self._references: References[Bind] = References()

    def compile(self, shape: Shape, scope: Scope) -> Bind:
        """The binder of a shape."""
        if not isinstance(shape, Mapping):
            return _checked(bind_any_json, [self._checker.compile(shape, scope)])
        scope = scope.inside(shape)
        if "enum" in shape or "const" in shape:
            levels = shape["enum"] if "enum" in shape else [shape["const"]]
            bind = choice_binder(levels, describe(shape, scope))
            return _checked(bind, [self._checker.compile(shape, scope)])
        if "x-aigen-media" in shape:
            return media_binder(shape["x-aigen-media"], describe(shape, scope))
        if set(shape) <= {"type", "title", "description", "default"} and shape.get("type") == (
            "string"
        ):
            return bind_text
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
                return formatted_binder(form)
            return bind_text
        if isinstance(kinds, str):
            return scalar_binder(kinds)
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
        return bind_any_json

    def _reference(self, ref: str, scope: Scope) -> Bind:
        key, cell = self._references.cell(ref, scope, self.compile)

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


def refused(error: RecursionError) -> ConfigurationError:
    """A shape that is nested too deeply to be compiled."""
    return ConfigurationError("a shape is nested too deeply", code="interface-malformed")
