"""All measurements, or the parts named: `python benchmarks [part …] [--runs N] [--short]`."""

from __future__ import annotations

import argparse
import os
import platform
from pathlib import Path

import builds
import bursts
import calls
import columns
import corpora
import extract
import imports
import logs
import records
import replies
import streams
import tokens
import watches

PARTS = {
    "build": builds.compare,
    "watch": watches.compare,
    "import": imports.compare,
    "call": calls.compare,
    "burst": bursts.compare,
    "replies": replies.compare,
    "streams": streams.compare,
    "log": logs.compare,
    "records": records.compare,
    "columns": columns.compare,
    "tokens": tokens.compare,
    "extract": extract.compare,
    "corpora": corpora.compare,
}


def main() -> None:
    """Prints the tables and keeps them in `results.md` beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="|".join(PARTS))
    parser.add_argument("--runs", type=int, default=5, help="counted runs (default 5)")
    parser.add_argument(
        "--short", action="store_true", help="one run, and one second for each way of calling"
    )
    options = parser.parse_args()
    if options.short:
        options.runs = 1
        os.environ["BENCH_SECONDS"] = "1"
    machine = f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}"
    texts = [f"Medians of one run; {machine}.\n"]
    for part in options.parts or PARTS:
        texts.append(PARTS[part](options.runs))
        print(texts[-1], flush=True)
    if not (options.parts or options.short):
        Path(__file__).with_name("results.md").write_text("\n".join(texts), encoding="utf-8")


if __name__ == "__main__":
    main()
