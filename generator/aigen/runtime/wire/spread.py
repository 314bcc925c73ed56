"""The calls in flight to one target, spread over several clients.

The SDK's HTTP library goes through all connections of a client when a request begins and when it
ends, so that each call would cost more the more there are: with 256 in flight, twice as much.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from aigen.runtime.setting_kinds import Settings
from aigen.runtime.wire.client import (
    async_client,
    async_kept,
    client_key,
    sync_client,
    sync_kept,
)
from aigen.runtime.wire.making import made
from aigen.runtime.wire.messages import Target

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

THREADS: Final = 4
"""Calls on threads that a client has in flight before another one is made; they share its lock."""

TASKS: Final = 16
"""The same of awaited calls."""


class _Spread:
    """Clients of one target.

    Args:
        first: the client that there is already.
        make: makes a further one.
    """

    share = THREADS

    def __init__(self, first: Any, make: Callable[[], Any]) -> None:
        self._make = make
        self._more: list[Any] = []
        self._free = [first] * self.share  # the last one given back is taken first: it is connected
        self._lock = threading.RLock()  # a finaliser may call a function while one is made

    @contextmanager
    def one(self) -> Iterator[Any]:
        """A client for one call."""
        client = self._taken()
        try:
            yield client
        finally:
            self._free.append(client)

    def _taken(self) -> Any:
        while True:
            try:
                return self._free.pop()
            except IndexError:
                self._grow()

    def _grow(self) -> None:
        with self._lock:
            if not self._free:
                client = self._make()
                self._more.append(client)
                self._free += [client] * self.share

    def close(self) -> None:
        """Closes the further clients."""
        for client in self._more:
            client.close()


class _AsyncSpread(_Spread):
    share = TASKS

    async def close(self) -> None:  # type: ignore[override]
        """Closes the further clients."""
        for client in self._more:
            await client.close()


@contextmanager
def sync_carrier(target: Target, settings: Settings) -> Iterator[OpenAI]:
    """The client for one call to a target, from its begin to the end of its answer.

    Raises:
        ConfigurationError: no key, or a given client that is not a sync one.
    """
    client = sync_client(target, settings)
    if settings.client is not None:
        yield client
        return
    key = "spread", client_key(target, settings)
    spread = sync_kept(key, lambda: _Spread(client, lambda: made(target, settings, "OpenAI")))
    with spread.one() as found:
        yield found


@contextmanager
def async_carrier(target: Target, settings: Settings) -> Iterator[AsyncOpenAI]:
    """Like `sync_carrier`, of this event loop.

    Raises:
        ConfigurationError: no key, or a given client that is not an async one.
    """
    client = async_client(target, settings)
    if settings.client is not None or settings.transport == "aiohttp":  # which counts nothing
        yield client
        return
    key = "spread", client_key(target, settings)
    make = lambda: _AsyncSpread(client, lambda: made(target, settings, "AsyncOpenAI"))  # noqa: E731
    with async_kept(key, make).one() as found:
        yield found
