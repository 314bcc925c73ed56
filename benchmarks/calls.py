"""One call over loopback HTTP: calls a second and processor time, beside the peers."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import corpus
import measure
import peers

CALLERS = Path(__file__).parent / "callers"
WAYS = [("sync", 1), ("sync", 8), ("sync", 64), ("async", 8), ("async", 64), ("async", 256)]
CALLS = 1500


class Candidate(NamedTuple):
    """A script of `callers/`, the environment it runs in, and the package it imports."""

    environment: str
    script: str
    package: str = ""
    transport: str = "auto"
    modes: tuple[str, ...] = ("sync", "async")


BASE = "openai create() + model_validate_json"
CANDIDATES = {
    "the server's own maximum": Candidate("server", "loopback.py"),
    BASE: Candidate("aigen", "sdk.py"),
    "aiohttp alone + model_validate_json": Candidate("aigen", "posting.py", modes=("async",)),
    "aigen": Candidate("aigen", "generated.py", "aigen"),
    "aigen, transport raw": Candidate("aigen", "generated.py", "aigen", "raw"),
    "aigen, transport sdk": Candidate("aigen", "generated.py", "aigen", "sdk"),
    # Plain calls with this setting are those of `auto`.
    "aigen, transport aiohttp": Candidate(
        "aigen", "generated.py", "aigen", "aiohttp", modes=("async",)
    ),
    "aigen, transport direct": Candidate("aigen", "generated.py", "aigen", "direct"),
    "baml": Candidate("baml", "baml.py", "baml"),
    "baml, pooled": Candidate("baml", "baml.py", "baml-pooled"),
    "functai": Candidate("functai", "formulating.py"),
    "instructor": Candidate("instructor", "instructing.py"),
    "pydantic-ai": Candidate("pydantic-ai", "agent.py"),
}


def compare(runs: int) -> str:
    """Every candidate in turn, every way: medians of calls a second, the least ms of processor."""
    with tempfile.TemporaryDirectory() as folder, serving() as url:
        made = packages(Path(folder))
        rows = []
        for mode, in_flight in WAYS:
            seen = in_turn(runs, made, url, mode, str(in_flight), str(CALLS))
            rows += [[mode, in_flight, name, *_cells(seen, name)] for name in seen]
    head = ["mode", "in flight", "what", "calls/s", "x create()", "cpu ms a call", "x create()"]
    return measure.table("Calling", head, rows)


def in_turn(
    runs: int, packages: Mapping[str, str], url: str, mode: str, *words: str
) -> dict[str, list[dict[str, float]]]:
    """What each candidate that has the mode prints, A B A B …; nothing of one that fails."""
    able = {
        name: candidate
        for name, candidate in CANDIDATES.items()
        if mode in candidate.modes or (mode == "burst" and "async" in candidate.modes)
    }
    seen: dict[str, list[dict[str, float]]] = {name: [] for name in able}
    for _ in range(runs):
        for name, candidate in able.items():
            try:
                seen[name].append(measured(candidate, packages, url, mode, *words))
            except (RuntimeError, subprocess.TimeoutExpired) as problem:
                # One candidate's failure is a row of the table.
                print(f"{name}, {mode} {' '.join(words)}: {problem}", file=sys.stderr)
    return seen


@contextmanager
def serving() -> Iterator[str]:
    """The fake server's base URL; it ends with the block."""
    process = subprocess.Popen(
        [peers.python("server"), Path(__file__).with_name("server.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
    finally:
        process.stdin.close()
        process.wait(10)


def packages(folder: Path) -> dict[str, str]:
    """Where the package of each candidate is generated, by name."""
    corpus.write_aigen(folder / "aigen", 1)
    measure.run([peers.script("aigen", "aigen"), "build"], folder / "aigen")
    cli = peers.script("baml", "baml-cli")
    for name in ("baml", "baml-pooled"):
        corpus.write_baml(folder / name, 1, pooled=name == "baml-pooled")
        measure.run([cli, "generate", "--from", "baml_src"], folder / name)
    return {
        "": "",
        "aigen": str(folder / "aigen" / "src"),
        "baml": str(folder / "baml"),
        "baml-pooled": str(folder / "baml-pooled"),
    }


def measured(
    candidate: Candidate,
    packages: Mapping[str, str],
    url: str,
    *words: str,
    settings: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, float]:
    """What a candidate's script prints, given these words; `settings` are further variables.

    Raises:
        RuntimeError: it failed.
    """
    interpreter = peers.python(candidate.environment)
    command = [interpreter, CALLERS / candidate.script, *words]
    result = subprocess.run(
        command,
        env={
            **os.environ,
            "BENCH_URL": url,
            "BENCH_PACKAGE": packages[candidate.package],
            "BENCH_TRANSPORT": candidate.transport,
            "BAML_LOG": "off",
            **settings,
        },
        capture_output=True,
        text=True,
        timeout=120,
    )
    if result.returncode:
        raise RuntimeError(f"{candidate.script} failed:\n{result.stderr[-2000:]}")
    return json.loads(result.stdout.splitlines()[-1])


def _cells(seen: Mapping[str, list[dict[str, float]]], name: str) -> list[str]:
    if not seen[name]:
        return ["failed", "", "", ""]
    rate, cpu = _median(seen[name], "per_second"), _least(seen[name], "cpu_ms")
    times = less = ""
    if seen[BASE]:
        times = f"{rate / _median(seen[BASE], 'per_second'):.2f}"
        less = f"{cpu / _least(seen[BASE], 'cpu_ms'):.2f}"
    return [f"{rate:,.0f}", times, f"{cpu:.2f}", less]


def _least(results: list[dict[str, float]], key: str) -> float:
    """Of processor time: what else runs on the machine only adds to it."""
    return min(result[key] for result in results)


def _median(results: list[dict[str, float]], key: str) -> float:
    return statistics.median(result[key] for result in results)
