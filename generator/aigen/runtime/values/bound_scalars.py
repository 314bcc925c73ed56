"""Binding to what has no parts: numbers, dates and the like, choices, media, any JSON."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from aigen.runtime.values import formats
from aigen.runtime.values.bound_text import bind_text
from aigen.runtime.values.canonical_json import identity
from aigen.runtime.values.convert import plain
from aigen.runtime.values.keywords import json_value
from aigen.runtime.values.media import KINDS
from aigen.runtime.values.not_bound import Bind, NotBound
from aigen.runtime.values.shape import (
    Memo,
    Scope,
    describe,
    finite,
    is_type,
)

_number = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?").fullmatch
_JSON_SPACE = " \t\n\r"
_DIGITS = 4000
_ITEM = object()


def bind_any_json(value: Any, memo: Memo) -> Any:
    """Binds to any JSON: a foreign scalar as Python's own, all else as it is."""
    bound = value if isinstance(value, list | dict) else plain(value)
    if isinstance(value, float) and bound is None:
        raise NotBound((), "a finite number", value)
    fault = json_value(bound, memo)
    if fault is not None:
        raise NotBound(fault.path, fault.expected, fault.value)
    return bound


def scalar_binder(kind: str) -> Bind:
    """The binder of a type of JSON Schema that has no parts and is no text."""
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


def formatted_binder(form: str) -> Bind:
    """The binder of a text format that has a class of Python."""
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


def media_binder(kind: str, expected: str) -> Bind:
    """The binder of an image, audio or file; `expected` says what is wanted."""
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


def choice_binder(levels: list[Any], expected: str) -> Bind:
    """The binder of a choice: a level itself, else what reads as one."""
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
        for kind, bind in (("integer", _integer), ("number", _real), ("string", bind_text))
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
