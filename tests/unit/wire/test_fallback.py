"""Models tried in turn."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Callable
from typing import Any

import pytest
from aigen.runtime import AIFunction, calls
from aigen.runtime.errors import ConfigurationError, DeadlineError, ProviderError, ReplyError
from aigen.runtime.testing import http_error, scripted
from servers import Seen, Server, Step, completion, message, status
from test_exchange import text_function

Serve = Callable[..., Server]


def at(server: Server | str, *others: str, **more: Any) -> Any:
    url = server if isinstance(server, str) else server.url
    options = {"model": "first", "base_url": url, "api_key": "none", "fallback": list(others)}
    return text_function().with_options(**{**options, "api_retries": 0, **more})


@pytest.fixture(params=["plain", "awaited"])
def call(request: pytest.FixtureRequest) -> Callable[[Any], Any]:
    def run(function: Any) -> Any:
        if request.param == "plain":
            return function.apply({"text": "a"})
        return asyncio.run(function.aapply({"text": "a"}))

    return run


def answering(steps: dict[str, Step]) -> Callable[[Seen], Step]:
    """By model."""
    return lambda seen: steps[seen.body["model"]]


def named(name: str) -> Step:
    return Step({**message("hi"), "model": name})


@pytest.mark.parametrize(
    "bad",
    [
        status(500),
        status(503),
        status(408),
        status(429),
        status(429, type="insufficient_quota"),
        Step({"error": {"message": "pay", "code": "insufficient_quota"}}, 402),
        Step("", cut=True),
        Step({"error": {"message": "busy", "code": 503}}),
    ],
    ids=["500", "503", "408", "429", "quota", "no money", "cut", "503 in a 200"],
)
def test_the_next_model_answers(serve: Serve, call: Callable[[Any], Any], bad: Step) -> None:
    server = serve(answering({"first": bad, "second": bad, "third": named("third-1")}))
    with calls() as seen:
        assert call(at(server, "second", "third", "fourth")) == "hi"
    assert [one.body["model"] for one in server.requests] == ["first", "second", "third"]
    assert seen[0].model == "third-1"
    assert [one.request.target.model for one in seen[0].exchanges] == ["third"]


@pytest.mark.parametrize("code", [400, 401, 403, 404, 422])
def test_a_fault_of_the_request_is_no_other_models_turn(
    serve: Serve, call: Callable[[Any], Any], code: int
) -> None:
    server = serve(status(code))
    with pytest.raises(ProviderError) as caught:
        call(at(server, "second"))
    assert caught.value.status == code
    assert len(server.requests) == 1


def test_a_reply_that_cannot_be_used_is_no_other_models_turn(serve: Serve) -> None:
    server = serve(completion(None))
    with pytest.raises(ReplyError):
        at(server, "second", retries=0).apply({"text": "a"})
    assert len(server.requests) == 1


def test_retries_come_first(serve: Serve, call: Callable[[Any], Any]) -> None:
    bad = status(500, headers={"retry-after-ms": "1"})
    server = serve(answering({"first": bad, "second": named("second")}))
    assert call(at(server, "second", api_retries=2)) == "hi"
    assert [one.body["model"] for one in server.requests] == ["first"] * 3 + ["second"]


def test_a_provider_has_a_server_and_key_of_its_own(
    serve: Serve, call: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    other = serve(named("llama"))
    monkeypatch.setenv("GROQ_API_KEY", "of-groq")
    own = {"groq": {"base_url": other.url}}
    with calls() as seen:
        assert call(at(nobody, "groq:llama", api_key="of-first", providers=own)) == "hi"
    assert other.requests[0].headers["authorization"] == "Bearer of-groq"
    assert other.requests[0].body["model"] == "llama"
    assert (seen[0].model, seen[0].exchanges[0].request.target.provider) == ("llama", "groq")


def test_each_has_the_adapter_that_suits_it(serve: Serve) -> None:
    server = serve(answering({"first": status(503), "other": Step(message('{"result": 3}'))}))
    own = {"mine": {"base_url": server.url, "takes": ["json_object"]}}
    definition = json.loads(text_function()._text)
    definition["outputs"][0]["shape"] = {"type": "integer"}
    function = AIFunction(json.dumps(definition), Any, Any).with_options(
        model="openai:first",
        base_url=server.url,
        api_key="none",
        fallback=["mine:other"],
        providers=own,
    )
    assert function.with_options(api_retries=0).apply({"text": "a"}) == 3
    held = [one.body["response_format"]["type"] for one in server.requests]
    assert held == ["json_schema", "json_object"]


def test_a_colon_in_a_models_own_name(serve: Serve, call: Callable[[Any], Any]) -> None:
    server = serve(answering({"first": status(500), "llama3.2:3b": named("llama")}))
    assert call(at(server, "llama3.2:3b")) == "hi"


def test_the_error_names_all(serve: Serve, call: Callable[[Any], Any]) -> None:
    server = serve(
        answering({"first": status(503, "overloaded"), "second": status(429, "slow down")})
    )
    with calls() as seen, pytest.raises(ProviderError) as caught:
        call(at(server, "second"))
    words = caught.value.message
    assert words.index("first: the provider answered 503: overloaded") < words.index(
        "second: the provider answered 429: slow down"
    )
    assert (caught.value.status, caught.value.code) == (429, "provider")
    assert [problem.status for problem in caught.value.attempts] == [503, 429]
    assert seen[0].error is caught.value


def test_429_is_waited_for_until_half_of_the_time_is_over(
    serve: Serve, call: Callable[[Any], Any]
) -> None:
    short = status(429, headers={"retry-after-ms": "1000"})
    server = serve(answering({"first": short, "second": named("second")}))
    began = time.monotonic()
    assert call(at(server, "second", api_retries=99, timeout=5)) == "hi"
    # The wait that was not waited would have ended after half of the time.
    assert time.monotonic() - began > 2.5 - 1
    tried = [one.body["model"] for one in server.requests]
    assert tried == ["first"] * (len(tried) - 1) + ["second"]
    assert len(tried) in (3, 4)


def test_a_wait_past_half_of_the_time_is_not_waited(
    serve: Serve, call: Callable[[Any], Any]
) -> None:
    long = status(429, headers={"Retry-After": "6"})
    server = serve(answering({"first": long, "second": named("second")}))
    began = time.monotonic()
    assert call(at(server, "second", api_retries=3, timeout=10)) == "hi"
    assert time.monotonic() - began < 2


def test_a_server_that_hangs_leaves_time_for_the_next(
    serve: Serve, call: Callable[[Any], Any]
) -> None:
    hangs = completion("late", delay=3)
    server = serve(answering({"first": hangs, "second": named("second")}))
    assert call(at(server, "second", timeout=1, api_retries=3)) == "hi"


def test_one_deadline_for_all(serve: Serve, call: Callable[[Any], Any]) -> None:
    began = time.monotonic()
    with pytest.raises(DeadlineError):
        call(at(serve(completion("late", delay=3)), "second", "third", timeout=0.8))
    assert time.monotonic() - began < 1.6


def test_asked_again_of_the_one_that_answers(serve: Serve, call: Callable[[Any], Any]) -> None:
    """And where it fails then, the next begins anew."""
    steps = iter([status(500), completion(None), status(500), named("third")])
    server = serve(lambda seen: next(steps))
    assert call(at(server, "second", "third")) == "hi"
    tried = [(one.body["model"], len(one.body["messages"])) for one in server.requests]
    first = tried[0][1]
    assert tried == [("first", first), ("second", first), ("second", first + 2), ("third", first)]


def test_in_a_script(call: Callable[[Any], Any]) -> None:
    with scripted([http_error(500), "hi"]) as model:
        assert call(at("http://127.0.0.1:1/v1", "groq:llama")) == "hi"
    assert [one.target.model for one in model.requests] == ["first", "llama"]


@pytest.mark.parametrize("wrong", ["second", [""], [3]])
def test_what_is_no_list_of_models(wrong: Any) -> None:
    with pytest.raises(ConfigurationError, match="a list of models"):
        text_function().with_options(fallback=wrong)
