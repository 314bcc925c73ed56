"""The clock of one call."""

from __future__ import annotations

import time
from typing import NoReturn

from aigen.runtime.errors import DeadlineError
from aigen.runtime.setting_kinds import Settings


class Deadline:
    """When the whole call must be done."""

    __slots__ = ("_others", "_until", "at", "seconds")

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.at = time.monotonic() + seconds
        self._others: int | None = None
        self._until = self.at

    def left(self) -> float:
        """Seconds left.

        Raises:
            DeadlineError: none.
        """
        left = self.at - time.monotonic()
        if left <= 0:
            self.passed()
        return left

    def until(self, settings: Settings) -> float:
        """When a model's time is over: half of what there was, where others stand by."""
        others = len(settings.fallback)
        if not others:
            return self.at
        if others != self._others:
            now = time.monotonic()
            self._others, self._until = others, now + (self.at - now) / 2
        return min(self._until, self.at)

    def rested(self, seconds: float) -> None:
        """Leaves out time that the caller, or a person, took."""
        self.at += seconds
        self._until += seconds

    def request(self, settings: Settings) -> float:
        """Seconds that one request may take.

        Raises:
            DeadlineError: none are left.
        """
        left = min(self.left(), self.until(settings) - time.monotonic())
        return min(settings.request_timeout, max(left, 0.001))

    def passed(self, cause: BaseException | None = None) -> NoReturn:
        """Says that the deadline has passed."""
        raise DeadlineError(
            f"the call took longer than its timeout of {self.seconds:g} s"
        ) from cause
