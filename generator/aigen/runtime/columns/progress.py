"""How far a `map` is: a bar on a terminal, a plain line now and then elsewhere; never on stdout."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_BAR_AFTER = 1.0
"""Seconds before a bar shows of itself: a short one would only flash."""

_LINE_AFTER = 5.0
_LINE_EVERY = 15.0
"""Seconds before the first line and between lines."""


@contextmanager
def progress(total: int, setting: bool | None, name: str) -> Iterator[Callable[[bool], None]]:
    """Shows how many rows are done, until the block ends.

    Args:
        total: rows.
        setting: false shows nothing; true begins at once; None only where it takes longer.
        name: of the function.

    Yields:
        What is called with every row that is done, and with whether it failed.
    """
    if setting is False or sys.stderr is None or not total:
        yield _nothing
        return
    shown = _shown(total, setting is True, name)
    try:
        yield shown.advance
    finally:
        shown.close()


def _nothing(failed: bool) -> None:
    return None


def _shown(total: int, at_once: bool, name: str) -> _Bar | _Lines:
    if _is_terminal():
        with contextlib.suppress(ImportError):
            from rich.console import Console
            from rich.progress import Progress

            # What the program prints stays where it prints it.
            bar = Progress(
                console=Console(stderr=True), redirect_stdout=False, redirect_stderr=False
            )
            return _Bar(bar, total, at_once, name)
    return _Lines(total, at_once, name)


def _is_terminal() -> bool:
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):
        return False


class _Bar:
    """A bar of `rich`."""

    def __init__(self, bar: Any, total: int, at_once: bool, name: str) -> None:
        self._bar, self._name, self._failed = bar, name, 0
        self._task = bar.add_task(name, total=total)
        self._from = time.monotonic() + (0.0 if at_once else _BAR_AFTER)
        self._begun = False

    def advance(self, failed: bool) -> None:
        self._failed += failed
        words = f"{self._name}, {self._failed} failed" if self._failed else self._name
        self._bar.update(self._task, advance=1, description=words)
        if not self._begun and time.monotonic() >= self._from:
            self._begun = True
            self._bar.start()

    def close(self) -> None:
        if self._begun:
            self._bar.stop()


class _Lines:
    """A line now and then."""

    def __init__(self, total: int, at_once: bool, name: str) -> None:
        self._total, self._name = total, name
        self._done = self._failed = 0
        self._began = time.monotonic()
        self._next = self._began + (0.0 if at_once else _LINE_AFTER)
        self._said = 0

    def advance(self, failed: bool) -> None:
        self._done += 1
        self._failed += failed
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _LINE_EVERY
            self._write(now)

    def close(self) -> None:
        # Whoever read a line also wants to know how it ended.
        if 0 < self._said < self._done:
            self._write(time.monotonic())

    def _write(self, now: float) -> None:
        self._said = self._done
        seconds = now - self._began
        left = seconds / self._done * (self._total - self._done) if self._done else 0.0
        failed = f", {self._failed} failed" if self._failed else ""
        more = f", about {left:,.0f} s left" if self._done < self._total else ""
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(
                f"{self._name}: {self._done:,} of {self._total:,} rows{failed}, "
                f"{seconds:,.0f} s{more}\n"
            )
            sys.stderr.flush()
