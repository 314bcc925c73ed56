"""Streams under the settings `fallback`, `limits` and `cache_replies`."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from typing import Any

import pytest
from aigen.runtime import AIFunction, calls, events
from aigen.runtime.errors import DeadlineError, ProviderError, ReplyError, StreamError
from aigen.runtime.record import cache
from aigen.runtime.testing import broken, http_error, scripted
from aigen.runtime.wire import limits, receiving
from aigen.runtime.wire.messages import Usage
from servers import (
    CUT,
    DONE,
    USED,
    Seen,
    Server,
    Step,
    chunk,
    chunks,
    completion,
    event,
    status,
    streamed,
    whole,
    whole_response,
)
from test_streaming import HALF, TEXT, VALUE, Streaming, function

Serve = Callable[..., Server]


@pytest.fixture(autouse=True)
def _alone() -> Iterator[None]:
    def anew() -> None:
        limits._start_anew()
        cache.close()
        receiving._uncounted.clear()

    anew()
    yield
    anew()


@pytest.fixture(params=["raw", "sdk", "auto awaited", "sdk awaited"])
def stream(request: pytest.FixtureRequest) -> Streaming:
    transport, _, awaited = request.param.partition(" ")
    return Streaming(transport, bool(awaited))


@pytest.fixture(params=[False, True], ids=["plain", "awaited"])
def either(request: pytest.FixtureRequest) -> Streaming:
    return Streaming("auto", request.param)


def answering(steps: dict[str, Step]) -> Callable[[Seen], Step]:
    """By model."""
    return lambda seen: steps[seen.body["model"]]


def at(server: Server, ai: AIFunction[Any, Any] | None = None, **more: Any) -> Any:
    options = {"model": "fake-1", "base_url": server.url, "api_key": "none", "retries": 0}
    return (ai or function()).with_options(**{**options, **more})


def models(server: Server) -> list[str]:
    return [seen.body["model"] for seen in server.requests]


# ------------------------------------------------------------------------------------- fallback


@pytest.mark.parametrize(
    "bad",
    [
        status(503),
        status(429, type="insufficient_quota"),
        Step("", cut=True),
        streamed(chunk({"content": "{"}), CUT),
        streamed(event({"error": {"message": "busy", "code": 503}})),
    ],
    ids=["503", "quota", "cut", "broken early", "503 inside"],
)
def test_the_next_model_streams(stream: Streaming, serve: Serve, bad: Step) -> None:
    server = serve(answering({"first": bad, "second": bad, "third": whole(TEXT)}))
    with calls() as seen:
        found = stream(server, model="first", fallback=["second", "third", "fourth"])
    assert found == VALUE
    assert models(server) == ["first", "second", "third"]
    assert stream.partials[-1] == VALUE
    assert [one.request.target.model for one in seen[0].exchanges] == ["third"]


def test_what_came_of_a_model_that_failed_is_void(either: Streaming, serve: Serve) -> None:
    bad = streamed(chunk({"content": "{"}), CUT)
    server = serve(answering({"first": bad, "second": whole(TEXT)}))
    assert either(server, model="first", fallback=["second"]) == VALUE
    assert isinstance(either.seen[1], events.AskedAgain)
    texts = [found.text for found in either.seen if isinstance(found, events.TextDelta)]
    assert "".join(texts[1:]) == TEXT


def test_no_other_model_once_something_was_shown(stream: Streaming, serve: Serve) -> None:
    bad = streamed(*chunks(HALF), 0.1, CUT)
    server = serve(answering({"first": bad, "second": whole(TEXT)}))
    with pytest.raises(StreamError) as caught:
        stream(server, model="first", fallback=["second"])
    assert models(server) == ["first"]
    assert caught.value.partial["summary"].startswith("A k")


def test_a_wrong_key_is_no_other_models_turn(either: Streaming, serve: Serve) -> None:
    server = serve(status(401))
    with pytest.raises(ProviderError):
        either(server, model="first", fallback=["second"])
    assert models(server) == ["first"]


def test_the_error_names_all_models(either: Streaming, serve: Serve) -> None:
    server = serve(answering({"first": status(503), "second": status(500)}))
    with pytest.raises(ProviderError, match=r"first: .*503.*second: .*500") as caught:
        either(server, model="first", fallback=["second"])
    assert [problem.status for problem in caught.value.attempts] == [503, 500]


def test_a_stream_that_hangs_leaves_time_for_the_next(stream: Streaming, serve: Serve) -> None:
    stream(serve(whole(TEXT)))  # what it imports takes time
    hangs = streamed(chunk({"content": "{"}), 30.0)
    server = serve(answering({"first": hangs, "second": whole(TEXT)}))
    began = time.monotonic()
    assert stream(server, model="first", fallback=["second"], timeout=3.0) == VALUE
    assert 1.4 < time.monotonic() - began < 2.9


def test_one_that_has_shown_something_has_all_of_the_time(either: Streaming, serve: Serve) -> None:
    either(serve(whole(TEXT)))
    slow = [piece for one in chunks(TEXT) for piece in (one, 0.25)]
    server = serve(streamed(*slow, chunk({}, "stop"), DONE))
    began = time.monotonic()
    assert either(server, fallback=["second"], timeout=5.0) == VALUE
    assert time.monotonic() - began > 2.6
    assert models(server) == ["fake-1"]


def test_time_that_the_caller_takes_is_not_the_models(serve: Serve) -> None:
    Streaming("auto", False)(serve(whole(TEXT)))
    server = serve(streamed(chunk({"content": "{"}), CUT), whole(TEXT))
    ai = at(server, fallback=["second"], timeout=4.0, api_retries=1)
    with ai._stream({"text": "hi"}) as stream:
        assert next(stream.events()) == events.TextDelta("{")
        time.sleep(2.1)  # more than the half that a model has
        assert stream.result() == VALUE
    assert models(server) == ["fake-1"] * 2


def test_in_a_script(either: Streaming, serve: Serve) -> None:
    server = serve(whole(TEXT))
    with scripted([http_error(500), broken(VALUE, 1), VALUE]) as model:
        assert either(server, model="first", fallback=["groq:llama", "third"]) == VALUE
    assert [one.target.model for one in model.requests] == ["first", "llama", "third"]
    for model_name in ("first", "groq:llama"):  # the second answers by a call of a tool
        with scripted([broken(VALUE, 15), VALUE]), pytest.raises(StreamError) as caught:
            either(server, model=model_name, fallback=["second"])
        assert caught.value.partial == {"summary": "A "}
    assert server.requests == []


# ------------------------------------------------------------------------------------- limits


@pytest.fixture
def minute(monkeypatch: pytest.MonkeyPatch) -> float:
    """A minute that is over soon."""
    monkeypatch.setattr(limits, "_MINUTE", 1.0)
    return 1.0


def lane(server: Server) -> Any:
    return limits._lane(at(server)._request({"text": "hi"}))


def test_requests_a_minute(stream: Streaming, serve: Serve, minute: float) -> None:
    server = serve(whole(TEXT))
    most = {"requests_per_minute": 2}
    stream(server)  # what it imports takes time
    began = time.monotonic()
    for _ in range(2):
        stream(server, limits=most)
    assert time.monotonic() - began < minute
    stream(server, limits=most)
    assert minute * 0.9 < time.monotonic() - began < minute * 3


def test_a_stream_tried_again_is_a_request(either: Streaming, serve: Serve, minute: float) -> None:
    server = serve(whole(TEXT), streamed(chunk({"content": "{"}), CUT), whole(TEXT))
    either(server)
    began = time.monotonic()
    assert either(server, limits={"requests_per_minute": 1}, api_retries=1) == VALUE
    assert time.monotonic() - began > minute * 0.9


def test_tokens_as_the_server_counts_them(stream: Streaming, serve: Serve) -> None:
    used = chunk(None, usage={"prompt_tokens": 400, "completion_tokens": 100})
    server = serve(streamed(*chunks(TEXT), chunk({}, "stop"), used, DONE))
    for number in (1, 2):
        stream(server, limits={"tokens_per_minute": 2000})
        assert (lane(server).tokens, lane(server).flying) == (500 * number, 0)


def test_tokens_of_a_response(either: Streaming, serve: Serve) -> None:
    server = serve(whole_response(TEXT))
    either(server, limits={"tokens_per_minute": 2000}, api="responses")
    assert lane(server).tokens == 10


def test_a_server_that_does_not_count_leaves_the_estimate(either: Streaming, serve: Serve) -> None:
    server = serve(streamed(*chunks(TEXT), chunk({}, "stop"), DONE))
    either(server, limits={"tokens_per_minute": 20000}, max_output_tokens=1000)
    assert 1000 < lane(server).tokens < 2000


@pytest.mark.parametrize(
    "bad",
    [status(500), streamed(event({"error": {"message": "busy", "code": 503}}))],
    ids=["500", "503 inside"],
)
def test_what_was_refused_used_no_tokens(either: Streaming, serve: Serve, bad: Step) -> None:
    with pytest.raises(ProviderError):
        either(server := serve(bad), limits={"tokens_per_minute": 2000})
    assert (lane(server).tokens, lane(server).flying) == (0, 0)


def test_streams_and_calls_stand_in_one_line(serve: Serve) -> None:
    lock, now, most = threading.Lock(), 0, 0

    def answer(seen: Seen) -> Step:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.05)
        with lock:
            now -= 1
        return whole(TEXT) if seen.body.get("stream") else completion(TEXT)

    server, limit = serve(answer), {"in_flight": 1}

    def one(number: int) -> Any:
        if number % 3 == 0:
            return at(server, limits=limit).apply({"text": str(number)})
        return Streaming("auto", number % 3 == 1)(server, limits=limit)

    with ThreadPoolExecutor(9) as pool:
        assert list(pool.map(one, range(9))) == [VALUE] * 9
    assert (most, len(server.requests)) == (1, 9)


def test_a_stream_is_in_flight_until_it_has_ended(serve: Serve) -> None:
    server = serve(whole(TEXT))
    ai = at(server, limits={"in_flight": 1}, timeout=0.4)
    with ai._stream({"text": "hi"}) as stream:
        next(stream)
        assert lane(server).flying == 1
        with pytest.raises(DeadlineError):
            ai._stream({"text": "hi"}).result()
        assert stream.result() == VALUE
    assert ai._stream({"text": "hi"}).result() == VALUE
    assert not lane(server).waiting


@pytest.mark.parametrize("how", ["with", "dropped"])
def test_a_stream_that_was_left_frees_its_place(serve: Serve, how: str) -> None:
    server = serve(streamed(*chunks(HALF), 30.0))
    ai = at(server, limits={"in_flight": 1, "tokens_per_minute": 5000}, max_output_tokens=1000)
    if how == "with":
        with ai._stream({"text": "hi"}) as stream:
            next(stream)
    else:
        for _ in ai._stream({"text": "hi"}):
            break
        gc.collect()
    assert lane(server).flying == 0
    assert lane(server).tokens > 1000  # the server has worked


def test_an_awaited_stream_that_was_left_frees_its_place(serve: Serve) -> None:
    server = serve(streamed(*chunks(HALF), 30.0))
    ai = at(server, limits={"in_flight": 1}, timeout=5.0)

    async def main() -> None:
        async with ai._astream({"text": "hi"}) as stream:
            async for _ in stream:
                break
        async with asyncio.timeout(3), ai._astream({"text": "hi"}) as stream:
            async for _ in stream:
                return

    asyncio.run(main())
    assert lane(server).flying == 0


def test_a_turn_that_does_not_come_in_time(either: Streaming, serve: Serve) -> None:
    server = serve(whole(TEXT))
    most = {"requests_per_minute": 1}
    assert either(server, limits=most) == VALUE
    began = time.monotonic()
    with pytest.raises(DeadlineError):
        either(server, limits=most, timeout=0.3)
    assert time.monotonic() - began < 1.5
    assert (len(server.requests), either.seen) == (1, [])


def test_fakes_wait_for_nobody(either: Streaming, serve: Serve) -> None:
    server = serve(whole(TEXT))
    with scripted([VALUE] * 3):
        for _ in range(3):
            assert either(server, limits={"requests_per_minute": 1}, timeout=1) == VALUE


# ------------------------------------------------------------------------------------- kept


KEPT = [events.TextDelta(TEXT), events.Partial(VALUE), events.Finished("stop")]


@pytest.mark.parametrize("where", ["memory", "file"])
def test_a_whole_reply_is_kept_and_streamed_at_once(
    stream: Streaming, serve: Serve, where: str, tmp_path: Any
) -> None:
    server = serve(whole(TEXT))
    place = "memory" if where == "memory" else str(tmp_path / "replies.sqlite")
    with calls() as seen:
        assert stream(server, cache_replies=place) == VALUE
        assert len(stream.partials) > 2
        assert stream(server, cache_replies=place) == VALUE
    assert len(server.requests) == 1
    assert stream.seen == [*KEPT, events.Used(Usage())]
    assert [call.exchanges[0].cached for call in seen] == [False, True]
    assert [call.usage.output_tokens for call in seen] == [3, 0]
    assert [call.value for call in seen] == [VALUE] * 2
    assert not cache._unjudged


def test_a_response_is_kept(either: Streaming, serve: Serve) -> None:
    server = serve(whole_response(TEXT))
    for _ in range(2):
        assert either(server, cache_replies="memory", api="responses") == VALUE
    assert len(server.requests) == 1
    assert either.seen[:3] == [events.TextDelta(TEXT), events.Partial(VALUE), KEPT[2]]


def test_a_text_is_kept(either: Streaming, serve: Serve) -> None:
    server = serve(whole("Wear a coat."))
    for _ in range(2):
        ai = function(result={"type": "string"})
        assert either(server, ai, cache_replies="memory") == "Wear a coat."
    assert either.partials == ["Wear a coat."]
    assert len(server.requests) == 1


def test_calls_and_streams_share_what_is_kept(either: Streaming, serve: Serve) -> None:
    server = serve(lambda seen: whole(TEXT) if seen.body.get("stream") else completion(TEXT))
    ai = at(server, cache_replies="memory")
    assert ai.apply({"text": "hi"}) == VALUE
    assert either(server, cache_replies="memory") == VALUE
    assert either.partials == [VALUE]
    cache.close()
    assert either(server, cache_replies="memory") == VALUE
    assert ai.apply({"text": "hi"}) == VALUE
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        (whole("I do not know."), ReplyError),
        (whole(TEXT, "length"), ReplyError),
        (streamed(*chunks(HALF), 0.1, CUT), StreamError),
        (status(400), ProviderError),
    ],
    ids=["unreadable", "cut off", "broken", "400"],
)
def test_what_cannot_be_used_is_not_kept(
    either: Streaming, serve: Serve, bad: Step, kind: Any
) -> None:
    server = serve(bad, whole(TEXT))
    with pytest.raises(kind):
        either(server, cache_replies="memory")
    assert either(server, cache_replies="memory", timeout=5) == VALUE
    assert len(server.requests) == 2


def shouts(text: str) -> bool:
    return text.isupper()


def checked() -> AIFunction[Any, Any]:
    definition = json.loads(function()._text)
    definition["checks"] = [{"call": f"{__name__}:shouts", "field": "summary"}]
    return AIFunction(json.dumps(definition), Any, Any)


def test_what_does_no_longer_fit_is_never_shown(either: Streaming, serve: Serve) -> None:
    loud = {"summary": "A KETTLE SPARKS.", "urgent": True}
    server = serve(whole(TEXT), whole(json.dumps(loud)))
    assert either(server, cache_replies="memory") == VALUE
    # What was kept is judged before it is shown, and so another reply can be asked for.
    assert either(server, checked(), cache_replies="memory", retries=1) == loud
    assert all(partial["summary"].isupper() for partial in either.partials)
    assert len(server.requests) == 2


def test_one_flight_for_streams_and_calls(serve: Serve) -> None:
    slow = streamed(chunk({"content": TEXT}), 0.4, chunk({}, "stop"), USED, DONE)
    server = serve(lambda seen: slow if seen.body.get("stream") else completion(TEXT, delay=0.4))
    ai = at(server, cache_replies="memory")

    def one(number: int) -> Any:
        if number % 3 == 0:
            return ai.apply({"text": "hi"})
        return Streaming("auto", number % 3 == 1)(server, cache_replies="memory")

    with ThreadPoolExecutor(9) as pool:
        assert list(pool.map(one, range(9))) == [VALUE] * 9
    assert len(server.requests) == 1


def test_one_who_waits_has_a_deadline(either: Streaming, serve: Serve) -> None:
    server = serve(streamed(chunk({"content": TEXT}), 2.0, chunk({}, "stop"), DONE))
    ai = at(server, cache_replies="memory")
    with ai._stream({"text": "hi"}) as first:
        next(first)
        with pytest.raises(DeadlineError):
            either(server, cache_replies="memory", timeout=0.3)
        assert first.result() == VALUE
    assert either(server, cache_replies="memory") == VALUE
    assert len(server.requests) == 1


@pytest.mark.parametrize("last", [events.TextDelta, events.Partial, events.Finished, events.Used])
def test_a_stream_that_was_left_lets_others_ask(
    either: Streaming, serve: Serve, last: type
) -> None:
    server = serve(whole(TEXT))
    ai = at(server, cache_replies="memory")

    async def awaited() -> None:
        async with (
            ai._astream({"text": "hi"}) as stream,
            aclosing(stream.events()) as found,
        ):
            async for one in found:
                if isinstance(one, last):
                    return

    def plain() -> None:
        with ai._stream({"text": "hi"}) as stream:
            next(one for one in stream.events() if isinstance(one, last))

    asyncio.run(awaited()) if either.awaited else plain()
    assert either(server, cache_replies="memory", timeout=5) == VALUE
    assert len(server.requests) == 2
    asyncio.run(awaited()) if either.awaited else plain()  # of a reply that is kept
    assert either(server, cache_replies="memory", timeout=5) == VALUE
    assert len(server.requests) == 2
    assert not cache._unjudged


def test_a_kept_reply_waits_for_no_limit(either: Streaming, serve: Serve) -> None:
    server = serve(whole(TEXT))
    for _ in range(3):
        most = {"requests_per_minute": 1}
        assert either(server, cache_replies="memory", limits=most, timeout=5) == VALUE
    assert len(server.requests) == 1


def test_each_model_has_its_own_replies(either: Streaming, serve: Serve) -> None:
    server = serve(answering({"first": status(503), "second": whole(TEXT)}))
    for _ in range(2):
        given = {"fallback": ["second"], "cache_replies": "memory"}
        assert either(server, model="first", **given) == VALUE
    assert models(server) == ["first", "second", "first"]


def test_fakes_are_not_kept(either: Streaming, serve: Serve) -> None:
    server = serve(whole(TEXT))
    other = {"summary": "Nothing.", "urgent": False}
    with scripted([VALUE, other]):
        assert either(server, cache_replies="memory") == VALUE
        assert either(server, cache_replies="memory") == other
    assert either(server, cache_replies="memory") == VALUE
    assert len(server.requests) == 1


@pytest.mark.parametrize("awaited", [False, True])
def test_the_time_of_a_request_begins_with_its_turn(serve: Serve, awaited: bool) -> None:
    def answer(seen: Seen) -> Step:
        return streamed(*chunks(TEXT), 0.8, chunk({}, "stop"), USED, DONE)

    server = serve(answer)
    Streaming("auto", awaited)(server)  # what the first call imports takes time
    ai = at(server, limits={"in_flight": 1}, request_timeout=1.3, api_retries=0)

    async def main() -> list[Any]:
        return await asyncio.gather(*(ai._astream({"text": "hi"}).result() for _ in range(3)))

    if awaited:
        assert asyncio.run(main()) == [VALUE] * 3
        return
    with ThreadPoolExecutor(3) as pool:
        found = pool.map(lambda _: ai._stream({"text": "hi"}).result(), range(3))
        assert list(found) == [VALUE] * 3
