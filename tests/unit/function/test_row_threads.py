"""Threads that call rows: what is given has its turn, whatever stops the others."""

from __future__ import annotations

import threading
from queue import SimpleQueue
from typing import Any

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
