"""Certificates and proxies, as every transport takes them from the environment."""

from __future__ import annotations

import asyncio
import base64
import select
import shutil
import socket
import ssl
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from aigen.runtime.errors import ProviderError
from servers import Server, accepting, completion, whole
from test_exchange import text_function

Serve = Callable[..., Server]
TRANSPORTS = ["auto", "sdk", "raw", "aiohttp", "direct"]
WAYS = ["plain", "awaited", "stream", "astream"]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of localhost that nobody else trusts, and its key, in one file."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificate")
    folder = tmp_path_factory.mktemp("tls")
    options = ["-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    names = ["-addext", "subjectAltName=DNS:localhost,DNS:models.test,IP:127.0.0.1"]
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "certificate.pem")]
    command = ["openssl", "req", "-x509", *options, *names, *files]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    both = folder / "both.pem"
    both.write_bytes((folder / "key.pem").read_bytes() + (folder / "certificate.pem").read_bytes())
    return both


@pytest.fixture
def secure(serve: Serve, certificate: Path) -> Callable[..., Server]:
    """Serves over TLS; its URL is `https`."""

    def started(*steps: Any) -> Server:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server = serve(*steps)
        server.socket = context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
        return server

    return started


def asked(url: str, transport: str, way: str) -> Any:
    function = text_function().with_options(
        model="m", base_url=url, api_key="none", transport=transport, api_retries=0
    )

    match way:
        case "plain":
            return function.apply({"text": "a"})
        case "awaited":
            return asyncio.run(function.aapply({"text": "a"}))
        case "stream":
            with function._stream({"text": "a"}) as stream:
                return stream.result()
    return asyncio.run(_astreamed(function))


async def _astreamed(function: Any) -> Any:
    async with function._astream({"text": "a"}) as stream:
        return await stream.result()


def url_of(server: Server) -> str:
    return f"https://localhost:{server.server_address[1]}/v1"


def answer(way: str) -> Any:
    return whole("hi") if way.endswith("stream") else completion("hi")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_certificate_that_nobody_trusts(
    secure: Callable[..., Server],
    certificate: Path,
    monkeypatch: pytest.MonkeyPatch,
    transport: str,
    way: str,
) -> None:
    server = secure(answer(way))
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    with pytest.raises(ProviderError) as caught:
        asked(url_of(server), transport, way)
    assert caught.value.code == "connection"
    assert "certificate" in caught.value.message.lower()
    assert not server.requests


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_certificate_of_the_environment(
    secure: Callable[..., Server],
    certificate: Path,
    monkeypatch: pytest.MonkeyPatch,
    transport: str,
    way: str,
) -> None:
    server = secure(answer(way))
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert asked(url_of(server), transport, way) == "hi"
    assert len(server.requests) == 1


class Proxy:
    """A proxy on loopback: it tunnels what it is asked to, wherever to, to one server."""

    port = 0

    def __init__(self, server: Server) -> None:
        self.to = server.server_address[1]
        self.heads: list[str] = []

    def tunnel(self, connection: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            head += connection.recv(4096)
        self.heads.append(head.decode())
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        there = socket.create_connection(("127.0.0.1", self.to))
        with connection, there, suppress(ConnectionError):
            pair = {connection: there, there: connection}
            while True:
                ready, _, _ = select.select(list(pair), [], [], 20)
                for one in ready:
                    data = one.recv(1 << 16)
                    if not data:
                        return
                    pair[one].sendall(data)


@contextmanager
def proxied(server: Server) -> Iterator[Proxy]:
    proxy = Proxy(server)
    with accepting(proxy.tunnel) as proxy.port:
        yield proxy


# What the SDK sends over aiohttp with does not write a proxy's password as aiohttp 4 wants it.
@pytest.mark.filterwarnings(r"ignore:.*(BasicAuth|proxy_auth).* deprecated")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_proxy_that_tunnels(
    secure: Callable[..., Server],
    certificate: Path,
    monkeypatch: pytest.MonkeyPatch,
    transport: str,
    way: str,
) -> None:
    """With the name and password that its URL holds, and the server's own certificate."""
    server = secure(answer(way))
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    monkeypatch.delenv("no_proxy", raising=False)
    with proxied(server) as proxy:
        monkeypatch.setenv("https_proxy", f"http://desk:s3cret@127.0.0.1:{proxy.port}")
        assert asked("https://models.test/v1", transport, way) == "hi"
    (head,) = proxy.heads
    assert head.startswith("CONNECT models.test:443 HTTP/1.")
    said = base64.b64encode(b"desk:s3cret").decode()
    assert f"proxy-authorization: basic {said}".lower() in head.lower()
    assert "authorization: bearer" not in head.lower()


# What the SDK sends over aiohttp with does not write a proxy's password as aiohttp 4 wants it.
@pytest.mark.filterwarnings(r"ignore:.*(BasicAuth|proxy_auth).* deprecated")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_proxy_of_plain_requests(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, transport: str, way: str
) -> None:
    proxy = serve(answer(way))
    port = proxy.server_address[1]
    monkeypatch.setenv("http_proxy", f"http://desk:s3cret@127.0.0.1:{port}")
    monkeypatch.delenv("no_proxy", raising=False)
    assert asked("http://models.test/v1", transport, way) == "hi"
    (seen,) = proxy.requests
    assert seen.path == "http://models.test/v1/chat/completions"
    said = base64.b64encode(b"desk:s3cret").decode()
    assert seen.headers["proxy-authorization"] == f"Basic {said}"
    assert seen.headers["authorization"] == "Bearer none"


@pytest.mark.parametrize("way", ["plain", "awaited"])
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_more_than_a_record_of_tls_either_way(
    secure: Callable[..., Server],
    certificate: Path,
    monkeypatch: pytest.MonkeyPatch,
    transport: str,
    way: str,
) -> None:
    # The SDK's bridge to aiohttp is warned of a long body.
    long = "ä kettle " * (60_000 if (transport, way) == ("aiohttp", "awaited") else 300_000)
    server = secure(completion(long))
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    function = text_function().with_options(
        model="m", base_url=url_of(server), api_key="none", transport=transport
    )
    if way == "plain":
        answers = [function.apply({"text": long}) for _ in range(2)]
    else:
        answers = asyncio.run(_twice(function, long))
    assert answers == [long.strip()] * 2
    assert long in server.requests[0].body["messages"][-1]["content"]
    assert server.connections == 1


async def _twice(function: Any, text: str) -> list[Any]:
    return [await function.aapply({"text": text}) for _ in range(2)]
