"""Generated functions over real HTTP, against servers that others wrote."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from types import ModuleType

import aigen.runtime
import pytest
from aigen.runtime import local_is_installed

MOODS = {"happy", "unhappy", "mixed"}


def test_llmock_answers_every_shape_of_answer(support: ModuleType, llmock: str) -> None:
    with aigen.runtime.settings(model="gpt-4.1-mini", base_url=llmock, api_key="none"):
        assert support.mood("It broke after one day.") in MOODS
        ticket = support.triage("It sparks.")
        assert isinstance(ticket, support.Triage)
        assert isinstance(ticket.urgent, bool)
        assert support.refund("I want my money back.", 19.5, False) in {
            "refund",
            "exchange",
            "decline",
        }


@pytest.mark.parametrize("adapter", ["json", "tool", "prompted", "xml", "chat", "auto"])
@pytest.mark.parametrize("api", ["chat", "responses"])
def test_llmock_takes_every_adapter(
    support: ModuleType, llmock: str, adapter: str, api: str
) -> None:
    options = {"model": "gpt-4.1-mini", "base_url": llmock, "api_key": "none", "retries": 0}
    with aigen.runtime.settings(**options, adapter=adapter, api=api), aigen.runtime.calls() as seen:
        if adapter in ("json", "tool", "auto"):
            assert support.mood("It broke after one day.") in MOODS
            assert isinstance(support.triage("It sparks."), support.Triage)
        else:
            # It takes the request, and follows no form that is only told.
            with pytest.raises(aigen.runtime.errors.ReplyError):
                support.triage("It sparks.")
    assert all(call.exchanges for call in seen)


def test_llmock_answers_coroutines(support: ModuleType, llmock: str) -> None:
    async def three() -> list[str]:
        with aigen.runtime.settings(model="gpt-4.1-mini", base_url=llmock, api_key="none"):
            return list(await asyncio.gather(*(support.mood.aio("Fine.") for _ in range(3))))

    for _ in range(3):
        assert set(asyncio.run(three())) <= MOODS


@pytest.mark.parametrize("transport", ["auto", "sdk", "raw"])
@pytest.mark.parametrize("adapter", ["json", "prompted"])
def test_llmock_thinks_first(
    support: ModuleType, llmock: str, adapter: str, transport: str
) -> None:
    options = {"model": "gpt-4.1-mini", "base_url": llmock, "api_key": "none"}
    options |= {"adapter": adapter, "reasoning": "cot", "transport": transport}
    with aigen.runtime.settings(**options), aigen.runtime.calls() as seen:
        if adapter == "prompted":
            with pytest.raises(aigen.runtime.errors.ReplyError):
                support.triage("It sparks.")  # it answers schemas, and echoes what it is told
            assert len(seen[0].exchanges) == 2
        else:
            ticket = support.triage("It sparks.")
            assert list(ticket.model_dump()) == ["summary", "urgent"]
            assert seen[0].reasoning
    said = seen[0].exchanges[0].request.messages[0]["content"]
    assert ('"reasoning": text' in said) == (adapter == "prompted")


@pytest.mark.parametrize("transport", ["auto", "sdk", "raw"])
@pytest.mark.parametrize("reasoning", ["cot", "low"])
def test_llmock_speaks_responses(
    support: ModuleType, llmock: str, transport: str, reasoning: str
) -> None:
    options = {"model": "gpt-4.1-mini", "base_url": llmock, "api_key": "none", "api": "responses"}
    options |= {"reasoning": reasoning, "transport": transport}
    with aigen.runtime.settings(**options), aigen.runtime.calls() as seen:
        assert support.mood("It broke after one day.") in MOODS
        ticket = support.triage("It sparks.")
        assert isinstance(ticket.urgent, bool)
        assert asyncio.run(support.mood.aio("Fine.")) in MOODS
    for call in seen:
        assert call.exchanges[0].reply.raw["object"] == "response"
        assert call.usage.input_tokens > 0 and call.usage.output_tokens > 0
        assert bool(call.reasoning) == (reasoning == "cot")


def test_llmock_has_nothing_to_say_against_us(support: ModuleType, llmock: str) -> None:
    with aigen.runtime.settings(model="gpt-4.1-mini", base_url=llmock, api_key="none"):
        for text in ("Fine.", "Fine, too."):
            support.mood(text)
            support.mood.with_options(api="responses")(text)
    with urllib.request.urlopen(llmock.removesuffix("/v1") + "/_llmock/verdict") as reply:
        verdict = json.load(reply)
    assert verdict["findings"] == []


@pytest.mark.parametrize("adapter", ["json", "prompted", "auto"])
def test_llama_cpp_serves_every_adapter(support: ModuleType, llama: str, adapter: str) -> None:
    options = {"model": "tiny", "base_url": llama, "api_key": "none", "max_output_tokens": 300}
    with aigen.runtime.settings(**options, adapter=adapter, retries=0):
        if adapter == "prompted":
            with pytest.raises(aigen.runtime.errors.ReplyError):
                support.mood("It broke.")  # a random model follows no prompt
        else:
            assert support.mood("It broke.") in MOODS


@pytest.mark.parametrize("transport", ["sdk", "raw"])
def test_llama_cpp_thinks_first(support: ModuleType, llama: str, transport: str) -> None:
    options = {"model": "tiny", "base_url": llama, "api_key": "none", "max_output_tokens": 300}
    options |= {"reasoning": "cot", "transport": transport, "retries": 0}
    # A random model hardly ever ends a text.
    options["extra_body"] = {"logit_bias": [['"', 20]]}
    with aigen.runtime.settings(**options), aigen.runtime.calls() as seen:
        assert support.mood("It broke.") in MOODS
    assert list(json.loads(seen[0].exchanges[0].reply.text)) == ["reasoning", "result"]


def test_llama_cpp_is_told_to_think_first(support: ModuleType, llama: str) -> None:
    options = {"model": "tiny", "base_url": llama, "api_key": "none", "max_output_tokens": 20}
    options |= {"adapter": "prompted", "reasoning": "cot", "retries": 0, "api_retries": 0}
    unreadable = pytest.raises(aigen.runtime.errors.ReplyError)
    with aigen.runtime.settings(**options), aigen.runtime.calls() as seen, unreadable:
        support.mood("It broke.")  # a random model follows no prompt
    assert "response_format" not in seen[0].exchanges[0].request.body
    assert '"reasoning": text' in seen[0].exchanges[0].request.messages[0]["content"]


@pytest.mark.parametrize("transport", ["sdk", "raw"])
def test_llama_cpp_takes_a_conversation_over_responses(
    support: ModuleType, llama: str, transport: str
) -> None:
    """It takes a schema there and does not hold a reply to it, so a random model is asked again."""
    options = {"model": "tiny", "base_url": llama, "api_key": "none", "max_output_tokens": 30}
    options |= {"api": "responses", "transport": transport, "reasoning": "low"}
    unreadable = pytest.raises(aigen.runtime.errors.ReplyError)
    with aigen.runtime.settings(**options), aigen.runtime.calls() as seen, unreadable:
        support.mood("It broke.")
    first, again = seen[0].exchanges
    assert (first.reply.finish, again.reply.finish) == ("stop", "stop")
    assert [message["role"] for message in again.request.messages[-2:]] == ["assistant", "user"]
    assert seen[0].usage.output_tokens > 0


@pytest.mark.skipif(not local_is_installed(), reason="the weights are not installed")
def test_local_model_understands(support: ModuleType) -> None:
    with aigen.runtime.settings(model="local"):
        assert support.mood("It broke after one day.") == "unhappy"
        assert support.mood("Great quality, everyone in the family loves it!") == "happy"
        ticket = support.triage("The kettle sparks when I plug it in. Please call me today!")
        assert isinstance(ticket.urgent, bool)
        assert ticket.summary


def test_llmock_streams_both_apis(support: ModuleType, llmock: str) -> None:
    async def awaited() -> list[object]:
        async with support.triage.astream("It sparks.") as stream:
            return [partial async for partial in stream]

    for api in ("chat", "responses"):
        for transport in ("raw", "sdk"):
            options = {"model": "gpt-4.1-mini", "base_url": llmock, "api_key": "none", "api": api}
            with aigen.runtime.settings(**options, transport=transport):
                with aigen.runtime.calls() as seen, support.triage.stream("It sparks.") as stream:
                    found = list(stream)
                    answer = stream.result()
                assert isinstance(answer, support.Triage)
                assert len(found) > 1
                assert found[-1].model_dump() == answer.model_dump()
                assert seen[0].usage.output_tokens > 0
                assert asyncio.run(awaited())[-1].model_dump().keys() == answer.model_dump().keys()


def test_llama_cpp_streams(support: ModuleType, llama: str) -> None:
    options = {"model": "tiny", "base_url": llama, "api_key": "none", "max_output_tokens": 300}
    with aigen.runtime.settings(**options, retries=0):
        stream = support.mood.stream("It broke.")
        assert list(stream) == [stream.result()]
        assert stream.result() in MOODS


@pytest.mark.skipif(not local_is_installed(), reason="the weights are not installed")
def test_local_model_streams(support: ModuleType) -> None:
    with aigen.runtime.settings(model="local"):
        stream = support.triage.stream("The kettle sparks when I plug it in. Call me today!")
        found = list(stream)
        assert len({partial.summary for partial in found}) > 3
        assert found[-1].model_dump() == stream.result().model_dump()
