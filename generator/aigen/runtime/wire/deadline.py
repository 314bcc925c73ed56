"""The clock of one call."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NoReturn

from aigen.runtime.errors import DeadlineError
from aigen.runtime.setting_kinds import Settings
from aigen.runtime.wire import faking, wanted

_LONGEST: Final = 1_000_000
"""Seconds of a call: systems count what they wait in small numbers."""


class Deadline:
    """When the whole call must be done, and for how long it is wanted at all.

    Attributes:
        at: when, on `time.monotonic()`'s clock.
        seconds: from its beginning.
        script: the fake model that stood for all when the call began, if one did. A thread that
            is left behind must not take a step of a later one.
    """

    __slots__ = ("_others", "_until", "_wanted", "at", "script", "seconds")

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.script = faking.innermost()
        self._wanted = wanted.current()
        self.at = time.monotonic() + min(seconds, _LONGEST)
        self._others: int | None = None
        self._until = self.at

    def left(self) -> float:
        """Seconds left.

        Raises:
            DeadlineError: none, or nobody waits for the call any more.
        """
        if self._wanted is not None and self._wanted.dropped:
            raise DeadlineError("nobody waits for this call any more", code="left")
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

    @contextmanager
    def resting(self) -> Iterator[None]:
        """While the caller has the word."""
        began = time.monotonic()
        try:
            yield
        finally:
            self.rested(time.monotonic() - began)

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
