"""Data frames of the session."""

from __future__ import annotations

FRAMES: dict[str, list[dict[str, object]]] = {"orders": [{"id": "A-1001"}, {"id": "A-1002"}]}


def nrow_of(name: str) -> int:
    """Number of rows of a data frame in the session."""
    return len(FRAMES[name])
