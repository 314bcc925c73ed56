"""Reasoning first: what is asked has a member more than what is answered."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from aigen.runtime import calls
from aigen.runtime.errors import ConfigurationError, ReplyError
from aigen.runtime.testing import scripted
from aigen.runtime.wire.messages import Reply
from shop_ai import support

THOUGHT = {"reasoning": "It sparks, so it is urgent.", "summary": "A kettle.", "urgent": True}
ADAPTERS = ("json", "prompted")


def thinking(function: Any, adapter: str, **more: Any) -> Any:
    return function.with_options(model="m", adapter=adapter, reasoning="cot", **more)


@pytest.mark.parametrize("adapter", ADAPTERS)
@pytest.mark.parametrize("awaited", [False, True])
def test_it_is_in_the_reply_and_not_in_the_answer(adapter: str, awaited: bool) -> None:
    function = thinking(support.triage, adapter)
    with scripted([json.dumps(THOUGHT)]), calls() as seen:
        answer = asyncio.run(function.aio("It sparks.")) if awaited else function("It sparks.")
    assert answer == support.Triage(summary="A kettle.", urgent=True)
    assert (seen[0].reasoning, seen[0].repairs) == (THOUGHT["reasoning"], ())


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_one_output_is_asked_for_in_an_object(adapter: str) -> None:
    with scripted([{"reasoning": "hm", "result": "happy"}, "mixed"]), calls() as seen:
        assert thinking(support.mood, adapter)("Fine.") == "happy"
    assert seen[0].reasoning == "hm"


def test_one_text_is_no_plain_text_any_more(module: Callable[[str], ModuleType]) -> None:
    own = module("aigen: 1\nfunctions:\n  echo: {formula: words ~ text}\n")
    plain = own.echo.with_options(model="m")
    assert "response_format" not in plain.request("t").body
    for adapter in ADAPTERS:
        with scripted(['{"reasoning": "hm", "result": " said "}']), calls() as seen:
            assert thinking(own.echo, adapter)("t") == " said "
        assert seen[0].reasoning == "hm"
    with scripted(["said", "said"]), pytest.raises(ReplyError):
        thinking(own.echo, "prompted")("t")


def test_the_model_is_asked_for_it_first() -> None:
    held = thinking(support.triage, "json").request("m").body["response_format"]["json_schema"]
    assert held["strict"] is True
    assert list(held["schema"]["properties"]) == ["reasoning", "summary", "urgent"]
    assert held["schema"]["required"] == ["reasoning", "summary", "urgent"]
    assert held["schema"]["properties"]["reasoning"]["type"] == "string"
    told = thinking(support.triage, "prompted").request("m").messages[0]["content"]
    assert told.index('"reasoning": text') < told.index('"summary": text')
    for adapter in ADAPTERS:
        assert "reasoning_effort" not in thinking(support.triage, adapter).request("m").body
        without = support.triage.with_options(model="m", adapter=adapter).request("m")
        assert "reasoning" not in str(without.body)


def test_the_interface_and_its_ids_know_nothing_of_it() -> None:
    function = thinking(support.triage, "json")
    assert function.interface == support.triage.interface
    assert function.ids == support.triage.ids


@pytest.mark.parametrize(
    "reply",
    [
        '{"summary": "A kettle.", "urgent": true}',
        '```json\n{"reasoning": "r", "summary": "A kettle.", "urgent": true}\n```',
        'So {"reasoning": "r {\\"}", "urgent": true, "summary": "A kettle."} it is.',
        '{"reasoning": null, "summary": "A kettle.", "urgent": true}',
    ],
)
@pytest.mark.parametrize("adapter", ADAPTERS)
def test_an_answer_counts_with_any_reasoning(adapter: str, reply: str) -> None:
    with scripted([reply]):
        answer = thinking(support.triage, adapter)("m")
    assert answer == support.Triage(summary="A kettle.", urgent=True)


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_reasoning_without_an_answer_is_asked_again(adapter: str) -> None:
    with scripted(['{"reasoning": "hm"}', json.dumps(THOUGHT)]) as model:
        assert thinking(support.triage, adapter)("m").urgent
    again = model.requests[1].messages[-1]["content"]
    assert "cannot be used" in again and '"reasoning"' in again


def test_what_the_provider_says_of_its_thoughts_is_kept() -> None:
    good = '{"summary": "s", "urgent": true}'
    with scripted([Reply(good, reasoning="aloud")]), calls() as seen:
        support.triage.with_options(model="m")("m")
    assert seen[0].reasoning == "aloud"


def test_an_output_of_that_name_is_refused(module: Callable[[str], ModuleType]) -> None:
    spec = "aigen: 1\nfunctions:\n  think: {formula: reasoning + more ~ text}\n"
    think = module(spec).think
    with scripted([{"reasoning": "r", "more": "m"}]):
        assert think("t").reasoning == "r"
    with scripted([]), pytest.raises(ConfigurationError, match="called reasoning"):
        thinking(think, "json")("t")


@pytest.mark.parametrize("level", ["none", "minimal", "low", "medium", "high"])
def test_an_effort_level_is_sent_as_each_api_names_it(level: str) -> None:
    function = support.triage.with_options(model="m", reasoning=level)
    chat = function.request("m").body
    assert chat["reasoning_effort"] == level
    assert "reasoning" not in chat
    responses = function.with_options(api="responses").request("m").body
    assert responses["reasoning"] == {"effort": level}
    assert "reasoning_effort" not in responses
    for body in (chat["response_format"]["json_schema"], responses["text"]["format"]):
        assert list(body["schema"]["properties"]) == ["summary", "urgent"]
