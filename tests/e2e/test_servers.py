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


def test_llmock_answers_coroutines(support: ModuleType, llmock: str) -> None:
    async def three() -> list[str]:
        with aigen.runtime.settings(model="gpt-4.1-mini", base_url=llmock, api_key="none"):
            return list(await asyncio.gather(*(support.mood.aio("Fine.") for _ in range(3))))

    for _ in range(3):
        assert set(asyncio.run(three())) <= MOODS


def test_llmock_has_nothing_to_say_against_us(support: ModuleType, llmock: str) -> None:
    with aigen.runtime.settings(model="gpt-4.1-mini", base_url=llmock, api_key="none"):
        support.mood("Fine.")
    with urllib.request.urlopen(llmock.removesuffix("/v1") + "/_llmock/verdict") as reply:
        verdict = json.load(reply)
    assert not [entry for entry in verdict.get("findings", []) if entry.get("severity") == "fail"]


@pytest.mark.parametrize("adapter", ["json", "prompted", "auto"])
def test_llama_cpp_serves_every_adapter(support: ModuleType, llama: str, adapter: str) -> None:
    options = {"model": "tiny", "base_url": llama, "api_key": "none", "max_output_tokens": 300}
    with aigen.runtime.settings(**options, adapter=adapter, retries=0):
        if adapter == "prompted":
            with pytest.raises(aigen.runtime.errors.ReplyError):
                support.mood("It broke.")  # a random model follows no prompt
        else:
            assert support.mood("It broke.") in MOODS


@pytest.mark.skipif(not local_is_installed(), reason="the weights are not installed")
def test_local_model_understands(support: ModuleType) -> None:
    with aigen.runtime.settings(model="local"):
        assert support.mood("It broke after one day.") == "unhappy"
        assert support.mood("Great quality, everyone in the family loves it!") == "happy"
        ticket = support.triage("The kettle sparks when I plug it in. Please call me today!")
        assert isinstance(ticket.urgent, bool)
        assert ticket.summary
