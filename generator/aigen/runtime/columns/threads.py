"""Threads that call rows, for as long as someone waits for what comes of it."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from contextvars import Context, copy_context
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Self

from aigen.runtime.columns.results import Failed
from aigen.runtime.wire.wanted import Wanted

_LOOK = 0.5
"""Seconds between looks at a queue: a wait without an end holds Ctrl-C back on some systems."""


class Threads:
    """A few threads that do one piece of work for many rows; left with the block.

    They are daemons: a request in flight takes minutes at worst, and neither Ctrl-C nor the end of
    the program waits for an answer that nobody wants any more. Left by an error, the rows that are
    still called begin no further request.

    Args:
        work: what is done with a row.
        most: threads at once.
        stops: whether no row given after this one is begun, by what came of it. Those given before
            it are called to their end: they have their turn first.
        context: in which rows are called, each in a copy of it; the caller's where not given.

    Attributes:
        outcomes: what came of each row that is done, by number. The threads put it there
            themselves, so that an interruption loses none.
    """

    def __init__(
        self,
        work: Callable[[Any], Any],
        most: int,
        stops: Callable[[Any], bool],
        context: Context | None = None,
    ) -> None:
        self._work, self._most, self._stops = work, most, stops
        self._context = context or copy_context()
        self._wanted = Wanted()
        self._given: SimpleQueue[Any] = SimpleQueue()
        self._done: SimpleQueue[int] = SimpleQueue()
        self.outcomes: dict[int, Any] = {}
        self._started = 0
        self._last: float = math.inf

    def __enter__(self) -> Self:
        self._context.run(self._wanted.__enter__)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._last = -1
        if kind is not None:
            self._wanted.drop()
        for _ in range(self._started):
            self._given.put(None)

    def give(self, number: int, row: Any) -> None:
        """Gives the threads a row to call; numbers rise from row to row."""
        self._given.put((number, row))
        if self._started < self._most:
            self._started += 1
            threading.Thread(target=self._serve, name="aigen-row", daemon=True).start()

    def take(self) -> int:
        """Waits for a row that is done: its number."""
        while True:
            try:
                return self._done.get(timeout=_LOOK)
            except Empty:
                continue

    def _serve(self) -> None:
        while True:
            given = self._given.get()
            if given is None:
                return
            number, row = given
            if number > self._last:
                return
            try:
                outcome = self._context.copy().run(self._work, row)
            except BaseException as problem:
                # A row that never comes back would be waited for without end.
                outcome = Failed(problem)
            if self._stops(outcome):
                self._last = min(self._last, number)
            self.outcomes[number] = outcome
            self._done.put(number)
