"""A small register of trials."""

from __future__ import annotations

from typing import Literal, TypedDict


class Trial(TypedDict):
    id: str
    title: str
    phase: str


_TRIALS: list[Trial] = [
    {"id": "NCT00000101", "title": "Walking after a stroke", "phase": "2"},
    {"id": "NCT00000202", "title": "Sleep and migraine", "phase": "3"},
]


def search(
    condition: str,  # the illness in plain words
    phase: Literal["1", "2", "3"] = "2",
    limit: int = 10,
) -> list[Trial]:
    """Search recruiting trials."""
    wanted = condition.casefold()
    found = [t for t in _TRIALS if wanted in t["title"].casefold() and t["phase"] == phase]
    return found[:limit]
