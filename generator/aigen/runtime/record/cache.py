"""Replies that are kept, so that a request is sent once: the setting `cache_replies`.

They are kept in memory, or in an SQLite file that processes share. A request is in the air once at
a time: whoever else wants its reply, in another task, thread or process, waits for it. What is kept
is what the server sent, and only where it could be read as the answer.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from aigen.runtime.errors import AigenError
from aigen.runtime.record.stores import Busy, FileStore, MemoryStore
from aigen.runtime.setting_kinds import Settings
from aigen.runtime.wire import faking
from aigen.runtime.wire.messages import Reply, Request, Usage
from aigen.runtime.wire.reading import read_body

_SHORTEST, _LONGEST = 0.005, 0.1
"""Seconds between two looks for a reply that another is waiting for."""

_ADDRESSES: Final = {"openai": "OPENAI_BASE_URL", "azure": "AZURE_OPENAI_ENDPOINT"}
"""Variables that say where a server is whose base URL is not set."""


class _Cache:
    """A store, and what is in the air."""

    def __init__(self, store: MemoryStore | FileStore) -> None:
        self._store = store
        self._flying: set[str] = set()
        # A stream that is let go of releases its request wherever that is, inside the lock too.
        self._lock = threading.RLock()
        self.broken = False

    def found(self, key: str) -> Reply | None:
        """The reply that is kept, none of whose tokens are used again."""
        text = self._asked(lambda: self._store.get(key))
        if text is None:
            return None
        try:
            reply = read_body(json.loads(text))
        except (ValueError, AigenError):
            self.forget(key)
            return None
        return reply._replace(cached=True, usage=Usage())

    def keep(self, key: str, reply: Reply) -> None:
        """Keeps what the server sent."""
        text = json.dumps(reply.raw, ensure_ascii=False, separators=(",", ":"))
        self._asked(lambda: self._store.put(key, text))

    def forget(self, key: str) -> None:
        """Keeps it no longer."""
        self._asked(lambda: self._store.delete(key))

    def is_flying(self, key: str) -> bool:
        """Whether this process waits for it; another's flight shows in `claim`."""
        return key in self._flying

    def claim(self, key: str) -> bool:
        """Whether the request is the caller's to send now."""
        with self._lock:
            if key in self._flying:
                return False
            if self._asked(lambda: self._store.lock(key)) is False:
                return False
            self._flying.add(key)
            return True

    def release(self, key: str) -> None:
        """The request is no longer in the air."""
        with self._lock:
            self._flying.discard(key)
            self._asked(lambda: self._store.unlock(key))

    def close(self) -> None:
        """Closes the store."""
        self._store.close()

    def _asked(self, operation: Callable[[], Any]) -> Any:
        """What the store says; None where it is busy, and from then on where it is damaged."""
        if self.broken:
            return None
        try:
            return operation()
        except Busy:
            return None
        except (OSError, ValueError) as problem:
            self.broken = True
            _warn(self._store.name, problem)
            return None


class Flight:
    """One call's wish for one reply.

    Attributes:
        reply: the one that was kept, once `begun` is true; None where the call must send.
    """

    def __init__(self, cache: _Cache, key: str) -> None:
        self._cache, self._key = cache, key
        self._ours = False
        self._pause = _SHORTEST
        self.reply: Reply | None = None

    def begun(self) -> bool:
        """Whether there is a reply, or the request is this call's to send; else look again."""
        cache, key = self._cache, self._key
        if cache.is_flying(key):
            return False
        self.reply = cache.found(key)
        if self.reply is None:
            if not cache.claim(key):
                return False
            # It may have been kept between the two looks.
            self.reply = cache.found(key)
            self._ours = self.reply is None
            if not self._ours:
                cache.release(key)
        if self.reply is not None:
            _unjudged[id(self.reply)] = self, self.reply
        return True

    def pause(self) -> float:
        """Seconds until the next look."""
        self._pause = min(self._pause * 2, _LONGEST)
        return random.uniform(_SHORTEST, self._pause)

    def landed(self, reply: Reply) -> Reply:
        """The reply that came; it stays this call's until it is judged."""
        _unjudged[id(reply)] = self, reply
        return reply

    def judged(self, reply: Reply, readable: bool) -> None:
        """Keeps a reply that could be read; whoever waits goes on."""
        if readable and self._ours:
            self._cache.keep(self._key, reply)
        elif not readable and not self._ours:
            # What reads it has changed since.
            self._cache.forget(self._key)
        self._end()

    def _end(self) -> None:
        if self._ours:
            self._ours = False
            self._cache.release(self._key)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._end()


class _State:
    """The caches of this process, by file; `memory` is one of them."""

    def __init__(self) -> None:
        self.caches: dict[str, _Cache | None] = {}
        self.lock = threading.Lock()


_state = _State()
_inherited: list[_State] = []
"""A parent's: kept, for closing its files here would let go of locks."""

_unjudged: dict[int, tuple[Flight, Reply]] = {}
"""Replies between their coming and their being read, by identity."""

_warned: set[str] = set()


def _forget_parent() -> None:
    global _state
    _inherited.append(_state)
    _state = _State()
    _unjudged.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_parent)


def close() -> None:
    """Lets go of everything that is kept in memory, and closes the files."""
    with _state.lock:
        for cache in _state.caches.values():
            if cache is not None:
                cache.close()
        _state.caches.clear()
        _warned.clear()


def flight_of(request: Request, settings: Settings, client: Callable[..., Any]) -> Flight | None:
    """A call's wish for a reply; None where nothing is kept.

    Args:
        request: what would be sent.
        settings: of the call.
        client: gives the client that would send it.
    """
    where = settings.cache_replies
    if not where or faking.stands_in(request):
        return None
    cache = _cache(str(where))
    if cache is None or cache.broken:
        return None
    return Flight(cache, _key(request, settings, client))


@contextmanager
def judging(reply: Reply) -> Iterator[None]:
    """While a reply is read: it is kept where nothing is raised."""
    readable = False
    try:
        yield
        readable = True
    finally:
        judged(reply, readable)


def judged(reply: Reply, readable: bool) -> None:
    """Says whether a reply could be read as the answer."""
    if _unjudged:
        found = _unjudged.pop(id(reply), None)
        if found is not None:
            found[0].judged(reply, readable)


def _cache(where: str) -> _Cache | None:
    name = where if where == "memory" else str(Path(where).absolute())
    state = _state
    if name not in state.caches:
        with state.lock:
            if name not in state.caches:
                state.caches[name] = _opened(name)
    return state.caches[name]


def _opened(name: str) -> _Cache | None:
    if name == "memory":
        return _Cache(MemoryStore())
    try:
        return _Cache(FileStore(name))
    except (OSError, ValueError, Busy) as problem:
        _warn(name, problem)
        return None


def _warn(name: str, problem: Exception) -> None:
    if name not in _warned:
        _warned.add(name)
        warnings.warn(
            f"cache_replies: {name} cannot be used, so nothing is kept: {problem}",
            RuntimeWarning,
            stacklevel=2,
        )


def _key(request: Request, settings: Settings, client: Callable[..., Any]) -> str:
    """SHA-256 of where it goes and all that is sent but the credentials."""
    sent = [_server(request, settings, client), request.path, request.body, dict(request.headers)]
    return hashlib.sha256(json.dumps(sent, sort_keys=True).encode()).hexdigest()


def _server(request: Request, settings: Settings, client: Callable[..., Any]) -> str:
    target = request.target
    if target.provider == "local":
        return "local"  # its port is another one every time
    if settings.client is not None:
        return str(client(target, settings).base_url)
    return target.base_url or os.environ.get(_ADDRESSES.get(target.provider, "")) or ""
