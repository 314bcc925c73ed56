"""A generated function's stream, with the settings as they are."""

import os
from collections.abc import Iterator
from typing import Any

import generated
import streaming


def stream(message: str) -> Iterator[Any]:
    """The partials and the answer."""
    with generated.desk_0000.sort_0.stream(message) as arriving:
        yield from arriving
        yield arriving.result()


if __name__ == "__main__":
    assert os.environ["BENCH_PACKAGE"]
    streaming.main(stream)
