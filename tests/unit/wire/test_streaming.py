"""Streams over real HTTP: both APIs, every transport, and what servers get wrong."""

from __future__ import annotations

import asyncio
import gc
import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from aigen.runtime import AIFunction, calls, events
from aigen.runtime.errors import (
    DeadlineError,
    FilteredError,
    ProviderError,
    RefusalError,
    ReplyError,
    StreamError,
    TruncatedError,
)
from aigen.runtime.wire import receiving
from servers import (
    CUT,
    DONE,
    RESET,
    USED,
    Server,
    Step,
    chunk,
    chunks,
    event,
    message,
    response,
    status,
    streamed,
    whole,
    whole_response,
)

Serve = Callable[..., Server]
VALUE = {"summary": "A kettle sparks.", "urgent": True}
TEXT = json.dumps(VALUE)
HALF = '{"summary": "A kettle'


def function(**outputs: Any) -> AIFunction[Any, Any]:
    fields = outputs or {"summary": {"type": "string"}, "urgent": {"type": "boolean"}}
    return AIFunction(
        json.dumps(
            {
                "format": 1,
                "name": "triage",
                "module": "m",
                "description": "Read it.",
                "inputs": [{"name": "text", "shape": {"type": "string"}}],
                "outputs": [{"name": name, "shape": shape} for name, shape in fields.items()],
                "layout": 1,
                "ids": {"interface": "", "version": ""},
            }
        ),
        Any,
        Any,
    )


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    receiving._uncounted.clear()
    yield


class Streaming:
    """Streams a function at a server by one transport, sync or awaited.

    Attributes:
        seen: the events that came.
    """

    def __init__(self, transport: str, awaited: bool) -> None:
        self.transport, self.awaited = transport, awaited
        self.seen: list[Any] = []

    def __call__(self, server: Server, ai: Any = None, **settings: Any) -> Any:
        given = {
            "model": "fake-1",
            "base_url": server.url,
            "api_key": "none",
            "transport": self.transport,
            "api_retries": 0,
            "retries": 0,
            **settings,
        }
        ai = (ai or function()).with_options(**given)
        self.seen = []
        return asyncio.run(self._awaited(ai)) if self.awaited else self._sync(ai)

    def _sync(self, ai: Any) -> Any:
        with ai._stream({"text": "hi"}) as stream:
            for found in stream.events():
                self.seen.append(found)
            return stream.result()

    async def _awaited(self, ai: Any) -> Any:
        async with ai._astream({"text": "hi"}) as stream:
            async for found in stream.events():
                self.seen.append(found)
            return await stream.result()

    @property
    def partials(self) -> list[Any]:
        return [found.value for found in self.seen if isinstance(found, events.Partial)]


@pytest.fixture(params=["raw", "sdk", "auto awaited", "sdk awaited"])
def stream(request: pytest.FixtureRequest) -> Streaming:
    transport, _, awaited = request.param.partition(" ")
    return Streaming(transport, bool(awaited))


def test_a_chat_completion_arrives(stream: Streaming, serve: Serve) -> None:
    server = serve(whole(TEXT))
    with calls() as seen:
        assert stream(server) == VALUE
    body = server.requests[0].body
    assert (body["stream"], body["stream_options"]) == (True, {"include_usage": True})
    assert stream.partials[0] == {"summary": "A k"}
    assert stream.partials[-1] == VALUE
    kinds = [type(found) for found in stream.seen]
    assert kinds[-2:] == [events.Finished, events.Used]
    assert "".join(e.text for e in stream.seen if isinstance(e, events.TextDelta)) == TEXT
    assert (seen[0].value, seen[0].model, seen[0].usage.output_tokens) == (VALUE, "fake-1", 3)
    reply = seen[0].exchanges[0].reply
    assert (reply.text, reply.request_id) == (TEXT, "req-1")
    assert 0 < reply.seconds <= seen[0].seconds < 60


def test_a_response_arrives(stream: Streaming, serve: Serve) -> None:
    server = serve(whole_response(TEXT))
    with calls() as seen:
        assert stream(server, api="responses") == VALUE
    body = server.requests[0].body
    assert (server.requests[0].path, body["stream"]) == ("/v1/responses", True)
    assert "stream_options" not in body
    assert stream.partials[0] == {"summary": "A k"}
    assert stream.partials[-1] == VALUE
    assert seen[0].usage.input_tokens == 7


@pytest.mark.parametrize("ai", [function(result={"type": "string"})])
def test_a_text_arrives_by_pieces(stream: Streaming, serve: Serve, ai: Any) -> None:
    assert stream(serve(whole(" \nWear a coat.  \n")), ai) == "Wear a coat."
    assert stream.partials == ["We", "Wear a", "Wear a coa", "Wear a coat."]


@pytest.mark.parametrize(
    ("shape", "text", "value"),
    [
        ({"type": "integer"}, '{"resu1t": -5}', -5),
        ({"type": "boolean"}, "{result': false}", False),
        ({"type": "array", "items": {"type": "string"}}, '{"list": ["a", "b"],}', ["a", "b"]),
        (
            {"type": "object", "additionalProperties": {"type": "string"}},
            """{'result': {'a': 'it's', 'b': 'c'}}""",
            {"a": "it's", "b": "c"},
        ),
    ],
)
def test_one_output_of_a_reply_that_is_mended_at_its_end(
    stream: Streaming, serve: Serve, shape: Any, text: str, value: Any
) -> None:
    with calls() as seen:
        assert stream(serve(whole(text)), function(result=shape), adapter="json") == value
    assert stream.partials[-1] == value
    assert seen[0].repairs


def test_the_connection_is_used_again(serve: Serve) -> None:
    server = serve(whole(TEXT))
    stream = Streaming("raw", False)
    for _ in range(3):
        stream(server)
    assert server.connections == 1


def test_reasoning_and_tool_calls_are_events(stream: Streaming, serve: Serve) -> None:
    call = {"index": 0, "id": "call_1", "type": "function"}
    server = serve(
        streamed(
            chunk({"reasoning_content": "Well. "}),
            chunk({"tool_calls": [{**call, "function": {"name": "look", "arguments": '{"a'}}]}),
            chunk({"tool_calls": [{"index": 0, "function": {"arguments": '": 1}'}}]}),
            *chunks(TEXT),
            chunk({}, "stop"),
            DONE,
        )
    )
    with calls() as seen:
        assert stream(server) == VALUE
    assert events.ReasoningDelta("Well. ") in stream.seen
    assert events.ToolCallDelta(0, "call_1", "look", '{"a') in stream.seen
    assert events.ToolCallDelta(0, "", "", '": 1}') in stream.seen
    reply = seen[0].exchanges[0].reply
    assert (reply.reasoning, reply.tool_calls[0].arguments) == ("Well. ", '{"a": 1}')


def test_reasoning_of_a_response_is_an_event(stream: Streaming, serve: Serve) -> None:
    delta = {
        "type": "response.reasoning_summary_text.delta",
        "delta": "Well.",
        "item_id": "rs_1",
        "output_index": 0,
        "summary_index": 0,
        "sequence_number": 1,
    }
    step = whole_response(TEXT)
    server = serve(streamed(event(delta), *step.pieces))
    assert stream(server, api="responses") == VALUE
    assert stream.seen[0] == events.ReasoningDelta("Well.")


@pytest.mark.parametrize(
    "pieces",
    [
        [b": keep-alive\n\n", *chunks(TEXT), b":\n\n", chunk({}, "stop"), USED, DONE],
        [*chunks(TEXT), chunk({}, "stop"), USED],
        [*chunks(TEXT), chunk({}, "stop")],
        [*chunks(TEXT), chunk({}, "stop"), CUT],
        [*chunks(TEXT), chunk({}, "stop"), DONE, 30.0],
        [*chunks(TEXT), chunk({}, "stop"), 30.0],
        [b"".join([*chunks(TEXT), chunk({}, "stop"), DONE])],
        [bytes((byte,)) for byte in b"".join([*chunks(TEXT), chunk({}, "stop"), DONE])],
        [piece.replace(b"\n", b"\r\n") for piece in [*chunks(TEXT), chunk({}, "stop"), DONE]],
        [*chunks(TEXT), chunk({}, "stop")[:-2]],
    ],
    ids=[
        "comments",
        "no done",
        "no usage",
        "cut after the finish",
        "open after done",
        "open after the finish",
        "one piece",
        "single bytes",
        "crlf",
        "no last line",
    ],
)
def test_what_a_server_may_do(stream: Streaming, serve: Serve, pieces: list[Any]) -> None:
    if "sdk" in stream.transport and pieces[-1] == chunk({}, "stop")[:-2]:
        pytest.skip("the SDK drops an event without its last line")
    began = time.monotonic()
    assert stream(serve(streamed(*pieces))) == VALUE
    assert stream.partials[-1] == VALUE
    assert time.monotonic() - began < 20


def test_a_server_that_does_not_stream(serve: Serve) -> None:
    for awaited in (False, True):
        stream = Streaming("raw", awaited)
        assert stream(serve(Step(message(TEXT)))) == VALUE
        assert stream.partials == [VALUE]
        assert stream.seen[0] == events.TextDelta(TEXT)


def test_a_server_that_counts_no_tokens(stream: Streaming, serve: Serve) -> None:
    server = serve(status(400, "Unknown parameter: 'stream_options'."), whole(TEXT))
    assert stream(server, api_retries=1) == VALUE
    assert stream(server) == VALUE
    asked = ["stream_options" in seen.body for seen in server.requests]
    assert asked == [True, False, False]


# ------------------------------------------------------------------------ before a partial

BROKEN = {
    "corrupt": [event(b'{"choices": [')],
    "reset": [chunk({"content": "{"}), 0.05, RESET],
    "cut": [chunk({"content": "{"}), CUT],
    "no finish": [chunk({"content": "{"})],
    "no finish but done": [chunk({"content": "{"}), DONE],
    "error": [chunk({"content": "{"}), event({"error": {"message": "no", "code": 502}})],
    "status": [],
}


@pytest.mark.parametrize("kind", BROKEN)
def test_what_breaks_early_is_tried_again(stream: Streaming, serve: Serve, kind: str) -> None:
    first = streamed(*BROKEN[kind]) if BROKEN[kind] else status(503)
    server = serve(first, whole(TEXT))
    assert stream(server, api_retries=1) == VALUE
    assert len(server.requests) == 2
    with pytest.raises(ProviderError):
        stream(serve(first))


def test_what_breaks_early_is_tried_so_often(
    stream: Streaming, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("random.uniform", lambda low, high: 0.0)
    server = serve(streamed(*BROKEN["cut"]))
    with pytest.raises(ProviderError):
        stream(server, api_retries=2)
    assert len(server.requests) == 3


def test_a_server_that_refuses_what_it_was_not_sent(stream: Streaming, serve: Serve) -> None:
    server = serve(status(400, "Unknown parameter: 'stream_options'."))
    with pytest.raises(ProviderError):
        stream(server, api_retries=5)
    assert ["stream_options" in seen.body for seen in server.requests] == [True, False]


def test_an_unreadable_reply_is_asked_for_again(stream: Streaming, serve: Serve) -> None:
    server = serve(whole("I do not know."), whole(TEXT))
    assert stream(server, retries=1) == VALUE
    again = [found for found in stream.seen if isinstance(found, events.AskedAgain)]
    assert len(again) == 1
    assert "cannot be used" in server.requests[1].body["messages"][-1]["content"]


def test_a_refused_schema_steps_down(stream: Streaming, serve: Serve) -> None:
    def answer(seen: Any) -> Step:
        held = "response_format" in seen.body
        return status(400, "response_format is not supported") if held else whole(TEXT)

    server = serve(answer)
    assert stream(server) == VALUE
    assert "response_format" not in server.requests[-1].body


def test_final_errors_are_final(stream: Streaming, serve: Serve) -> None:
    for step in (
        status(401),
        status(429, type="insufficient_quota"),
        streamed(event({"error": {"message": "no money", "code": "insufficient_quota"}})),
    ):
        server = serve(step)
        with pytest.raises(ProviderError) as caught:
            stream(server, api_retries=3)
        assert len(server.requests) == 1
        assert caught.value.request_id == "req-1"


# ------------------------------------------------------------------------ after a partial


@pytest.mark.parametrize("kind", [kind for kind in BROKEN if kind != "status"])
def test_what_breaks_late_is_said(stream: Streaming, serve: Serve, kind: str) -> None:
    server = serve(streamed(*chunks(HALF), 0.1, *BROKEN[kind][-2:]), whole(TEXT))
    with calls() as seen, pytest.raises(StreamError) as caught:
        stream(server, api_retries=3, retries=3)
    assert len(server.requests) == 1
    assert caught.value.text.startswith(HALF)
    assert caught.value.reply == caught.value.text
    assert not caught.value.message.endswith(": ")
    assert caught.value.partial == stream.partials[-1]
    assert caught.value.partial["summary"].startswith("A kettle")
    assert seen[0].error is caught.value


def test_a_page_is_no_stream(stream: Streaming, serve: Serve) -> None:
    server = serve(Step("<html>welcome</html>", 200, {"Content-Type": "text/html"}))
    with pytest.raises(ProviderError) as caught:
        stream(server, api_retries=0)
    assert caught.value.code == "not-json"
    assert "is base_url right (127.0.0.1:" in str(caught.value)


def test_what_breaks_late_holds_what_came_before(stream: Streaming, serve: Serve) -> None:
    server = serve(whole("I do not know."), streamed(*chunks(HALF), 0.1, CUT))
    with calls() as seen, pytest.raises(StreamError) as caught:
        stream(server, retries=1)
    assert [reply.text for reply in caught.value.attempts] == ["I do not know."]
    assert (caught.value.usage, caught.value.function) == (seen[0].usage, "triage")
    assert caught.value.usage.input_tokens == 7


@pytest.mark.parametrize(
    ("tail", "kind"),
    [
        ([chunk({"content": '", "urgent": 5}'}), chunk({}, "stop")], ReplyError),
        ([chunk({}, "stop")], ReplyError),
        ([chunk({}, "length")], TruncatedError),
        ([chunk({}, "content_filter")], FilteredError),
        ([chunk({"refusal": "I will not."}), chunk({}, "stop")], RefusalError),
    ],
)
def test_a_bad_end_is_said(stream: Streaming, serve: Serve, tail: Any, kind: Any) -> None:
    server = serve(streamed(*chunks(HALF), *tail, DONE), whole(TEXT))
    with pytest.raises(kind) as caught:
        stream(server, retries=3, max_output_tokens=50)
    assert type(caught.value) is kind
    assert len(server.requests) == 1
    assert stream.partials[-1] == {"summary": "A kettle"}
    if kind is not RefusalError:
        assert caught.value.reply.startswith(HALF)


def test_a_cut_off_reply_before_a_partial_gets_a_larger_budget(
    stream: Streaming, serve: Serve
) -> None:
    server = serve(whole("", "length"), whole(TEXT))
    assert stream(server, max_output_tokens=50) == VALUE
    assert server.requests[1].body["max_tokens"] == 100


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        (whole_response("", "incomplete", incomplete_details={"reason": "max_output_tokens"}), 1),
        (whole_response(HALF, "incomplete", incomplete_details={"reason": "content_filter"}), 2),
        (whole_response(HALF, "failed", error={"code": "server_error", "message": "no"}), 3),
        (streamed(*whole_response(HALF).pieces[:-1]), 3),
        (
            streamed(
                *whole_response(HALF).pieces[:-1],
                event({"type": "error", "code": "x", "message": "no", "sequence_number": 3}),
            ),
            3,
        ),
    ],
)
def test_how_responses_end(stream: Streaming, serve: Serve, step: Step, kind: int) -> None:
    wanted = {1: TruncatedError, 2: FilteredError, 3: StreamError}[kind]
    with pytest.raises(wanted):
        stream(serve(step), api="responses")


def test_a_response_that_leaves_its_text_out(stream: Streaming, serve: Serve) -> None:
    step = whole_response(TEXT)
    last = event({"type": "response.completed", "sequence_number": 99, "response": response()})
    assert stream(serve(streamed(*step.pieces[:-1], last)), api="responses") == VALUE


def test_an_early_failed_response_is_tried_again(stream: Streaming, serve: Serve) -> None:
    failed = whole_response("", "failed", error={"code": "server_error", "message": "no"})
    server = serve(failed, whole_response(TEXT))
    assert stream(server, api="responses", api_retries=1) == VALUE


# ------------------------------------------------------------------------ time


@pytest.mark.parametrize("early", [True, False])
@pytest.mark.parametrize("setting", ["timeout", "request_timeout"])
def test_a_stalled_stream_ends_in_time(
    stream: Streaming, serve: Serve, setting: str, early: bool
) -> None:
    # The SDK is imported at the first request of all, which takes its time.
    stream(serve(whole(TEXT)))
    text = "{" if early else HALF
    server = serve(streamed(*chunks(text), 0.6, chunk({"content": " "}), 30.0))
    began = time.monotonic()
    with pytest.raises((ProviderError, DeadlineError) if early else StreamError) as caught:
        stream(server, **{setting: 2.0})
    assert 1.9 < time.monotonic() - began < 10
    assert server.left.wait(5)
    if early:
        assert isinstance(caught.value, DeadlineError) is (setting == "timeout")


def test_keep_alive_does_not_keep_it_alive(stream: Streaming, serve: Serve) -> None:
    stream(serve(whole(TEXT)))
    server = serve(streamed(*chunks(HALF), *[b": wait\n\n", 0.1] * 300))
    began = time.monotonic()
    with pytest.raises(StreamError):
        stream(server, request_timeout=2.0)
    assert time.monotonic() - began < 10


def test_a_slow_reader_loses_no_time(serve: Serve) -> None:
    Streaming("auto", False)(serve(whole(TEXT)))
    ai = function().with_options(
        model="fake-1",
        base_url=serve(whole(TEXT)).url,
        api_key="none",
        request_timeout=2.0,
        timeout=2.0,
    )
    with ai._stream({"text": "hi"}) as stream:
        for number, _ in enumerate(stream):
            time.sleep(0.8 if number < 3 else 0)
        assert stream.result() == VALUE


@pytest.mark.parametrize("awaited", [False, True])
def test_a_reader_may_take_longer_than_a_request(serve: Serve, awaited: bool) -> None:
    """Its time stands meanwhile, so nobody ends the connection."""
    Streaming("auto", awaited)(serve(whole(TEXT)))
    rest = [*chunks(TEXT[len(HALF) :]), chunk({}, "stop"), DONE]
    server = serve(streamed(*chunks(HALF), 1.5, *rest))
    ai = function().with_options(**options(server, "raw"), request_timeout=1.0, api_retries=0)

    async def slowly() -> Any:
        async with ai._astream({"text": "hi"}) as stream:
            assert await anext(stream)
            await asyncio.sleep(1.4)
            return await stream.result()

    if awaited:
        assert asyncio.run(slowly()) == VALUE
        return
    with ai._stream({"text": "hi"}) as stream:
        assert next(stream)
        time.sleep(1.4)
        assert stream.result() == VALUE


# ------------------------------------------------------------------------ leaving


def _endless() -> Step:
    return streamed(*chunks(HALF), 30.0)


def options(server: Server, transport: str) -> dict[str, Any]:
    return {
        "model": "fake-1",
        "base_url": server.url,
        "api_key": "none",
        "transport": transport,
    }


@pytest.mark.parametrize("transport", ["raw", "sdk"])
@pytest.mark.parametrize("how", ["with", "dropped", "events", "raised"])
def test_leaving_early_closes_the_connection(serve: Serve, transport: str, how: str) -> None:
    server = serve(_endless())
    ai = function().with_options(**options(server, transport))
    with calls() as seen:
        if how == "with":
            with ai._stream({"text": "hi"}) as stream:
                assert next(stream)
        elif how == "raised":
            with pytest.raises(KeyError), ai._stream({"text": "hi"}) as stream:
                next(stream)
                raise KeyError
        elif how == "events":
            for _ in ai._stream({"text": "hi"}).events():
                break
        else:
            for _ in ai._stream({"text": "hi"}):
                break
        gc.collect()
        assert server.left.wait(5)
    error = seen[0].error
    assert isinstance(error, StreamError)
    assert (error.code, HALF.startswith(error.text)) == ("left", True)
    assert error.text
    if how != "events":
        assert error.partial["summary"] and "A kettle".startswith(error.partial["summary"])


@pytest.mark.parametrize("transport", ["raw", "sdk"])
@pytest.mark.parametrize("how", ["with", "dropped", "cancelled"])
def test_leaving_early_closes_an_awaited_connection(serve: Serve, transport: str, how: str) -> None:
    server = serve(_endless())
    ai = function().with_options(**options(server, transport))

    async def left() -> bool:
        return await asyncio.to_thread(server.left.wait, 5)

    async def main() -> None:
        if how == "with":
            async with ai._astream({"text": "hi"}) as stream:
                async for _ in stream:
                    break
        elif how == "dropped":
            async for _ in ai._astream({"text": "hi"}):
                break
        else:
            begun = asyncio.Event()

            async def watching() -> None:
                async for _ in ai._astream({"text": "hi"}):
                    begun.set()

            task = asyncio.create_task(watching())
            await begun.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        gc.collect()
        assert await left()

    with calls() as seen:
        asyncio.run(main())
    if how == "with":
        assert isinstance(seen[0].error, StreamError)


def test_a_stream_that_was_left_has_no_result(serve: Serve) -> None:
    server = serve(whole(TEXT))
    ai = function().with_options(**options(server, "raw"))
    with ai._stream({"text": "hi"}) as stream:
        pass
    with pytest.raises(StreamError, match="before it was begun"):
        stream.result()
    assert server.requests == []
    with ai._stream({"text": "hi"}) as stream:
        next(stream)
    with pytest.raises(StreamError, match="left before its end"):
        stream.result()


def test_a_stream_goes_on_after_a_break_in_its_block(serve: Serve) -> None:
    ai = function().with_options(**options(serve(whole(TEXT)), "raw"))
    with ai._stream({"text": "hi"}) as stream:
        for _ in stream:
            break
        for _ in stream.events():
            break
        assert stream.result() == VALUE
        assert stream.result() == VALUE
        assert list(stream) == []
