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


CANDIDATES = {
    "the server's own maximum": Candidate("server", "loopback.py"),
    "openai create() + model_validate_json": Candidate("aigen", "sdk.py"),
    "aigen": Candidate("aigen", "generated.py", "aigen"),
    "aigen, transport raw": Candidate("aigen", "generated.py", "aigen", "raw"),
    "aigen, transport sdk": Candidate("aigen", "generated.py", "aigen", "sdk"),
    "aigen, transport aiohttp": Candidate("aigen", "generated.py", "aigen", "aiohttp"),
    "aigen, transport direct": Candidate("aigen", "generated.py", "aigen", "direct"),
    "baml": Candidate("baml", "baml.py", "baml"),
    "baml, pooled": Candidate("baml", "baml.py", "baml-pooled"),
    "instructor": Candidate("instructor", "instructing.py"),
    "pydantic-ai": Candidate("pydantic-ai", "agent.py"),
}


def compare(runs: int) -> str:
    """Every candidate in turn, every way; medians of calls a second and ms of processor a call."""
    with tempfile.TemporaryDirectory() as folder, serving() as url:
        made = packages(Path(folder))
        rows = []
        for mode, in_flight in WAYS:
            seen: dict[str, list[dict[str, float]]] = {name: [] for name in CANDIDATES}
            for _ in range(runs):
                for name, candidate in CANDIDATES.items():
                    try:
                        words = (mode, str(in_flight), str(CALLS))
                        seen[name].append(measured(candidate, made, url, *words))
                    except (RuntimeError, subprocess.TimeoutExpired) as problem:
                        # One candidate's failure is a row of the table.
                        print(f"{name}, {mode} at {in_flight}: {problem}", file=sys.stderr)
            base = _median(seen["openai create() + model_validate_json"], "per_second")
            rows += [[mode, in_flight, name, *_cells(seen[name], base)] for name in CANDIDATES]
    head = ["mode", "in flight", "what", "calls/s", "x create()", "cpu ms a call"]
    return measure.table("Calling", head, rows)


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
        timeout=300,
    )
    if result.returncode:
        raise RuntimeError(f"{candidate.script} failed:\n{result.stderr[-2000:]}")
    return json.loads(result.stdout.splitlines()[-1])


def _cells(results: list[dict[str, float]], base: float) -> list[str]:
    if not results:
        return ["failed", "", ""]
    rate = _median(results, "per_second")
    return [f"{rate:,.0f}", f"{rate / base:.2f}", f"{_median(results, 'cpu_ms'):.2f}"]


def _median(results: list[dict[str, float]], key: str) -> float:
    return statistics.median(result[key] for result in results)
