"""Every error goes to another process whole, and none holds or shows a key."""

from __future__ import annotations

import asyncio
import inspect
import pickle
from collections.abc import Iterator
from typing import Any

import openai
import pytest
import servers
from aigen.runtime import errors
from aigen.runtime.wire.messages import Usage
from shop_ai import support

KEY = "sk-4711-never-to-be-seen"


def kinds(kind: type[Any] = errors.AigenError) -> Iterator[type[Any]]:
    yield kind
    for below in kind.__subclasses__():
        yield from kinds(below)


def filled(kind: type[Any]) -> Any:
    """An error with something in all that its class takes by name."""
    values: dict[str, Any] = {
        "usage": Usage(3, 2),
        "attempts": ("a", "b"),
        "errors": {1: ValueError("x")},
        "path": ("lines", 2),
        "status": 429,
    }
    names: set[str] = set()
    for each in kind.__mro__:
        if issubclass(each, errors.AigenError):
            parameters = inspect.signature(each.__init__).parameters.values()
            names |= {one.name for one in parameters if one.kind is one.KEYWORD_ONLY}
    return kind("what happened", **{name: values.get(name, name) for name in names})


@pytest.mark.parametrize("kind", list(kinds()), ids=lambda kind: kind.__name__)
def test_an_error_pickles_whole(kind: type[Any]) -> None:
    error = filled(kind)
    error.results = [1]
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind and str(again) == str(error)
    assert vars(again).keys() == vars(error).keys()
    assert repr(vars(again)) == repr(vars(error))
    assert again.code == error.code == "code"
    assert kind("words").code not in ("", "code")


def test_an_interruption_pickles() -> None:
    again = pickle.loads(pickle.dumps(errors.MapInterrupted("words", [1])))
    assert (str(again), again.results) == ("words", [1])


@pytest.mark.parametrize("transport", ["sdk", "raw", "aiohttp", "direct"])
@pytest.mark.parametrize("status", [400, 401, 500])
def test_no_key_is_shown_and_a_servers_error_travels(
    transport: str, status: int, serve: Any
) -> None:
    words = {"error": {"message": "no", "type": "x", "code": None, "param": None}}
    server = serve(servers.Step(words, status=status))
    function = support.triage.with_options(
        model="m", base_url=server.url, api_key=KEY, transport=transport, api_retries=0
    )
    with pytest.raises(errors.ProviderError) as caught:
        function("a")
    assert KEY in str(server.requests[0].headers)
    error = pickle.loads(pickle.dumps(caught.value))
    assert (str(error), error.status) == (str(caught.value), status)
    shown = [
        str(error),
        repr(error),
        repr(caught.value),
        repr(function),
        repr(function._resolved()),
    ]
    assert not any(KEY in each for each in shown)


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize("transport", ["sdk", "raw", "direct"])
@pytest.mark.parametrize("code", [None, 503, 429])
def test_an_error_of_a_call_that_took_too_long_travels(
    transport: str, code: int | None, awaited: bool, serve: Any
) -> None:
    """Its cause is the SDK's, which cannot be made again and holds the request with its key."""
    answer = servers.completion("{}", delay=1) if code is None else servers.status(code)
    function = support.triage.with_options(
        model="m",
        base_url=serve(answer).url,
        api_key=KEY,
        transport=transport,
        api_retries=99,
        timeout=0.4,
    )
    with pytest.raises(errors.DeadlineError) as caught:
        asyncio.run(function.aapply({"message": "a"})) if awaited else function("a")
    sent = pickle.dumps(caught.value)
    assert KEY.encode() not in sent
    assert str(pickle.loads(sent)) == str(caught.value)


def test_a_cause_travels_where_it_can() -> None:
    class Own(Exception):
        def __init__(self, one: int, two: int) -> None:
            super().__init__("own")

    error = errors.ToolError("words")
    for cause, found in ((ValueError("x"), "ValueError('x')"), (Own(1, 2), "None")):
        error.__cause__ = cause
        assert repr(pickle.loads(pickle.dumps(error)).__cause__) == found


@pytest.mark.parametrize("awaited", [False, True])
def test_what_a_map_had_done_travels_without_keys(awaited: bool, serve: Any) -> None:
    good = servers.completion('{"summary": "s", "urgent": true}')
    url = serve(good, servers.status(401)).url
    function = support.triage.with_options(
        model="m",
        client=lambda: openai.OpenAI(api_key=KEY, base_url=url),
        concurrency=1,
        extra_headers={"X-Api-Key": KEY},
        fallback=["other"],
    )
    if awaited:
        function = function.with_options(
            client=lambda: openai.AsyncOpenAI(api_key=KEY, base_url=url)
        )
    with pytest.raises(errors.ProviderError) as caught:
        asyncio.run(function.amap(["a", "b"])) if awaited else function.map(["a", "b"])
    sent = pickle.dumps(caught.value)
    assert KEY.encode() not in sent
    again = pickle.loads(sent).results
    assert (again[0].summary, again.calls[0].inputs) == ("s", {"message": "a"})
    assert again.calls[0].exchanges[0].reply.text == '{"summary": "s", "urgent": true}'
    interrupted = errors.MapInterrupted("words", caught.value.results)
    assert KEY.encode() not in pickle.dumps(interrupted)


def test_a_call_prints_nothing(serve: Any, capfd: pytest.CaptureFixture[str]) -> None:
    good = servers.completion('```json\n{"summary": "s", "urgent": true}\n```')
    server = serve(servers.Step({}, status=500), good)
    function = support.triage.with_options(model="m", base_url=server.url, api_key=KEY)
    assert function("a").urgent
    assert capfd.readouterr() == ("", "")
