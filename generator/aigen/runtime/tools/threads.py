"""Code of the user's own on threads, where a call can leave it behind."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from typing import Any, Final

from aigen.runtime.errors import ToolError
from aigen.runtime.tools.printing import raised

RAISED: Final = (Exception, SystemExit, asyncio.CancelledError)
"""What code of the user's own may raise as its own fault: a command line's parser exits, and a
task of its own may be cancelled."""

MOST_LEFT: Final = 1000
"""Threads that calls have left behind and that still run: more are not added to them."""

_left: set[threading.Thread] = set()


def started(run: Callable[[], None]) -> threading.Thread:
    """A thread that runs code of the user's own; the end of the program does not wait for it.

    Raises:
        ToolError: too many that were left behind still run.
    """
    if len(_left) >= MOST_LEFT:
        _left.intersection_update([each for each in tuple(_left) if each.is_alive()])
    if len(_left) >= MOST_LEFT:
        raise ToolError(
            f"{MOST_LEFT:,} threads still run code that calls have left behind: tools and what"
            " decides about them must end by themselves, so give what they wait for a time limit",
            code="left-behind",
        )
    thread = threading.Thread(target=run, name="aigen-tool", daemon=True)
    thread.start()
    return thread


def leave(thread: threading.Thread) -> None:
    """Nobody waits for a thread any more; it cannot be ended."""
    if thread.is_alive():
        _left.add(thread)


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

    thread = started(run)
    try:
        return await done
    finally:
        if not done.done() or done.cancelled():
            leave(thread)


def is_own(problem: BaseException) -> bool:
    """Whether code of the user's own is at fault for what it raised.

    Ctrl-C reaches the main thread alone: an interruption on another is the code's own, and ends
    neither a program nor a server.
    """
    here = threading.current_thread() is threading.main_thread()
    return not (here and isinstance(problem, (KeyboardInterrupt, GeneratorExit)))


def own(problem: BaseException) -> BaseException:
    """What code of the user's own raised, as an error that ends no loop and no program."""
    return problem if isinstance(problem, RAISED) else _named(problem)


def _named(problem: BaseException) -> RuntimeError:
    found = RuntimeError(raised(problem))
    found.__cause__ = problem
    return found


def _forget(result: Any) -> None:
    """Python warns of a coroutine that nobody awaits."""
    if inspect.iscoroutine(result):
        result.close()
