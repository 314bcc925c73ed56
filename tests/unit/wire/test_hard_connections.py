"""Connections of our own at their limits: the idle race, long requests, forks, odd addresses."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import struct
import threading
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from aigen.runtime.errors import ConfigurationError, ProviderError
from aigen.runtime.wire.deadline import Deadline
from servers import Server, completion
from test_connections import WHOLE, at, call, listening, request_on
from test_exchange import text_function

__all__ = ["call"]
Serve = Callable[..., Server]
Call = Callable[..., Any]


def asked(connection: socket.socket, way: str) -> None:
    """Answers one request, and leaves exactly when the next one is sent."""
    request_on(connection)
    connection.sendall(WHOLE)
    if way == "takes it and leaves":
        request_on(connection)
        return
    connection.recv(1)
    if way == "resets":
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


@pytest.mark.parametrize("way", ["leaves", "resets", "takes it and leaves"])
def test_a_server_that_leaves_just_as_a_request_is_sent(call: Call, way: str) -> None:
    """Nobody can see it before: what helps is to ask again, on another connection."""
    with listening(lambda connection: asked(connection, way)) as server:
        again = at(server).with_options(api_retries=3)
        assert [call(again) for _ in range(3)] == ["hi"] * 3
        assert len(server.connections) == 3
        with pytest.raises(ProviderError) as caught:
            call(at(server).with_options(api_retries=0))
        assert caught.value.code == "connection"


def drained(connection: socket.socket) -> int:
    """Reads a whole request and keeps none of it: how long its body was; 0 without one."""
    head = b""
    while b"\r\n\r\n" not in head:
        piece = connection.recv(1 << 16)
        if not piece:
            return 0
        head += piece
    head, _, body = head.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
    left, into = length - len(body), bytearray(1 << 16)
    while left:
        taken = connection.recv_into(into)
        if not taken:
            return 0
        left -= taken
    return length


def test_a_request_of_twenty_megabytes(call: Call) -> None:
    lengths: list[int] = []

    def handle(connection: socket.socket) -> None:
        while length := drained(connection):
            lengths.append(length)
            connection.sendall(WHOLE)

    text = 'ä" x' * (20 << 20 >> 2)
    with listening(handle) as server:
        function = at(server).with_options(timeout=120)
        assert call(function) == "hi"  # what is imported and made once
        began = time.process_time()
        assert call(function, text) == "hi"
        assert time.process_time() - began < 10  # 0.2 s on two quiet cores
        tracemalloc.start()
        try:
            assert call(function, text) == "hi"
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert call(function) == "hi"
    assert len(server.connections) == 1
    assert lengths[1] == lengths[2] > len(json.dumps(text, ensure_ascii=False).encode())
    assert peak < 7 * lengths[1]


def test_a_server_that_does_not_read_holds_no_call_longer_than_its_time(call: Call) -> None:
    go = threading.Event()

    def handle(connection: socket.socket) -> None:
        go.wait(30)

    with listening(handle) as server:
        began = time.monotonic()
        with pytest.raises(ProviderError):
            call(at(server).with_options(request_timeout=0.3), "x" * (20 << 20))
        assert time.monotonic() - began < 15
        go.set()


# ------------------------------------------------------------------------------------ forks


def run_as_parent(work: Any) -> Any:
    """What work gives in this process; a child that comes out of it ends its loop and itself.

    The parent's loop is not ended as `asyncio.run` does it: that wants to be woken by a thread,
    and it is asyncio itself that takes the socket for it out of the selector, in the child.
    """
    parent, runner = os.getpid(), asyncio.Runner()
    try:
        return runner.run(work)
    finally:
        if os.getpid() != parent:
            try:
                runner.close()
            finally:
                os._exit(0)
        loop = runner.get_loop()
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("leaves", [SystemExit, LookupError])
def test_a_child_that_ends_its_loop_leaves_the_parents_connections(
    leaves: type[BaseException],
) -> None:
    """Both loops watch by one selector: what the child takes out of it, the parent never sees."""
    go = threading.Event()

    def handle(connection: socket.socket) -> None:
        while request := request_on(connection):
            if b"slow" in request:
                go.wait(30)
            connection.sendall(WHOLE)

    async def calls(function: Any) -> list[Any]:
        first = await asyncio.gather(*(function.aapply({"text": "a"}) for _ in "12"))
        under_way = asyncio.ensure_future(function.aapply({"text": "slow"}))
        await asyncio.sleep(0.1)
        child = os.fork()
        if child == 0:
            raise leaves
        while os.waitpid(child, os.WNOHANG)[0] == 0:
            await asyncio.sleep(0.01)
        go.set()
        idle = await function.aapply({"text": "a"})
        return [*first, await under_way, idle]

    began = time.monotonic()
    with listening(handle) as server:
        assert run_as_parent(calls(at(server).with_options(timeout=20))) == ["hi"] * 4
    assert time.monotonic() - began < 15
    assert len(server.connections) == 2


# -------------------------------------------------------------------------------- addresses

WAYS = [(way, awaited) for way in ("auto", "sdk", "aiohttp", "direct") for awaited in (False, True)]


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        ("?b=2&a=1&b=3", "?b=2&b=3&a=1"),
        ("?sig=a%2Bb%3D&x=c+d&y=e%20f", "?sig=a%2Bb%3D&x=c+d&y=e+f"),
        ("?a", "?a="),
        ("?", ""),
        ("?a=1#part", "?a=1"),
    ],
)
def test_the_query_of_a_base_url_goes_behind_the_path(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, query: str, sent: str
) -> None:
    """On every way alike; the SDK by itself writes the path behind the query."""
    server = serve(completion("hi"))
    plain = text_function().with_options(model="m", api_key="none")
    there = plain.with_options(base_url=server.url + query)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url + query)
    for function in (there, plain):
        for way, awaited in WAYS:
            made = function.with_options(transport=way)
            asyncio.run(made.aapply({"text": "a"})) if awaited else made.apply({"text": "a"})
    assert {seen.path for seen in server.requests} == {f"/v1/chat/completions{sent}"}
    assert len(server.requests) == 16


@pytest.mark.parametrize(
    "url",
    [
        "http://[::1",
        "http://h:x/v1",
        "http://h:99999/v1",
        "http://h:0",
        "http:///v1",
        "http://h\0/",
    ],
)
def test_an_address_that_cannot_be_called(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError, match=r"base_url is a URL .* names a host"):
        text_function().with_options(base_url=url)
    monkeypatch.setenv("OPENAI_BASE_URL", url.replace("\0", "\n"))
    for way in ("auto", "direct"):
        function = text_function().with_options(model="m", api_key="none", transport=way)
        with pytest.raises(
            ConfigurationError, match=r"OPENAI_BASE_URL should be a URL .* names a host"
        ):
            function.apply({"text": "a"})


@pytest.mark.parametrize("seconds", [1e12, 1e300])
def test_more_time_than_a_clock_can_hold(serve: Serve, seconds: float) -> None:
    server = serve(completion("hi"))
    assert Deadline(seconds).left() <= 1e6
    for way, awaited in WAYS:
        function = (
            text_function()
            .with_options(model="m", base_url=server.url, api_key="none", transport=way)
            .with_options(timeout=seconds, request_timeout=seconds)
        )
        made = function.aapply({"text": "a"}) if awaited else function.apply({"text": "a"})
        assert (asyncio.run(made) if awaited else made) == "hi"
