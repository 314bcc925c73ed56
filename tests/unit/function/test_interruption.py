"""Ctrl-C during a `map`: a real one, in a process of its own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]

SCRIPT = """\
import asyncio, json, os, signal, sys
sys.path.insert(0, "samples")
from aigen.runtime import override
from aigen.runtime.columns import running
from aigen.runtime.errors import MapInterrupted
from aigen.runtime.testing import delayed, scripted
from shop_ai import support

how, slow, concurrency = sys.argv[1], set(map(int, sys.argv[2].split(","))), int(sys.argv[3])

def step(request):
    number = int("".join(filter(str.isdigit, request.messages[-1]["content"])))
    print(f"row {number}\\n", end="", flush=True)  # in one piece: the rows' threads ask at once
    return delayed(30 if number in slow else 0, {"summary": f"s{number}", "urgent": False})

texts = [f"m{number}" for number in range(12)]

def meanwhile():
    # The second press comes while what is done is gathered.
    first = running._results

    def pressed(*given):
        running._results = first
        os.kill(os.getpid(), signal.SIGINT)
        return first(*given)

    running._results = pressed

async def main():
    return await support.triage.amap(texts)

async def several():
    return await asyncio.gather(main(), asyncio.sleep(60))

def call():
    if how == "imap":
        return list(support.triage.imap({"message": text} for text in texts))
    if how == "twice":
        meanwhile()
    if how in ("map", "twice"):
        return support.triage.map(texts)
    return asyncio.run(main() if how == "amap" else several())

try:
    with scripted(step), override(concurrency=concurrency):
        call()
except MapInterrupted as stopped:
    rows = enumerate(stopped.results.values_or(None))
    done = {number: row.summary for number, row in rows if row}
    print(json.dumps({"said": str(stopped), "done": done, "of": len(stopped.results),
        "codes": sorted({error.code for error in stopped.results.errors.values()}),
        "calls": sum(call is not None for call in stopped.results.calls)}), flush=True)
except KeyboardInterrupt:
    print(json.dumps("interrupted"), flush=True)
"""


def interrupted(how: str, slow: str, rows: int, concurrency: int = 8) -> Any:
    """What the script prints last, when Ctrl-C comes after so many rows were begun."""
    command = [sys.executable, "-W", "error", "-c", SCRIPT, how, slow, str(concurrency)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True) as process:
        watchdog = threading.Timer(60, process.kill)
        watchdog.start()
        try:
            assert process.stdout is not None
            for _ in range(rows):
                assert process.stdout.readline().startswith("row")
            time.sleep(0.3)
            began = time.monotonic()
            process.send_signal(signal.SIGINT)
            printed, errors = process.communicate()
        finally:
            watchdog.cancel()
            process.kill()
    # Neither the answer nor the end of the program waits for the requests in flight.
    assert (process.returncode, errors) == (0, "")
    assert time.monotonic() - began < 15
    return json.loads(printed.splitlines()[-1])


@pytest.mark.parametrize("how", ["map", "amap", "gathered"])
def test_ctrl_c_gives_what_is_done_out_of_order_too(how: str) -> None:
    found = interrupted(how, "0,5", 12, concurrency=4)
    done = [number for number in range(12) if number not in (0, 5)]
    assert found == {
        "said": "stopped after 10 of 12 rows; .results holds them",
        "done": {str(number): f"s{number}" for number in done},
        "of": 12,
        "codes": ["not-done"],
        "calls": 10,
    }


@pytest.mark.parametrize("how", ["map", "amap"])
def test_ctrl_c_while_eight_rows_are_in_flight(how: str) -> None:
    every = ",".join(map(str, range(12)))
    found = interrupted(how, every, 8)
    assert (found["done"], found["of"], found["calls"]) == ({}, 12, 0)


def test_a_second_ctrl_c_loses_nothing() -> None:
    found = interrupted("twice", "0,5", 12, concurrency=4)
    assert len(found["done"]) == 10


def test_ctrl_c_ends_an_iterator() -> None:
    every = ",".join(map(str, range(12)))
    assert interrupted("imap", every, 8) == "interrupted"
