"""What is only so of awaited calls over connections of our own: many at once, names, tunnels."""

from __future__ import annotations

import asyncio
import gc
import socket
import ssl
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from aigen.runtime.errors import DeadlineError, ProviderError
from aigen.runtime.wire import awaited_connections, client
from servers import Server, accepting, completion
from test_connections import WHOLE, kept, listening, request_on
from test_exchange import text_function
from test_tls import Proxy, certificate, secure, url_of

__all__ = ["certificate", "secure"]
Serve = Callable[..., Server]


def at(url: str, **more: Any) -> Any:
    return text_function().with_options(
        model="m", base_url=url, api_key="none", transport="direct", api_retries=0, **more
    )


def test_each_of_many_calls_gets_its_own_answer(serve: Serve) -> None:
    server = serve(lambda seen: completion(seen.body["messages"][-1]["content"], delay=0.01))
    function = at(server.url)

    async def rounds() -> None:
        for _ in range(3):
            answers = await asyncio.gather(
                *(function.aapply({"text": f"number {n}."}) for n in range(100))
            )
            assert all(f"number {n}." in answer for n, answer in enumerate(answers))

    asyncio.run(rounds())
    assert server.connections <= 100


def test_a_call_that_is_left_closes_its_connection() -> None:
    left = threading.Event()

    def handle(connection: socket.socket) -> None:
        if b"slow" not in request_on(connection):
            connection.sendall(WHOLE)
            return
        connection.sendall(WHOLE[:-5])
        if not connection.recv(1):
            left.set()

    async def leaving(function: Any) -> Any:
        with suppress(TimeoutError):
            await asyncio.wait_for(function.aapply({"text": "slow"}), 0.3)
        return await function.aapply({"text": "a"})

    with listening(handle) as server:
        assert asyncio.run(leaving(at(server.url))) == "hi"
        assert left.wait(20)
    assert len(server.connections) == 2


class Names:
    """Says where a loop's hosts are, one list after another; the last one again and again."""

    def __init__(self, *found: list[int] | OSError) -> None:
        self.found, self.asked = list(found), 0

    async def getaddrinfo(self, host: str, port: int, **_: Any) -> Any:
        self.asked += 1
        await asyncio.sleep(0.01)
        ports = self.found[min(self.asked, len(self.found)) - 1]
        if isinstance(ports, OSError):
            raise ports
        kind = (socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "")
        return [(*kind, ("127.0.0.1", port)) for port in ports]


def named(names: Names, function: Any, *counts: int) -> list[Any]:
    """Asks so many times at once, so often; the answers, or what went wrong."""

    async def calls() -> list[Any]:
        asyncio.get_running_loop().getaddrinfo = names.getaddrinfo  # type: ignore[method-assign]
        found = []
        for count in counts:
            asked = (function.aapply({"text": "a"}) for _ in range(count))
            found += await asyncio.gather(*asked, return_exceptions=True)
        return found

    return asyncio.run(calls())


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port: int = closed.getsockname()[1]
    return port


def test_a_name_is_asked_for_once(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(completion("hi", delay=0.05))
    names, function = Names([server.server_address[1]]), at("http://models.test/v1")
    assert named(names, function, 20, 40) == ["hi"] * 60
    assert names.asked == 1
    monkeypatch.setattr(awaited_connections, "_KNOWN", 0)
    assert named(names, function, 20, 40) == ["hi"] * 60
    assert names.asked == 3


@pytest.mark.parametrize("fails", [False, True])
def test_who_asks_for_a_name_first_may_leave(serve: Serve, fails: bool) -> None:
    port = serve(completion("hi")).server_address[1]
    names = Names(*[socket.gaierror(-2, "no such name") if fails else [port] for _ in "12"])
    function, said = at("http://models.test/v1"), []

    async def leaving() -> list[Any]:
        loop = asyncio.get_running_loop()
        loop.getaddrinfo = names.getaddrinfo  # type: ignore[method-assign]
        loop.set_exception_handler(lambda _, context: said.append(context))
        first, *others = [asyncio.ensure_future(function.aapply({"text": "a"})) for _ in "123"]
        while not names.asked:
            await asyncio.sleep(0)
        first.cancel()
        found = await asyncio.gather(*others, return_exceptions=True)
        alone = asyncio.ensure_future(function.aapply({"text": "a"}))
        await asyncio.sleep(0.005)
        alone.cancel()
        await asyncio.wait([first, alone])
        await asyncio.sleep(0.05)  # when nobody waits any more, it is answered
        return [getattr(each, "code", each) for each in found]  # without what errors hold

    found = asyncio.run(leaving())
    names.found.clear()  # what was raised holds who asked
    gc.collect()
    assert found == ["connection" if fails else "hi"] * 2
    assert names.asked == (2 if fails else 1)
    assert not said


def test_clients_that_are_let_go_of_keep_no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_MOST", 4)

    async def calls(server: Any) -> int:
        for number in range(20):
            function = at(server.url).with_options(api_key=f"key-{number}")
            assert await function.aapply({"text": "a"}) == "hi"
        for _ in range(400):
            left = sum(each.fileno() >= 0 for each in server.connections)
            if left <= 4:
                break
            await asyncio.sleep(0.01)
        return left

    with listening(kept(WHOLE)) as server:
        assert asyncio.run(calls(server)) <= 4


def test_a_host_with_an_address_that_nobody_answers_at(serve: Serve) -> None:
    server = serve(completion("hi"))
    names = Names([closed_port(), server.server_address[1]])
    assert named(names, at("http://models.test/v1"), 1) == ["hi"]


def test_a_name_that_is_not_found_is_asked_for_again(serve: Serve) -> None:
    server = serve(completion("hi"))
    names = Names(socket.gaierror(-3, "try again"), [server.server_address[1]])
    *failed, answer = named(names, at("http://models.test/v1"), 3, 1)
    assert [problem.code for problem in failed] == ["connection"] * 3
    assert "try again" in failed[0].message
    assert (answer, names.asked) == ("hi", 2)


@pytest.mark.parametrize("awaited", [False, True])
def test_a_proxy_that_makes_no_tunnel(monkeypatch: pytest.MonkeyPatch, awaited: bool) -> None:
    def refusing(connection: socket.socket) -> None:
        with connection:
            connection.recv(1 << 16)
            connection.sendall(b"HTTP/1.1 407 Who are you\r\nContent-Length: 2\r\n\r\nno")

    monkeypatch.delenv("no_proxy", raising=False)
    function = at("https://models.test/v1")
    with accepting(refusing) as port:
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{port}")
        with pytest.raises(ProviderError, match=r"unnel.* 407") as caught:
            asyncio.run(function.aapply({"text": "a"})) if awaited else function.apply(
                {"text": "a"}
            )
    assert caught.value.code == "connection"


@pytest.mark.parametrize("awaited", [False, True])
def test_a_proxy_that_drips_has_no_more_time(
    monkeypatch: pytest.MonkeyPatch, awaited: bool
) -> None:
    def dripping(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.recv(1 << 16)
            for each in b"HTTP/1.1 200 " + b"o" * 600:
                connection.sendall(bytes([each]))
                time.sleep(0.05)

    monkeypatch.delenv("no_proxy", raising=False)
    function = at("https://others.test/v1").with_options(timeout=0.5)
    with accepting(dripping) as port:
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{port}")
        began = time.monotonic()
        with pytest.raises(DeadlineError):
            asyncio.run(function.aapply({"text": "a"})) if awaited else function.apply(
                {"text": "a"}
            )
        assert time.monotonic() - began < 10  # of 30


def test_tls_through_a_proxy_that_is_itself_spoken_to_over_tls(
    secure: Callable[..., Server], certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = secure(completion("hi"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    monkeypatch.delenv("no_proxy", raising=False)

    def over_tls(connection: socket.socket) -> None:
        """Takes TLS off, and hands on what is in it."""
        inside, there = socket.socketpair()
        threading.Thread(target=proxy.tunnel, args=(inside,), daemon=True).start()
        with context.wrap_socket(connection, server_side=True) as outer, there, suppress(OSError):
            handed_on(outer, there)

    proxy = Proxy(server)
    with accepting(over_tls) as port:
        monkeypatch.setenv("https_proxy", f"https://localhost:{port}")
        assert asyncio.run(at("https://models.test/v1").aapply({"text": "a"})) == "hi"
    assert proxy.heads[0].startswith("CONNECT models.test:443 HTTP/1.1\r\nHost: models.test:443")
    assert len(server.requests) == 1


def handed_on(one: socket.socket, other: socket.socket) -> None:
    """Hands on what either says, by turns."""
    for connection in (one, other):
        connection.settimeout(0.02)
    while True:
        for source, to in ((one, other), (other, one)):
            with suppress(TimeoutError):
                data = source.recv(1 << 16)
                if not data:
                    return
                to.sendall(data)


def test_the_name_of_a_server_is_checked(
    secure: Callable[..., Server], certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = secure(completion("hi"))
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    function = at(url_of(server).replace("localhost", "other.test"))
    (problem,) = named(Names([server.server_address[1]]), function, 1)
    assert "certificate" in problem.message.lower()
    assert not server.requests
