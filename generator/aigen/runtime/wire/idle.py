"""Connections that wait for another request; the last one given back is taken first."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Generic, Protocol, TypeVar

SECONDS: Final = 50
"""That one is kept: servers behind the usual balancers keep theirs 60."""

MOST: Final = 1024
"""Connections kept to a server; more calls in flight open some that are closed again."""


class Closed(Protocol):
    """What can be closed."""

    def close(self) -> object:
        """Closes it."""


T = TypeVar("T", bound=Closed)


class Idle(Generic[T]):
    """The idle connections to one server, for any number of threads.

    Args:
        serves: whether a connection still does: nothing is to be read from one, but its end.
    """

    def __init__(self, serves: Callable[[T], bool]) -> None:
        self._serves = serves
        self._kept: deque[tuple[T, float]] = deque()

    def taken(self) -> T | None:
        """One that the server has not closed."""
        oldest = time.monotonic() - SECONDS
        while self._kept:
            with suppress(IndexError):  # another thread may be faster
                connection, since = self._kept.pop()
                if since > oldest and self._serves(connection):
                    return connection
                connection.close()
        return None

    def give_back(self, connection: T) -> None:
        """Keeps one, and closes the oldest where it is old, or one too many."""
        now = time.monotonic()
        self._kept.append((connection, now))
        with suppress(IndexError):
            if self._kept[0][1] < now - SECONDS or len(self._kept) > MOST:
                self._kept.popleft()[0].close()

    def close(self) -> None:
        """Closes all."""
        while self._kept:
            with suppress(IndexError):
                self._kept.pop()[0].close()
