"""1,000 calls at once, against a server that takes 0.2 s for each, beside the peers."""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path

import calls
import measure

AT_ONCE = 1_000


def compare(runs: int) -> str:
    """Every candidate in turn; medians of the seconds until the last answer."""
    with tempfile.TemporaryDirectory() as folder, calls.serving() as url:
        packages = calls.packages(Path(folder))
        slow = url.removesuffix("/v1") + "/slow/v1"
        seen = calls.in_turn(runs, packages, slow, "burst", str(AT_ONCE), "0")
    rows = [[name, *_cells(found)] for name, found in seen.items()]
    head = ["what", "s, connecting", "cpu s", "s, connected", "cpu s"]
    return measure.table(f"{AT_ONCE:,} calls at once, each answered in 0.2 s", head, rows)


def _cells(found: list[dict[str, float]]) -> list[str]:
    keys = ("first_s", "first_s_cpu", "again_s", "again_s_cpu")
    if not found:
        return ["failed", *[""] * (len(keys) - 1)]
    return [f"{statistics.median(each[key] for each in found):.2f}" for key in keys]
