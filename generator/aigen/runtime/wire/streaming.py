"""The drivers of a streamed call: its events as they happen, sync and awaited."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, closing, nullcontext
from typing import TYPE_CHECKING, TypeAlias

from aigen.runtime.errors import StreamError
from aigen.runtime.wire.arrival import Arrival
from aigen.runtime.wire.deadline import Deadline
from aigen.runtime.wire.driving import Step, ToolWork
from aigen.runtime.wire.events import Event, ToolFinished, ToolStarted, Used
from aigen.runtime.wire.exchange import flight_for
from aigen.runtime.wire.messages import Reply, Request
from aigen.runtime.wire.receiving import apayloads, as_stream, payloads

if TYPE_CHECKING:
    from aigen.runtime.tools.outcome import Outcome
    from aigen.runtime.tools.work import Inside, Numbered

Done: TypeAlias = "Reply | list[Outcome]"
"""What came of a step of the conversation."""

_UNUSABLE = "the reply cannot be used"
_BROKE = "the stream broke"


def run(arrival: Arrival) -> Generator[Event]:
    """Everything that happens in a call.

    Raises:
        AigenError: as a call raises it; StreamError where a partial was shown before.
    """
    problem: BaseException | None = None
    try:
        deadline = Deadline(arrival.plan.settings.timeout)
        if arrival.plan.available is not None:
            arrival.plan.available.find_out(deadline)
        step: Step | None = arrival.first()
        while step is not None:
            try:
                done: Done
                if isinstance(step, ToolWork):
                    done = yield from _worked(arrival, step, deadline)
                else:
                    done = yield from _replied(arrival, step, deadline)
            except StreamError:
                raise
            except Exception as failed:
                step = arrival.failed(failed)
                yield from arrival.asked_again(_BROKE)
                continue
            step = arrival.went(done)
            yield from _behind(arrival, done, step)
    except BaseException as raised:
        problem = raised
        raise
    finally:
        arrival.ended(problem)


def _behind(arrival: Arrival, done: Done, step: Step | None) -> list[Event]:
    """What is to be told of a reply now that it is known what it leads to."""
    if not isinstance(done, Reply):
        return []
    if step is None:
        return arrival.last(done)
    if isinstance(step, ToolWork):
        return arrival.before_tools(done)
    return arrival.asked_again(_UNUSABLE)


def _worked(
    arrival: Arrival, work: ToolWork, deadline: Deadline
) -> Generator[Event, None, list[Outcome]]:
    """Tool calls as they begin and as each is done; those that run are left with the stream."""
    runner = work.runner(arrival.plan.settings, deadline)
    with arrival.working() as outcomes:
        before = 0
        for group in runner.groups(work.calls):
            with deadline.resting():
                yield from map(ToolStarted, group)
            with closing(runner.done(group, work.step, work.whole)) as running:
                while True:
                    with arrival.call.inside():
                        told = next(running, None)
                    if told is None:
                        break
                    with deadline.resting():
                        yield _noted(told, outcomes, before)
            before += len(group)
    return _asked(outcomes)


def _noted(told: Numbered | Inside, outcomes: dict[tuple[int, int], Outcome], before: int) -> Event:
    """The event of a tool call, whose outcome is noted by its place; code is alone in its group."""
    if isinstance(told, tuple):
        number, outcome = told
        outcomes[before + number, 0] = outcome
        return ToolFinished(outcome)
    if isinstance(told, ToolFinished):
        outcomes[before, len(outcomes) + 1] = told.outcome
    return told


def _asked(outcomes: dict[tuple[int, int], Outcome]) -> list[Outcome]:
    """What became of the calls that a reply asked for, in order."""
    return [outcomes[place] for place in sorted(outcomes) if place[1] == 0]


def _replied(
    arrival: Arrival, request: Request, deadline: Deadline
) -> Generator[Event, None, Reply]:
    """The reply to a request: one that was kept, of which nothing is shown yet, or the server's."""
    arrival.begin(request)
    flight = flight_for(request, arrival.settings(request), awaited=False)
    if flight is None:
        return (yield from _received(arrival, request, deadline))
    while not flight.begun():
        time.sleep(min(flight.pause(), deadline.left()))
    with flight:
        return flight.reply or flight.landed((yield from _received(arrival, request, deadline)))


def _received(
    arrival: Arrival, request: Request, deadline: Deadline
) -> Generator[Event, None, Reply]:
    settings, number = arrival.settings(request), 0
    while True:
        attempt = arrival.attempt(request, deadline)
        try:
            streamed = payloads(as_stream(request), settings, attempt)
            with closing(streamed):
                for payload in streamed:
                    events = arrival.take(payload, attempt)
                    if events:
                        with attempt.resting():
                            yield from events
            reply: Reply | None = arrival.reply(attempt)
        except Exception as problem:
            reply = arrival.reply(attempt) if arrival.is_complete() else None
            wait = 0.0 if reply else arrival.wait(problem, number, attempt)
        if reply is not None:
            if reply.usage is not None:
                yield Used(reply.usage)
            return reply
        yield from arrival.asked_again(_BROKE)
        time.sleep(wait)
        number += 1


async def arun(arrival: Arrival) -> AsyncGenerator[Event]:
    """Like `run`, awaited."""
    problem: BaseException | None = None
    try:
        deadline = Deadline(arrival.plan.settings.timeout)
        if arrival.plan.available is not None:
            await arrival.plan.available.afind_out(deadline)
        step: Step | None = arrival.first()
        while step is not None:
            if isinstance(step, ToolWork):
                taken: AsyncGenerator[Event | Done] = _aworked(arrival, step, deadline)
            else:
                taken = _areplied(arrival, step, deadline)
            done: Done | None = None
            try:
                async with aclosing(taken):
                    async for found in taken:
                        if isinstance(found, (Reply, list)):
                            done = found
                        else:
                            yield found
            except StreamError:
                raise
            except Exception as failed:
                step = arrival.failed(failed)
                for event in arrival.asked_again(_BROKE):
                    yield event
                continue
            assert done is not None
            step = arrival.went(done)
            for event in _behind(arrival, done, step):
                yield event
    except BaseException as raised:
        problem = raised
        raise
    finally:
        arrival.ended(problem)


async def _aworked(
    arrival: Arrival, work: ToolWork, deadline: Deadline
) -> AsyncGenerator[Event | list[Outcome]]:
    """The events of tool calls, then what became of them, as `_worked` gives them."""
    runner = work.runner(arrival.plan.settings, deadline)
    with arrival.working() as outcomes:
        before = 0
        for group in runner.groups(work.calls):
            with deadline.resting():
                for call in group:
                    yield ToolStarted(call)
            async with aclosing(runner.adone(group, work.step, work.whole)) as running:
                while True:
                    with arrival.call.inside():
                        told = await anext(running, None)
                    if told is None:
                        break
                    with deadline.resting():
                        yield _noted(told, outcomes, before)
            before += len(group)
    yield _asked(outcomes)


async def _areplied(
    arrival: Arrival, request: Request, deadline: Deadline
) -> AsyncGenerator[Event | Reply]:
    """The events of a reply, then the reply, as `_replied` gives them."""
    arrival.begin(request)
    flight = flight_for(request, arrival.settings(request), awaited=True)
    while flight is not None and not flight.begun():
        await asyncio.sleep(min(flight.pause(), deadline.left()))
    with flight or nullcontext():
        if flight is not None and flight.reply is not None:
            yield flight.reply
            return
        async with aclosing(_areceived(arrival, request, deadline)) as received:
            async for found in received:
                yield flight.landed(found) if flight and isinstance(found, Reply) else found


async def _areceived(
    arrival: Arrival, request: Request, deadline: Deadline
) -> AsyncGenerator[Event | Reply]:
    settings, number = arrival.settings(request), 0
    while True:
        attempt = arrival.attempt(request, deadline)
        try:
            streamed = apayloads(as_stream(request), settings, attempt)
            async with aclosing(streamed):
                async for payload in streamed:
                    events = arrival.take(payload, attempt)
                    if events:
                        with attempt.resting():
                            for event in events:
                                yield event
            reply: Reply | None = arrival.reply(attempt)
        except Exception as problem:
            reply = arrival.reply(attempt) if arrival.is_complete() else None
            wait = 0.0 if reply else arrival.wait(problem, number, attempt)
        if reply is not None:
            if reply.usage is not None:
                yield Used(reply.usage)
            yield reply
            return
        for event in arrival.asked_again(_BROKE):
            yield event
        await asyncio.sleep(wait)
        number += 1
