"""The drivers of a streamed call: its events as they happen, sync and awaited."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, closing, nullcontext

from aigen.runtime.errors import StreamError
from aigen.runtime.wire.arrival import Arrival
from aigen.runtime.wire.deadline import Deadline
from aigen.runtime.wire.events import Event, Used
from aigen.runtime.wire.exchange import flight_for
from aigen.runtime.wire.messages import Reply, Request
from aigen.runtime.wire.receiving import apayloads, as_stream, payloads

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
        request: Request | None = arrival.first()
        while request is not None:
            try:
                reply = yield from _replied(arrival, request, deadline)
            except StreamError:
                raise
            except Exception as failed:
                request = arrival.failed(failed)
                yield from arrival.asked_again(_BROKE)
                continue
            request = arrival.replied(reply)
            yield from arrival.last(reply) if request is None else arrival.asked_again(_UNUSABLE)
    except BaseException as raised:
        problem = raised
        raise
    finally:
        arrival.ended(problem)


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
        request: Request | None = arrival.first()
        while request is not None:
            replied = _areplied(arrival, request, deadline)
            reply: Reply | None = None
            try:
                async with aclosing(replied):
                    async for found in replied:
                        if isinstance(found, Reply):
                            reply = found
                        else:
                            yield found
            except StreamError:
                raise
            except Exception as failed:
                request = arrival.failed(failed)
                for event in arrival.asked_again(_BROKE):
                    yield event
                continue
            assert reply is not None
            request = arrival.replied(reply)
            for event in arrival.last(reply) if request is None else arrival.asked_again(_UNUSABLE):
                yield event
    except BaseException as raised:
        problem = raised
        raise
    finally:
        arrival.ended(problem)


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
