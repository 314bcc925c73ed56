"""What `aigen log` takes to read a log of a million calls."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

import corpus
import measure
import peers

SCRIPT = Path(__file__).parent / "callers" / "many_records.py"
COUNTS = (10_000, 1_000_000)


def compare(runs: int) -> str:
    """Each command over a short log and a long one, each once whatever `runs` says."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus.write_aigen(folder, 1)
        aigen = peers.script("aigen", "aigen")
        measure.run([aigen, "build"], folder)
        for count in COUNTS:
            oldest, newest = _written(folder, count)
            size = sum(path.stat().st_size for path in (folder / str(count)).rglob("*.jsonl"))
            for label, words in _commands(oldest, newest).items():
                run = measure.run([aigen, "log", *words, "--folder", str(count)], folder)
                sizes = [f"{count:,}", f"{size / 1e6:,.0f}"]
                rows.append([*sizes, label, f"{run.wall:.2f}", f"{run.cpu:.2f}", f"{run.peak:.0f}"])
    head = ["calls", "MB", "command", "wall s", "cpu s", "peak MB"]
    return measure.table("Reading the call log", head, rows)


def _written(folder: Path, count: int) -> tuple[str, str]:
    """Writes a log; the ids of its oldest call and of its newest."""
    done = subprocess.run(
        [peers.python("aigen"), SCRIPT, str(count), str(count)],
        cwd=folder,
        env={"BENCH_PACKAGE": str(folder / "src")},
        stdout=subprocess.PIPE,
        check=True,
    )
    oldest, newest = json.loads(done.stdout)
    return oldest, newest


def _commands(oldest: str, newest: str) -> dict[str, list[str]]:
    return {
        "aigen log": [],
        "aigen log --error": ["--error"],
        "aigen log --function, of no call": ["--function", "nobody"],
        "aigen log show, the newest": ["show", newest],
        "aigen log show, the oldest": ["show", oldest],
        "aigen log totals": ["totals"],
        "aigen log totals --by model": ["totals", "--by", "model"],
    }
