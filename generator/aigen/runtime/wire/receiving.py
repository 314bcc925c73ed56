"""The payloads of one streamed request, over the SDK, as they come and no later than they must."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import replace
from typing import Any

from aigen.runtime.setting_kinds import Settings
from aigen.runtime.wire import faking
from aigen.runtime.wire.blocking import warn_on_a_loop
from aigen.runtime.wire.client import async_client, sync_client
from aigen.runtime.wire.deadline import Deadline
from aigen.runtime.wire.limits import Turn, awaited_turn, in_turn
from aigen.runtime.wire.messages import Request
from aigen.runtime.wire.reading import Body
from aigen.runtime.wire.sse import Decoder
from aigen.runtime.wire.transport import (
    arguments_of,
    async_stream_class,
    options_of,
    resource_of,
    response_class,
    sends_raw,
    stream_class,
)

_DONE = b"[DONE]"
_GRACE = 0.2
"""Seconds that a body may still take to end when it has said that it is done."""

_uncounted: set[Any] = set()
"""Servers, by target, that do not take `stream_options`."""


def as_stream(request: Request) -> Request:
    """The request that asks for a stream.

    It asks for its usage too, where the server is not known to refuse that.
    """
    body = {**request.body, "stream": True}
    if request.api == "chat" and request.target.key not in _uncounted:
        body.setdefault("stream_options", {"include_usage": True})
    return replace(request, body=body)


def without_usage(request: Request, status: int | None, words: str) -> bool:
    """Whether a server refused to count tokens; then it is not asked to again."""
    refused = status in (400, 422) and "stream_options" in words
    if not refused or request.target.key in _uncounted:
        return False
    _uncounted.add(request.target.key)
    return True


class Attempt:
    """One attempt at a request: how long it may take.

    Its time stands while the caller has what has arrived.

    Args:
        deadline: of the whole call.
        settings: by which it is sent.

    Attributes:
        request_id: as the server's headers gave it.
        turn: that it has, where its model has limits.
    """

    def __init__(self, deadline: Deadline, settings: Settings) -> None:
        self.deadline = deadline
        self.request_id: str | None = None
        self._settings = settings
        self._resting = False
        self._ended = False
        self._changed = threading.Event()
        self.begin(None)

    def begin(self, turn: Turn | None) -> None:
        """Its time begins, now that its turn has come.

        Raises:
            DeadlineError: the call has none left.
        """
        self.turn = turn
        self.began = time.monotonic()
        self.until = self.began + self.deadline.request(self._settings)
        self._longest = min(self.began + self._settings.request_timeout, self.deadline.at)

    def answered(self, response: Any) -> None:
        """Notes the request's id, where what the SDK gave tells its headers.

        Raises:
            ValueError: it is a page, and no answer of a model.
        """
        headers = getattr(response, "headers", None)
        told = headers if isinstance(headers, Mapping) else {}
        self.request_id = told.get("x-request-id")
        if "html" in str(told.get("content-type", "")):
            raise ValueError("HTML is no JSON")

    def stay(self) -> None:
        """Takes the time that was left for other models: none can answer any more."""
        self.until = max(self.until, self._longest)

    def left(self) -> float:
        """Seconds left.

        Raises:
            TimeoutError: none.
        """
        left = self.until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left

    def over(self) -> bool:
        """Whether the server has taken too long."""
        return not self._resting and time.monotonic() >= self.until

    def hurry(self, seconds: float) -> None:
        """Leaves so much time at most: all that is wanted has arrived."""
        until = time.monotonic() + seconds
        if until < self.until:
            self.until = until
            self._changed.set()

    @contextmanager
    def watched(self, connection: socket.socket | None) -> Iterator[None]:
        """Ends a connection when the time is over, by a thread of its own.

        An HTTP library's timeout is one of each piece, and not of all.
        """
        if connection is None:
            yield
            return

        def watch(connection: socket.socket) -> None:
            while not self._ended:
                self._changed.wait(max(self.until - time.monotonic(), 0.02))
                self._changed.clear()
                if self.over() and not self._ended:
                    with contextlib.suppress(OSError):
                        # Not the method of a TLS socket, which another thread is reading.
                        socket.socket.shutdown(connection, socket.SHUT_RDWR)
                    return

        threading.Thread(target=watch, args=(connection,), name="aigen-stream", daemon=True).start()
        try:
            yield
        finally:
            self._ended = True
            self._changed.set()

    @contextmanager
    def resting(self) -> Iterator[None]:
        """While the caller has the word."""
        before = self.deadline.at
        self._resting = True
        try:
            with self.deadline.resting():
                yield
        finally:
            passed = self.deadline.at - before
            self.until += passed
            self._longest += passed
            self._resting = False


# ------------------------------------------------------------------------------------- sync


def payloads(request: Request, settings: Settings, attempt: Attempt) -> Generator[Any]:
    """What a server streams, each payload as data; closing it closes the connection.

    Raises:
        openai.OpenAIError: as the SDK raises it.
        DeadlineError: the turn of a model with limits did not come in time.
        TimeoutError: the attempt has taken too long.
        ValueError: a payload is no JSON.
    """
    fake = faking.answer(request, attempt.deadline.script)
    if fake is not None:
        for pause, payload in fake.payloads():
            if pause:
                time.sleep(min(pause, attempt.left()))
            attempt.left()
            if payload is not None:
                yield payload
        return
    with in_turn(request, settings, attempt.deadline) as turn:
        attempt.begin(turn)
        yield from _sent(request, settings, attempt)


def _sent(request: Request, settings: Settings, attempt: Attempt) -> Generator[Any]:
    warn_on_a_loop()
    client = sync_client(request.target, settings)
    resource = resource_of(client, request)
    if not sends_raw(settings, resource):
        with _closing(resource.create(**arguments_of(request, attempt.left()))) as stream:
            response = getattr(stream, "response", None)
            attempt.answered(response)
            for chunk in _timely(stream, response, attempt):
                yield _dumped(chunk)
        return
    response = client.post(
        request.path,
        cast_to=response_class(),
        body=request.body,
        options=options_of(request, attempt.left()),
        stream=True,
        stream_cls=stream_class(),
    )
    with _closing(response):
        attempt.answered(response)
        reading = _Reading(response.headers, attempt)
        for piece in _timely(response.iter_bytes(), response, attempt):
            yield from reading.feed(piece)
        yield from reading.end()


@contextmanager
def _closing(stream: Any) -> Iterator[Any]:
    """Closes what the SDK gave, which need not be what it says where something wraps it."""
    try:
        yield stream
    finally:
        close = getattr(stream, "close", None)
        if close is not None:
            close()


def _timely(pieces: Any, response: Any, attempt: Attempt) -> Iterator[Any]:
    """The pieces, as long as the attempt has time.

    Raises:
        TimeoutError: it has none left.
    """
    with attempt.watched(_socket(response)):
        try:
            for piece in pieces:
                attempt.left()
                yield piece
        except Exception:
            if attempt.over():
                raise TimeoutError from None
            raise
    attempt.left()


def _socket(response: Any) -> socket.socket | None:
    """The connection's socket, where the HTTP library tells it."""
    extensions = getattr(response, "extensions", None)
    stream: Any = extensions.get("network_stream") if isinstance(extensions, Mapping) else None
    found = stream.get_extra_info("socket") if hasattr(stream, "get_extra_info") else None
    return found if isinstance(found, socket.socket) else None


# ------------------------------------------------------------------------------------- async


async def apayloads(request: Request, settings: Settings, attempt: Attempt) -> AsyncGenerator[Any]:
    """Like `payloads`, awaited."""
    fake = faking.answer(request, attempt.deadline.script)
    if fake is not None:
        for pause, payload in fake.payloads():
            if pause:
                await asyncio.sleep(min(pause, attempt.left()))
            attempt.left()
            if payload is not None:
                yield payload
        return
    async with awaited_turn(request, settings, attempt.deadline) as turn:
        attempt.begin(turn)
        async with aclosing(_asent(request, settings, attempt)) as sent:
            async for payload in sent:
                yield payload


async def _asent(request: Request, settings: Settings, attempt: Attempt) -> AsyncGenerator[Any]:
    client = async_client(request.target, settings)
    resource = resource_of(client, request)
    if not sends_raw(settings, resource):
        async with asyncio.timeout(attempt.left()):
            stream = await resource.create(**arguments_of(request, attempt.left()))
        async with _aclosing(stream), aclosing(_atimely(stream, attempt)) as chunks:
            attempt.answered(getattr(stream, "response", None))
            async for chunk in chunks:
                yield _dumped(chunk)
        return
    async with asyncio.timeout(attempt.left()):
        response: Any = await client.post(
            request.path,
            cast_to=response_class(),
            body=request.body,
            options=options_of(request, attempt.left()),
            stream=True,
            stream_cls=async_stream_class(),
        )
    pieces = _atimely(response.aiter_bytes(), attempt)
    async with _aclosing(response), aclosing(pieces):
        attempt.answered(response)
        reading = _Reading(response.headers, attempt)
        async for piece in pieces:
            for payload in reading.feed(piece):
                yield payload
        for payload in reading.end():
            yield payload


@asynccontextmanager
async def _aclosing(stream: Any) -> AsyncIterator[None]:
    try:
        yield
    finally:
        close = getattr(stream, "aclose", None) or getattr(stream, "close", None)
        if close is not None:
            await close()


async def _atimely(pieces: Any, attempt: Attempt) -> AsyncGenerator[Any]:
    """Like `_timely`, awaited."""
    steps = aiter(pieces)
    try:
        while True:
            try:
                async with asyncio.timeout(attempt.left()):
                    piece = await anext(steps)
            except StopAsyncIteration:
                return
            yield piece
    finally:
        if hasattr(steps, "aclose"):
            await steps.aclose()


# ------------------------------------------------------------------------------------- both


class _Reading:
    """Payloads out of a body: a stream of events, or one JSON text of a server without streams."""

    def __init__(self, headers: Any, attempt: Attempt) -> None:
        self._attempt = attempt
        self._plain = "json" in str(headers.get("content-type", ""))
        self._decoder = Decoder()
        self._body = Body()

    def feed(self, piece: bytes) -> Iterator[Any]:
        if self._plain:
            self._body.add(piece)
            return
        for data in self._decoder.feed(piece):
            yield from self._payload(data)

    def end(self) -> Iterator[Any]:
        if self._plain:
            yield json.loads(self._body.whole())
        for data in self._decoder.end():
            yield from self._payload(data)

    def _payload(self, data: bytes) -> Iterator[Any]:
        if data.startswith(_DONE):
            # The body's end is read too, where it comes, so that the connection can be used again.
            self._attempt.hurry(_GRACE)
        else:
            yield _parsed(data)


def _parsed(data: bytes) -> Any:
    import jiter

    return jiter.from_json(data)


def _dumped(chunk: Any) -> Any:
    if not hasattr(chunk, "model_dump"):
        raise ValueError("the chunk is none of a chat completion")
    # The SDK takes whatever a server sends; pydantic would warn of each place where it is odd.
    return chunk.model_dump(warnings=False)
