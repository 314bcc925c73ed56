"""Times one way of calling a model: in turn, on threads, and as coroutines.

Runs in each peer's own environment, so it imports the standard library alone.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

MESSAGE = "The kettle came without its lid and I would like to return it."


def main(call: Callable[[str], Any], acall: Callable[[str], Awaitable[Any]]) -> None:
    """Reads `mode in_flight calls` from the command line and prints the figures as JSON.

    The first calls warm up and are not counted.
    """
    mode, in_flight, calls = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    measured = _threads(call, in_flight, calls) if mode == "sync" else None
    if measured is None:
        measured = asyncio.run(_coroutines(acall, in_flight, calls))
    seconds, cpu = measured
    print(json.dumps({"per_second": calls / seconds, "cpu_ms": cpu / calls * 1000}))


def _threads(call: Callable[[str], Any], in_flight: int, calls: int) -> tuple[float, float]:
    if in_flight == 1:
        for _ in range(20):
            _expect(call(MESSAGE))
        began = _clock()
        for _ in range(calls):
            _expect(call(MESSAGE))
        return _since(began)
    with ThreadPoolExecutor(in_flight) as pool:
        list(pool.map(lambda _: _expect(call(MESSAGE)), range(in_flight * 2)))
        began = _clock()
        list(pool.map(lambda _: _expect(call(MESSAGE)), range(calls)))
        return _since(began)


async def _coroutines(
    acall: Callable[[str], Awaitable[Any]], in_flight: int, calls: int
) -> tuple[float, float]:
    await _spread(acall, in_flight, in_flight * 2)
    began = _clock()
    await _spread(acall, in_flight, calls)
    return _since(began)


async def _spread(acall: Callable[[str], Awaitable[Any]], in_flight: int, calls: int) -> None:
    left = iter(range(calls))

    async def worker() -> None:
        for _ in left:
            _expect(await acall(MESSAGE))

    await asyncio.gather(*(worker() for _ in range(in_flight)))


def _expect(answer: Any) -> None:
    if answer.item.quantity != 2:
        raise AssertionError(f"not the answer that was sent: {answer!r}")


def _clock() -> tuple[float, float]:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return time.perf_counter(), usage.ru_utime + usage.ru_stime


def _since(began: tuple[float, float]) -> tuple[float, float]:
    now = _clock()
    return now[0] - began[0], now[1] - began[1]
