"""BAML's generated client."""

import os
import sys

import harness

sys.path.insert(0, os.environ["BENCH_PACKAGE"])

from baml_client.async_client import b as ab
from baml_client.sync_client import b

if __name__ == "__main__":
    harness.main(b.Sort_0, ab.Sort_0)
