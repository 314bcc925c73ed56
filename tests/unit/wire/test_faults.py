"""What servers and networks do wrong, over real HTTP, by every transport, plain and awaited."""

from __future__ import annotations

import asyncio
import itertools
import json
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from aigen.runtime import AIFunction, calls
from aigen.runtime.errors import (
    DeadlineError,
    FilteredError,
    ProviderError,
    RefusalError,
    ReplyError,
    TruncatedError,
)
from servers import Seen, Server, Step, completion, message, status
from test_exchange import text_function

Serve = Callable[..., Server]
WAYS = [
    f"{kind} {transport}"
    for transport in ("auto", "sdk", "raw", "aiohttp", "direct")
    for kind in ("plain", "awaited")
]


def number_function() -> AIFunction[Any, Any]:
    definition = json.loads(text_function()._text)
    definition["outputs"][0]["shape"] = {"type": "integer"}
    return AIFunction(json.dumps(definition), Any, Any)


@pytest.fixture(params=WAYS)
def call(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Calls a function at a server."""
    kind, transport = request.param.split()

    def run(server: Any, function: Any = None, **settings: Any) -> Any:
        url = server if isinstance(server, str) else server.url
        given = {"model": "m", "base_url": url, "api_key": "none", "transport": transport}
        made = (function or text_function()).with_options(**{**given, **settings})
        inputs = {"text": "hi"}
        return asyncio.run(made.aapply(inputs)) if kind == "awaited" else made.apply(inputs)

    return run


@pytest.fixture
def no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the server does not say how long to wait, no time passes."""
    monkeypatch.setattr("random.uniform", lambda low, high: 0.0)


@contextmanager
def resetting(first: bytes) -> Iterator[str]:
    """A server that sends these bytes and resets the connection; its base URL."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                connection.recv(1 << 16)
                connection.sendall(first)
                # Zero seconds to linger: closing is a reset and no orderly end.
                linger = struct.pack("ii", 1, 0)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                time.sleep(0.02)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n"


@pytest.mark.parametrize("first", [b"", b"HTTP/1.1 200", HEAD, HEAD + b'{"choices": [{"mess'])
def test_a_connection_that_is_reset(call: Callable[..., Any], no_wait: None, first: bytes) -> None:
    with resetting(first) as url, pytest.raises(ProviderError) as caught:
        call(url, api_retries=1)
    assert caught.value.code == "connection"


def test_429_without_a_word_of_when(serve: Serve, call: Callable[..., Any], no_wait: None) -> None:
    server = serve(status(429), status(429), completion("hello"))
    assert call(server) == "hello"
    assert len(server.requests) == 3


@pytest.mark.parametrize("said", ["soon", "-3", "nan", "inf", "1e999", ""])
def test_nonsense_about_when(
    serve: Serve, call: Callable[..., Any], no_wait: None, said: str
) -> None:
    server = serve(status(503, headers={"Retry-After": said}), completion("hello"))
    assert call(server, timeout=10) == "hello"


def test_a_storm_of_500_ends(serve: Serve, call: Callable[..., Any], no_wait: None) -> None:
    server = serve(*(status(500 + n % 5) for n in range(20)))
    with pytest.raises(ProviderError):
        call(server, api_retries=10)
    assert len(server.requests) == 11
    server = serve(*(status(500) for _ in range(10)), completion("hello"))
    assert call(server, api_retries=10) == "hello"


def test_a_storm_of_500_meets_the_deadline(serve: Serve, call: Callable[..., Any]) -> None:
    began = time.monotonic()
    with pytest.raises((ProviderError, DeadlineError)):
        call(serve(status(500, headers={"retry-after-ms": "50"})), api_retries=9999, timeout=0.6)
    assert time.monotonic() - began < 1.5


def test_a_body_that_drips(serve: Serve, call: Callable[..., Any]) -> None:
    assert call(serve(completion("hello"))) == "hello"  # what the first call imports takes time
    began = time.monotonic()
    step = Step(json.dumps(message("x" * 400)), drip=0.01)
    with pytest.raises(DeadlineError):
        call(serve(step), timeout=0.5)
    assert time.monotonic() - began < 2.5


def test_a_refusal(serve: Serve, call: Callable[..., Any]) -> None:
    server = serve(completion(None, refusal="I will not."))
    with pytest.raises(RefusalError, match="I will not") as caught:
        call(server)
    assert len(server.requests) == 1
    assert caught.value.usage.input_tokens == 7


def test_a_filter(serve: Serve, call: Callable[..., Any]) -> None:
    server = serve(completion("", finish="content_filter"))
    with pytest.raises(FilteredError):
        call(server)
    assert len(server.requests) == 1


def test_a_cut_off_reply_gets_one_larger_budget(serve: Serve, call: Callable[..., Any]) -> None:
    server = serve(completion('{"result": 4', finish="length"))
    with pytest.raises(TruncatedError) as caught:
        call(server, number_function(), max_output_tokens=10)
    limits = [
        one.body.get("max_tokens", one.body.get("max_completion_tokens")) for one in server.requests
    ]
    assert limits == [10, 20]
    assert len(caught.value.attempts) == 2
    with pytest.raises(TruncatedError):  # nothing to double
        call(serve(completion('{"result": 4', finish="length")), number_function())


def test_only_reasoning(serve: Serve, call: Callable[..., Any]) -> None:
    """The text of an answer is never taken from what the model thought."""
    thought = completion(None, reasoning_content='{"result": 4}')
    server = serve(thought, completion('{"result": 5}', reasoning_content="Hm."))
    with calls() as seen:
        assert call(server, number_function()) == 5
    assert len(server.requests) == 2
    assert seen[0].reasoning == "Hm."
    with pytest.raises(ReplyError):
        call(serve(thought), number_function())


@pytest.mark.parametrize(
    "text", ['```json\n{"result": 4}\n```', 'Sure!\n```\n{"result": 4}\n```\nDone.']
)
def test_fences(serve: Serve, call: Callable[..., Any], text: str) -> None:
    server = serve(completion(text))
    with calls() as seen:
        assert call(server, number_function()) == 4
    assert len(server.requests) == 1
    assert seen[0].repairs


@pytest.mark.parametrize("choices", [None, []])
def test_an_error_beside_null_choices(
    serve: Serve, call: Callable[..., Any], no_wait: None, choices: Any
) -> None:
    """As gateways answer with a good status for the server behind them."""
    bad = {**message("x"), "choices": choices, "error": {"code": 502, "message": "bad gateway"}}
    server = serve(Step(bad), completion("hello"))
    assert call(server) == "hello"
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "body",
    [b"\xff\xfe\x00", b'{"choices": [{"message": {"content": "\xff"}}]}', b"", b"null", b"1"],
)
def test_bodies_that_are_none(
    serve: Serve, call: Callable[..., Any], no_wait: None, body: bytes
) -> None:
    server = serve(Step(body), completion("hello"))
    assert call(server) == "hello"


def test_errors_of_any_form(serve: Serve, call: Callable[..., Any]) -> None:
    for body in (b"<h1>no</h1>", b"", b"[]", b'{"error": "no"}', b'{"detail": [{"msg": "no"}]}'):
        with pytest.raises(ProviderError) as caught:
            call(serve(Step(body, 403)))
        assert caught.value.status == 403


PROGRAM = """
import asyncio, os, sys, threading
sys.path[:0] = {path!r}
import openai  # which takes its time
from test_exchange import text_function
f = text_function().with_options(
    model="m", base_url={url!r}, api_key="none", transport={transport!r}, timeout=20
)
def quietly():
    try:
        f.apply({{"text": "a"}})
    except BaseException:
        pass
async def several():
    tasks = [asyncio.create_task(f.aapply({{"text": "a"}})) for _ in range(4)]
    while not os.path.exists({flag!r}):
        await asyncio.sleep(0.05)
for _ in range(4):
    threading.Thread(target=quietly, daemon=True).start()
asyncio.run(several())
print("done", flush=True)
"""


@pytest.mark.parametrize("transport", ["auto", "sdk", "raw", "aiohttp", "direct"])
def test_a_program_that_ends_with_calls_in_flight(
    serve: Serve, transport: str, tmp_path: Path
) -> None:
    flag, arrived = tmp_path / "all are there", itertools.count(1)

    def slow(seen: Seen) -> Step:
        if next(arrived) == 8:
            flag.touch()
        time.sleep(4)
        return completion("late")

    server = serve(slow)
    program = PROGRAM.format(path=sys.path, url=server.url, transport=transport, flag=str(flag))
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    assert "Traceback" not in done.stderr and "Fatal" not in done.stderr, done.stderr
    assert time.time() - flag.stat().st_mtime < 30


@pytest.mark.parametrize(
    "text", ['{"result": 4, "result": 5}', '{"result": null}', '{"result": true}']
)
def test_what_is_never_taken_for_an_answer(
    serve: Serve, call: Callable[..., Any], text: str
) -> None:
    """A name that stands twice, and values of another kind."""
    with pytest.raises(ReplyError):
        call(serve(completion(text)), number_function())


def test_thoughts_before_the_answer(serve: Serve, call: Callable[..., Any]) -> None:
    server = serve(completion('<think>Four, or {"score": 9}?</think>\n{"result": 4}'))
    assert call(server, number_function()) == 4
