"""Blocking code of the user's own under an event loop."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from typing import Any, Final

RAISED: Final = (Exception, SystemExit, asyncio.CancelledError)
"""What code of the user's own may raise as its own fault: a command line's parser exits, and a
task of its own may be cancelled."""


async def on_a_thread(work: Callable[[], Any]) -> Any:
    """What work gives, done on a thread of its own, in a copy of the caller's context.

    Not `asyncio.to_thread`: its few threads are shared, and the end of the program waits for them;
    one that is left behind would hold both up.
    """
    loop, context = asyncio.get_running_loop(), copy_context()
    done: asyncio.Future[Any] = loop.create_future()

    def run() -> None:
        result, problem = None, None
        try:
            result = context.run(work)
        except BaseException as raised:
            problem = own(raised)
        with suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(settle, result, problem)
            return
        _forget(result)

    def settle(result: Any, problem: BaseException | None) -> None:
        if done.done():
            _forget(result)
        elif problem is None:
            done.set_result(result)
        elif isinstance(problem, StopIteration):  # a future takes none
            done.set_exception(_named(problem))
        else:
            done.set_exception(problem)

    threading.Thread(target=run, name="aigen-tool", daemon=True).start()
    return await done


def own(problem: BaseException) -> BaseException:
    """What code on a thread raised, as an error.

    Ctrl-C reaches the main thread alone: an interruption on another is the code's own, and ends
    neither a program nor a server.
    """
    return _named(problem) if isinstance(problem, (KeyboardInterrupt, GeneratorExit)) else problem


def _named(problem: BaseException) -> RuntimeError:
    words = str(problem)
    found = RuntimeError(type(problem).__name__ + (f": {words}" if words else ""))
    found.__cause__ = problem
    return found


def _forget(result: Any) -> None:
    """Python warns of a coroutine that nobody awaits."""
    if inspect.iscoroutine(result):
        result.close()
