"""What the call log costs: the same calls without it, with it, and with it but without values."""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path

import calls
import corpus
import measure
import peers

WAYS = [("sync", 1), ("sync", 8), ("async", 64)]
KINDS = {
    "no log": {},
    "log_calls": {"AIGEN_LOG_CALLS": "log"},
    "log_calls, log_content false": {"AIGEN_LOG_CALLS": "log", "AIGEN_LOG_CONTENT": "0"},
}


def compare(runs: int) -> str:
    """Every kind in turn, every way; the first round warms up and is not counted."""
    candidate = calls.Candidate("aigen", "generated.py", "aigen")
    with tempfile.TemporaryDirectory() as name, calls.serving() as url:
        folder = Path(name)
        corpus.write_aigen(folder / "aigen", 1)
        measure.run([peers.script("aigen", "aigen"), "build"], folder / "aigen")
        packages = {"aigen": str(folder / "aigen" / "src")}
        rows = []
        for mode, in_flight in WAYS:
            seen: dict[str, list[dict[str, float]]] = {kind: [] for kind in KINDS}
            words = (mode, str(in_flight), str(calls.CALLS))
            for turn in range(runs + 1):
                for kind, variables in KINDS.items():
                    settings = {
                        key: str(folder / value) if value == "log" else value
                        for key, value in variables.items()
                    }
                    found = calls.measured(candidate, packages, url, *words, settings=settings)
                    if turn:
                        seen[kind].append(found)
            rows += _rows(f"{mode}, {in_flight} in flight", seen)
        longest = _longest_line(folder / "log")
    head = ["way", "what", "calls/s", "x no log", "cpu ms a call", "more than no log"]
    return measure.table("The call log", head, rows) + f"\nThe longest line: {longest:,} bytes.\n"


def _rows(way: str, seen: dict[str, list[dict[str, float]]]) -> list[list[str]]:
    middle = {
        kind: {key: statistics.median(each[key] for each in found) for key in found[0]}
        for kind, found in seen.items()
    }
    base = middle["no log"]
    return [
        [
            way,
            kind,
            f"{found['per_second']:,.0f}",
            f"{found['per_second'] / base['per_second']:.2f}",
            f"{found['cpu_ms']:.3f}",
            f"{found['cpu_ms'] - base['cpu_ms']:+.3f}",
        ]
        for kind, found in middle.items()
    ]


def _longest_line(folder: Path) -> int:
    files = folder.glob("*/*.jsonl")
    return max(len(line) for path in files for line in path.read_bytes().splitlines())
