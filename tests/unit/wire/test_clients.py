"""One client a process and one a loop: forks, threads, loops, tracers, given clients."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import openai
import pytest
from aigen.runtime.errors import ConfigurationError
from aigen.runtime.wire.transport import _wrapped
from openai.resources.chat.completions import AsyncCompletions, Completions
from servers import Seen, Server, Step, completion
from test_exchange import text_function

Serve = Callable[..., Server]


def echo(seen: Seen) -> Step:
    return completion(seen.body["messages"][-1]["content"])


def at(server: Server, **settings: Any) -> Any:
    given = {"model": "fake-1", "base_url": server.url, "api_key": "none", **settings}
    return text_function().with_options(**given)


def said(text: str) -> str:
    return f"<text>\n{text}\n</text>"


def _child(function: Any, number: int, answers: Any) -> None:
    mine = [function.apply({"text": f"{number}-{turn}"}) for turn in range(10)]
    answers.put(mine == [said(f"{number}-{turn}") for turn in range(10)])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_children_of_a_fork_never_get_each_others_answers(serve: Serve) -> None:
    function = at(serve(echo))
    assert function.apply({"text": "first"}) == said("first")
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    children = [
        context.Process(target=_child, args=(function, number, answers)) for number in range(8)
    ]
    for child in children:
        child.start()
    found = [answers.get(timeout=20) for _ in children]
    for child in children:
        child.join()
    assert found == [True] * 8
    assert function.apply({"text": "last"}) == said("last")


def test_three_runs_in_a_row(serve: Serve) -> None:
    function = at(serve(echo))

    async def several() -> list[str]:
        return await asyncio.gather(*(function.aapply({"text": str(n)}) for n in range(5)))

    for _ in range(3):
        assert asyncio.run(several()) == [said(str(n)) for n in range(5)]


def test_a_plain_call_inside_a_running_loop(serve: Serve) -> None:
    function = at(serve(echo))

    async def calling() -> Any:
        return function.apply({"text": "a"}), await function.aapply({"text": "b"})

    assert asyncio.run(calling()) == (said("a"), said("b"))


def test_many_threads_share_few_connections(serve: Serve) -> None:
    server = serve(echo)
    function = at(server)
    with ThreadPoolExecutor(64) as pool:
        found = list(pool.map(lambda n: function.apply({"text": str(n)}), range(256)))
    assert found == [said(str(n)) for n in range(256)]
    assert server.connections <= 64


def test_calls_in_turn_keep_one_connection(serve: Serve) -> None:
    server = serve(echo)
    for number in range(10):
        at(server).apply({"text": str(number)})
    assert server.connections == 1


def test_loops_in_several_threads(serve: Serve) -> None:
    function = at(serve(echo))

    def run(number: int) -> Any:
        return asyncio.run(_once(function, str(number)))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(run, range(16))) == [said(str(n)) for n in range(16)]


async def _once(function: Any, text: str) -> Any:
    return await function.aapply({"text": text})


def test_a_cancelled_task_leaves_the_client_usable(serve: Serve) -> None:
    server = serve(lambda seen: completion("x", delay=5 if "slow" in str(seen.body) else 0))
    function = at(server)

    async def cancelling() -> Any:
        task = asyncio.create_task(_once(function, "slow"))
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await function.aapply({"text": "quick"})

    assert asyncio.run(cancelling()) == "x"


@pytest.fixture
def traced(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A tracing package that wraps `create` in the SDK's classes."""
    seen: list[str] = []

    def wrap(kind: Any) -> None:
        inner = kind.create

        def create(self: Any, *args: Any, **rest: Any) -> Any:
            seen.append(kind.__name__)
            return inner(self, *args, **rest)

        monkeypatch.setattr(kind, "create", create)

    wrap(Completions)
    wrap(AsyncCompletions)
    yield seen


def test_the_plain_sdk_is_not_taken_for_wrapped() -> None:
    assert not _wrapped(openai.OpenAI(api_key="none").chat.completions)


def test_a_wrapped_create_is_called(serve: Serve, traced: list[str]) -> None:
    function = at(serve(echo))
    assert _wrapped(openai.OpenAI(api_key="none").chat.completions)
    assert function.apply({"text": "a"}) == said("a")
    assert asyncio.run(_once(function, "b")) == said("b")
    assert traced == ["Completions", "AsyncCompletions"]
    assert function.with_options(transport="raw").apply({"text": "c"}) == said("c")
    assert len(traced) == 2


def test_a_factory_is_called_once(serve: Serve) -> None:
    server, made = serve(echo), []

    def factory() -> openai.OpenAI:
        made.append(1)
        return openai.OpenAI(api_key="mine", base_url=server.url)

    function = text_function().with_options(model="m", client=factory)
    for _ in range(3):
        function.apply({"text": "a"})
    assert made == [1]
    assert server.requests[0].headers["authorization"] == "Bearer mine"
    assert asyncio.run(_once(function, "b")) == said("b")


def test_a_ready_client_of_the_wrong_kind_says_so(serve: Serve) -> None:
    client = openai.OpenAI(api_key="mine", base_url=serve(echo).url)
    function = text_function().with_options(model="m", client=client)
    assert function.apply({"text": "a"}) == said("a")
    with pytest.raises(ConfigurationError, match="AsyncOpenAI"):
        asyncio.run(_once(function, "b"))
    client.close()


def test_no_key_says_which_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GROQ_API_KEY", raising=False)
    with pytest.raises(ConfigurationError, match="GROQ_API_KEY") as caught:
        text_function().with_options(model="groq:m").apply({"text": "a"})
    assert caught.value.code == "no-key"


def test_a_program_ends_without_a_word(serve: Serve) -> None:
    server = serve(echo)
    program = f"""
import asyncio, sys
sys.path[:0] = {sys.path!r}
from test_exchange import text_function
f = text_function().with_options(model="m", base_url={server.url!r}, api_key="none")
f.apply({{"text": "a"}})
async def main():
    await f.aapply({{"text": "a"}})
asyncio.run(main())
"""
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "always::ResourceWarning", "-c", program],
        capture_output=True,
        text=True,
        timeout=30,
    )
    # On a busy machine the development mode says what took long.
    said = [line for line in done.stderr.splitlines() if not line.startswith("Executing <")]
    assert (done.returncode, done.stdout, said) == (0, "", [])
