"""One call of an AI function, as those see it who listen, log and trace."""

from __future__ import annotations

import logging
import os
import random
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar, Token
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Self

from aigen.runtime.wire.messages import Reply, Request, Usage

if TYPE_CHECKING:
    from aigen.runtime.definition import Definition
    from aigen.runtime.setting_kinds import Settings
    from aigen.runtime.tools.outcome import Outcome

logger = logging.getLogger("aigen")


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its reply.

    Attributes:
        at: when the reply was there, in seconds since 1970.
    """

    request: Request
    reply: Reply
    at: float = field(default_factory=time.time)

    @property
    def cached(self) -> bool:
        """Whether the reply was kept, so that nothing was sent and no tokens were used."""
        return self.reply.cached


@dataclass(slots=True)
class Call:
    """One call of an AI function.

    It pickles without what is of this process or holds keys: settings and headers.

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
        tools: what became of the tool calls that replies asked for, in order.
        parent: the id of the call inside which it was made (by a check, a default, a tool), or
            None.
        root: the id of the outermost of these calls; its own where there is none.
        started: seconds since 1970.
        definition: the function as data.
        settings: of the call; None where they could not be resolved.
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
    tools: list[Outcome] = field(default_factory=list)
    parent: str | None = None
    root: str = ""
    started: float = field(default_factory=time.time)
    definition: Definition | None = field(default=None, repr=False)
    settings: Settings | None = field(default=None, repr=False)
    span: Any = field(default=None, repr=False)  # of a tracer, where one is set
    outer: Token[Call | None] | None = field(default=None, repr=False)

    def __getstate__(self) -> tuple[None, dict[str, Any]]:
        state = {each.name: getattr(self, each.name) for each in fields(self)}
        sent = [
            replace(each, request=replace(each.request, headers={}, settings=None))
            for each in self.exchanges
        ]
        return None, {**state, "exchanges": sent, "settings": None, "span": None, "outer": None}

    def enter(self) -> Self:
        """Makes this the call that others are made inside of, until it is done."""
        self.outer = current.set(self)
        if self.span is not None:
            self.span.enter()
        return self

    def leave(self) -> None:
        """Makes the call around it that again, where it was entered."""
        token, self.outer = self.outer, None
        if token is None:
            return
        with suppress(ValueError):  # a coroutine that is closed in another context
            current.reset(token)
            if self.span is not None:
                self.span.leave()

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Makes this the call that others are made inside of, for a block."""
        self.enter()
        try:
            yield
        finally:
            self.leave()


current: ContextVar[Call | None] = ContextVar("aigen_call", default=None)
"""The innermost call that runs here."""


# Not the system's own source, which is asked anew each time and lets other threads in between; and
# not the one that programs seed.
_chance = random.Random()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_chance.seed)


def new_id() -> str:
    """A UUIDv7 (RFC 9562): milliseconds, 12 bits of the rest of the time, then chance."""
    milliseconds, rest = divmod(time.time_ns(), 1_000_000)
    digits = f"{milliseconds & (1 << 48) - 1:012x}7{rest * 4096 // 1_000_000:03x}"
    digits += f"{_chance.getrandbits(62) | 1 << 63:016x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
