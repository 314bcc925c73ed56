"""`aigen build --watch`: seconds from a save to the new file."""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import corpus
import measure
import peers

SIZES = (10, 1000, 5000)
SAVES = 11
_SECONDS = 60.0


def compare(runs: int) -> str:
    """Median and worst of eleven saves in each of so many watches."""
    rows = []
    for specs in SIZES:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            corpus.write_aigen(folder, specs)
            took = [seconds for _ in range(runs) for seconds in _saved(folder, specs)]
        rows.append([specs, f"{statistics.median(took):.3f}", f"{max(took):.3f}"])
    return measure.table("Watching", ["specs", "s from a save, median", "s, the longest"], rows)


def _saved(folder: Path, specs: int) -> Iterator[float]:
    with _watching(folder):
        for turn in range(SAVES):
            number = (turn * 7 + specs // 2) % specs
            output = folder / "src" / "app" / "ai" / f"desk_{number:04}.py"
            before = output.stat().st_mtime_ns
            time.sleep(0.5)  # as long as a hand that saves again
            began = time.perf_counter()
            corpus.change(folder, number)
            _until(lambda output=output, before=before: output.stat().st_mtime_ns != before)
            yield time.perf_counter() - began


@contextmanager
def _watching(folder: Path) -> Iterator[None]:
    """A watch that has built once and waits."""
    command = [peers.script("aigen", "aigen"), "build", "--watch"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert process.stdout is not None
    try:
        while b"watching" not in (line := process.stdout.readline()):
            if not line:
                raise RuntimeError("the watch has ended")
        yield
    finally:
        process.terminate()
        process.communicate(timeout=_SECONDS)


def _until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _SECONDS
    while not holds():
        if time.monotonic() > deadline:
            raise RuntimeError("nothing was built after a save")
        time.sleep(0.001)
