"""What many rows cost beside the model's own time, and whether memory grows with them."""

from __future__ import annotations

import tempfile
from pathlib import Path

import corpus
import measure
import peers

SCRIPT = Path(__file__).parent / "callers" / "rows.py"
WAYS = ("imap", "aimap", "map", "add_to")
COUNTS = (1_000, 10_000, 100_000)


def compare(runs: int) -> str:
    """Rows a second and peak memory of a process that calls so many rows and ends.

    Each is one process whatever `runs` says: a hundred thousand rows even themselves out, and the
    thousand before them warm the caches.
    """
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        corpus.write_aigen(folder, 1)
        measure.run([peers.script("tables", "aigen"), "build"], folder)
        for way in WAYS:
            command = [peers.python("tables"), SCRIPT, way]
            found = {
                count: measure.run(
                    [*command, str(count)], folder, {"BENCH_PACKAGE": str(folder / "src")}
                )
                for count in COUNTS
            }
            rows += [_row(way, count, found) for count in COUNTS]
    head = ["way", "rows", "wall s", "cpu s", "rows/s of cpu", "peak MB", "KB more a row"]
    return measure.table("Columns, with the sample model", head, rows)


def _row(way: str, count: int, found: dict[int, measure.Run]) -> list[str]:
    run, first = found[count], found[COUNTS[0]]
    more = ""
    if count > COUNTS[0]:
        more = f"{max(0.0, run.peak - first.peak) * 1024 / (count - COUNTS[0]):.2f}"
    rate = f"{count / run.cpu:,.0f}"
    return [way, f"{count:,}", f"{run.wall:.1f}", f"{run.cpu:.1f}", rate, f"{run.peak:.0f}", more]
