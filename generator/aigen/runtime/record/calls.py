"""What happened in a call: `with calls() as seen`, `on_call` hooks, and the `aigen` logger."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from aigen.runtime.wire.messages import Reply, Request, Usage

logger = logging.getLogger("aigen")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its reply."""

    request: Request
    reply: Reply

    @property
    def cached(self) -> bool:
        """Whether the reply was kept, so that nothing was sent and no tokens were used."""
        return self.reply.cached


@dataclass(slots=True)
class Call:
    """One call of an AI function.

    Attributes:
        id: a UUIDv7: calls sort by their time.
        function: what the model reads as the function's name.
        module: where the function is defined.
        inputs: as they were bound; None where binding refused them.
        value: the answer; None until there is one.
        error: what was raised, else None.
        model: as the server names it, else as it was asked for.
        usage: of all exchanges together.
        cost: of all exchanges together, in US dollars by the table of prices; None where the price
            of the model, or what was used, is not known.
        seconds: from the call to its answer.
        repairs: what had to be mended to read the reply.
        reasoning: what the model thought aloud, where it did.
        exchanges: requests and replies, in order.
    """

    id: str
    function: str
    module: str
    inputs: Mapping[str, Any] | None = None
    value: Any = None
    error: BaseException | None = None
    model: str | None = None
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    seconds: float = 0.0
    repairs: tuple[str, ...] = ()
    reasoning: str | None = None
    exchanges: list[Exchange] = field(default_factory=list)


_seen: ContextVar[tuple[list[Call], ...]] = ContextVar("aigen_calls", default=())
_hooks: list[Callable[[Call], Any]] = []


@contextmanager
def calls() -> Iterator[list[Call]]:
    """Lists the calls made inside the block, each when it is done; failed ones too."""
    found: list[Call] = []
    token = _seen.set((*_seen.get(), found))
    try:
        yield found
    finally:
        _seen.reset(token)


def on_call(hook: Callable[[Call], Any]) -> Callable[[], None]:
    """Calls `hook` with every call when it is done, in this process; returns what removes it.

    A hook that raises is logged and changes nothing.
    """
    _hooks.append(hook)

    def remove() -> None:
        if hook in _hooks:
            _hooks.remove(hook)

    return remove


def done(call: Call) -> None:
    """Tells everyone who listens."""
    for found in _seen.get():
        found.append(call)
    for hook in list(_hooks):
        try:
            hook(call)
        except Exception:
            logger.exception("an on_call hook failed")
    if call.error is not None:
        logger.info("%s failed after %.2f s: %s", call.function, call.seconds, call.error)
    else:
        logger.debug("%s answered in %.2f s", call.function, call.seconds)


def new_id() -> str:
    """A UUIDv7 (RFC 9562): 48 bits of milliseconds, then chance."""
    chance = int.from_bytes(os.urandom(10), "big")
    number = (time.time_ns() // 1_000_000 & (1 << 48) - 1) << 80 | chance
    number = number & ~(0xF000 << 64) | 0x7000 << 64
    number = number & ~(0xC000 << 48) | 0x8000 << 48
    digits = f"{number:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
