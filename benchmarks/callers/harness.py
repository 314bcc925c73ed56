"""Times one way of calling a model: in turn, on threads, as coroutines, and all at once.

Runs in each peer's own environment, so it imports the standard library alone.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import sys
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

MESSAGE = "The kettle came without its lid and I would like to return it."
SECONDS = float(os.environ.get("BENCH_SECONDS", "10"))


def main(call: Callable[[str], Any] | None, acall: Callable[[str], Awaitable[Any]]) -> None:
    """Reads `mode in_flight calls` from the command line and prints the figures as JSON.

    Modes are `sync`, `async`, and `burst`: so many coroutines begin at once. The first calls warm
    up and are not counted; no call begins when `BENCH_SECONDS` are over.
    """
    mode, in_flight, calls = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if mode == "burst":
        print(json.dumps(asyncio.run(_bursts(acall, in_flight))))
        return
    if mode == "sync" and call is not None:
        seconds, cpu, done = _threads(call, in_flight, calls)
    else:
        seconds, cpu, done = asyncio.run(_coroutines(acall, in_flight, calls))
    print(json.dumps({"per_second": done / seconds, "cpu_ms": cpu / done * 1000}))


class _Turns:
    """So many turns, or those that begin in time; a thread may ask while another does."""

    def __init__(self, count: int) -> None:
        self._left = iter(range(count))
        self._until = time.perf_counter() + SECONDS

    def __iter__(self) -> _Turns:
        return self

    def __next__(self) -> int:
        if time.perf_counter() > self._until:
            raise StopIteration
        return next(self._left)


def _threads(call: Callable[[str], Any], in_flight: int, calls: int) -> tuple[float, float, int]:
    def work(turns: _Turns) -> int:
        return sum(_is_answer(call(MESSAGE)) for _ in turns)

    if in_flight == 1:
        work(_Turns(20))
        began = _clock()
        done = work(_Turns(calls))
        return *_since(began), done
    with ThreadPoolExecutor(in_flight) as pool:
        list(pool.map(work, [_Turns(in_flight * 2)] * in_flight))
        began = _clock()
        done = sum(pool.map(work, [_Turns(calls)] * in_flight))
        return *_since(began), done


async def _coroutines(
    acall: Callable[[str], Awaitable[Any]], in_flight: int, calls: int
) -> tuple[float, float, int]:
    await _spread(acall, in_flight, in_flight * 2)
    began = _clock()
    done = await _spread(acall, in_flight, calls)
    return *_since(began), done


async def _spread(acall: Callable[[str], Awaitable[Any]], in_flight: int, calls: int) -> int:
    turns = _Turns(calls)

    async def work() -> int:
        done = 0
        for _ in turns:
            done += _is_answer(await acall(MESSAGE))
        return done

    return sum(await asyncio.gather(*(work() for _ in range(in_flight))))


async def _bursts(acall: Callable[[str], Awaitable[Any]], count: int) -> dict[str, float]:
    """Seconds until all are answered: with connections to make, and with those that there are."""
    _is_answer(await acall(MESSAGE))
    found = {}
    for name in ("first_s", "again_s"):
        began = _clock()
        for answer in await asyncio.gather(*(acall(MESSAGE) for _ in range(count))):
            _is_answer(answer)
        found[name], found[f"{name}_cpu"] = _since(began)
    return found


def _is_answer(answer: Any) -> bool:
    if answer.item.quantity != 2:
        raise AssertionError(f"not the answer that was sent: {answer!r}")
    return True


def _clock() -> tuple[float, float]:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return time.perf_counter(), usage.ru_utime + usage.ru_stime


def _since(began: tuple[float, float]) -> tuple[float, float]:
    now = _clock()
    return now[0] - began[0], now[1] - began[1]
