"""Times streams: to the first partial and to the answer, one after the other.

Runs in each peer's own environment, so it imports the standard library alone.
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any


def main(stream: Callable[[str], Iterator[Any]]) -> None:
    """Reads `characters style runs` from the command line and prints the figures as JSON.

    Args:
        stream: gives the partials of a message, the answer last. The first two streams warm up and
            are not counted.
    """
    characters, style, runs = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    message = f"{characters} {style}"
    for _ in range(2):
        _timed(stream, message, characters)
    seen = [_timed(stream, message, characters) for _ in range(runs)]
    names = ("first_ms", "total_ms", "cpu_ms", "partials")
    figures = zip(*seen, strict=True)
    print(json.dumps(dict(zip(names, map(statistics.median, figures), strict=True))))


def _timed(
    stream: Callable[[str], Iterator[Any]], message: str, characters: int
) -> tuple[float, float, float, int]:
    cpu, began, first, count, answer = _cpu(), time.perf_counter(), 0.0, 0, None
    for partial in stream(message):
        first = first or time.perf_counter() - began
        count, answer = count + 1, partial
    total = time.perf_counter() - began
    if len(answer.item.note) < characters or answer.queue != "returns":
        raise AssertionError("not the answer that was sent")
    return first * 1000, total * 1000, (_cpu() - cpu) * 1000, count - 1


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
