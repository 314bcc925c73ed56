"""Work that the steps of a tool call ask for, and their driver does: on a thread, or awaited."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple


class Work(NamedTuple):
    """Code of the user's own that is run: a tool, or who is asked.

    Attributes:
        run: does it; what it gives may have to be awaited.
        arun: does it in an event loop.
        seconds: how long it may take; None for as long as it wants.
    """

    run: Callable[[], Any]
    arun: Callable[[], Awaitable[Any]]
    seconds: float | None = None
