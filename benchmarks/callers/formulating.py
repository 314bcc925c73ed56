"""functai, its JSON layout with two outputs; its awaited calls run in threads of its own."""

import os
from typing import Literal, NamedTuple

import functai
import harness
from functai import _ai, ai
from models import Item

functai.configure(
    lm="openai-chat:bench",
    base_url=os.environ["BENCH_URL"],
    api_key="none",
    auth=False,
    adapter="json",
    api_retries=0,
)

Queue = Literal["sales", "returns", "repairs"]


class Sort(NamedTuple):
    """The two outputs."""

    item: Item
    queue: Queue


@ai
def sort(message: str) -> tuple[Item, Queue]:
    """Read the request and say where it belongs."""
    item: Item = _ai
    queue: Queue = _ai
    return item, queue


def call(message: str) -> Sort:
    """One call."""
    return Sort(*sort(message))


async def acall(message: str) -> Sort:
    """One call, awaited."""
    return Sort(*await sort.acall(message))


if __name__ == "__main__":
    harness.main(call, acall)
