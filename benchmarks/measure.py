"""Whole processes, timed by the operating system's own accounting."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_ENVIRONMENT = {
    name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
}


@dataclass(frozen=True)
class Run:
    """One finished process: seconds of wall time and of processor, peak memory in MB."""

    wall: float
    cpu: float
    peak: float


def run(
    command: Sequence[str | Path], cwd: Path, environment: Mapping[str, str] | None = None
) -> Run:
    """Runs a command to its end, with bytecode caches as users have them.

    Raises:
        RuntimeError: it failed; the message holds what it printed.
    """
    began = time.perf_counter()
    process = subprocess.Popen(
        [str(word) for word in command],
        cwd=cwd,
        env={**_ENVIRONMENT, **(environment or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert process.stdout is not None
    printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command[0]} failed:\n{printed.decode(errors='replace')[-2000:]}")
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def medians(
    candidates: Mapping[str, Callable[[], Run]],
    *,
    runs: int,
    prepare: Mapping[str, Callable[[], None]] | None = None,
) -> dict[str, Run]:
    """Runs the candidates in turn, A B A B …, so that a drifting machine is fair to all.

    The first round warms caches and is not counted; `prepare` runs before each run, untimed.
    """
    seen: dict[str, list[Run]] = {name: [] for name in candidates}
    for turn in range(runs + 1):
        for name, candidate in candidates.items():
            if prepare and name in prepare:
                prepare[name]()
            result = candidate()
            if turn:
                seen[name].append(result)
    return {
        name: Run(
            statistics.median(one.wall for one in results),
            statistics.median(one.cpu for one in results),
            statistics.median(one.peak for one in results),
        )
        for name, results in seen.items()
    }


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [f"### {title}", "", "| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"
