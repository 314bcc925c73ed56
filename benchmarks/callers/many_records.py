"""Writes a call log of many records: those of a few real calls, again and again, later and later.

Prints the ids of the oldest call and of the newest.
"""

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

sys.path.insert(0, os.environ["BENCH_PACKAGE"])

from aigen.runtime import settings
from aigen.runtime.errors import AigenError
from aigen.runtime.record.entry import as_line, written_time
from app.ai import desk_0000

FOLDER, COUNT = Path(sys.argv[1]), int(sys.argv[2])
DAYS, PROCESSES = 10, 4
BEGAN = 1_785_000_000.0
"""When the first call was made, in seconds since 1970."""

STEP = DAYS * 86_400 / COUNT
MESSAGE = "The kettle came without its lid. Please send one before the weekend. "


def real() -> list[dict]:
    """What the log holds of calls of five functions, and of one that is refused."""
    functions = [getattr(desk_0000, f"sort_{number}") for number in range(5)]
    with tempfile.TemporaryDirectory() as folder:
        with settings(model="sample", log_calls=folder):
            for number, function in enumerate(functions):
                function(f"{MESSAGE * 8}{number}")
            with suppress(AigenError):
                functions[0](None)
        lines = [line for path in Path(folder).rglob("*.jsonl") for line in path.open()]
    return [json.loads(line) for line in lines]


def again(record: dict, number: int) -> dict:
    """The record of a later call like it."""
    at = BEGAN + number * STEP
    digits = f"{int(at * 1000):012x}7000a{number:015x}"
    id = "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
    seconds = round(0.2 + number % 997 / 400, 6)
    usage = {"input_tokens": 300 + number % 50, "output_tokens": 60, "cached_tokens": 0}
    found = {
        **record, "id": id, "root": id, "started": written_time(at),
        "seconds": seconds, "usage": usage, "cost": 0.0002,
    }  # fmt: skip
    found["exchanges"] = [
        {**each, "started": written_time(at), "seconds": seconds, "usage": usage}
        for each in record["exchanges"]
    ]
    return found


def records() -> Iterator[dict]:
    """All of them, oldest first; one in a hundred was refused."""
    *answered, refused = real()
    for number in range(COUNT):
        kind = refused if number % 100 == 99 else answered[number % len(answered)]
        yield again(kind, number)


def write() -> tuple[str, str]:
    """The log, a file for each day and process; the first id and the last."""
    first = last = ""
    with ExitStack() as stack:
        files = {}
        for number, record in enumerate(records()):
            place = (record["started"][:10], number % PROCESSES)
            if place not in files:
                day = FOLDER / place[0]
                day.mkdir(parents=True, exist_ok=True)
                path = day / f"host-{place[1] + 1}-{number:06x}.jsonl"
                files[place] = stack.enter_context(path.open("wb"))
            files[place].write(as_line(record))
            first, last = first or record["id"], record["id"]
    return first, last


print(json.dumps(write()))
