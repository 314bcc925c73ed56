"""BAML's generated client, streaming."""

import os
import sys
from collections.abc import Iterator
from typing import Any

import streaming

sys.path.insert(0, os.environ["BENCH_PACKAGE"])

from baml_client.sync_client import b


def stream(message: str) -> Iterator[Any]:
    """The partials and the answer."""
    arriving = b.stream.Sort_0(message)
    yield from arriving
    yield arriving.get_final_response()


if __name__ == "__main__":
    streaming.main(stream)
