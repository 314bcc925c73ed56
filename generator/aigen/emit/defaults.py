"""Defaults as they would be written by hand."""

from __future__ import annotations

import datetime
import decimal
import re
import uuid
from typing import Any

from aigen.emit.annotations import hashable, plain
from aigen.emit.definition import compact
from aigen.emit.literals import quote, value
from aigen.emit.names import levels
from aigen.emit.scope import ModuleScope
from aigen.ir import (
    Alias,
    Boolean,
    Choice,
    Described,
    Enumeration,
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
    Union,
)

_DURATION = re.compile(
    r"(-?)P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d{1,6}))?S)?)?"
)


def immutable(kind: Type, data: Any, scope: ModuleScope) -> str | None:
    """A Python expression for a default in its JSON form, or None where it is no immutable value.

    A scalar, date or time, Decimal, UUID, enum member, or a tuple of them.
    """
    match kind:
        case Ref():
            definition = scope.plan.program.definitions[(kind.module, kind.name)]
            if isinstance(definition, Enumeration):
                return _member(definition, data, scope.type(kind))
            return (
                immutable(definition.type, data, scope) if isinstance(definition, Alias) else None
            )
        case Union():
            found = (immutable(option, data, scope) for option in kind.options)
            return next((each for each in found if each is not None), None)
        case Described():
            return immutable(kind.type, data, scope)
        case Shape():
            return immutable(kind.model, data, scope)
        case Tuple():
            return _tuple(kind, data, scope)
        case Formatted():
            return _formatted(kind.kind, data, scope) if isinstance(data, str) else None
        case _:
            return value(data) if _is_scalar(kind, data) else None


def fresh(kind: Type, data: Any, scope: ModuleScope) -> str:
    """An expression that makes a default anew each time, for one that can be changed."""
    written = immutable(kind, data, scope)
    if written is not None:
        return written
    match kind:
        case List() if isinstance(data, list):
            return f"[{', '.join(fresh(kind.item, each, scope) for each in data)}]"
        case Set() if isinstance(data, list):
            parts = ", ".join(fresh(kind.item, each, scope) for each in data)
            if not hashable(kind.item, scope):
                return f"[{parts}]"
            return f"{{{parts}}}" if data else f"{scope.builtin('set')}()"
        case Map() if isinstance(data, dict):
            pairs = [
                f"{quote(key)}: {fresh(kind.value, each, scope)}" for key, each in data.items()
            ]
            return f"{{{', '.join(pairs)}}}"
        case Described():
            return fresh(kind.type, data, scope)
        case JsonAny():
            return value(data)
        case Ref():
            definition = scope.plan.program.definitions[(kind.module, kind.name)]
            if isinstance(definition, Record):
                return f"{scope.type(kind)}.model_validate_json({_json(data)})"
            if isinstance(definition, Alias):
                return fresh(definition.type, data, scope)
    adapter = scope.use("pydantic", "TypeAdapter")
    return f"{adapter}({plain(kind, scope)}).validate_json({_json(data)})"


def made(kind: Type, data: Any, scope: ModuleScope) -> str:
    """`fresh`, with the container's type where a checker would find a narrower one in it.

    Containers are invariant: `["kind"]` is a `list[str]`, and no `list[Literal["kind"]]`.
    """
    match kind:
        case Described():
            return made(kind.type, data, scope)
        case Ref():
            definition = scope.plan.program.definitions[(kind.module, kind.name)]
            if isinstance(definition, Alias):
                return made(definition.type, data, scope)
        case List() | Set() | Map() if data and not _inferred(kind, scope):
            return f"{plain(kind, scope)}({fresh(kind, data, scope)})"
        case JsonAny() if data and isinstance(data, dict):
            return made(Map(kind), data, scope)
        case JsonAny() if data and isinstance(data, list):
            return made(List(kind), data, scope)
    return fresh(kind, data, scope)


def _inferred(kind: Type, scope: ModuleScope) -> bool:
    """Whether a checker finds a type in a literal of it."""
    match kind:
        case List() | Set():
            return _inferred(kind.item, scope)
        case Map():
            return _inferred(kind.value, scope)
        case Described():
            return _inferred(kind.type, scope)
        case Ref():
            definition = scope.plan.program.definitions[(kind.module, kind.name)]
            return not isinstance(definition, Alias) or _inferred(definition.type, scope)
        case Union() | Number() | Choice() | Tuple() | JsonAny() | Shape():
            return False
        case _:
            return True


def _json(data: Any) -> str:
    return quote(compact(data))


def _is_scalar(kind: Type, data: Any) -> bool:
    match kind:
        case Text() | Given():
            return isinstance(data, str)
        case Integer():
            return isinstance(data, int) and not isinstance(data, bool)
        case Number():
            return isinstance(data, int | float) and not isinstance(data, bool)
        case Boolean():
            return isinstance(data, bool)
        case Null():
            return data is None
        case Choice():
            return any(
                type(each.value) is type(data) and each.value == data for each in kind.levels
            )
        case JsonAny():
            return data is None or isinstance(data, str | int | float)
        case _:
            return False


def _member(definition: Enumeration, data: Any, name: str) -> str | None:
    values = [level.value for level in definition.levels]
    for level, member in zip(values, levels(values), strict=True):
        if type(level) is type(data) and level == data:
            return f"{name}.{member}"
    return None


def _tuple(kind: Tuple, data: Any, scope: ModuleScope) -> str | None:
    if not isinstance(data, list):
        return None
    if kind.rest is None and len(kind.items) != len(data):
        return None
    kinds = kind.items if kind.rest is None else (kind.rest,) * len(data)
    parts = [immutable(item, each, scope) for item, each in zip(kinds, data, strict=True)]
    if any(part is None for part in parts):
        return None
    return f"({', '.join(map(str, parts))}{',' if len(parts) == 1 else ''})"


def _formatted(kind: str, text: str, scope: ModuleScope) -> str | None:
    """The constructor's call, from the ISO form; None where the text has no such form."""
    try:
        if kind == "Decimal":
            decimal.Decimal(text)
            return f"{scope.use('decimal', 'Decimal')}({quote(text)})"
        if kind == "UUID":
            return f"{scope.use('uuid', 'UUID')}({quote(str(uuid.UUID(text)))})"
        if kind == "date":
            day = datetime.date.fromisoformat(text)
            return f"{scope.use('datetime', 'date')}({day.year}, {day.month}, {day.day})"
        if kind == "timedelta":
            return _duration(text, scope)
        if kind == "time":
            clock = datetime.time.fromisoformat(text)
            return f"{scope.use('datetime', 'time')}({_clock(clock, scope)})"
        moment = datetime.datetime.fromisoformat(text)
    except (ValueError, ArithmeticError):
        return None
    day_parts = f"{moment.year}, {moment.month}, {moment.day}"
    return f"{scope.use('datetime', 'datetime')}({day_parts}, {_clock(moment.timetz(), scope)})"


def _clock(clock: datetime.time, scope: ModuleScope) -> str:
    parts = [str(clock.hour), str(clock.minute)]
    if clock.second or clock.microsecond:
        parts.append(str(clock.second))
    if clock.microsecond:
        parts.append(str(clock.microsecond))
    offset = clock.utcoffset()
    if offset is not None:
        if not offset:
            zone = scope.use("datetime", "UTC")
        else:
            zone = f"{scope.use('datetime', 'timezone')}({_delta(offset, scope)})"
        parts.append(f"tzinfo={zone}")
    return ", ".join(parts)


def _duration(text: str, scope: ModuleScope) -> str | None:
    match = _DURATION.fullmatch(text)
    if match is None or text.rstrip("T") in ("P", "-P"):
        return None
    sign, weeks, days, hours, minutes, seconds, fraction = match.groups()
    micro = int((fraction or "0").ljust(6, "0"))
    total = datetime.timedelta(
        weeks=int(weeks or 0),
        days=int(days or 0),
        hours=int(hours or 0),
        minutes=int(minutes or 0),
        seconds=int(seconds or 0),
        microseconds=micro,
    )
    return _delta(-total if sign else total, scope)


def _delta(delta: datetime.timedelta, scope: ModuleScope) -> str:
    sign = "-" if delta < datetime.timedelta() else ""
    delta = abs(delta)
    parts = [
        f"{name}={sign}{number}"
        for name, number in (
            ("days", delta.days),
            ("seconds", delta.seconds),
            ("microseconds", delta.microseconds),
        )
        if number
    ]
    return f"{scope.use('datetime', 'timedelta')}({', '.join(parts)})"
