"""Threads that call rows: what is given has its turn, whatever stops the others."""

from __future__ import annotations

import threading
from queue import SimpleQueue
from typing import Any

import pytest
from aigen.runtime.columns.results import Failed
from aigen.runtime.columns.threads import Threads


class _Slow(SimpleQueue[Any]):
    """A queue whose second item is long on its way to the thread that took it."""

    def __init__(self, until: threading.Event) -> None:
        self._until = until

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        found = super().get(block, timeout)
        if found is not None and found[0] == 1:
            assert self._until.wait(10)
        return found


def test_a_row_taken_before_the_one_that_stops_the_others_is_called() -> None:
    stopped = threading.Event()

    def stops(outcome: Any) -> bool:
        return bool(outcome == "stop")

    def work(row: str) -> str:
        return row

    with Threads(work, 2, stops) as threads:
        threads._given = _Slow(stopped)
        for number, row in enumerate(["a", "b", "stop", "c", "d"]):
            threads.give(number, row)
        while 2 not in threads.outcomes:
            threads.take()
        stopped.set()
        assert threads._done.get(timeout=300) == 1
    assert threads.outcomes == {0: "a", 1: "b", 2: "stop"}


def test_a_row_that_was_not_begun_is_not_called_once_the_block_is_left() -> None:
    begun, go_on = SimpleQueue[str](), threading.Event()

    def work(row: str) -> None:
        begun.put(row)
        assert go_on.wait(10)

    before = set(threading.enumerate())
    with Threads(work, 1, lambda outcome: False) as threads:
        for number, row in enumerate("abc"):
            threads.give(number, row)
        assert begun.get(timeout=10) == "a"
    go_on.set()
    for thread in set(threading.enumerate()) - before:
        thread.join(10)
    assert begun.empty()


@pytest.mark.parametrize("problem", [SystemExit(3), KeyboardInterrupt()])
def test_a_row_that_ends_its_thread_is_not_waited_for(problem: BaseException) -> None:
    def work(row: str) -> None:
        raise problem

    with Threads(work, 1, lambda outcome: True) as threads:
        threads.give(0, "a")
        assert threads._done.get(timeout=10) == 0
    assert threads.outcomes == {0: Failed(problem)}
