"""How many processes work; in a process of its own, for one with threads never forks."""

from __future__ import annotations

import subprocess
import sys

import pytest
from aigen.emit.parallel import WORTH_IT

CODE = """
import os
import sys
from functools import partial
from operator import methodcaller

from aigen.emit.parallel import team


class Share:
    def __init__(self, items):
        self.items = items

    def here(self):
        return os.getpid(), self.items

    def times(self, number):
        if number == 13:
            raise ValueError("thirteen")
        return [int(item) * number for item in self.items]


count, jobs = map(int, sys.argv[1:])
items = [str(number) for number in range(count)]
with team(Share, items, jobs or None) as workers:
    shares = workers.ask(Share.here)
    assert [item for _, share in shares for item in share] == items, "neighbours stay together"
    doubled = [each for part in workers.ask(methodcaller("times", 2)) for each in part]
    assert doubled == [number * 2 for number in range(count)]
    try:
        workers.ask(methodcaller("times", 13))
    except ValueError as raised:
        assert str(raised) == "thirteen"
    else:
        raise AssertionError("what the work raises is raised here")
pids = {pid for pid, _ in shares}
print(len(pids), os.getpid() in pids)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="there are no children elsewhere")
@pytest.mark.parametrize(
    ("items", "jobs", "printed"),
    [
        (WORTH_IT, 3, "3 True"),
        (WORTH_IT, 1, "1 True"),
        (WORTH_IT, 16, "16 True"),
        (WORTH_IT - 1, 3, "1 True"),
    ],
)
def test_jobs_are_the_most(items: int, jobs: int, printed: str) -> None:
    command = [sys.executable, "-c", CODE, str(items), str(jobs)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == printed
