"""Streams of partial answers, as callers hold them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Generic, Self, TypeVar, cast

from aigen.runtime.errors import StreamError

if TYPE_CHECKING:
    from aigen.runtime.wire.arrival import Arrival
    from aigen.runtime.wire.events import Event

P = TypeVar("P", covariant=True)
R = TypeVar("R", covariant=True)


class Stream(Generic[P, R]):
    """Partial answers as they grow: a context manager, an iterator, then `result()`.

    The request goes out when the first event is asked for. Leaving the `with` early, or letting go
    of the stream, closes the connection.
    """

    def __init__(self, arrival: Arrival) -> None:
        from aigen.runtime.wire.streaming import run

        self._arrival = arrival
        # Nothing in it knows this object, so that it ends when this object is let go of.
        self._events = run(arrival)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[P]:
        return self

    def __next__(self) -> P:
        from aigen.runtime.wire.events import Partial

        for event in self._events:
            if isinstance(event, Partial):
                return cast("P", event.value)
        raise StopIteration

    def events(self) -> Iterator[Event]:
        """Everything that happens: deltas of text and reasoning, tool calls, usage, partials."""
        for event in self._events:  # noqa: UP028 - leaving this iterator must not end the stream
            yield event

    def result(self) -> R:
        """The whole answer; waits for what is left of it.

        Raises:
            AigenError: as iterating raises it.
        """
        for _ in self._events:
            pass
        return cast("R", answer_of(self._arrival))

    def close(self) -> None:
        """Ends the request where it is not done."""
        self._events.close()


class AsyncStream(Generic[P, R]):
    """Like `Stream`, awaited."""

    def __init__(self, arrival: Arrival) -> None:
        from aigen.runtime.wire.streaming import arun

        self._arrival = arrival
        self._events = arun(arrival)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    def __aiter__(self) -> AsyncIterator[P]:
        return self

    async def __anext__(self) -> P:
        from aigen.runtime.wire.events import Partial

        async for event in self._events:
            if isinstance(event, Partial):
                return cast("P", event.value)
        raise StopAsyncIteration

    async def events(self) -> AsyncIterator[Event]:
        """As of `Stream`."""
        async for event in self._events:
            yield event

    async def result(self) -> R:
        """As of `Stream`."""
        async for _ in self._events:
            pass
        return cast("R", answer_of(self._arrival))

    async def aclose(self) -> None:
        """As `close` of `Stream`."""
        await self._events.aclose()


def answer_of(arrival: Arrival) -> object:
    """The answer of a stream that has ended.

    Raises:
        AigenError: it has none.
    """
    if arrival.answered and arrival.call.error is None:
        return arrival.value
    raise arrival.call.error or StreamError(
        f"{arrival.plan.name}: the stream was closed before it was begun", code="left"
    )
