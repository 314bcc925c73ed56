"""One request until it is answered: retries, faults, deadlines, keys."""

from __future__ import annotations

import asyncio
import email.utils
import json
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from aigen.runtime import AIFunction, calls, override
from aigen.runtime.errors import AigenError, DeadlineError, ProviderError, ReplyError
from servers import Server, Step, completion, message, status

Serve = Callable[..., Server]
KEY = "sk-very-secret-0123456789"


def text_function() -> AIFunction[Any, Any]:
    return AIFunction(
        json.dumps(
            {
                "format": 1,
                "name": "echo",
                "module": "m",
                "description": "Say it again.",
                "inputs": [{"name": "text", "shape": {"type": "string"}}],
                "outputs": [{"name": "result", "shape": {"type": "string"}}],
                "layout": "1",
                "ids": {"interface": "", "version": ""},
            }
        ),
        Any,
        Any,
    )


@pytest.fixture(
    params=["raw", "sdk", "direct", "awaited auto", "awaited aiohttp", "awaited direct"]
)
def call(request: pytest.FixtureRequest) -> Iterator[Callable[..., Any]]:
    """Calls a function at a server, by each transport, sync and awaited."""
    function = text_function()

    def run(server: str | Server, **settings: Any) -> Any:
        url = server if isinstance(server, str) else server.url
        given = {"model": "fake-1", "base_url": url, "api_key": KEY, **settings}
        awaited, _, transport = request.param.rpartition(" ")
        made = function.with_options(transport=transport, **given)
        return asyncio.run(_closing(made)) if awaited else made.apply({"text": "hi"})

    yield run


async def _closing(function: Any) -> Any:
    return await function.aapply({"text": "hi"})


@pytest.mark.parametrize(
    "headers",
    [
        {"Retry-After": "0"},
        {"retry-after-ms": "5"},
        {"retry-after-ms": "5", "Retry-After": "30"},
        {"retry-after-ms": "soon", "Retry-After": "0"},
        {"Retry-After": email.utils.formatdate(0, usegmt=True)},
    ],
)
def test_waits_as_long_as_the_server_asks(
    serve: Serve, call: Callable[..., Any], headers: dict[str, str]
) -> None:
    server = serve(status(429, headers=headers), completion("hello"))
    began = time.monotonic()
    assert call(server) == "hello"
    assert len(server.requests) == 2
    assert time.monotonic() - began < 2


def test_a_wait_past_the_deadline_is_not_waited(serve: Serve, call: Callable[..., Any]) -> None:
    server = serve(status(429, headers={"Retry-After": "60"}))
    with pytest.raises(ProviderError) as caught:
        call(server, timeout=2)
    assert caught.value.status == 429
    assert len(server.requests) == 1


@pytest.mark.parametrize("code", [408, 409, 429, 500, 503])
def test_gives_up_after_api_retries(serve: Serve, call: Callable[..., Any], code: int) -> None:
    server = serve(status(code, headers={"retry-after-ms": "1"}))
    with pytest.raises(ProviderError) as caught:
        call(server, api_retries=2)
    assert (caught.value.status, len(server.requests)) == (code, 3)
    assert caught.value.request_id


@pytest.mark.parametrize("code", [400, 401, 403, 404, 422])
def test_other_refusals_are_final(serve: Serve, call: Callable[..., Any], code: int) -> None:
    server = serve(status(code))
    with pytest.raises(ProviderError) as caught:
        call(server)
    assert (caught.value.status, len(server.requests)) == (code, 1)


def test_a_used_up_quota_is_final(serve: Serve, call: Callable[..., Any]) -> None:
    server = serve(status(429, type="insufficient_quota"))
    with pytest.raises(ProviderError) as caught:
        call(server)
    assert (caught.value.code, len(server.requests)) == ("quota", 1)


def test_half_a_surrogate_pair_in_a_reply(serve: Serve, call: Callable[..., Any]) -> None:
    """It is no text, so the model is asked again; and it cannot be quoted as it is."""
    server = serve(completion("a \ud83d b"), completion("whole"))
    assert call(server) == "whole"
    assert server.requests[1].body["messages"][-2]["content"] == "a \ufffd b"


def test_nobody_listens(call: Callable[..., Any]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(ProviderError) as caught:
        call(f"http://127.0.0.1:{port}/v1", api_retries=0)
    assert caught.value.code == "connection"


def test_no_secret_of_a_url_is_in_a_message(call: Callable[..., Any]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(ProviderError) as caught:
        call(f"http://me:{KEY}@127.0.0.1:{port}/v1?key={KEY}", api_retries=0, api_key="none")
    assert KEY not in str(caught.value) + repr(caught.value)


@pytest.mark.parametrize(
    "bad",
    [
        Step("", cut=True),
        Step("{", headers={"Content-Length": "900"}),
        Step(b"\x1f\x8bnot gzip", headers={"Content-Encoding": "gzip"}),
        Step("<html>busy</html>"),
        Step("[1]"),
    ],
    ids=["no answer", "broken off", "bad gzip", "no JSON", "no object"],
)
def test_a_damaged_answer_is_asked_for_again(
    serve: Serve, call: Callable[..., Any], bad: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("random.uniform", lambda low, high: 0.0)
    server = serve(bad, completion("hello"))
    assert call(server, request_timeout=1.5) == "hello"
    assert len(server.requests) == 2
    with pytest.raises(ProviderError) as caught:
        call(serve(bad), api_retries=0, request_timeout=1)
    assert not caught.value.message.endswith(": ")


def test_waits_that_nobody_asks_for_have_full_jitter(
    serve: Serve, call: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[tuple[float, float]] = []

    def drawn(low: float, high: float) -> float:
        waits.append((low, high))
        return 0.0

    monkeypatch.setattr("random.uniform", drawn)
    with pytest.raises(ProviderError):
        call(serve(Step({}, status=503)), api_retries=6)
    assert waits == [(0, 0.5), (0, 1.0), (0, 2.0), (0, 4.0), (0, 8.0), (0, 8.0)]


def test_slow_headers_meet_the_deadline(serve: Serve, call: Callable[..., Any]) -> None:
    began = time.monotonic()
    with pytest.raises(DeadlineError):
        call(serve(completion("late", delay=1)), timeout=0.3)
    assert time.monotonic() - began < 0.9


def test_one_slow_request_is_not_the_whole_call(serve: Serve, call: Callable[..., Any]) -> None:
    server = serve(completion("late", delay=0.6), completion("hello"))
    assert call(server, request_timeout=0.3) == "hello"


def test_an_error_in_a_good_answer(serve: Serve, call: Callable[..., Any]) -> None:
    with pytest.raises(ProviderError) as caught:
        call(serve(Step({"error": {"message": "no such plan"}})))
    assert "no such plan" in str(caught.value)


def test_a_gateway_says_429_in_a_good_answer(serve: Serve, call: Callable[..., Any]) -> None:
    server = serve(Step({"error": {"message": "busy", "code": 429}}), completion("hello"))
    assert call(server) == "hello"


@pytest.mark.parametrize("choices", [None, [], [None], [{"message": None}]])
def test_no_choice(serve: Serve, call: Callable[..., Any], choices: Any) -> None:
    server = serve(Step({**message("x"), "choices": choices}))
    with pytest.raises(ProviderError):
        call(server, api_retries=2)
    assert len(server.requests) == 1


@pytest.mark.parametrize("text", [None, "", "  \n"])
def test_an_empty_reply_is_unreadable(
    serve: Serve, call: Callable[..., Any], text: str | None
) -> None:
    server = serve(completion(text))
    with pytest.raises(ReplyError) as caught:
        call(server)
    assert len(server.requests) == 2
    assert len(caught.value.attempts) == 2


@pytest.mark.parametrize("where", ["setting", "variable"])
def test_a_key_is_in_no_message(
    serve: Serve, call: Callable[..., Any], where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server = serve(status(401, f"the key {KEY} is wrong"))
    with pytest.raises(AigenError) as caught:
        call(server, **({} if where == "setting" else {"api_key": None}))
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in str(caught.value) + repr(caught.value)


def test_a_key_is_in_no_repr(serve: Serve) -> None:
    function = text_function().with_options(api_key=KEY, model="m", base_url="http://x.example/v1")
    assert KEY not in repr(function)
    assert KEY not in repr(function.request({"text": "a"}))
    with override(api_key=KEY):
        assert KEY not in repr(function._resolved())


@pytest.mark.parametrize("fallback", [[], ["other"]])
def test_no_header_and_no_key_of_a_body_is_in_a_repr(serve: Serve, fallback: list[str]) -> None:
    function = text_function().with_options(
        model="m",
        base_url=serve(completion("hello")).url,
        api_key="none",
        fallback=fallback,
        extra_headers={"Authorization": f"Bearer {KEY}"},
        extra_body={"user": {"api_key": KEY}},
    )
    with calls() as seen:
        assert function.apply({"text": "a"}) == "hello"
    assert seen[0].exchanges[0].request.body["user"] == {"api_key": KEY}
    shown = [repr(each) for each in (seen, function, function.request({"text": "a"}))]
    assert "'content': '<text>" in shown[0]
    assert KEY not in "".join([*shown, repr(function._resolved())])


@pytest.mark.parametrize(
    "error",
    [
        {"message": "m", "code": ["insufficient_quota"]},
        {"message": {"a": 1}, "code": {"a": 1}, "type": [1], "param": []},
    ],
)
@pytest.mark.parametrize("code", [200, 400])
def test_an_error_of_any_form(
    serve: Serve, call: Callable[..., Any], code: int, error: dict[str, Any]
) -> None:
    with pytest.raises(ProviderError) as caught:
        call(serve(Step({"error": error}, code)), api_retries=0)
    assert caught.value.code in ("error-in-body", "provider")


def test_an_answer_that_unpacks_to_anything(serve: Serve, call: Callable[..., Any]) -> None:
    import gzip

    packed = gzip.compress(b'{"choices": "' + b" " * (70 << 20) + b'"}', 1)
    server = serve(Step(packed, headers={"Content-Encoding": "gzip"}))
    with pytest.raises(ProviderError) as caught:
        call(server)
    assert caught.value.code in ("too-long", "no-choice", "not-json")
    assert len(server.requests) == 1 or "sdk" in str(caught.value)


@pytest.mark.parametrize(
    "step",
    [
        Step("<html>nothing here</html>", 404, {"Content-Type": "text/html"}),
        Step({"detail": "Not Found"}, 404),
        Step("<html>welcome</html>", 200, {"Content-Type": "text/html"}),
    ],
)
def test_a_base_url_without_its_end(serve: Serve, call: Callable[..., Any], step: Step) -> None:
    server = serve(step)
    with pytest.raises(ProviderError) as caught:
        call(server.url.replace("//", "//desk:s3cret@").removesuffix("/v1"), api_retries=0)
    host = f"127.0.0.1:{server.server_address[1]}"
    assert caught.value.message.endswith(
        f"; is base_url right ({host}/)? It is what stands before /chat/completions, often …/v1"
    )
    assert "s3cret" not in caught.value.message
    assert "Error code" not in caught.value.message
