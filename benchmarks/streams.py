"""One stream over loopback HTTP: time to the first partial and to the answer, beside the peers."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import calls
import measure

CANDIDATES = {
    "openai create(stream=True), text alone": calls.Candidate("aigen", "streaming_sdk.py"),
    "aigen": calls.Candidate("aigen", "streaming_generated.py", "aigen"),
    "aigen, transport sdk": calls.Candidate("aigen", "streaming_generated.py", "aigen", "sdk"),
    "baml": calls.Candidate("baml", "streaming_baml.py", "baml"),
}
REPLIES = [(200, 20), (4_000, 10), (40_000, 3)]
"""Characters of the longest text of a reply, and how many streams are timed in a process."""


def compare(runs: int) -> str:
    """Every candidate in turn, each reply compact and spaced; medians."""
    rows = []
    with tempfile.TemporaryDirectory() as folder, calls.serving() as url:
        packages = calls.packages(Path(folder))
        for characters, times in REPLIES:
            for style in ("compact", "spaced"):
                seen: dict[str, list[dict[str, float]]] = {name: [] for name in CANDIDATES}
                for _ in range(runs):
                    for name, candidate in CANDIDATES.items():
                        words = (str(characters), style, str(times))
                        try:
                            seen[name].append(calls.measured(candidate, packages, url, *words))
                        except (RuntimeError, subprocess.TimeoutExpired) as problem:
                            # One candidate's failure is a row of the table.
                            print(f"{name}, {characters} {style}: {problem}", file=sys.stderr)
                rows += [
                    [f"{characters:,}", style, name, *_cells(found)] for name, found in seen.items()
                ]
    head = ["characters", "JSON", "what", "first partial ms", "total ms", "cpu ms", "partials"]
    return measure.table("Streaming", head, rows)


def _cells(found: list[dict[str, float]]) -> list[str]:
    if not found:
        return ["failed", "", "", ""]
    figures = {key: statistics.median(one[key] for one in found) for key in found[0]}
    times = [f"{figures[key]:,.1f}" for key in ("first_ms", "total_ms", "cpu_ms")]
    return [*times, f"{figures['partials']:,.0f}"]
