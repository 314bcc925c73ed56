"""Whether a value fits a shape: JSON Schema (2020-12), compiled once into closures.

A shape of our own is strict where JSON Schema is open: a record (`properties` without
`additionalProperties`) holds only what it names. Under `x-aigen-shape: true`, a schema that a spec
wrote itself, JSON Schema's own rules hold.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import unquote

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.values import formats
from aigen.runtime.values.canonical import canonical, identity

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
_APPLICATORS = frozenset({"$ref", "allOf", "anyOf", "oneOf", "enum", "const", "type"})
_ELSEWHERE = frozenset({"unevaluatedProperties", "unevaluatedItems", "$dynamicRef", "$anchor"})


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
        return ref.rpartition("/")[2] or "a value"
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


def json_value(value: Any, memo: Memo) -> Misfit | None:
    """Checks that a value is JSON."""
    if isinstance(value, str):
        return None if unicode(value) else Misfit((), "text in Unicode", value)
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return None if finite(value) else Misfit((), "a finite number", value)
    if isinstance(value, list | tuple):
        return _each(value, json_value, memo)
    if isinstance(value, dict):
        for name, member in value.items():
            if not isinstance(name, str):
                return Misfit((), "names that are text", value)
            fault = json_value(member, memo)
            if fault is not None:
                return _under(name, fault)
        return None
    return Misfit((), "a JSON value", value)


def _under(step: str | int, fault: Misfit) -> Misfit:
    return Misfit((step, *fault.path), fault.expected, fault.value)


def _each(items: Sequence[Any], check: Check, memo: Memo, start: int = 0) -> Misfit | None:
    for position in range(start, len(items)):
        fault = check(items[position], memo)
        if fault is not None:
            return _under(position, fault)
    return None


def _nothing(value: Any, memo: Memo) -> Misfit | None:
    return Misfit((), "nothing here", value)


class Checker:
    """Compiles shapes to checks; what a reference means is compiled once."""

    def __init__(self) -> None:
        self._refs: dict[tuple[int, int], list[Check]] = {}
        self._kept: list[Any] = []

    def compile(self, shape: Shape, scope: Scope) -> Check:
        """The check of a shape."""
        if not isinstance(shape, Mapping):
            return json_value if shape else _nothing
        scope = scope.inside(shape)
        if scope.root is shape and _needs_more(shape):
            return _whole(shape)
        checks = [*self._type(shape, scope), *self.local(shape, scope)]
        if "x-aigen-media" not in shape:
            checks += [*self._items(shape, scope), *self._members(shape, scope)]
        checks += self.combined(shape, scope)
        if not _APPLICATORS & shape.keys():
            checks.insert(0, json_value)
        return _all(checks)

    def _type(self, shape: Mapping[str, Any], scope: Scope) -> list[Check]:
        if "type" not in shape:
            return []
        expected = describe({"type": shape["type"], "format": shape.get("format")}, scope)
        kinds = shape["type"] if isinstance(shape["type"], list) else [shape["type"]]
        form = shape.get("format") if shape.get("format") in scope.formats else None
        if "x-aigen-media" in shape:
            return [_media(describe(shape, scope))]
        if kinds == ["string"] and form is None:
            return [_text]
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
            checks.append(_levels(shape, describe(shape, scope)))
        checks += _text_checks(shape, scope)
        checks += _number_checks(shape)
        checks += _count_checks(shape)
        required = [name for name in shape.get("required", ()) if isinstance(name, str)]
        if isinstance(shape.get("required"), list) and required:
            checks.append(_required(required))
        for name, needed in (shape.get("dependentRequired") or {}).items():
            checks.append(_dependent(name, _required(needed)))
        if shape.get("uniqueItems") is True:
            checks.append(unique_items)
        return checks

    def _items(self, shape: Mapping[str, Any], scope: Scope) -> list[Check]:
        heads, rest = shape.get("prefixItems", []), shape.get("items", True)
        if isinstance(rest, list):  # drafts before 2020-12
            heads, rest = rest, shape.get("additionalItems", True)
        checks: list[Check] = []
        if heads or rest is not True or "array" in _kinds(shape):
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
                        return _under(position, fault)
                if closed and len(value) > len(firsts):
                    return Misfit((), f"at most {len(firsts)} items", value)
                return _each(value, other, memo, len(firsts))

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
        if named or matched or other is not json_value or "object" in _kinds(shape):

            def members(value: Any, memo: Memo) -> Misfit | None:
                if not isinstance(value, dict):
                    return None
                for name, member in value.items():
                    check = named.get(name)
                    fault = check(member, memo) if check is not None else None
                    if fault is not None:
                        return _under(name, fault)
                    hit = check is not None
                    for search, inner in matched:
                        if isinstance(name, str) and search(name):
                            hit = True
                            fault = inner(member, memo)
                            if fault is not None:
                                return _under(name, fault)
                    if not hit:
                        if closed:
                            return Misfit((name,), "no such member", member)
                        fault = other(member, memo)
                        if fault is not None:
                            return _under(name, fault)
                return None

            checks.append(members)
        if "propertyNames" in shape:
            checks.append(_names(self.compile(shape["propertyNames"], scope)))
        return checks

    def combined(self, shape: Mapping[str, Any], scope: Scope) -> list[Check]:
        """The keywords that apply other shapes to the same value."""
        checks: list[Check] = []
        if "$ref" in shape:
            checks.append(self.reference(shape["$ref"], scope))
        checks += [self.compile(part, scope) for part in shape.get("allOf", ())]
        if "anyOf" in shape:
            options = [self.compile(option, scope) for option in shape["anyOf"]]
            checks.append(_any(options, describe({"anyOf": shape["anyOf"]}, scope)))
        if "oneOf" in shape:
            options = [self.compile(option, scope) for option in shape["oneOf"]]
            checks.append(_one(options, describe({"oneOf": shape["oneOf"]}, scope)))
        if "not" in shape:
            checks.append(_not(self.compile(shape["not"], scope)))
        if "if" in shape:
            parts = (self.compile(shape.get(key, True), scope) for key in ("if", "then", "else"))
            checks.append(_if(*parts))
        for name, part in (shape.get("dependentSchemas") or {}).items():
            checks.append(_dependent(name, self.compile(part, scope)))
        for name, part in (shape.get("dependencies") or {}).items():
            needs = _required(part) if isinstance(part, list) else self.compile(part, scope)
            checks.append(_dependent(name, needs))
        return checks

    def reference(self, ref: str, scope: Scope) -> Check:
        """The check of what a `$ref` means; a value is checked against it once."""
        target, inner = resolve(ref, scope)
        key = (id(target), id(inner.root))
        cell = self._refs.get(key)
        if cell is None:
            cell = self._refs[key] = []
            self._kept.append((target, inner.root))
            cell.append(self.compile(target, inner))

        def follow(value: Any, memo: Memo) -> Misfit | None:
            if not isinstance(value, dict | list | tuple):
                return cell[0](value, memo)
            place = (key, id(value))
            if place not in memo:
                memo[place] = Misfit((), "a value that is not inside itself", value)
                memo[place] = cell[0](value, memo)
            return memo[place]  # type: ignore[no-any-return]

        return follow


def additional(shape: Mapping[str, Any], scope: Scope) -> Shape:
    """What members that `properties` does not name must fit."""
    closed = scope.root is None and "properties" in shape
    found: Shape = shape.get("additionalProperties", not closed)
    return found


def _kinds(shape: Mapping[str, Any]) -> Sequence[str]:
    kinds = shape.get("type", ())
    return (kinds,) if isinstance(kinds, str) else kinds


def _all(checks: list[Check]) -> Check:
    if len(checks) == 1:
        return checks[0]

    def every(value: Any, memo: Memo) -> Misfit | None:
        for check in checks:
            fault = check(value, memo)
            if fault is not None:
                return fault
        return None

    return every


def _text(value: Any, memo: Memo) -> Misfit | None:
    if isinstance(value, str) and (value.isascii() or unicode(value)):
        return None
    return Misfit((), "text", value)


def _media(expected: str) -> Check:
    def check(value: Any, memo: Memo) -> Misfit | None:
        return None if hasattr(value, "__aigen_media__") else Misfit((), expected, value)

    return check


def _levels(shape: Mapping[str, Any], expected: str) -> Check:
    levels = {identity(level) for level in shape.get("enum", [shape.get("const")])}
    if "enum" in shape and "const" in shape:
        levels &= {identity(shape["const"])}

    def check(value: Any, memo: Memo) -> Misfit | None:
        try:
            fits = identity(value) in levels
        except TypeError:
            fits = False
        return None if fits else Misfit((), expected, value)

    return check


def _text_checks(shape: Mapping[str, Any], scope: Scope) -> list[Check]:
    checks: list[Check] = []
    least, most = shape.get("minLength"), shape.get("maxLength")
    form = shape.get("format")
    if least is not None or most is not None:
        expected = f"text of {_span(least, most)} characters"

        def length(value: Any, memo: Memo) -> Misfit | None:
            if isinstance(value, str) and not _within(len(value), least, most):
                return Misfit((), expected, value)
            return None

        checks.append(length)
    if "pattern" in shape:
        search, wanted = pattern(shape["pattern"]), f"text that matches {shape['pattern']}"

        def matches(value: Any, memo: Memo) -> Misfit | None:
            if isinstance(value, str) and not search(value):
                return Misfit((), wanted, value)
            return None

        checks.append(matches)
    if isinstance(form, str) and form in scope.formats:

        def formatted(value: Any, memo: Memo) -> Misfit | None:
            if isinstance(value, str) and formats.read(form, value) is None:
                return Misfit((), formats.NAMES[form], value)
            return None

        checks.append(formatted)
    return checks


def _number_checks(shape: Mapping[str, Any]) -> list[Check]:
    low, high = shape.get("minimum"), shape.get("maximum")
    above, below = shape.get("exclusiveMinimum"), shape.get("exclusiveMaximum")
    if isinstance(above, bool):  # draft 4
        low, above = (None, low) if above else (low, None)
    if isinstance(below, bool):
        high, below = (None, high) if below else (high, None)
    step = shape.get("multipleOf")
    if (low, high, above, below, step) == (None,) * 5:
        return []
    limits = [
        f"{word} {limit}"
        for word, limit in (
            ("at least", low),
            ("more than", above),
            ("at most", high),
            ("less than", below),
            ("a multiple of", step),
        )
        if limit is not None
    ]
    expected = f"a number {', '.join(limits)}"

    def check(value: Any, memo: Memo) -> Misfit | None:
        if not isinstance(value, int | float) or isinstance(value, bool):
            return None
        if (
            (low is not None and value < low)
            or (high is not None and value > high)
            or (above is not None and value <= above)
            or (below is not None and value >= below)
            or (step is not None and not is_multiple(value, step))
        ):
            return Misfit((), expected, value)
        return None

    return [check]


def _count_checks(shape: Mapping[str, Any]) -> list[Check]:
    checks = []
    for kinds, least, most, noun in (
        ((list, tuple, set, frozenset), "minItems", "maxItems", "items"),
        ((dict,), "minProperties", "maxProperties", "members"),
    ):
        if least in shape or most in shape:
            checks.append(_count(kinds, shape.get(least), shape.get(most), noun))
    return checks


def _count(kinds: tuple[type, ...], least: Any, most: Any, noun: str) -> Check:
    expected = f"{_span(least, most)} {noun}"

    def check(value: Any, memo: Memo) -> Misfit | None:
        if isinstance(value, kinds) and not _within(len(value), least, most):  # type: ignore[arg-type]
            return Misfit((), expected, value)
        return None

    return check


def _within(count: int, least: Any, most: Any) -> bool:
    return (least is None or count >= least) and (most is None or count <= most)


def _span(least: Any, most: Any) -> str:
    if most is None:
        return f"at least {least:g}"
    return f"at most {most:g}" if not least else f"{least:g} to {most:g}"


def _required(names: Sequence[str]) -> Check:
    def check(value: Any, memo: Memo) -> Misfit | None:
        if isinstance(value, dict):
            for name in names:
                if name not in value:
                    return Misfit((), f"a record with the member {canonical(name)}", value)
        return None

    return check


def _dependent(name: str, inner: Check) -> Check:
    def check(value: Any, memo: Memo) -> Misfit | None:
        return inner(value, memo) if isinstance(value, dict) and name in value else None

    return check


def unique_items(value: Any, memo: Memo) -> Misfit | None:
    """Checks that no item of a list stands twice: 1 and 1.0 are one."""
    if isinstance(value, list | tuple) and len(value) > 1:
        seen = set()
        for item in value:
            try:
                key = identity(item)
                known = key in seen
            except TypeError:
                continue
            if known:
                return Misfit((), "items that are all different", value)
            seen.add(key)
    return None


def _names(check: Check) -> Check:
    def names(value: Any, memo: Memo) -> Misfit | None:
        if isinstance(value, dict):
            for name in value:
                fault = check(name, memo)
                if fault is not None:
                    return Misfit((name,), f"a name that is {fault.expected}", name)
        return None

    return names


def _any(options: list[Check], expected: str) -> Check:
    def check(value: Any, memo: Memo) -> Misfit | None:
        deepest: Misfit | None = None
        for option in options:
            fault = option(value, memo)
            if fault is None:
                return None
            if fault.path and (deepest is None or len(fault.path) > len(deepest.path)):
                deepest = fault
        return deepest or Misfit((), expected, value)

    return check


def _one(options: list[Check], expected: str) -> Check:
    any_of = _any(options, expected)

    def check(value: Any, memo: Memo) -> Misfit | None:
        count = sum(option(value, memo) is None for option in options)
        if count > 1:
            return Misfit((), f"exactly one of {expected}", value)
        return None if count else any_of(value, memo)

    return check


def _not(inner: Check) -> Check:
    def check(value: Any, memo: Memo) -> Misfit | None:
        return None if inner(value, memo) else Misfit((), "a value that is not so", value)

    return check


def _if(test: Check, then: Check, otherwise: Check) -> Check:
    def check(value: Any, memo: Memo) -> Misfit | None:
        return (then if test(value, memo) is None else otherwise)(value, memo)

    return check


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


def _whole(shape: Mapping[str, Any]) -> Check:
    # Keywords that depend on what other keywords have seen are another validator's work.
    try:
        import jsonschema_rs
    except ImportError:
        raise ConfigurationError(
            "this JSON Schema uses keywords that need the extra: pip install 'aigen[schema]'",
            code="missing-extra",
        ) from None
    from aigen.runtime.values.convert import jsonable

    try:
        validator = jsonschema_rs.validator_for(dict(shape))
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
