"""Shapes compiled to checks: JSON Schema (2020-12) as closures.

A value is walked once, however often a recursive shape refers to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.values import formats
from aigen.runtime.values.keywords import (
    any_fits,
    count_checks,
    each_fits,
    every,
    has_members,
    if_fits,
    if_member,
    is_media,
    is_text,
    json_value,
    kinds_of,
    names_fit,
    not_fits,
    nothing,
    number_checks,
    one_fits,
    one_of,
    text_checks,
    under,
    unique_items,
)
from aigen.runtime.values.shape import (
    Check,
    Memo,
    Misfit,
    References,
    Scope,
    Shape,
    additional,
    describe,
    is_type,
    pattern,
)

_APPLICATORS = frozenset({"$ref", "allOf", "anyOf", "oneOf", "enum", "const", "type"})
_ELSEWHERE = frozenset({"unevaluatedProperties", "unevaluatedItems", "$dynamicRef", "$anchor"})


class Checker:
    """Compiles shapes to checks; what a reference means is compiled once."""

    def __init__(self) -> None:
        self._references: References[Check] = References()

    def compile(self, shape: Shape, scope: Scope) -> Check:
        """The check of a shape."""
        if not isinstance(shape, Mapping):
            return json_value if shape else nothing
        scope = scope.inside(shape)
        if scope.root is shape and _needs_more(shape):
            return _whole(shape)
        checks = [*self._type(shape, scope), *self.local(shape, scope)]
        if "x-aigen-media" not in shape:
            checks += [*self._items(shape, scope), *self._members(shape, scope)]
        checks += self.combined(shape, scope)
        if not _APPLICATORS & shape.keys():
            checks.insert(0, json_value)
        return every(checks)

    def _type(self, shape: Mapping[str, Any], scope: Scope) -> list[Check]:
        if "type" not in shape:
            return []
        expected = describe({"type": shape["type"], "format": shape.get("format")}, scope)
        kinds = shape["type"] if isinstance(shape["type"], list) else [shape["type"]]
        form = shape.get("format") if shape.get("format") in scope.formats else None
        if "x-aigen-media" in shape:
            return [is_media(describe(shape, scope))]
        if kinds == ["string"] and form is None:
            return [is_text]
        unique = shape.get("uniqueItems") is True

        def check(value: Any, memo: Memo) -> Misfit | None:
            for kind in kinds:
                if is_type(kind, value):
                    return None
                if kind == "string" and form is not None and formats.is_object(form, value):
                    return None
                if kind == "array" and unique and isinstance(value, set | frozenset):
                    return None
            return Misfit((), expected, value)

        return [check]

    def local(self, shape: Mapping[str, Any], scope: Scope) -> list[Check]:
        """The keywords that look at a value alone, not at what is in it."""
        checks: list[Check] = []
        if "enum" in shape or "const" in shape:
            checks.append(one_of(shape, describe(shape, scope)))
        checks += text_checks(shape, scope)
        checks += number_checks(shape)
        checks += count_checks(shape)
        required = [name for name in shape.get("required", ()) if isinstance(name, str)]
        if isinstance(shape.get("required"), list) and required:
            checks.append(has_members(required))
        for name, needed in (shape.get("dependentRequired") or {}).items():
            checks.append(if_member(name, has_members(needed)))
        if shape.get("uniqueItems") is True:
            checks.append(unique_items)
        return checks

    def _items(self, shape: Mapping[str, Any], scope: Scope) -> list[Check]:
        heads, rest = shape.get("prefixItems", []), shape.get("items", True)
        if isinstance(rest, list):  # drafts before 2020-12
            heads, rest = rest, shape.get("additionalItems", True)
        checks: list[Check] = []
        if heads or rest is not True or "array" in kinds_of(shape):
            firsts = [self.compile(head, scope) for head in heads]
            other = self.compile(rest, scope)
            closed = rest is False

            def items(value: Any, memo: Memo) -> Misfit | None:
                if isinstance(value, set | frozenset):
                    value = list(value)
                if not isinstance(value, list | tuple):
                    return None
                for position, check in enumerate(firsts[: len(value)]):
                    fault = check(value[position], memo)
                    if fault is not None:
                        return under(position, fault)
                if closed and len(value) > len(firsts):
                    return Misfit((), f"at most {len(firsts)} items", value)
                return each_fits(value, other, memo, len(firsts))

            checks.append(items)
        if "contains" in shape:
            checks.append(self._contains(shape, scope))
        return checks

    def _contains(self, shape: Mapping[str, Any], scope: Scope) -> Check:
        wanted = self.compile(shape["contains"], scope)
        least, most = shape.get("minContains", 1), shape.get("maxContains")

        def contains(value: Any, memo: Memo) -> Misfit | None:
            if not isinstance(value, list | tuple):
                return None
            count = sum(wanted(item, memo) is None for item in value)
            if count < least or (most is not None and count > most):
                return Misfit((), "a list with the right number of such items", value)
            return None

        return contains

    def _members(self, shape: Mapping[str, Any], scope: Scope) -> list[Check]:
        named = {
            name: self.compile(member, scope)
            for name, member in (shape.get("properties") or {}).items()
        }
        matched = [
            (pattern(text), self.compile(member, scope))
            for text, member in (shape.get("patternProperties") or {}).items()
        ]
        closed = additional(shape, scope) is False
        other = self.compile(additional(shape, scope), scope)
        checks: list[Check] = []
        if named or matched or other is not json_value or "object" in kinds_of(shape):

            def members(value: Any, memo: Memo) -> Misfit | None:
                if not isinstance(value, dict):
                    return None
                for name, member in value.items():
                    check = named.get(name)
                    fault = check(member, memo) if check is not None else None
                    if fault is not None:
                        return under(name, fault)
                    hit = check is not None
                    for search, inner in matched:
                        if isinstance(name, str) and search(name):
                            hit = True
                            fault = inner(member, memo)
                            if fault is not None:
                                return under(name, fault)
                    if not hit:
                        if closed:
                            return Misfit((name,), "no such member", member)
                        fault = other(member, memo)
                        if fault is not None:
                            return under(name, fault)
                return None

            checks.append(members)
        if "propertyNames" in shape:
            checks.append(names_fit(self.compile(shape["propertyNames"], scope)))
        return checks

    def combined(self, shape: Mapping[str, Any], scope: Scope) -> list[Check]:
        """The keywords that apply other shapes to the same value."""
        checks: list[Check] = []
        if "$ref" in shape:
            checks.append(self.reference(shape["$ref"], scope))
        checks += [self.compile(part, scope) for part in shape.get("allOf", ())]
        if "anyOf" in shape:
            options = [self.compile(option, scope) for option in shape["anyOf"]]
            checks.append(any_fits(options, describe({"anyOf": shape["anyOf"]}, scope)))
        if "oneOf" in shape:
            options = [self.compile(option, scope) for option in shape["oneOf"]]
            checks.append(one_fits(options, describe({"oneOf": shape["oneOf"]}, scope)))
        if "not" in shape:
            checks.append(not_fits(self.compile(shape["not"], scope)))
        if "if" in shape:
            parts = (self.compile(shape.get(key, True), scope) for key in ("if", "then", "else"))
            checks.append(if_fits(*parts))
        for name, part in (shape.get("dependentSchemas") or {}).items():
            checks.append(if_member(name, self.compile(part, scope)))
        for name, part in (shape.get("dependencies") or {}).items():
            needs = has_members(part) if isinstance(part, list) else self.compile(part, scope)
            checks.append(if_member(name, needs))
        return checks

    def reference(self, ref: str, scope: Scope) -> Check:
        """The check of what a `$ref` means; a value is checked against it once."""
        key, cell = self._references.cell(ref, scope, self.compile)

        def follow(value: Any, memo: Memo) -> Misfit | None:
            if not isinstance(value, dict | list | tuple):
                return cell[0](value, memo)
            place = (key, id(value))
            if place not in memo:
                memo[place] = Misfit((), "a value that is not inside itself", value)
                memo[place] = cell[0](value, memo)
            return memo[place]  # type: ignore[no-any-return]

        return follow


def _needs_more(shape: Mapping[str, Any]) -> bool:
    # A word of a schema is a keyword, or a name under `properties` and the like; the second only
    # costs speed here, where the whole schema goes to the other engine.
    pending: list[Any] = [shape]
    while pending:
        part = pending.pop()
        if isinstance(part, list):
            pending.extend(part)
        elif isinstance(part, Mapping):
            if _ELSEWHERE & part.keys() or (part is not shape and isinstance(part.get("$id"), str)):
                return True
            ref = part.get("$ref")
            if isinstance(ref, str) and ref != "#" and not ref.startswith("#/"):
                return True
            pending.extend(part.values())
    return False


def _retrieve(uri: str) -> NoReturn:
    # A spec may come from a stranger: nothing it names is fetched.
    raise ValueError(f"{uri} stands outside the schema and is not fetched")


def _whole(shape: Mapping[str, Any]) -> Check:
    # Keywords that depend on what other keywords have seen are another validator's work.
    try:
        import jsonschema_rs  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise ConfigurationError(
            "this JSON Schema uses keywords that need the extra: pip install 'aigen[schema]'",
            code="missing-extra",
        ) from None
    from aigen.runtime.values.convert import jsonable

    try:
        validator = jsonschema_rs.validator_for(dict(shape), retriever=_retrieve)
    except ValueError as error:
        message = f"the JSON Schema is refused: {error}"
        raise ConfigurationError(message, code="interface-malformed") from None

    def check(value: Any, memo: Memo) -> Misfit | None:
        fault = json_value(value, memo)
        if fault is not None:
            return fault
        for error in validator.iter_errors(jsonable(value)):
            return Misfit(tuple(error.instance_path), error.message, value)
        return None

    return check
