"""The event loop that connections of tools live on: one a process, on a thread of its own.

Callers come from any thread and any loop, so a kept connection can belong to none of theirs.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

R = TypeVar("R")


class _State:
    """The loop of this process; a forked one starts its own."""

    loop: asyncio.AbstractEventLoop | None = None
    thread: threading.Thread | None = None
    pid: int = 0


_lock = threading.Lock()
_CLOSING: Final = 2.0
"""Seconds that connections have to end with the process."""


async def elsewhere(work: Coroutine[Any, Any, R]) -> R:
    """What work gives on the loop of the connections; cancelling the wait cancels it there."""
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, _loop()))


def ended(work: Coroutine[Any, Any, None], seconds: float) -> None:
    """Does a last piece of work on the loop, and ends it; nothing where there is none.

    What else is under way there is cancelled.
    """
    with _lock:
        loop, thread = _State.loop, _State.thread
        here = _State.pid == os.getpid()
        _State.loop = _State.thread = None
    if loop is None or thread is None or not here:
        work.close()
        return
    done = asyncio.run_coroutine_threadsafe(work, loop)
    try:
        done.result(seconds)
    except TimeoutError:
        done.cancel()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(seconds)


def _loop() -> asyncio.AbstractEventLoop:
    with _lock:
        if _State.loop is None or _State.pid != os.getpid():
            _State.loop, _State.pid = asyncio.new_event_loop(), os.getpid()
            _State.thread = threading.Thread(
                target=_run, args=(_State.loop,), name="aigen-connections", daemon=True
            )
            _State.thread.start()
        return _State.loop


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


async def _nothing() -> None: ...


@atexit.register
def _close() -> None:
    ended(_nothing(), _CLOSING)
