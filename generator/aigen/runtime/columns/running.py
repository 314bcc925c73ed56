"""Calling rows, several at a time, and what a failed one means for the others."""

from __future__ import annotations

import asyncio
import itertools
import signal
import sys
import warnings
from collections import deque
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextvars import copy_context
from pathlib import Path
from typing import Any, Final, NamedTuple

from aigen.runtime.columns.given import Row
from aigen.runtime.columns.progress import progress
from aigen.runtime.columns.results import Failed, Results, counted, unfinished
from aigen.runtime.columns.threads import Threads
from aigen.runtime.errors import AigenError, ConfigurationError, MapInterrupted, ProviderError
from aigen.runtime.record.call import Call
from aigen.runtime.record.calls import calls
from aigen.runtime.setting_kinds import Settings

Calling = Callable[[Row], Any]
Awaiting = Callable[[Row], Awaitable[Any]]

_FINAL: Final = frozenset((401, 402, 403, 404))
"""Statuses that the next row meets too: the key, the account, the model."""

_OF_ONE_ROW: Final = frozenset(("check",))
"""Codes of `ConfigurationError` that one row's values may be the reason of."""

_SAID: Final = frozenset(("messages", "input"))
"""Parameters of a request that differ from row to row."""

_PACKAGE: Final = str(Path(__file__).resolve().parents[1])


class _Done(NamedTuple):
    """What came of a row, and its call."""

    outcome: Any
    call: Call | None


def run(
    call: Calling,
    rows: Sequence[Row],
    settings: Settings,
    name: str,
    home: str,
    *,
    keeps_calls: bool = True,
) -> Results[Any]:
    """Calls every row on threads, in the caller's context.

    Args:
        call: calls one row.
        rows: all of them.
        settings: `concurrency`, `on_error` and `progress` count.
        name: of the function.
        home: the module whose frames a warning does not point at, as those of this package.
        keeps_calls: whether the results hold each row's call, with all that was sent and said.

    Raises:
        MapInterrupted: Ctrl-C; it holds what is done.
        Exception: what every row would meet, or with `on_error` `raise` the first row's error; its
            `results` holds what is done.
    """
    threads = Threads(_recorded(call, keeps_calls), settings.concurrency, _stopping(settings))
    try:
        with threads, progress(len(rows), settings.progress, name) as advance:
            for number, row in enumerate(rows):
                threads.give(number, row)
            for _ in rows:
                outcome = _done(threads.outcomes[threads.take()]).outcome
                if _stops(outcome, settings.on_error):
                    raise outcome.error
                advance(isinstance(outcome, Failed))
    except KeyboardInterrupt:
        raise _interrupted(len(rows), threads.outcomes, settings) from None
    except Exception as problem:
        _hold(problem, _results(len(rows), threads.outcomes, settings))
        raise
    return _warned(_results(len(rows), threads.outcomes, settings), settings.on_error, home)


def _done(found: Any) -> _Done:
    return found if isinstance(found, _Done) else _Done(found, None)


def _recorded(call: Calling, keeps_calls: bool) -> Callable[[Row], _Done]:
    def recorded(row: Row) -> _Done:
        with calls() as seen:
            try:
                outcome = call(row)
            except Exception as problem:
                outcome = Failed(problem)
        # A call that makes calls of its own ends after them.
        return _Done(outcome, seen[-1] if seen and keeps_calls else None)

    return recorded


def _stopping(settings: Settings) -> Callable[[Any], bool]:
    return lambda found: _stops(_done(found).outcome, settings.on_error)


def _results(count: int, outcomes: Mapping[int, Any], settings: Settings) -> Results[Any]:
    """What is done; not the error that stops the others, which is given these."""
    rows, made = [], []
    for number in range(count):
        done = _done(outcomes[number]) if number in outcomes else None
        if done is None or _stops(done.outcome, settings.on_error):
            done = _Done(unfinished(number), None)
        rows.append(done.outcome)
        made.append(done.call)
    return Results(rows, made)


def _interrupted(count: int, outcomes: Mapping[int, Any], settings: Settings) -> MapInterrupted:
    while True:
        try:
            results = _results(count, outcomes, settings)
            break
        except KeyboardInterrupt:
            # Somebody who presses twice still gets what is done.
            continue
    left = sum(getattr(error, "code", "") == "not-done" for error in results.errors.values())
    words = f"stopped after {count - left} of {count} rows; .results holds them"
    return MapInterrupted(words, results)


def _hold(problem: Exception, results: Results[Any]) -> None:
    """Gives the problem the answers that were paid for."""
    problem.results = results  # type: ignore[attr-defined]


async def arun(
    call: Awaiting,
    rows: Sequence[Row],
    settings: Settings,
    name: str,
    home: str,
    *,
    keeps_calls: bool = True,
) -> Results[Any]:
    """Like `run`, awaited."""
    outcomes: dict[int, _Done] = {}
    left = iter(enumerate(rows))

    async def worker(advance: Callable[[bool], None]) -> None:
        for number, row in left:
            with calls() as seen:
                try:
                    outcome = await call(row)
                except Exception as problem:
                    outcome = Failed(problem)
            if _stops(outcome, settings.on_error):
                raise outcome.error
            outcomes[number] = _Done(outcome, seen[-1] if seen and keeps_calls else None)
            advance(isinstance(outcome, Failed))

    try:
        with progress(len(rows), settings.progress, name) as advance:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(settings.concurrency, len(rows))):
                    group.create_task(worker(advance))
    except ExceptionGroup as problems:
        first = problems.exceptions[0]
    except asyncio.CancelledError:
        if _by_ctrl_c():
            raise _interrupted(len(rows), outcomes, settings) from None
        raise
    else:
        return _warned(_results(len(rows), outcomes, settings), settings.on_error, home)
    # The row's own error, as the sync form raises it, with the cause that it has.
    _hold(first, _results(len(rows), outcomes, settings))
    raise first


def _by_ctrl_c() -> bool:
    """Whether it is Ctrl-C that cancels: `asyncio.run` makes a cancelled task of it."""
    handler = signal.getsignal(signal.SIGINT)
    runner = getattr(getattr(handler, "func", None), "__self__", None)
    return isinstance(runner, asyncio.Runner) and getattr(runner, "_interrupt_count", 0) > 0


def in_order(
    call: Calling, rows: Iterable[Row], concurrency: int, raising: bool
) -> Generator[Any, None, None]:
    """Answers as rows have their turn, in the context in which this is called.

    Args:
        call: calls one row.
        rows: read at most 2 × `concurrency` ahead.
        concurrency: rows called at once.
        raising: whether a failed row raises at its turn; else its error is given, but where every
            row would meet the same.
    """
    context, stops = copy_context(), _stopper("raise" if raising else "give")

    def answers() -> Generator[Any, None, None]:
        source = _Source(rows)
        begun = turn = 0
        with Threads(_tried(call), concurrency, stops, context) as threads:
            while True:
                for row in itertools.islice(source, 2 * concurrency - (begun - turn)):
                    threads.give(begun, row)
                    begun += 1
                if turn == begun:
                    source.raise_its_error()
                    return
                while turn not in threads.outcomes:
                    threads.take()
                outcome = threads.outcomes.pop(turn)
                turn += 1
                if stops(outcome):
                    raise outcome.error
                yield outcome.error if isinstance(outcome, Failed) else outcome

    return answers()


class _Source:
    """Rows, and the error that they ended with: what was read before it has its turn first."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = iter(rows)
        self._error: Exception | None = None

    def __iter__(self) -> Iterator[Row]:
        return self

    def __next__(self) -> Row:
        if self._error is not None:
            raise StopIteration
        try:
            return next(self._rows)
        except StopIteration:
            raise
        except Exception as problem:
            self._error = problem
            raise StopIteration from None

    def raise_its_error(self) -> None:
        if self._error is not None:
            raise self._error


def _tried(call: Calling) -> Calling:
    def tried(row: Row) -> Any:
        try:
            return call(row)
        except Exception as problem:
            return Failed(problem)

    return tried


def ain_order(
    call: Awaiting, rows: AsyncGenerator[Row, None], concurrency: int, raising: bool
) -> AsyncGenerator[Any, None]:
    """Like `in_order`, awaited."""
    context, stops = copy_context(), _stopper("raise" if raising else "give")

    async def answers() -> AsyncGenerator[Any, None]:
        free = asyncio.Semaphore(concurrency)
        waiting: deque[asyncio.Task[Any]] = deque()
        ended: Exception | None = None

        async def tried(row: Row) -> Any:
            async with free:
                try:
                    return await call(row)
                except Exception as problem:
                    return Failed(problem)

        try:
            while True:
                while ended is None and len(waiting) < 2 * concurrency:
                    try:
                        row = await anext(rows)
                    except Exception as problem:
                        ended = problem
                    else:
                        waiting.append(asyncio.create_task(tried(row), context=context.copy()))
                if not waiting:
                    break
                outcome = await waiting[0]
                waiting.popleft()
                if stops(outcome):
                    raise outcome.error
                yield outcome.error if isinstance(outcome, Failed) else outcome
        finally:
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
            await rows.aclose()
        if ended is not None and not isinstance(ended, StopAsyncIteration):
            raise ended

    return answers()


def _stopper(on_error: str) -> Callable[[Any], bool]:
    return lambda outcome: _stops(outcome, on_error)


def _stops(outcome: Any, on_error: str) -> bool:
    """Whether a row failed in a way that stops the others: every row will meet it, or by setting.

    What is no error of ours is a mistake in somebody's code, and every row will meet it.
    """
    if not isinstance(outcome, Failed):
        return False
    error = outcome.error
    if on_error == "raise" or not isinstance(error, AigenError):
        return True
    if isinstance(error, ConfigurationError):
        return error.code not in _OF_ONE_ROW
    return isinstance(error, ProviderError) and (
        error.code == "quota" or error.status in _FINAL or _refuses_a_setting(error)
    )


def _refuses_a_setting(error: ProviderError) -> bool:
    """Whether a server says of a parameter that all rows have that it cannot be so."""
    if error.status not in (400, 422) or not isinstance(error.reply, Mapping):
        return False
    named = error.reply.get("param")
    if not isinstance(named, str) or not named:
        return False
    return named.partition(".")[0].partition("[")[0] not in _SAID


def _warned(results: Results[Any], on_error: str, home: str) -> Results[Any]:
    if results.errors and on_error == "warn":
        warn(counted(results), home)
    return results


def warn(words: str, home: str) -> None:
    """Warns at the line of the caller: outside this package and the generated module."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and _inside(frame.f_code.co_filename, frame.f_globals, home):
        level, frame = level + 1, frame.f_back
    warnings.warn(words, stacklevel=level)


def _inside(file: str, names: Mapping[str, Any], home: str) -> bool:
    return file.startswith(_PACKAGE) or names.get("__name__") == home
