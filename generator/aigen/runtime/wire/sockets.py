"""Sockets that do not block, plain or TLS: each step ends at a time of `time.monotonic()`."""

from __future__ import annotations

import select
import socket
import ssl
import time
from typing import Final

_PIECE: Final = 1 << 16
"""Bytes asked for at once: more than a record of TLS, so that no rest waits where no poll looks."""

_LONG: Final = 1_000_000.0
"""Seconds that the system's own wait may take; it counts them in a small number."""


def send(connection: socket.socket, data: bytes, until: float) -> None:
    """Sends all.

    Raises:
        TimeoutError: not in time.
        OSError: the connection is gone.
    """
    left = memoryview(data)
    while left:
        try:
            left = left[connection.send(left) :]
        except (BlockingIOError, ssl.SSLWantWriteError):
            _wait(connection, until, writing=True)
        except ssl.SSLWantReadError:
            _wait(connection, until)


def received(connection: socket.socket, until: float) -> bytes:
    """The next piece; empty where the server has closed.

    Raises:
        TimeoutError: it is not there in time.
        OSError: the connection is gone.
    """
    writing = False
    while True:
        _wait(connection, until, writing=writing)
        try:
            return connection.recv(_PIECE)
        except (BlockingIOError, ssl.SSLWantReadError):
            writing = False
        except ssl.SSLWantWriteError:
            writing = True


def _wait(connection: socket.socket, until: float, *, writing: bool = False) -> None:
    if not is_ready(connection, left_until(until), writing=writing):
        raise TimeoutError


def left_until(until: float) -> float:
    """Seconds left, of which there are some.

    Raises:
        TimeoutError: none.
    """
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return min(left, _LONG)


def is_ready(connection: socket.socket, seconds: float, *, writing: bool = False) -> bool:
    """Whether something can be read, or written, within so many seconds."""
    if not hasattr(select, "poll"):  # Windows, where select takes any socket
        reads, writes = ([], [connection]) if writing else ([connection], [])
        return any(select.select(reads, writes, [], seconds))
    waiting = select.poll()
    waiting.register(connection, select.POLLOUT if writing else select.POLLIN)
    return bool(waiting.poll(seconds * 1000))
