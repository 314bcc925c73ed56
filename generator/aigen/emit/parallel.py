"""The same work for many items, on every processor where that pays.

The items are dealt to processes, each of which makes one object of its share and is then asked for
what the object knows. A child process is a fork, so it has all that was read so far; only questions
and answers are sent. Where there is no fork, or little to do, there is one share and it is here.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

T = TypeVar("T")
R = TypeVar("R")

WORTH_IT = 16
"""Items from which forking pays: a child costs about 50 ms, an item 4 ms."""

_MOST = 8


class Team(Generic[T]):
    """Processes with a share each; the first share is this process's own."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make, self._made = make, False
        self._children: list[tuple[BaseProcess, Connection]] = []

    def ask(self, question: Callable[[T], R]) -> list[R]:
        """The answers of all, in the order of their shares.

        Args:
            question: picklable; asked of what each process made of its share.

        Raises:
            Exception: what the work raises.
        """
        for _, connection in self._children:
            connection.send(question)
        if not self._made:
            self._own, self._made = self._make(), True
        answers = [question(self._own)]
        for _, connection in self._children:
            answer, problem = connection.recv()
            if problem is not None:
                raise problem
            answers.append(answer)
        return answers

    def add(self, make: Callable[[Sequence[str]], T], share: Sequence[str]) -> None:
        """Starts a child with a share."""
        import multiprocessing  # takes long, and few builds are large

        context = multiprocessing.get_context("fork")
        here, there = context.Pipe()
        # It waits for a question, and must not hold open what tells others that there are no more.
        inherited = [here, *(connection for _, connection in self._children)]
        child = context.Process(target=_child, args=(make, share, there, inherited), daemon=True)
        child.start()
        there.close()
        self._children.append((child, here))

    def close(self) -> None:
        """Ends the children."""
        for child, connection in self._children:
            connection.close()
            child.terminate()
            child.join()


@contextlib.contextmanager
def team(
    make: Callable[[Sequence[str]], T],
    items: Sequence[str],
    jobs: int | None = None,
    ready: Callable[[], object] = lambda: None,
) -> Iterator[Team[T]]:
    """Deals items to processes; neighbours go together.

    Args:
        make: makes of a share what can be asked.
        items: all of them.
        jobs: how many processes at most; None for one a processor, up to eight.
        ready: called before there are several: what it loads, every one of them has.
    """
    count = min(_processors(), _MOST) if jobs is None else jobs
    count = min(count, len(items))
    if len(items) < WORTH_IT or not _can_fork():
        count = 1
    ends = [len(items) * number // max(count, 1) for number in range(count + 1)]
    shares = [items[start:end] for start, end in pairwise(ends)] or [items]
    made = Team(lambda: make(shares[0]))
    if count > 1:
        ready()
    try:
        for share in shares[1:]:
            made.add(make, share)
        yield made
    finally:
        made.close()


def _child(
    make: Callable[[Sequence[str]], Any],
    share: Sequence[str],
    connection: Connection,
    inherited: Sequence[Connection],
) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears Ctrl-C, and ends its children
    for other in inherited:
        other.close()
    # Where the parent was killed nobody asks and nobody hears.
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        _answer(make, share, connection)


def _answer(make: Callable[[Sequence[str]], Any], share: Sequence[str], to: Connection) -> None:
    made = None
    while True:
        question = to.recv()
        try:
            if made is None:
                made = make(share)
            answer, problem = question(made), None
        except Exception as raised:
            answer, problem = None, raised
        to.send((answer, problem))


def _processors() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _can_fork() -> bool:
    # A fork copies no threads but the one that forks, and macOS's frameworks do not survive it.
    return sys.platform == "linux" and threading.active_count() == 1
