"""Sums over the call log that take the same memory however long it is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

_STEP: Final = math.log(1.01)


class Durations:
    """Seconds, counted by size in steps of one percent."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()

    def add(self, seconds: float) -> None:
        """Counts one."""
        self._counts[round(math.log(max(seconds, 1e-6)) / _STEP)] += 1

    def at(self, share: float) -> float | None:
        """The seconds that a share of the counted ones did not exceed, within one percent."""
        left = math.ceil(share * self._counts.total())
        for step in sorted(self._counts):
            left -= self._counts[step]
            if left <= 0:
                return math.exp(step * _STEP)
        return None


class Totals:
    """What some calls came to."""

    def __init__(self) -> None:
        self.calls = 0
        self.errors = 0
        self.input_tokens = 0
        self.output_tokens = 0
        self.cost: float | None = None
        self.durations = Durations()

    def add(self, record: Mapping[str, Any]) -> None:
        """Counts the record of a call."""
        self.calls += 1
        self.errors += record.get("error") is not None
        usage = record.get("usage")
        if isinstance(usage, Mapping):
            self.input_tokens += _whole(usage.get("input_tokens"))
            self.output_tokens += _whole(usage.get("output_tokens"))
        if isinstance(record.get("cost"), (int, float)):
            self.cost = (self.cost or 0.0) + record["cost"]
        self.durations.add(float(record["seconds"]))

    def as_data(self) -> dict[str, Any]:
        """The totals as JSON."""
        return {
            "calls": self.calls,
            "errors": self.errors,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cost": self.cost,
            "p50": _rounded(self.durations.at(0.5)),
            "p95": _rounded(self.durations.at(0.95)),
        }


def _whole(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else float(f"{seconds:.3g}")
