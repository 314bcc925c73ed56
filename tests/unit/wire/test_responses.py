"""The Responses API over HTTP: what is sent, and every way in which a response ends."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from aigen.runtime import AIFunction, calls
from aigen.runtime.errors import (
    FilteredError,
    ProviderError,
    RefusalError,
    ReplyError,
    TruncatedError,
)
from aigen.runtime.wire import body as body_module
from servers import Server, Step, response, said, status

Serve = Callable[..., Server]
GOOD = '{"mood": "happy", "why": "It works."}'


def mood(**settings: Any) -> AIFunction[Any, Any]:
    outputs = [
        {"name": "mood", "shape": {"enum": ["happy", "sad"]}},
        {"name": "why", "shape": {"type": "string"}},
    ]
    definition = {
        "format": 1,
        "name": "mood",
        "module": "m",
        "description": "How do they feel?",
        "inputs": [{"name": "text", "shape": {"type": "string"}}],
        "outputs": outputs,
        "demos": [{"text": "Great.", "mood": "happy", "why": "Praise."}],
        "layout": 1,
        "ids": {"interface": "", "version": ""},
    }
    return AIFunction(json.dumps(definition), Any, Any).with_options(api="responses", **settings)


@pytest.fixture(params=["raw", "sdk", "direct", "awaited raw", "awaited sdk", "awaited direct"])
def call(request: pytest.FixtureRequest) -> Iterator[Callable[..., Any]]:
    """Calls the function at a server, by each transport, sync and awaited."""

    def run(server: Server, **settings: Any) -> Any:
        how = request.param.split()
        given = {"model": "fake-1", "base_url": server.url, "api_key": "none", **settings}
        function = mood(transport=how[-1], **given)
        if how[0] != "awaited":
            return function.apply({"text": "hi"})
        return asyncio.run(_awaited(function))

    yield run


async def _awaited(function: Any) -> Any:
    return await function.aapply({"text": "hi"})


def answer(*texts: str, **more: Any) -> Step:
    return Step(response(said(*texts), **more))


def incomplete(reason: str | None, *output: Any) -> Step:
    details = None if reason is None else {"reason": reason}
    return Step(response(*output, status="incomplete", incomplete_details=details))


def test_the_body(serve: Serve, call: Callable[..., Any]) -> None:
    server = serve(answer(GOOD))
    settings = {
        "temperature": 0.5,
        "top_p": 0.9,
        "max_output_tokens": 40,
        "service_tier": "flex",
        "prompt_cache_key": "k",
        "metadata": {"a": "b"},
        "reasoning": "low",
        "extra_body": {"store": False, "own": 1},
        "extra_headers": {"X-Own": "h"},
    }
    assert call(server, **settings) == {"mood": "happy", "why": "It works."}
    (seen,) = server.requests
    assert seen.path == "/v1/responses"
    assert seen.headers["x-own"] == "h"
    sent = dict(seen.body)
    said_before = sent.pop("input")
    assert {message["type"] for message in said_before} == {"message"}
    assert [message["role"] for message in said_before] == ["system", "user", "assistant", "user"]
    assert "How do they feel?" in said_before[0]["content"]
    assert json.loads(said_before[2]["content"]) == {"mood": "happy", "why": "Praise."}
    assert said_before[3]["content"] == "<text>\nhi\n</text>"
    form = sent.pop("text")["format"]
    assert (form["type"], form["name"], form["strict"]) == ("json_schema", "mood", True)
    assert form["schema"]["required"] == ["mood", "why"]
    assert sent == {
        "model": "fake-1",
        "temperature": 0.5,
        "top_p": 0.9,
        "max_output_tokens": 40,
        "service_tier": "flex",
        "prompt_cache_key": "k",
        "metadata": {"a": "b"},
        "reasoning": {"effort": "low"},
        "store": False,
        "own": 1,
    }


def test_each_way_of_holding_it(serve: Serve, call: Callable[..., Any]) -> None:
    """The API is strict where nothing is said, so a schema that is not says so."""
    refused = status(400, "text.format of type json_schema is not supported", param="text.format")
    no_tools = status(400, "tools are not supported")
    server = serve(refused, refused, no_tools, answer(GOOD))
    assert call(server)["mood"] == "happy"
    first, second, third, fourth = (seen.body for seen in server.requests)
    assert (first["text"]["format"]["strict"], second["text"]["format"]["strict"]) == (True, False)
    assert (third["tools"][0]["name"], third["tools"][0]["strict"]) == ("answer", False)
    assert fourth["text"]["format"] == {"type": "json_object"}
    assert "text" not in mood(model="m", adapter="prompted").request({"text": "t"}).body


def test_what_the_api_lacks_is_left_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_module, "_warned", set())
    function = mood(model="m", seed=3, stop=["x"])
    with pytest.warns(UserWarning, match="the responses API refuses (seed|stop)") as seen:
        assert not {"seed", "stop"} & function.request({"text": "t"}).body.keys()
    assert len(seen) == 2
    function.request({"text": "t"})


def test_the_answer_its_usage_and_its_thoughts(serve: Serve, call: Callable[..., Any]) -> None:
    thought = {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "hm"}]}
    server = serve(Step(response(thought, said(GOOD[:9], GOOD[9:]))))
    with calls() as seen:
        assert call(server)["why"] == "It works."
    assert (seen[0].model, seen[0].reasoning) == ("fake-1", "hm")
    assert (seen[0].usage.input_tokens, seen[0].usage.output_tokens) == (7, 3)


def test_reasoning_first(serve: Serve, call: Callable[..., Any]) -> None:
    server = serve(answer('{"reasoning": "hm", "mood": "sad", "why": "w"}'))
    with calls() as seen:
        assert call(server, reasoning="cot") == {"mood": "sad", "why": "w"}
    assert seen[0].reasoning == "hm"
    sent = server.requests[0].body
    assert list(sent["text"]["format"]["schema"]["properties"]) == ["reasoning", "mood", "why"]
    assert "reasoning" not in sent


def test_an_unreadable_reply_is_asked_again(serve: Serve, call: Callable[..., Any]) -> None:
    server = serve(answer('{"mood": "angry", "why": "w"}'), answer(GOOD))
    with calls() as seen:
        assert call(server)["mood"] == "happy"
    assert seen[0].usage.input_tokens == 14
    again = server.requests[1].body["input"]
    said_first = '{"mood": "angry", "why": "w"}'
    assert again[-2] == {"type": "message", "role": "assistant", "content": said_first}
    assert again[-1]["role"] == "user" and "cannot be used" in again[-1]["content"]


@pytest.mark.parametrize(
    "output", [[], [said("")], [said()], [{"type": "reasoning", "id": "r", "summary": []}]]
)
def test_no_text_is_unreadable(serve: Serve, call: Callable[..., Any], output: list[Any]) -> None:
    server = serve(Step(response(*output)))
    with pytest.raises(ReplyError, match="the reply is empty") as caught:
        call(server)
    assert type(caught.value) is ReplyError
    assert len(caught.value.attempts) == len(server.requests) == 2


def test_a_refusal_is_final(serve: Serve, call: Callable[..., Any]) -> None:
    server = serve(Step(response(said("I will not.", kind="refusal"))))
    with pytest.raises(RefusalError, match=r"I will not\.") as caught:
        call(server)
    assert (caught.value.usage.output_tokens, len(server.requests)) == (3, 1)


@pytest.mark.parametrize("output", [[], [said('{"mood')]])
def test_what_is_cut_off_gets_twice_the_budget_once(
    serve: Serve, call: Callable[..., Any], output: list[Any]
) -> None:
    cut = incomplete("max_output_tokens", *output)
    server = serve(cut, answer(GOOD))
    assert call(server, max_output_tokens=50)["mood"] == "happy"
    assert [seen.body["max_output_tokens"] for seen in server.requests] == [50, 100]
    server = serve(cut)
    with pytest.raises(TruncatedError):
        call(server, max_output_tokens=50)
    assert len(server.requests) == 2
    server = serve(cut)
    with pytest.raises(TruncatedError):
        call(server)
    assert len(server.requests) == 1


def test_whatever_is_incomplete_is_no_answer(serve: Serve, call: Callable[..., Any]) -> None:
    with pytest.raises(TruncatedError):
        call(serve(incomplete(None, said(GOOD))))


def test_the_providers_filter(serve: Serve, call: Callable[..., Any]) -> None:
    server = serve(incomplete("content_filter", said('{"mood')))
    with pytest.raises(FilteredError) as caught:
        call(server)
    assert (caught.value.reply, len(server.requests)) == ('{"mood', 1)


def test_a_failed_response_is_tried_again_like_its_status(
    serve: Serve, call: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("random.uniform", lambda low, high: 0.0)
    busy = {"code": "rate_limit_exceeded", "message": "slow down"}
    broken = {"code": "server_error", "message": "it broke"}
    server = serve(
        Step(response(status="failed", error=busy)),
        Step(response(status="failed", error=broken)),
        answer(GOOD),
    )
    assert call(server)["mood"] == "happy"
    assert len(server.requests) == 3
    final = serve(
        Step(response(status="failed", error={"code": "invalid_prompt", "message": "odd"}))
    )
    with pytest.raises(ProviderError, match="odd"):
        call(final)
    assert len(final.requests) == 1


@pytest.mark.parametrize("state", ["failed", "cancelled", "queued", "in_progress"])
@pytest.mark.parametrize("output", [[], [said(GOOD)]])
def test_what_is_not_finished_is_no_answer(
    serve: Serve, call: Callable[..., Any], state: str, output: list[Any]
) -> None:
    """Whatever stands in it: a response that failed may hold half an answer that reads well."""
    server = serve(Step(response(*output, status=state)))
    with pytest.raises(ProviderError, match=f"its status is {state}"):
        call(server)
    assert len(server.requests) == 1


def test_a_server_that_says_no_status(serve: Serve, call: Callable[..., Any]) -> None:
    body = response(said(GOOD))
    for name in ("status", "usage", "error", "incomplete_details", "tools"):
        del body[name]
    with calls() as seen:
        assert call(serve(Step(body)))["mood"] == "happy"
    assert (seen[0].usage.input_tokens, seen[0].usage.output_tokens) == (0, 0)
    with pytest.raises(ProviderError):
        call(serve(Step({"id": "r", "object": "response"})))
