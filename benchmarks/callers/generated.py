"""A generated function, with the settings as they are."""

import os
import sys

import harness

sys.path.insert(0, os.environ["BENCH_PACKAGE"])

import aigen.runtime
from app.ai import desk_0000

aigen.runtime.configure(
    model="bench",
    base_url=os.environ["BENCH_URL"],
    api_key="none",
    transport=os.environ.get("BENCH_TRANSPORT", "auto"),
)

if __name__ == "__main__":
    harness.main(desk_0000.sort_0, desk_0000.sort_0.aio)
