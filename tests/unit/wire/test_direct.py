"""Connections of our own: kept, closed, proxied, and never another process's."""

from __future__ import annotations

import asyncio
import gzip
import multiprocessing
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import openai
import pytest
from aigen.runtime.errors import ConfigurationError, ProviderError
from servers import Server, Step, completion, message, status
from test_exchange import text_function

Serve = Callable[..., Server]


def at(server: Server, transport: str = "direct", **more: Any) -> Any:
    return text_function().with_options(
        model="m", base_url=server.url, api_key="none", transport=transport, **more
    )


async def _many(function: Any, calls: int, in_flight: int) -> None:
    left = iter(range(calls))

    async def worker() -> None:
        for number in left:
            assert await function.aapply({"text": str(number)}) == "hi"

    await asyncio.gather(*(worker() for _ in range(in_flight)))


@pytest.mark.parametrize("transport", ["raw", "aiohttp", "direct"])
def test_connections_are_kept(serve: Serve, transport: str) -> None:
    """A thousand calls open about as many connections as there are calls in flight."""
    for awaited in (False, True):
        server = serve(completion("hi"))
        function = at(server, transport)
        if awaited:
            asyncio.run(_many(function, 1000, 16))
        else:
            with ThreadPoolExecutor(16) as pool:
                list(pool.map(lambda _, f=function: f.apply({"text": "a"}), range(1000)))
        assert len(server.requests) == 1000
        # One that has rested for seconds is closed, and on a busy machine some have.
        assert server.connections < 100


def test_many_more_in_flight_than_the_sdk_keeps(serve: Serve) -> None:
    server = serve(completion("hi", delay=0.05))
    asyncio.run(_many(at(server, "raw"), 600, 200))
    assert server.connections <= 200


def test_what_is_sent(serve: Serve) -> None:
    server = serve(completion("hi"))
    function = at(server, extra_headers={"X-Team": "desk"})
    assert function.apply({"text": "ä ü"}) == "hi"
    assert asyncio.run(function.aapply({"text": "ü"})) == "hi"
    for seen in server.requests:
        assert seen.path == "/v1/chat/completions"
        assert seen.headers["authorization"] == "Bearer none"
        assert seen.headers["content-type"] == "application/json"
        assert seen.headers["x-team"] == "desk"
        assert not [name for name in seen.headers if name.startswith("x-stainless")]
    assert "ä ü" in server.requests[0].body["messages"][-1]["content"]


def test_a_body_that_is_nested_deeply(serve: Serve) -> None:
    server, deep = serve(completion("hi")), {}
    inner: dict[str, Any] = deep
    for _ in range(400):
        inner["a"] = inner = {}
    assert at(server, extra_body={"deep": deep}).apply({"text": "a"}) == "hi"
    assert server.requests[0].body["deep"] == deep


@pytest.mark.parametrize("awaited", [False, True])
def test_compressed_answers(serve: Serve, awaited: bool) -> None:
    import json

    packed = gzip.compress(json.dumps(message("hi")).encode())
    headers = {"Content-Encoding": "gzip"}
    server = serve(Step(packed, headers=headers), Step(b"not gzip at all", headers=headers))
    function = at(server, api_retries=0)
    call = (
        (lambda: asyncio.run(function.aapply({"text": "a"})))
        if awaited
        else (lambda: function.apply({"text": "a"}))
    )
    assert call() == "hi"
    with pytest.raises(ProviderError) as caught:
        call()
    assert caught.value.code == "connection"


@pytest.mark.parametrize("awaited", [False, True])
def test_a_proxy_of_the_environment(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, awaited: bool
) -> None:
    proxy = serve(completion("by proxy"))
    monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
    monkeypatch.delenv("no_proxy", raising=False)
    function = text_function().with_options(
        model="m", base_url="http://models.test/v1", api_key="none", transport="direct"
    )
    sent = asyncio.run(function.aapply({"text": "a"})) if awaited else function.apply({"text": "a"})
    assert sent == "by proxy"
    assert proxy.requests[0].path == "http://models.test/v1/chat/completions"
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    server = serve(completion("straight"))
    assert at(server).apply({"text": "a"}) == "straight"


def test_a_redirect_is_said_and_not_followed(serve: Serve) -> None:
    other = serve(completion("elsewhere"))
    server = serve(status(307, headers={"Location": other.url}))
    with pytest.raises(ProviderError) as caught:
        at(server).apply({"text": "a"})
    assert caught.value.status == 307
    assert not other.requests


@pytest.mark.parametrize("transport", ["aiohttp", "direct"])
def test_a_given_client_is_not_passed_over(serve: Serve, transport: str) -> None:
    client = openai.OpenAI(api_key="mine", base_url="http://127.0.0.1:1/v1")
    function = at(serve(completion("hi")), transport, client=lambda: client)
    with pytest.raises(ConfigurationError) as caught:
        function.apply({"text": "a"})
    assert caught.value.code == "client"


def test_azure_takes_more_than_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "http://127.0.0.1:1")
    function = text_function().with_options(model="azure:m", api_key="none", transport="direct")
    with pytest.raises(ConfigurationError) as caught:
        function.apply({"text": "a"})
    assert "for azure use auto" in caught.value.message


@pytest.mark.parametrize("package", ["httptools", "aiohappyeyeballs"])
def test_a_missing_package_is_named(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, package, None)
    function = at(serve(completion("hi")))
    with pytest.raises(ConfigurationError) as caught:
        if package == "aiohappyeyeballs":
            asyncio.run(function.aapply({"text": "a"}))
        else:
            function.apply({"text": "a"})
    assert 'pip install "aigen[fast]"' in caught.value.message


def _in_child(function: Any, number: int, send: Any) -> None:
    send.send([function.apply({"text": f"{number} {n}"}) for n in range(20)])


def test_a_child_has_connections_of_its_own(serve: Serve) -> None:
    server = serve(lambda seen: completion(seen.body["messages"][-1]["content"]))
    function = at(server)
    assert "mine" in function.apply({"text": "mine"})
    context = multiprocessing.get_context("fork")
    children = []
    for number in range(8):
        receive, send = context.Pipe(duplex=False)
        child = context.Process(target=_in_child, args=(function, number, send))
        child.start()
        children.append((number, child, receive))
    for number, child, receive in children:
        assert [f"{number} {n}" in text for n, text in enumerate(receive.recv())] == [True] * 20
        child.join()
    assert "mine" in function.apply({"text": "mine"})
