"""How many processes work; in a process of its own, for one with threads never forks."""

from __future__ import annotations

import subprocess
import sys

import pytest
from aigen.emit.parallel import WORTH_IT

CODE = """
import os
import sys

from aigen.emit.parallel import each

count, jobs = map(int, sys.argv[1:])
items = [str(number) for number in range(count)]
done = list(each(lambda item: (os.getpid(), item), items, jobs or None))
assert sorted(item for _, item in done) == sorted(items)
pids = {pid for pid, _ in done}
print(len(pids), os.getpid() in pids)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="there are no children elsewhere")
@pytest.mark.parametrize(
    ("items", "jobs", "printed"),
    [
        (WORTH_IT, 3, "3 False"),
        (WORTH_IT, 1, "1 True"),
        (WORTH_IT, 16, "16 False"),
        (WORTH_IT - 1, 3, "1 True"),
    ],
)
def test_jobs_are_the_most(items: int, jobs: int, printed: str) -> None:
    command = [sys.executable, "-c", CODE, str(items), str(jobs)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == printed
