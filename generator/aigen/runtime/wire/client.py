"""The shared client: one `openai` client a process, one async client an event loop.

`openai` is imported at the first call. After a fork everything is made again, for a connection that
two processes share gives one the other's answers; and an async client belongs to its loop, with
which it is closed.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import threading
from collections.abc import AsyncGenerator, Callable
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.setting_kinds import Settings
from aigen.runtime.wire.making import Kind, api_key, given, made, of_kind, without_retries
from aigen.runtime.wire.messages import Target

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

_MOST = 256
"""Clients kept, for programs with a key for every customer; the oldest goes first."""


class _Clients:
    """The clients of this process, by what they were made from."""

    def __init__(self) -> None:
        self.lock = threading.RLock()  # what is kept may need a client, which is kept too
        self.sync: dict[Any, Any] = {}
        self.loops: WeakKeyDictionary[Any, dict[Any, Any]] = WeakKeyDictionary()


_clients = _Clients()
_inherited: list[_Clients] = []
"""A parent's clients: kept, so that nothing closes connections that are the parent's too."""

_homes: WeakKeyDictionary[Any, tuple[int, Any]] = WeakKeyDictionary()
"""Where a client that a user made was first used: process and event loop."""


def _forget() -> None:
    global _clients
    _inherited.append(_clients)
    _clients = _Clients()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


@atexit.register
def _close() -> None:
    for client in _clients.sync.values():
        client.close()
    _clients.sync.clear()


def sync_client(target: Target, settings: Settings) -> OpenAI:
    """The process's client for a target.

    Raises:
        ConfigurationError: no key, or a given client that is not a sync one.
    """
    if settings.client is not None and not callable(given(settings.client, "OpenAI")):
        return cast("OpenAI", _ready(settings.client, "OpenAI", None))
    key = client_key(target, settings)
    return cast("OpenAI", sync_kept(key, lambda: _made(target, settings, "OpenAI", None)))


def sync_kept(key: Any, make: Callable[[], Any]) -> Any:
    """What the process keeps under a key, made at its first use; it has a `close`."""
    clients = _clients
    found = clients.sync.get(key)
    if found is None:
        with clients.lock:
            found = clients.sync.get(key)
            if found is None:
                found = make()
                _keep(clients.sync, key, found)
    return found


def async_client(target: Target, settings: Settings) -> AsyncOpenAI:
    """This event loop's client for a target.

    Raises:
        ConfigurationError: no key, or a given client that is not an async one.
    """
    loop = asyncio.get_running_loop()
    if settings.client is not None and not callable(given(settings.client, "AsyncOpenAI")):
        return cast("AsyncOpenAI", _ready(settings.client, "AsyncOpenAI", loop))
    key = client_key(target, settings)
    made = async_kept(key, lambda: _made(target, settings, "AsyncOpenAI", loop))
    return cast("AsyncOpenAI", made)


def async_kept(key: Any, make: Callable[[], Any]) -> Any:
    """What this event loop keeps under a key, made at its first use; its `close` is awaited."""
    loop = asyncio.get_running_loop()
    of_loop = _clients.loops.get(loop)
    if of_loop is None:
        of_loop = {}
        with _clients.lock:
            _clients.loops[loop] = of_loop
        _close_with_the_loop(of_loop)
    found = of_loop.get(key)
    if found is None:
        found = make()
        _keep(of_loop, key, found)
    return found


def _keep(clients: dict[Any, Any], key: Any, client: Any) -> None:
    if len(clients) >= _MOST:
        # A call may still be using it, so it is let go of and not closed.
        del clients[next(iter(clients))]
    clients[key] = client


def client_key(target: Target, settings: Settings) -> Any:
    """What a target's client is kept under.

    Raises:
        ConfigurationError: a client is given, and the transport makes its own connections.
    """
    if settings.client is not None:
        if settings.transport in ("aiohttp", "direct"):
            raise ConfigurationError(
                f"transport {settings.transport} makes its own connections, and a client is given: "
                "use auto, or give a client that has the connections you want",
                code="client",
            )
        return settings.client
    own = "aiohttp" if settings.transport == "aiohttp" else ""
    return target.provider, target.base_url, api_key(target, settings), own


def _close_with_the_loop(clients: dict[Any, Any]) -> None:
    """Closes an event loop's clients when it ends.

    A loop has no hook for its end but this: `asyncio.run` finishes the asynchronous generators that
    were begun in it (`loop.shutdown_asyncgens`), and one is begun here by hand.
    """
    process = os.getpid()

    async def until_the_end() -> AsyncGenerator[None]:
        try:
            yield
        finally:
            # A loop that a child inherits watches by the parent's selector.
            if process == os.getpid():
                for client in clients.values():
                    await client.close()
            clients.clear()

    begun = until_the_end()
    _generators[asyncio.get_running_loop()] = begun
    with contextlib.suppress(StopIteration):
        begun.__anext__().send(None)


_generators: WeakKeyDictionary[Any, AsyncGenerator[None]] = WeakKeyDictionary()
"""A loop knows its generators weakly; they are kept as long as it is."""


def _ready(setting: Any, kind: Kind, loop: Any) -> Any:
    """A client that was given ready made."""
    return without_retries(_at_home(of_kind(given(setting, kind), kind), loop))


def _made(target: Target, settings: Settings, kind: Kind, loop: Any) -> Any:
    client = made(target, settings, kind)
    return client if settings.client is None else without_retries(_at_home(client, loop))


def _at_home(client: Any, loop: Any) -> Any:
    """The client of a user, where it was first used.

    Raises:
        ConfigurationError: it was used in another process or on another loop, so that its
            connections are not this call's.
    """
    process, home = _homes.setdefault(client, (os.getpid(), loop))
    if process != os.getpid() or home is not loop:
        where = "before fork()" if process != os.getpid() else "on another event loop"
        raise ConfigurationError(
            f"the client given as a setting was used {where}: give a factory that makes a new "
            f"one, client=lambda: OpenAI(…)",
            code="client",
        )
    return client
