"""Faults of a server by others, which also judges how its client takes them."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import aigen.runtime
import pytest
from aigen.runtime.errors import ProviderError

EACH = ["auto", "sdk", "raw", "aiohttp", "direct"]


@pytest.fixture
def scenario(llmock: str) -> Iterator[Callable[..., None]]:
    """Queues faults; afterwards the server must have nothing to say against the client."""
    admin = llmock.removesuffix("/v1") + "/_llmock"

    def post(path: str, data: Any = None) -> None:
        body = json.dumps(data or {}).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{admin}/{path}", body, headers, method="POST")
        with urllib.request.urlopen(request, timeout=10):
            pass

    post("reset")
    yield lambda *faults: post("scenario", {"behaviors": list(faults)})
    with urllib.request.urlopen(f"{admin}/verdict", timeout=10) as reply:
        verdict = json.load(reply)
    post("reset")
    assert verdict["findings"] == []


@pytest.fixture(params=[f"{kind} {name}" for kind in ("plain", "awaited") for name in EACH])
def mood(request: pytest.FixtureRequest, support: ModuleType, llmock: str) -> Any:
    """Calls a function of the samples."""
    kind, transport = request.param.split()

    def call(**settings: Any) -> Any:
        given = {"model": "gpt-4.1-mini", "base_url": llmock, "api_key": "none"}
        made = support.mood.with_options(**{**given, "transport": transport, **settings})
        if kind == "awaited":
            return asyncio.run(made.aapply({"review": "It broke."}))
        return made.apply({"review": "It broke."})

    return call


def test_a_rate_limit_with_its_wait(scenario: Callable[..., None], mood: Any) -> None:
    scenario({"type": "fail", "status": 429, "retry_after": 1, "times": 1})
    assert mood() in ("happy", "unhappy", "mixed")


def test_a_server_that_fails_now_and_then(scenario: Callable[..., None], mood: Any) -> None:
    scenario({"type": "fail", "status": 503, "times": 1}, {"type": "fail", "status": 500})
    assert mood() in ("happy", "unhappy", "mixed")


@pytest.mark.parametrize("code", [400, 401, 403, 404, 422])
def test_what_no_retry_mends(scenario: Callable[..., None], mood: Any, code: int) -> None:
    scenario({"type": "fail", "status": code, "times": 1})
    with pytest.raises(ProviderError) as caught:
        mood()
    assert caught.value.status == code


def test_limits_keep_the_server_content(
    scenario: Callable[..., None], support: ModuleType, llmock: str
) -> None:
    """With a limit of our own, the line waits as one where the server asked for rest."""
    scenario({"type": "fail", "status": 429, "retry_after": 1, "times": 1})
    options = {"model": "gpt-4.1-mini", "base_url": llmock, "api_key": "none"}
    with aigen.runtime.settings(**options, limits={"in_flight": 1}):
        found = support.mood.map([f"Fine, {number}." for number in range(5)])
    assert not found.errors
