"""The same work for many items, on every processor where that pays.

A child process is a fork, so it has the whole program already and only its results are sent back.
Where there is no fork, or little to do, the work is done here.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from typing import TypeVar

T = TypeVar("T")

WORTH_IT = 150
"""Items from which forking pays: a child costs about 30 ms, an item 3 ms."""

_MOST = 8


def each(work: Callable[[str], T], items: Sequence[str], jobs: int | None = None) -> Iterator[T]:
    """The results for all items, in any order.

    Args:
        work: done for each item.
        items: whose results are wanted.
        jobs: how many processes work at most; None for one a processor, up to eight.

    Raises:
        Exception: what the work raises.
    """
    count = min(_processors(), _MOST) if jobs is None else min(jobs, len(items))
    if len(items) < WORTH_IT or count < 2 or not _can_fork():
        yield from map(work, items)
        return
    context = multiprocessing.get_context("fork")
    children = []
    try:
        for number in range(count):
            receive, send = context.Pipe(duplex=False)
            child = context.Process(
                target=_child, args=(work, items[number::count], receive, send), daemon=True
            )
            child.start()
            send.close()
            children.append((child, receive))
        for _, receive in children:
            results, problem = receive.recv()
            if problem is not None:
                raise problem
            yield from results
    finally:
        for child, receive in children:
            receive.close()
            child.terminate()
            child.join()


def _child(
    work: Callable[[str], T], items: Sequence[str], receive: Connection, send: Connection
) -> None:
    """Works and sends. It waits for nothing, so it ends soon even where its parent was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears Ctrl-C, and ends its children
    receive.close()
    with contextlib.suppress(BrokenPipeError):
        try:
            send.send(([work(item) for item in items], None))
        except BrokenPipeError:
            raise
        except Exception as problem:
            send.send(([], problem))


def _processors() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _can_fork() -> bool:
    # A fork copies no threads but the one that forks, and macOS's frameworks do not survive it.
    return sys.platform == "linux" and threading.active_count() == 1
