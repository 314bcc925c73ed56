"""Bodies of both APIs as replies, and answers that come too slowly."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from aigen.runtime.errors import DeadlineError, ProviderError
from aigen.runtime.setting_kinds import Settings
from aigen.runtime.wire.deadline import Deadline
from aigen.runtime.wire.exchange import asend, send
from aigen.runtime.wire.messages import Request, Target, ToolCall, Usage
from aigen.runtime.wire.reading import read_body
from openai.types.responses import Response
from servers import Server, Step, completion, message, response, said

Serve = Callable[..., Server]


def test_a_chat_completion() -> None:
    calls = [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    reply = read_body(
        message("hi", finish="tool_calls", tool_calls=calls, reasoning_content="hm"),
        request_id="r",
        seconds=0.5,
    )
    assert (reply.text, reply.finish, reply.reasoning) == ("hi", "tool_calls", "hm")
    assert reply.tool_calls == (ToolCall("c", "f", "{}"),)
    assert (reply.usage, reply.model) == (Usage(7, 3), "fake-1")
    assert (reply.request_id, reply.seconds) == ("r", 0.5)


@pytest.mark.parametrize("finish", ["length", "content_filter", "stop"])
def test_why_a_completion_ended(finish: str) -> None:
    assert read_body(message("hi", finish=finish)).finish == finish


def test_a_refusal_and_parts_of_a_text() -> None:
    assert read_body(message(None, refusal="no")).refusal == "no"
    parts: Any = [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]
    assert read_body(message(parts)).text == "ab"


def test_a_response() -> None:
    thought = {
        "type": "reasoning",
        "id": "r",
        "summary": [{"type": "summary_text", "text": "hm"}],
    }
    call = {"type": "function_call", "id": "i", "call_id": "c", "name": "f", "arguments": "{}"}
    reply = read_body(response(thought, said("a", "b"), call))
    assert (reply.text, reply.reasoning, reply.finish) == ("ab", "hm", "tool_calls")
    assert reply.tool_calls == (ToolCall("c", "f", "{}"),)
    assert reply.usage == Usage(7, 3)
    assert read_body(Response.model_construct(**response(said("a")))).text == "a"


def test_a_response_that_is_not_whole() -> None:
    for reason, finish in (("max_output_tokens", "length"), ("content_filter", "content_filter")):
        body = response(said("a"), status="incomplete", incomplete_details={"reason": reason})
        assert read_body(body).finish == finish
    refused = {"type": "message", "content": [{"type": "refusal", "refusal": "no"}]}
    reply = read_body(response(refused))
    assert (reply.text, reply.refusal) == (None, "no")
    with pytest.raises(ProviderError, match="no finished output"):
        read_body(response(status="queued"))


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        ({"code": 502, "message": "bad"}, 502, "error-in-body"),
        ({"code": "429", "message": "slow"}, 429, "error-in-body"),
        ({"code": "rate_limit_exceeded", "message": "slow"}, 429, "error-in-body"),
        ({"code": "server_error", "message": "bad"}, 500, "error-in-body"),
        ({"code": 429, "type": "insufficient_quota", "message": "spent"}, 429, "quota"),
        ({"code": "odd", "message": "odd"}, None, "error-in-body"),
        ("just words", None, "error-in-body"),
    ],
)
def test_an_error_in_a_body(error: Any, status: int | None, code: str) -> None:
    for body in ({"error": error, "choices": None}, response(error=error, status="failed")):
        with pytest.raises(ProviderError) as caught:
            read_body(body)
        assert (caught.value.status, caught.value.code) == (status, code)


def test_a_refusal_without_words_is_none() -> None:
    assert read_body(message("hi", refusal="")).refusal is None
    assert read_body(message("hi", refusal="No.")).refusal == "No."


@pytest.mark.parametrize("body", [None, [], "text", 3, {}, {"choices": [None]}, {"choices": 1}])
def test_a_body_that_is_none(body: Any) -> None:
    with pytest.raises(ProviderError):
        read_body(body)


def request_to(server: Server) -> Request:
    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    return Request("chat", Target("custom", "m", server.url, ()), body, "json")


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize("transport", ["raw", "direct", "aiohttp"])
def test_a_body_that_drips_meets_both_limits(serve: Serve, transport: str, awaited: bool) -> None:
    """An HTTP library's timeout is one of each piece, so a drip would never meet it."""
    import asyncio

    def sent(**limits: float) -> None:
        settings = Settings(api_key="none", api_retries=0, transport=transport, **limits)
        deadline = Deadline(settings.timeout)
        if awaited:
            asyncio.run(asend(request_to(server), settings, deadline))
        else:
            send(request_to(server), settings, deadline)

    server = serve(Step(message("hi"), drip=0.02))
    began = time.monotonic()
    with pytest.raises(ProviderError) as caught:
        sent(request_timeout=0.3)
    assert caught.value.code == "timeout"
    with pytest.raises(DeadlineError):
        sent(timeout=0.3)
    assert time.monotonic() - began < 2


def test_a_drip_within_the_limits_is_read(serve: Serve) -> None:
    server = serve(Step(message("hi"), drip=0.0005), completion("again"))
    settings = Settings(api_key="none")
    assert send(request_to(server), settings, Deadline(30)).text == "hi"
    assert send(request_to(server), settings, Deadline(30)).text == "again"
    assert server.connections == 1
