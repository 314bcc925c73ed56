"""A body that `create()` reads by itself, ended when its time is over.

An HTTP library's timeout is one of each piece, so a server that sends a byte now and then keeps a
request alive for ever. The client's connections are told here to look at the clock after each
piece, for a request that is sent inside a block.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any
from weakref import WeakSet

from aigen.runtime.wire.making import http_library

_until: ContextVar[float | None] = ContextVar("aigen_until", default=None)
_told: WeakSet[Any] = WeakSet()
"""Connections that look at the clock."""


@contextmanager
def ending(client: Any, until: float) -> Iterator[None]:
    """Ends the bodies of a sync client's answers when their time is over.

    Args:
        client: of the SDK; one that is something else has only the HTTP library's timeout.
        until: on `time.monotonic()`'s clock.

    Raises:
        openai.APITimeoutError: in `create()`.
    """
    connections = getattr(client, "_client", None)
    if isinstance(connections, http_library().Client) and connections not in _told:
        _told.add(connections)
        hooks = connections.event_hooks
        connections.event_hooks = {**hooks, "response": [*hooks["response"], _watch]}
    token = _until.set(until)
    try:
        yield
    finally:
        _until.reset(token)


def _watch(response: Any) -> None:
    until = _until.get()
    if until is not None:
        response.stream = _stream_class()(response, until)


@cache
def _stream_class() -> Any:
    library: Any = http_library()

    class Ending(library.SyncByteStream):  # type: ignore[misc]
        """Another stream, as long as there is time."""

        def __init__(self, response: Any, until: float) -> None:
            self._response, self._stream, self._until = response, response.stream, until

        def __iter__(self) -> Iterator[bytes]:
            for piece in self._stream:
                yield piece
                if time.monotonic() > self._until:
                    raise library.ReadTimeout("the body is late", request=self._response.request)

        def close(self) -> None:
            self._stream.close()

    return Ending
