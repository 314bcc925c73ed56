"""What many rows cost beside the model's own time, and whether memory grows with them."""

from __future__ import annotations

import tempfile
from pathlib import Path

import corpus
import measure
import peers

SCRIPT = Path(__file__).parent / "callers" / "rows.py"
WAYS = ("imap", "aimap", "map")
COUNTS = (1_000, 10_000, 100_000)


def compare(runs: int) -> str:
    """Rows a second and peak memory of a process that calls so many rows and ends."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus.write_aigen(folder, 1)
        measure.run([peers.script("aigen", "aigen"), "build"], folder)
        environment = {"BENCH_PACKAGE": str(folder / "src")}
        results = measure.medians(
            {
                f"{way} {count}": lambda way=way, count=count: measure.run(
                    [peers.python("aigen"), SCRIPT, way, str(count)], folder, environment
                )
                for way in WAYS
                for count in COUNTS
            },
            runs=runs,
        )
    rows = []
    for label, run in results.items():
        way, count = label.split()
        rate = f"{int(count) / run.wall:,.0f}"
        rows.append([way, f"{int(count):,}", f"{run.wall:.1f}", rate, f"{run.peak:.0f}"])
    head = ["way", "rows", "wall s", "rows/s", "peak MB"]
    return measure.table("Columns, with the sample model", head, rows)
