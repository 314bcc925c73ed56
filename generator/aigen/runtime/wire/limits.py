"""Limits of a model in this process: the setting `limits`.

`requests_per_minute` and `tokens_per_minute` count the sixty seconds before now, `in_flight` the
requests that are not answered. Threads and tasks wait in one line for each model, first come first
served. What was sent is counted by model, whichever function sent it; how much is too much is said
by the settings of the call that waits.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
    nullcontext,
    suppress,
)
from typing import TYPE_CHECKING, Any

from aigen.runtime.setting_kinds import Settings
from aigen.runtime.wire.messages import Request, Usage

if TYPE_CHECKING:
    from aigen.runtime.wire.deadline import Deadline

_MINUTE = 60.0
_LETTERS = 4
"""Characters of a request that are taken for a token, until the server has counted."""


class _Lane:
    """One model's line.

    Attributes:
        waiting: those whose turn has not come, the next one first.
        begun: turns that began in the last minute, the oldest first.
        tokens: of those, together.
        flying: turns that have not ended.
        rests: until when the server asked to be left alone.
    """

    def __init__(self) -> None:
        # A stream that is let go of ends its turn wherever that happens, inside the lock too.
        self.lock = threading.RLock()
        self.waiting: deque[Turn] = deque()
        self.begun: deque[Turn] = deque()
        self.tokens = 0
        self.flying = 0
        self.rests = 0.0

    def wake_next(self) -> None:
        """Lets the first in line look again."""
        if self.waiting:
            self.waiting[0].wake()

    def forget_before(self, then: float) -> None:
        """Drops what is older than a minute."""
        while self.begun and self.begun[0].at <= then:
            self.tokens -= self.begun.popleft().tokens


class Turn:
    """One request's turn.

    Attributes:
        tokens: that it takes: an estimate until the server has counted.
        at: when it began.
        wake: makes the one who waits look again.
    """

    def __init__(self, lane: _Lane, limits: Mapping[str, Any], tokens: int) -> None:
        self.tokens = tokens
        self.at = math.inf
        self.wake: Callable[[], Any] = lambda: None
        self._lane, self._limits = lane, limits

    def enter(self, wake: Callable[[], Any]) -> None:
        """Joins the line."""
        self.wake = wake
        with self._lane.lock:
            self._lane.waiting.append(self)

    def leave(self) -> None:
        """Goes before the turn has come."""
        with self._lane.lock:
            if self in self._lane.waiting:
                self._lane.waiting.remove(self)
            self._lane.wake_next()

    def wait(self) -> float:
        """Seconds until the next look; 0 where the turn has begun."""
        lane, now = self._lane, time.monotonic()
        with lane.lock:
            if lane.waiting[0] is not self:
                return math.inf
            lane.forget_before(now - _MINUTE)
            wait = self._until_free(now)
            if wait > 0:
                return wait
            lane.waiting.popleft()
            self.at = now
            lane.begun.append(self)
            lane.tokens += self.tokens
            lane.flying += 1
            lane.wake_next()
            return 0.0

    def _until_free(self, now: float) -> float:
        lane, limits = self._lane, self._limits
        if lane.flying >= limits.get("in_flight", math.inf):
            return math.inf
        freed = lane.rests
        most = limits.get("requests_per_minute", math.inf)
        if len(lane.begun) >= most:
            freed = max(freed, lane.begun[len(lane.begun) - most].at + _MINUTE)
        left = limits.get("tokens_per_minute", math.inf) - self.tokens
        used = lane.tokens
        for turn in lane.begun if used > left else ():
            # One that takes more than a minute has goes when nothing else has been.
            freed = max(freed, turn.at + _MINUTE)
            used -= turn.tokens
            if used <= left:
                break
        return freed - now

    def used(self, usage: Usage | None) -> None:
        """Takes the tokens that the server counted; None where it did not answer."""
        lane = self._lane
        tokens = usage.input_tokens + usage.output_tokens if usage else 0
        with lane.lock:
            if self.at > time.monotonic() - _MINUTE and self in lane.begun:
                lane.tokens += tokens - self.tokens
            self.tokens = tokens

    def end(self) -> None:
        """The request is answered, or given up."""
        with self._lane.lock:
            self._lane.flying -= 1
            self._lane.wake_next()


class _State:
    """The lines of this process."""

    def __init__(self) -> None:
        self.lanes: dict[Any, _Lane] = {}
        self.lock = threading.Lock()


_state = _State()


def _start_anew() -> None:
    global _state
    _state = _State()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_anew)


def in_turn(
    request: Request, settings: Settings, deadline: Deadline
) -> AbstractContextManager[Turn | None]:
    """While a request is in flight; waits for its turn first. None where nothing is limited.

    Raises:
        DeadlineError: the turn did not come in time.
    """
    turn = _turn(request, settings)
    return nullcontext() if turn is None else _waited_for(turn, deadline)


@contextmanager
def _waited_for(turn: Turn, deadline: Deadline) -> Iterator[Turn]:
    woken = threading.Event()
    turn.enter(woken.set)
    try:
        while (wait := turn.wait()) > 0:
            woken.wait(min(wait, deadline.left()))
            woken.clear()
    except BaseException:
        turn.leave()
        raise
    with _counted(turn):
        yield turn


def awaited_turn(
    request: Request, settings: Settings, deadline: Deadline
) -> AbstractAsyncContextManager[Turn | None]:
    """Like `in_turn`, awaited."""
    turn = _turn(request, settings)
    return nullcontext() if turn is None else _awaited(turn, deadline)


@asynccontextmanager
async def _awaited(turn: Turn, deadline: Deadline) -> AsyncIterator[Turn]:
    woken, loop = asyncio.Event(), asyncio.get_running_loop()

    def wake() -> None:
        with suppress(RuntimeError):  # the loop is closed, and nobody waits there any more
            loop.call_soon_threadsafe(woken.set)

    turn.enter(wake)
    try:
        while (wait := turn.wait()) > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(min(wait, deadline.left())):
                    await woken.wait()
            woken.clear()
    except BaseException:
        turn.leave()
        raise
    with _counted(turn):
        yield turn


def rest(request: Request, settings: Settings, seconds: float) -> None:
    """A server asked to be left alone: nobody in line goes before."""
    if settings.limits:
        lane = _lane(request)
        lane.rests = max(lane.rests, time.monotonic() + seconds)


@contextmanager
def _counted(turn: Turn) -> Iterator[None]:
    try:
        yield
    except GeneratorExit:
        raise  # a stream that was left: what it took is not known better than by the estimate
    except BaseException:
        turn.used(None)
        raise
    finally:
        turn.end()


def _turn(request: Request, settings: Settings) -> Turn | None:
    limits = settings.limits
    if not limits:
        return None
    tokens = _estimate(request) if "tokens_per_minute" in limits else 0
    return Turn(_lane(request), limits, tokens)


def _lane(request: Request) -> _Lane:
    key, state = request.target.key, _state
    lane = state.lanes.get(key)
    if lane is None:
        with state.lock:
            lane = state.lanes.setdefault(key, _Lane())
    return lane


def _estimate(request: Request) -> int:
    body = request.body
    names = ("max_tokens", "max_completion_tokens", "max_output_tokens")
    reply = next((body[name] for name in names if isinstance(body.get(name), int)), 0)
    return len(json.dumps(body, ensure_ascii=False, default=str)) // _LETTERS + int(reply)
