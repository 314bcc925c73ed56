"""Binding to text: what has a text of its own, and which (3-runtime, *Binding a call's inputs*)."""

from __future__ import annotations

import inspect
import math
import re
from typing import Any

from aigen.runtime.values.canonical_json import canonical, number, pretty
from aigen.runtime.values.convert import jsonable, plain, record, sequence
from aigen.runtime.values.not_bound import NotBound
from aigen.runtime.values.shape import (
    Memo,
    unicode,
)

_default_text = re.compile(r"<.* object at 0x[0-9a-fA-F]+>", re.DOTALL).fullmatch


def bind_text(value: Any, memo: Memo) -> str:
    """Binds to text; a text is itself."""
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
