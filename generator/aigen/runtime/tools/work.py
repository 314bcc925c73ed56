"""Work that the steps of a tool call ask for, and what does it: on a thread, or awaited."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import aclosing, closing, suppress
from contextvars import copy_context
from functools import partial
from typing import Any, NamedTuple, TypeAlias, cast

from aigen.runtime.tools.outcome import Outcome
from aigen.runtime.tools.threads import RAISED, leave, own, started
from aigen.runtime.wire.events import ToolFinished, ToolStarted
from aigen.runtime.wire.wanted import Wanted


class Late(TimeoutError):
    """Work took longer than it may; what it raises itself is its own."""


class Work(NamedTuple):
    """Code of the user's own that is run: a tool, or who is asked.

    Attributes:
        run: does it; what it gives may have to be awaited.
        arun: does it in an event loop.
        seconds: how long it may take; None for as long as it wants.
    """

    run: Callable[[], Any]
    arun: Callable[[], Awaitable[Any]]
    seconds: float | None = None


Inside: TypeAlias = ToolStarted | ToolFinished
"""What is told of a call that code makes."""

Numbered: TypeAlias = tuple[int, Outcome]
"""The number of a call, and what became of it."""

Steps: TypeAlias = Generator[Work | Inside, Any, Outcome]
"""One call: it asks for work, and tells of the calls inside it."""


def told(steps: Steps) -> Generator[Inside, None, Outcome]:
    """Does the work of a call, and gives what is told of the calls inside it."""
    send: Callable[[], Work | Inside] = partial(next, steps)
    with closing(steps):
        while True:
            try:
                step = send()
            except StopIteration as done:
                return cast("Outcome", done.value)
            if not isinstance(step, Work):
                yield step
                send = partial(next, steps)
                continue
            try:
                send = partial(steps.send, in_time(step.run, step.seconds))
            except RAISED as problem:
                send = partial(steps.throw, problem)


def finished(steps: Steps) -> Outcome:
    """Does the work of a call: what became of it."""
    running = told(steps)
    while True:
        try:
            next(running)
        except StopIteration as done:
            return cast("Outcome", done.value)


async def atold(steps: Steps) -> AsyncGenerator[Inside | Outcome]:
    """Like `told`, awaited; what became of the call itself comes last."""
    send: Callable[[], Work | Inside] = partial(next, steps)
    with closing(steps):
        while True:
            try:
                step = send()
            except StopIteration as done:
                yield done.value
                return
            if not isinstance(step, Work):
                yield step
                send = partial(next, steps)
                continue
            try:
                send = partial(steps.send, await awaited_in_time(step.arun, step.seconds))
            except asyncio.CancelledError as problem:
                task = asyncio.current_task()
                if task is None or task.cancelling():
                    raise
                send = partial(steps.throw, problem)  # of a task of its own
            except (KeyboardInterrupt, GeneratorExit):
                raise  # on an event loop, Ctrl-C and its end
            except BaseException as problem:
                send = partial(steps.throw, own(problem))


async def afinished(steps: Steps) -> Outcome:
    """Like `finished`, awaited."""
    async with aclosing(atold(steps)) as running:
        return [each async for each in running if isinstance(each, Outcome)][-1]


async def awaited_in_time(arun: Callable[[], Awaitable[Any]], seconds: float | None) -> Any:
    """Awaits work, so that a deadline can leave it behind.

    Raises:
        Late: the seconds are over.
    """
    try:
        with Wanted():
            async with asyncio.timeout(seconds) as limit:
                return await arun()
    except TimeoutError as problem:
        if limit.expired():
            raise Late from problem
        raise


def in_time(work: Callable[[], Any], seconds: float | None) -> Any:
    """Does work on a thread, so that a deadline can leave it behind; async code on a loop.

    Raises:
        Late: the seconds are over.
    """
    found: list[Any] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            found.append(context.run(_here, work, wanted))
        except BaseException as problem:
            failed.append(own(problem))

    with Wanted() as wanted:
        context = copy_context()
        thread = started(run)
        try:
            thread.join(seconds)
        finally:
            leave(thread)
        if thread.is_alive():
            raise Late
    if failed:
        raise failed[0]
    return found[0]


def _here(run: Callable[[], Any], wanted: Wanted) -> Any:
    result = run()
    if not inspect.isawaitable(result):
        return result

    async def wait() -> Any:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None

        def cancel() -> None:
            with suppress(RuntimeError):  # the loop has ended meanwhile
                loop.call_soon_threadsafe(task.cancel)

        wanted.when_dropped(cancel)
        return await result

    return asyncio.run(wait())
