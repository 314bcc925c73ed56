"""Calls in flight are spread over several clients of the SDK, and no more than that."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import openai
import pytest
from aigen.runtime.wire.spread import TASKS, THREADS
from servers import Seen, Server, Step, completion
from test_exchange import text_function

Serve = Callable[..., Server]


def slow(seen: Seen) -> Step:
    said = completion("answered")
    return Step(said.body, delay=0.3)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The clients that are made, by kind."""
    found: list[str] = []
    for kind in (openai.OpenAI, openai.AsyncOpenAI):

        def begin(self: Any, *args: Any, _real: Any = kind.__init__, **options: Any) -> None:
            found.append(type(self).__name__)
            _real(self, *args, **options)

        monkeypatch.setattr(kind, "__init__", begin)
    return found


def at(server: Server, **settings: Any) -> Any:
    return text_function().with_options(model="m", base_url=server.url, api_key="none", **settings)


@pytest.mark.parametrize("transport", ["auto", "sdk"])
def test_many_threads_share_few_clients(serve: Serve, made: list[str], transport: str) -> None:
    function, count = at(serve(slow), transport=transport), 2 * THREADS
    with ThreadPoolExecutor(count) as pool:
        for _ in range(2):
            answers = list(pool.map(lambda _: function.apply({"text": "a"}), range(count)))
            assert answers == ["answered"] * count
    assert made == ["OpenAI"] * 2


@pytest.mark.parametrize(("transport", "clients"), [("raw", 2), ("aiohttp", 1)])
def test_many_tasks_share_few_clients(
    serve: Serve, made: list[str], transport: str, clients: int
) -> None:
    function, count = at(serve(slow), transport=transport), 2 * TASKS

    async def main() -> None:
        for _ in range(2):
            calls = [function.aapply({"text": "a"}) for _ in range(count)]
            assert await asyncio.gather(*calls) == ["answered"] * count

    asyncio.run(main())
    assert made == ["AsyncOpenAI"] * clients


def test_calls_that_fail_or_are_cancelled_give_their_place_back(
    serve: Serve, made: list[str]
) -> None:
    broken = Step("no", status=400)
    function = at(serve(lambda seen: broken if "bad" in str(seen.body) else slow(seen)))

    async def main() -> None:
        for _ in range(3):
            bad = [function.aapply({"text": "bad"}) for _ in range(TASKS)]
            found = await asyncio.gather(*bad, return_exceptions=True)
            assert all(isinstance(one, Exception) for one in found)
            tasks = [asyncio.ensure_future(function.aapply({"text": "a"})) for _ in range(TASKS)]
            await asyncio.sleep(0.1)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        assert await function.aapply({"text": "a"}) == "answered"

    asyncio.run(main())
    assert made == ["AsyncOpenAI"]


def test_a_given_client_carries_all_calls(serve: Serve, made: list[str]) -> None:
    server, count = serve(slow), 2 * THREADS

    def factory() -> openai.OpenAI:
        return openai.OpenAI(base_url=server.url, api_key="none", max_retries=0)

    function = text_function().with_options(model="m", client=factory)
    with ThreadPoolExecutor(count) as pool:
        answers = list(pool.map(lambda _: function.apply({"text": "a"}), range(count)))
    assert answers == ["answered"] * count
    assert made == ["OpenAI"]
