"""One client a process and one a loop: forks, threads, loops, tracers, given clients."""

from __future__ import annotations

import asyncio
import functools
import multiprocessing
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import openai
import pytest
from aigen.runtime import calls
from aigen.runtime.errors import ConfigurationError, DeadlineError, ProviderError
from aigen.runtime.testing import scripted
from aigen.runtime.wire.transport import _wrapped
from openai.resources.chat.completions import AsyncCompletions, Completions
from openai.resources.responses import AsyncResponses, Responses
from servers import Seen, Server, Step, completion, message, response, status, whole
from servers import said as output
from test_exchange import text_function

Serve = Callable[..., Server]
TRANSPORTS = ("auto", "sdk", "raw", "aiohttp", "direct")
each_transport = pytest.mark.parametrize("transport", TRANSPORTS)


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
@each_transport
def test_children_of_a_fork_never_get_each_others_answers(serve: Serve, transport: str) -> None:
    function = at(serve(echo), transport=transport)
    assert function.apply({"text": "first"}) == said("first")
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    children = [
        context.Process(target=_child, args=(function, number, answers)) for number in range(8)
    ]
    for child in children:
        child.start()
    found = [answers.get(timeout=300) for _ in children]
    for child in children:
        child.join()
    assert found == [True] * 8
    assert function.apply({"text": "last"}) == said("last")


def _awaiting_child(function: Any, number: int, answers: Any) -> None:
    async def several() -> list[str]:
        texts = [f"{number}-{turn}" for turn in range(10)]
        return await asyncio.gather(*(_once(function, text) for text in texts))

    awaited = [asyncio.run(several()) for _ in range(2)]
    plain = function.apply({"text": "plain"})
    good = [said(f"{number}-{turn}") for turn in range(10)]
    answers.put(awaited == [good, good] and plain == said("plain"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@each_transport
def test_children_of_a_running_loop_have_loops_of_their_own(serve: Serve, transport: str) -> None:
    function = at(serve(echo), transport=transport)
    context = multiprocessing.get_context("fork")
    answers = context.Queue()

    async def forking() -> list[bool]:
        assert await _once(function, "first") == said("first")
        children = [
            context.Process(target=_awaiting_child, args=(function, number, answers))
            for number in range(8)
        ]
        for child in children:
            child.start()
        during = [_once(function, f"{number}") for number in range(8)]
        assert await asyncio.gather(*during) == [said(f"{number}") for number in range(8)]
        found = [await asyncio.to_thread(answers.get, timeout=300) for _ in children]
        for child in children:
            child.join()
        assert [child.exitcode for child in children] == [0] * 8
        return found

    assert asyncio.run(forking()) == [True] * 8


@each_transport
def test_three_runs_in_a_row(serve: Serve, transport: str) -> None:
    function = at(serve(echo), transport=transport)

    async def several() -> list[str]:
        return await asyncio.gather(*(function.aapply({"text": str(n)}) for n in range(5)))

    for _ in range(3):
        assert asyncio.run(several()) == [said(str(n)) for n in range(5)]


@each_transport
def test_a_plain_call_inside_a_running_loop(serve: Serve, transport: str) -> None:
    function = at(serve(echo), transport=transport)

    async def calling() -> Any:
        before = await function.aapply({"text": "a"})
        return before, function.apply({"text": "b"}), await function.aapply({"text": "c"})

    # It works, and everything else on the loop waits meanwhile.
    with pytest.warns(RuntimeWarning, match=r"await the function's \.aio") as warned:
        assert asyncio.run(calling()) == (said("a"), said("b"), said("c"))
    assert [warning.filename for warning in warned] == [__file__]


def test_a_plain_call_on_another_thread_holds_no_loop_up(serve: Serve) -> None:
    function = at(serve(echo))

    async def calling() -> Any:
        return await asyncio.to_thread(function.apply, {"text": "a"})

    assert asyncio.run(calling()) == said("a")


def test_a_plain_stream_inside_a_running_loop(serve: Serve) -> None:
    function = at(serve(whole("hi")))

    async def calling() -> Any:
        with function._stream({"text": "a"}) as stream:
            return stream.result()

    with pytest.warns(RuntimeWarning, match="inside a running event loop"):
        assert asyncio.run(calling()) == "hi"


@pytest.mark.parametrize("runs", [False, True])
def test_a_notebook_waits_for_its_cells(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, runs: bool
) -> None:
    """Its kernel's loop has nothing else to do; a program that only imports one is no kernel."""
    kernel = SimpleNamespace(IPKernelApp=SimpleNamespace(initialized=lambda: runs))
    monkeypatch.setitem(sys.modules, "ipykernel", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "ipykernel.kernelapp", kernel)
    function = at(serve(echo))

    async def calling() -> Any:
        return function.apply({"text": "a"})

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert asyncio.run(calling()) == said("a")
    assert [each.category for each in seen] == ([] if runs else [RuntimeWarning])


def test_fakes_hold_no_loop_up() -> None:
    async def calling() -> Any:
        return text_function().apply({"text": "a"})

    with scripted(["hi"]):
        assert asyncio.run(calling()) == "hi"


@each_transport
def test_many_threads_share_few_connections(serve: Serve, transport: str) -> None:
    server = serve(echo)
    function = at(server, transport=transport)
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

    for kind in (Completions, AsyncCompletions, Responses, AsyncResponses):
        wrap(kind)
    yield seen


def test_the_plain_sdk_is_not_taken_for_wrapped() -> None:
    for client in (openai.OpenAI(api_key="none"), openai.AsyncOpenAI(api_key="none")):
        assert not _wrapped(client.chat.completions)
        assert not _wrapped(client.responses)


def _counting(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which of the SDK's own methods send; they are not wrapped, so that nothing is changed."""
    sent: list[str] = []
    for kind in (openai.OpenAI, openai.AsyncOpenAI):
        inner = kind.post

        def post(self: Any, *args: Any, inner: Any = inner, **rest: Any) -> Any:
            sent.append(rest["cast_to"].__name__)
            return inner(self, *args, **rest)

        monkeypatch.setattr(kind, "post", post)
    return sent


@pytest.mark.parametrize(
    ("transport", "cast_to"), [("auto", "Response"), ("raw", "Response"), ("sdk", "ChatCompletion")]
)
def test_what_each_transport_asks_the_sdk_for(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, transport: str, cast_to: str
) -> None:
    server = serve(echo)
    sent = _counting(monkeypatch)
    function = at(server, transport=transport)
    assert function.apply({"text": "a"}) == said("a")
    assert asyncio.run(_once(function, "b")) == said("b")
    assert sent == [cast_to] * 2


@each_transport
def test_every_transport_reads_what_the_sdk_does_not_expect(serve: Serve, transport: str) -> None:
    """Servers send texts in parts, words of their own, and numbers as texts."""
    odd = message(
        [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],  # type: ignore[arg-type]
        finish="eos",
        role="model",
    )
    odd |= {"created": "today", "usage": {"prompt_tokens": 7, "completion_tokens": None}}
    function = at(serve(Step(odd)), transport=transport)
    with calls() as seen:
        assert function.apply({"text": "a"}) == "ab"
        assert asyncio.run(_once(function, "b")) == "ab"
    assert [call.usage.input_tokens for call in seen] == [7, 7]


def test_a_wrapped_create_is_called(serve: Serve, traced: list[str]) -> None:
    function = at(serve(echo))
    assert _wrapped(openai.OpenAI(api_key="none").chat.completions)
    assert function.apply({"text": "a"}) == said("a")
    assert asyncio.run(_once(function, "b")) == said("b")
    assert traced == ["Completions", "AsyncCompletions"]
    assert function.with_options(transport="raw").apply({"text": "c"}) == said("c")
    assert len(traced) == 2


def test_a_wrapped_create_of_the_other_api_is_called(serve: Serve, traced: list[str]) -> None:
    server = serve(lambda seen: Step(response(output(seen.body["input"][-1]["content"]))))
    function = at(server, api="responses")
    assert function.apply({"text": "a"}) == said("a")
    assert asyncio.run(_once(function, "b")) == said("b")
    assert traced == ["Responses", "AsyncResponses"]
    assert function.with_options(transport="raw").apply({"text": "c"}) == said("c")
    assert len(traced) == 2


def test_a_create_that_is_wrapped_after_the_first_call_is_called(
    serve: Serve, request: pytest.FixtureRequest
) -> None:
    function = at(serve(echo))
    assert function.apply({"text": "a"}) == said("a")
    traced = request.getfixturevalue("traced")
    assert function.apply({"text": "b"}) == said("b")
    assert traced == ["Completions"]


def test_one_clients_wrapped_create_is_called(serve: Serve) -> None:
    """As a tracer does that wraps a client, and keeps the name of what it wraps."""
    seen: list[Any] = []
    client = openai.OpenAI(api_key="mine", base_url=serve(echo).url)
    inner = client.chat.completions.create

    @functools.wraps(inner)
    def create(*args: Any, **rest: Any) -> Any:
        seen.append(rest["model"])
        return inner(*args, **rest)

    client.chat.completions.create = create  # type: ignore[method-assign]
    for setting in (client, lambda: client):
        function = text_function().with_options(model="m", client=setting)
        assert function.apply({"text": "a"}) == said("a")
    assert seen == ["m", "m"]
    client.close()


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_given_client_does_not_retry_by_itself(serve: Serve, wrapped: bool) -> None:
    server = serve(status(500, headers={"retry-after-ms": "1"}))
    client = openai.OpenAI(api_key="mine", base_url=server.url)
    if wrapped:
        client.chat.completions.create = client.chat.completions.create  # type: ignore[method-assign]
    function = text_function().with_options(model="m", client=client, api_retries=1)
    with pytest.raises(ProviderError):
        function.apply({"text": "a"})
    assert len(server.requests) == 2
    # What need not be changed is not: it is its owner's.
    assert client.max_retries == (0 if wrapped else 2)
    client.close()


@each_transport
def test_both_get_the_same_request(serve: Serve, traced: list[str], transport: str) -> None:
    """Whatever `create` knows as a parameter, and whatever it does not."""
    server = serve(echo)
    settings = {
        "temperature": 0.5,
        "stop": ["x"],
        "seed": 3,
        "reasoning": "low",
        "extra_body": {"top_k": 5},
        "extra_headers": {"X-Own": "h"},
    }
    at(server, transport=transport, **settings).apply({"text": "a"})
    assert bool(traced) == (transport not in ("raw", "direct"))
    seen = server.requests[0]
    assert seen.headers["x-own"] == "h"
    assert {name: value for name, value in seen.body.items() if name != "messages"} == {
        "model": "fake-1",
        "temperature": 0.5,
        "stop": ["x"],
        "seed": 3,
        "reasoning_effort": "low",
        "top_k": 5,
    }


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


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_ready_client_says_so_after_a_fork(serve: Serve) -> None:
    client = openai.OpenAI(api_key="mine", base_url=serve(echo).url)
    function = text_function().with_options(model="m", client=client)
    assert function.apply({"text": "a"}) == said("a")
    context = multiprocessing.get_context("fork")
    words = context.Queue()
    child = context.Process(target=_refused, args=(function, words))
    child.start()
    assert "before fork()" in words.get(timeout=300)
    child.join()
    assert function.apply({"text": "b"}) == said("b")
    client.close()


def _refused(function: Any, words: Any) -> None:
    try:
        words.put(function.apply({"text": "a"}))
    except ConfigurationError as problem:
        words.put(str(problem))


def test_a_ready_client_says_so_on_another_loop(serve: Serve) -> None:
    client = openai.AsyncOpenAI(api_key="mine", base_url=serve(echo).url)
    function = text_function().with_options(model="m", client=client)

    async def both() -> Any:
        return [await _once(function, "a"), await _once(function, "b")]

    with asyncio.Runner() as first:
        assert first.run(both()) == [said("a"), said("b")]
        with pytest.raises(ConfigurationError, match="on another event loop"):
            asyncio.run(_once(function, "c"))
        first.run(client.close())


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
    # A busy machine is no fault of the program.
    asyncio.get_running_loop().slow_callback_duration = 60
    await f.aapply({{"text": "a"}})
asyncio.run(main())
"""
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "always::ResourceWarning", "-c", program],
        capture_output=True,
        text=True,
        timeout=300,
    )
    # On a busy machine the development mode says what took long.
    said = [line for line in done.stderr.splitlines() if not line.startswith("Executing <")]
    assert (done.returncode, done.stdout, said) == (0, "", [])


@pytest.mark.parametrize("awaited", [False, True])
def test_a_body_that_drips_into_a_wrapped_create(
    serve: Serve, traced: list[str], awaited: bool
) -> None:
    server = serve(Step(message("x" * 400), drip=0.01))
    function = at(server, timeout=0.5)
    began = time.monotonic()
    with pytest.raises(DeadlineError):
        asyncio.run(_once(function, "b")) if awaited else function.apply({"text": "a"})
    assert time.monotonic() - began < 2.5
    assert len(traced) == 1
    # The connections still serve what looks at no clock.
    server.steps = echo
    assert function.apply({"text": "a"}) == said("a")
