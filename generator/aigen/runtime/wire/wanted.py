"""Whether somebody still waits for a piece of work.

A thread cannot be ended from outside. One that is left behind (a tool that took too long, a row
of a `map` that was interrupted) learns here that it is, and begins no further request.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Self
from weakref import WeakSet


class Wanted:
    """A piece of work that is wanted for as long as its block runs; leaving by an error drops it.

    What is begun inside, on other threads too where they have a copy of the context, is wanted no
    longer than what is around it.

    Attributes:
        dropped: whether nobody waits for it any more.
    """

    def __init__(self) -> None:
        self.dropped = False
        # What is let go of is dropped wherever that is, inside the lock too.
        self._lock = threading.RLock()
        self._inner: WeakSet[Wanted] = WeakSet()
        self._then: list[Callable[[], object]] = []
        self._token: Token[Wanted | None] | None = None

    def __enter__(self) -> Self:
        outer = _current.get()
        self._token = _current.set(self)
        if outer is not None:
            outer._hold(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._token is not None:
            with suppress(ValueError):  # a coroutine that is closed in another context
                _current.reset(self._token)
        if kind is not None:
            self.drop()

    def drop(self) -> None:
        """Nobody waits for it any more."""
        with self._lock:
            self.dropped = True
            inner, then = list(self._inner), self._then
            self._then = []
        for work in inner:
            work.drop()
        for told in then:
            told()

    def when_dropped(self, told: Callable[[], object]) -> None:
        """Calls something when it is dropped; at once where it is already."""
        with self._lock:
            if not self.dropped:
                self._then.append(told)
                return
        told()

    def _hold(self, inner: Wanted) -> None:
        with self._lock:
            self._inner.add(inner)
        if self.dropped:
            inner.drop()


_current: ContextVar[Wanted | None] = ContextVar("aigen_wanted", default=None)


def current() -> Wanted | None:
    """The innermost work that this is a part of; None where nothing says how long it is wanted."""
    return _current.get()
