"""What a server may send over a connection of our own, and what becomes of the connection."""

from __future__ import annotations

import asyncio
import gzip
import http.client
import json
import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import SimpleNamespace
from typing import Any

import pytest
from aigen.runtime.errors import ConfigurationError, DeadlineError, ProviderError
from aigen.runtime.wire import idle, server
from aigen.runtime.wire.http_answer import HttpAnswer
from servers import Server, accepting, completion, message
from test_exchange import text_function

Serve = Callable[..., Server]
Handle = Callable[[socket.socket], Any]
Call = Callable[..., Any]

BODY = json.dumps(message("hi")).encode()
OK = b"HTTP/1.1 200 OK\r\n"
WHOLE = OK + b"Content-Length: %d\r\n\r\n%b" % (len(BODY), BODY)
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


class Listening:
    """A server that says bytes, with the connections that were made to it."""

    url = ""

    def __init__(self, handle: Handle) -> None:
        self.connections: list[socket.socket] = []
        self._handle = handle

    def handled(self, connection: socket.socket) -> None:
        self.connections.append(connection)
        connection.settimeout(20)
        with connection, suppress(OSError):
            self._handle(connection)


@contextmanager
def listening(handle: Handle) -> Iterator[Listening]:
    server = Listening(handle)
    with accepting(server.handled) as port:
        server.url = f"http://127.0.0.1:{port}/v1"
        yield server


def request_on(connection: socket.socket) -> bytes:
    """One whole request; empty where the client has gone."""
    seen = b""
    while b"\r\n\r\n" not in seen:
        piece = connection.recv(1 << 16)
        if not piece:
            return b""
        seen += piece
    head, _, body = seen.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
    while len(body) < length:
        body += connection.recv(1 << 16)
    return head + b"\r\n\r\n" + body


def saying(*answers: bytes) -> Handle:
    """Answers one request after another on each connection, and then closes it."""

    def handle(connection: socket.socket) -> None:
        for answer in answers:
            if not request_on(connection):
                return
            connection.sendall(answer)

    return handle


def kept(answer: bytes) -> Handle:
    """Answers every request on each connection."""
    return saying(*[answer] * 50)


def at(server: Any, **more: Any) -> Any:
    return text_function().with_options(
        model="m", base_url=server.url, api_key="none", transport="direct", api_retries=0, **more
    )


@pytest.fixture(params=["plain", "awaited"])
def call(request: pytest.FixtureRequest) -> Iterator[Call]:
    """Calls a function with a text; awaited calls share a loop, which rests between them."""
    if request.param == "plain":
        yield lambda function, text="a": function.apply({"text": text})
    else:
        with asyncio.Runner() as runner:
            yield lambda function, text="a": runner.run(function.aapply({"text": text}))


@pytest.mark.parametrize(
    "answer",
    [
        WHOLE,
        CHUNKED + b"3\r\n%b\r\n%x\r\n%b\r\n0\r\n\r\n" % (BODY[:3], len(BODY) - 3, BODY[3:]),
        CHUNKED + b"%X;note=1\r\n%b\r\n0\r\nX-Sum: 1\r\n\r\n" % (len(BODY), BODY),
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n" + WHOLE,
        b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n" + WHOLE.partition(b"\r\n")[2],
        b"HTTP/1.1 200\r\nX-Note: \xe4 \t\r\n" + WHOLE.partition(b"\r\n")[2],
    ],
    ids=["length", "chunks", "trailer", "words in between", "1.0", "no reason"],
)
@pytest.mark.parametrize("slowly", [False, True])
def test_an_answer_and_its_connection_kept(call: Call, answer: bytes, slowly: bool) -> None:
    def dripping(connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while request_on(connection):
            for place in range(len(answer)):
                connection.sendall(answer[place : place + 1])

    with listening(dripping if slowly else kept(answer)) as server:
        function = at(server)
        assert [call(function) for _ in range(3)] == ["hi"] * 3
    assert len(server.connections) == 1


@pytest.mark.parametrize(
    "answer",
    [
        OK + b"\r\n" + BODY,
        OK + b"Connection: close\r\n\r\n" + BODY,
        OK + b"Connection: close\r\nContent-Length: %d\r\n\r\n%b" % (len(BODY), BODY),
        b"HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(BODY), BODY),
        WHOLE + b"and more",
        WHOLE + WHOLE.replace(b"hi", b"ho"),
    ],
    ids=["until the end", "close, no length", "close", "1.0", "more", "two"],
)
def test_an_answer_and_its_connection_left(call: Call, answer: bytes) -> None:
    with listening(saying(answer)) as server:
        function = at(server)
        assert [call(function) for _ in range(3)] == ["hi"] * 3
    assert len(server.connections) == 3


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"", "closed the connection"),
        (b"HTTP/1.1 200 OK\r\nX-Note: a\r\n", "closed the connection"),
        (b"HTTP/1.1 100 Continue\r\n\r\n", "closed the connection"),
        (WHOLE[:-1], "closed the connection"),
        (CHUNKED + b"3\r\n" + BODY[:3] + b"\r\n", "closed the connection"),
        (CHUNKED + b"zz\r\n", "no HTTP"),
        (b"220 mail.test ESMTP\r\n", "no HTTP"),
        (OK + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "no HTTP"),
        (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", ""),
        (OK + b"Content-Encoding: br\r\nContent-Length: 1\r\n\r\nx", "in the encoding 'br', which"),
    ],
)
def test_what_is_no_whole_answer(call: Call, answer: bytes, reason: str) -> None:
    with listening(saying(answer)) as server, pytest.raises(ProviderError) as caught:
        call(at(server))
    assert caught.value.code == "connection"
    assert reason in caught.value.message


@pytest.mark.parametrize(
    "head",
    [
        OK + b"a: b\r\n" * 110_000,
        OK + b"X: %b\r\n" % (b"a" * 700_000),
        b"HTTP/1.1 100 C\r\n\r\n" * 40_000,
    ],
    ids=["many", "long", "words in between"],
)
def test_headers_without_an_end(call: Call, head: bytes) -> None:
    """Each of one name is put to those before it: a few megabytes would take minutes.

    They are looked at piece by piece, so there are more than two of a loop's pieces.
    """
    with listening(saying(head + WHOLE)) as server, pytest.raises(ProviderError) as caught:
        call(at(server).with_options(api_retries=3))
    assert (caught.value.code, "headers" in caught.value.message) == ("too-long", True)
    assert len(server.connections) == 1


def test_a_trailer_says_nothing_of_the_body(call: Call) -> None:
    trailer = b"0\r\nContent-Encoding: br\r\nConnection: x\r\n\r\n"
    with listening(kept(CHUNKED + b"%X\r\n%b\r\n" % (len(BODY), BODY) + trailer)) as server:
        assert call(at(server)) == "hi"


@pytest.mark.parametrize(
    ("url", "path", "authorization"),
    [
        ("http://{}", "/chat/completions", "Bearer none"),
        ("http://{}/v1/", "/v1/chat/completions", "Bearer none"),
        ("http://{}/a b/v1#part", "/a%20b/v1/chat/completions", "Bearer none"),
        ("http://{}/v1?version=1&a=b/", "/v1/chat/completions?version=1&a=b%2F", "Bearer none"),
        ("http://desk:s%40cret@{}/v1", "/v1/chat/completions", "Basic ZGVzazpzQGNyZXQ="),
    ],
)
def test_all_of_a_base_url_is_kept(
    call: Call, serve: Serve, url: str, path: str, authorization: str
) -> None:
    server = serve(completion("hi"))
    host = f"127.0.0.1:{server.server_address[1]}"
    assert call(at(server).with_options(base_url=url.format(host))) == "hi"
    (seen,) = server.requests
    assert (seen.path, seen.headers["authorization"]) == (path, authorization)
    assert seen.headers["host"] == host


def test_no_proxy_for_a_host_with_a_user(
    call: Call, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(completion("straight"))
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    url = server.url.replace("//", "//desk:s3cret@")
    assert call(at(server).with_options(base_url=url)) == "straight"


def packed(body: bytes) -> bytes:
    return OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


def test_packed_answers(call: Call) -> None:
    two = gzip.compress(BODY[:9]) + gzip.compress(BODY[9:])
    with listening(kept(packed(two))) as server:
        assert call(at(server)) == "hi"
    with (
        listening(kept(packed(gzip.compress(BODY)[:-9]))) as server,
        pytest.raises(ProviderError, match="packed and breaks off"),
    ):
        call(at(server))


def test_a_small_body_that_unpacks_to_any_size(call: Call) -> None:
    packing = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    zeros = b"".join(packing.compress(bytes(1 << 20)) for _ in range(100)) + packing.flush()
    with listening(kept(packed(zeros))) as server, pytest.raises(ProviderError) as caught:
        call(at(server))
    assert caught.value.code == "too-long"


def test_a_connection_that_the_server_has_closed_meanwhile(call: Call) -> None:
    with listening(saying(WHOLE)) as server:  # which says nothing of closing
        function = at(server)
        for number in range(3):
            assert call(function) == "hi"
            _until(lambda closed=server.connections[number]: closed.fileno() < 0)
    assert len(server.connections) == 3


def _until(is_so: Callable[[], bool]) -> None:
    for _ in range(500):
        if is_so():
            time.sleep(0.05)  # what has been closed must arrive, too
            return
        time.sleep(0.01)
    raise AssertionError("it never came")


def test_a_connection_that_was_idle_for_long(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    with listening(kept(WHOLE)) as server:
        function = at(server)
        assert call(function) == "hi"
        monkeypatch.setattr(idle, "SECONDS", 0.0)
        assert call(function) == "hi"
    assert len(server.connections) == 2


def test_no_more_connections_are_kept_than_there_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle, "MOST", 2)
    together = threading.Barrier(5)

    def handle(connection: socket.socket) -> None:
        request_on(connection)
        together.wait(20)
        connection.sendall(WHOLE)
        left.append(request_on(connection))

    left: list[bytes] = []
    with listening(handle) as server:
        function = at(server)
        threads = [threading.Thread(target=function.apply, args=({"text": "a"},)) for _ in "12345"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        _until(lambda: len(left) == 3)
    assert left == [b""] * 3


def test_a_server_that_answers_before_it_has_read_all(call: Call) -> None:
    def handle(connection: socket.socket) -> None:
        connection.recv(1000)
        words = b'{"error": {"message": "far too long"}}'
        connection.sendall(b"HTTP/1.1 413 Too Long\r\nContent-Length: 38\r\n\r\n" + words)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(1 << 20):
            pass

    with listening(handle) as server, pytest.raises(ProviderError) as caught:
        call(at(server), "a" * 12_000_000)
    assert (caught.value.status, "far too long" in caught.value.message) == (413, True)


def _reads_nothing(connection: socket.socket) -> None:
    time.sleep(30)


def _drips_headers(connection: socket.socket) -> None:
    request_on(connection)
    connection.sendall(OK)
    for place in range(500):
        connection.sendall(b"X-%d: a\r\n" % place)
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("handle", "text"), [(_reads_nothing, "a" * 12_000_000), (_drips_headers, "a")]
)
def test_time_is_over_while_sending_and_while_headers_drip_in(
    call: Call, handle: Handle, text: str
) -> None:
    with listening(handle) as server:
        began = time.monotonic()
        with pytest.raises(DeadlineError):
            call(at(server, timeout=0.6), text)
        assert time.monotonic() - began < 20


def test_headers_of_a_call_go_before_its_servers(call: Call, serve: Serve) -> None:
    server = serve(completion("hi"))
    more = {"AUTHORIZATION": "Basic x"}
    assert call(at(server, extra_headers=more)) == "hi"
    assert server.requests[0].headers["authorization"] == "Basic x"


@pytest.mark.parametrize("value", ["a\r\nX-Other: b", "a\nb"])
def test_a_header_of_the_environment_that_cannot_be_sent(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    """The SDK takes these as they are."""
    monkeypatch.setenv("OPENAI_ORG_ID", value)
    server = serve(completion("hi"))
    with pytest.raises(ConfigurationError) as caught:
        at(server).apply({"text": "a"})
    assert caught.value.code == "header"
    assert "'OpenAI-Organization'" in caught.value.message
    assert not server.requests


def test_a_name_that_no_host_has(call: Call) -> None:
    function = text_function().with_options(
        model="m", base_url=f"http://{'a' * 70}.test/v1", api_key="none", transport="direct"
    )
    with pytest.raises(ProviderError) as caught:
        call(function.with_options(api_retries=0))
    assert caught.value.code == "connection"


def test_what_stands_in_for_the_connections_fails(
    call: Call, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Standing(http.client.HTTPConnection):
        def getresponse(self) -> Any:
            raise http.client.BadStatusLine("not on the tape")

    monkeypatch.setattr(http.client, "HTTPConnection", Standing)
    with pytest.raises(ProviderError, match="not on the tape") as caught:
        call(at(serve(completion("hi"))))
    assert caught.value.code == "connection"


def test_an_interruption_while_an_answer_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(HttpAnswer, "on_header", interrupted)
    with listening(kept(WHOLE)) as server, pytest.raises(KeyboardInterrupt):
        at(server).apply({"text": "a"})


def test_a_proxy_named_without_a_scheme(
    call: Call, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = serve(completion("by proxy"))
    monkeypatch.setenv("http_proxy", f"127.0.0.1:{proxy.server_address[1]}")
    monkeypatch.delenv("no_proxy", raising=False)
    function = at(proxy).with_options(base_url="http://models.test/v1")
    assert call(function) == "by proxy"
    assert proxy.requests[0].headers["host"] == "models.test"


@pytest.mark.parametrize("transport", ["auto", "direct"])
@pytest.mark.parametrize("awaited", [False, True])
def test_a_proxy_that_nobody_knows(
    monkeypatch: pytest.MonkeyPatch, transport: str, awaited: bool
) -> None:
    monkeypatch.setenv("http_proxy", "gopher://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    function = text_function().with_options(
        model="m", base_url="http://models.test/v1", api_key="none", transport=transport
    )
    with pytest.raises(ConfigurationError, match="proxy"):
        asyncio.run(function.aapply({"text": "a"})) if awaited else function.apply({"text": "a"})


def test_a_proxy_that_is_only_spoken_to_by_the_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "socks5://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    client = SimpleNamespace(
        base_url="http://models.test/v1",
        default_headers={},
        auth_headers={},
        _client=SimpleNamespace(params=""),
    )
    with pytest.raises(ConfigurationError, match="one of socks5: use auto"):
        server.Server(client)


def test_tls_in_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "https://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    function = text_function().with_options(
        model="m", base_url="https://models.test/v1", api_key="none", transport="direct"
    )
    with pytest.raises(ConfigurationError, match="itself spoken to over TLS: use auto"):
        function.apply({"text": "a"})
