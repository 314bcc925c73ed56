"""Values in messages."""

from __future__ import annotations

from aigen.runtime.values.canonical_json import canonical
from aigen.runtime.values.convert import jsonable


def quoted(value: object, limit: int = 80) -> str:
    """A value for a message: its canonical JSON, cut after `limit` code points."""
    try:
        written = value[: limit + 1] if isinstance(value, str) else jsonable(value)
        shown = canonical(written)
    except Exception:  # a value may run code of its own when it is read
        shown = f"a {type(value).__name__}"
    return shown if len(shown) <= limit else shown[:limit] + "…"
