"""Replies that are kept: what is kept, for whom, and one flight for each request."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import sqlite3
import stat
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import openai
import pytest
from aigen.runtime import AIFunction, calls
from aigen.runtime.errors import DeadlineError, ProviderError, ReplyError
from aigen.runtime.record import cache, stores
from aigen.runtime.testing import no_network, scripted
from aigen.runtime.wire import client
from servers import Seen, Server, Step, completion, status
from test_exchange import text_function

Serve = Callable[..., Server]


@pytest.fixture(autouse=True)
def _empty() -> Iterator[None]:
    cache.close()
    yield
    cache.close()


@pytest.fixture(params=["memory", "file"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return "memory" if request.param == "memory" else str(tmp_path / "deep" / "replies.sqlite")


def at(server: Server, where: Any, **more: Any) -> Any:
    return text_function().with_options(
        **{"model": "m", "base_url": server.url, "api_key": "none", "cache_replies": where, **more}
    )


async def _all(function: Any, texts: list[str]) -> list[str]:
    return list(await asyncio.gather(*(function.aapply({"text": text}) for text in texts)))


def echo(seen: Seen) -> Step:
    return completion(str(len(seen.body["messages"][-1]["content"])), delay=0.1)


@pytest.mark.parametrize("transport", ["auto", "sdk", "raw", "direct"])
def test_a_request_is_sent_once(serve: Serve, where: str, transport: str) -> None:
    server = serve(completion("hello"))
    function = at(server, where, transport=transport)
    with calls() as seen:
        assert function.apply({"text": "a"}) == "hello"
        assert asyncio.run(_all(function, ["a", "a"])) == ["hello"] * 2
    assert len(server.requests) == 1
    assert [call.exchanges[0].cached for call in seen] == [False, True, True]
    assert [call.usage.input_tokens for call in seen] == [7, 0, 0]
    assert seen[1].model == "fake-1"
    assert seen[1].exchanges[0].reply.raw["usage"]["prompt_tokens"] == 7


@pytest.mark.parametrize(
    "other",
    [
        {"model": "other"},
        {"temperature": 0.5},
        {"extra_headers": {"X-Team": "b"}},
        {"extra_body": {"top_k": 3}},
        {"api": "responses"},
    ],
    ids=str,
)
def test_all_that_is_sent_counts(serve: Serve, other: dict[str, Any]) -> None:
    server = serve(completion("hello"))
    at(server, "memory").apply({"text": "a"})
    at(server, "memory", **other).apply({"text": "a"})
    assert len(server.requests) == 2


def test_another_server_is_asked_itself(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = serve(completion("first")), serve(completion("second"))
    assert at(first, "memory").apply({"text": "a"}) == "first"
    assert at(second, "memory").apply({"text": "a"}) == "second"
    for server, says in ((first, "first"), (second, "second")):
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        client._forget()  # as another process, which reads the variable itself
        assert at(server, "memory", base_url=None).apply({"text": "b"}) == says


def test_the_server_of_a_given_client_counts(serve: Serve) -> None:
    servers = serve(completion("first")), serve(completion("second"))
    for _ in range(2):
        for server, says in zip(servers, ("first", "second"), strict=True):
            function = at(
                server,
                "memory",
                base_url=None,
                client=lambda url=server.url: openai.OpenAI(api_key="x", base_url=url),
            )
            assert function.apply({"text": "a"}) == says
            assert asyncio.run(_all(function, ["a"])) == [says]
    assert [len(server.requests) for server in servers] == [1, 1]


def test_the_key_does_not_count(serve: Serve, where: str) -> None:
    server = serve(completion("hello"))
    for key in ("one", "two"):
        at(server, where, api_key=key).apply({"text": "a"})
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "bad",
    [completion(None), completion("x", refusal="no"), completion("x", finish="length")],
    ids=["empty", "refusal", "cut off"],
)
def test_what_cannot_be_used_is_not_kept(serve: Serve, where: str, bad: Step) -> None:
    server = serve(bad, completion("hello"))
    function = at(server, where, retries=0)
    with pytest.raises(ReplyError):
        function.apply({"text": "a"})
    assert function.apply({"text": "a"}) == "hello"
    assert function.apply({"text": "a"}) == "hello"
    assert len(server.requests) == 2


def test_what_is_asked_again_is_kept_under_what_was_asked(serve: Serve, where: str) -> None:
    server = serve(completion(None), completion("hello"), completion(None))
    function = at(server, where)
    assert function.apply({"text": "a"}) == "hello"
    assert len(server.requests) == 2
    # The unreadable one is asked for anew; the answer to the second question is there.
    assert function.apply({"text": "a"}) == "hello"
    assert len(server.requests) == 3


def strict_function(check: str | None = None) -> AIFunction[Any, Any]:
    definition = json.loads(text_function()._text)
    definition["checks"] = [{"call": check, "field": "result"}] if check else []
    return AIFunction(json.dumps(definition), Any, Any)


def shouts(text: str) -> bool:
    return text.isupper()


def fails(text: str) -> bool:
    raise RuntimeError("the check itself is at fault")


def test_what_fails_a_check_is_not_kept_and_what_does_no_longer_fit_goes(
    serve: Serve, where: str
) -> None:
    server = serve(completion("quiet"), completion("LOUD"), completion("quiet"))
    options = {"model": "m", "base_url": server.url, "api_key": "none", "cache_replies": where}
    plain = strict_function().with_options(**options)
    checked = strict_function(f"{__name__}:shouts").with_options(retries=0, **options)
    assert plain.apply({"text": "a"}) == "quiet"
    with calls() as seen, pytest.raises(ReplyError):
        checked.apply({"text": "a"})
    assert seen[0].exchanges[0].cached
    assert checked.apply({"text": "a"}) == "LOUD"
    assert plain.apply({"text": "a"}) == "LOUD"
    assert len(server.requests) == 2


def test_a_check_that_raises_lets_others_ask(serve: Serve, where: str) -> None:
    server = serve(completion("hello"))
    options = {"model": "m", "base_url": server.url, "api_key": "none", "cache_replies": where}
    with pytest.raises(Exception, match="itself is at fault"):
        strict_function(f"{__name__}:fails").with_options(**options).apply({"text": "a"})
    assert strict_function().with_options(timeout=5, **options).apply({"text": "a"}) == "hello"


def test_an_error_is_not_kept(serve: Serve, where: str) -> None:
    server = serve(status(400), completion("hello"))
    function = at(server, where)
    with pytest.raises(ProviderError):
        function.apply({"text": "a"})
    assert function.apply({"text": "a"}) == "hello"


def test_one_flight_for_threads(serve: Serve, where: str) -> None:
    server = serve(echo)
    function = at(server, where)
    with ThreadPoolExecutor(32) as pool:
        found = list(pool.map(lambda n: function.apply({"text": "x" * (n % 4)}), range(64)))
    assert found == [str(len("<text>\n\n</text>") + n % 4) for n in range(64)]
    assert len(server.requests) == 4


def test_one_flight_for_tasks_and_threads_together(serve: Serve, where: str) -> None:
    server = serve(echo)
    function = at(server, where)

    def loop() -> list[str]:
        return asyncio.run(_all(function, ["a", "bb"] * 20))

    with ThreadPoolExecutor(4) as pool:
        loops = [pool.submit(loop) for _ in range(2)]
        plain = [pool.submit(function.apply, {"text": "a"}) for _ in range(2)]
        lengths = {len(set(one.result())) for one in loops} | {len({p.result() for p in plain})}
    assert lengths == {2, 1}
    assert len(server.requests) == 2


def _child(function: Any, start: Any, answers: Any) -> None:
    start.wait(20)
    answers.put([function.apply({"text": "x" * (n % 3)}) for n in range(9)])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("used", [False, True])
def test_one_flight_for_processes(serve: Serve, tmp_path: Path, used: bool) -> None:
    server = serve(echo)
    function = at(server, str(tmp_path / "replies.sqlite"))
    context = multiprocessing.get_context("fork")
    if used:
        assert function.apply({"text": "first"})
    before = len(server.requests)
    answers, start = context.Queue(), context.Event()
    children = [context.Process(target=_child, args=(function, start, answers)) for _ in range(8)]
    for child in children:
        child.start()
    start.set()
    found = [answers.get(timeout=300) for _ in children]
    for child in children:
        child.join()
    assert found == [[str(len("<text>\n\n</text>") + n % 3) for n in range(9)]] * 8
    assert len(server.requests) - before == 3
    assert function.apply({"text": "x"}) == found[0][1]
    assert len(server.requests) - before == 3


def _dies(function: Any) -> None:
    threading.Timer(0.3, lambda: os._exit(1)).start()
    function.apply({"text": "slow"})


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_process_that_dies_holds_nobody_up(serve: Serve, tmp_path: Path) -> None:
    server = serve(completion("late", delay=3), completion("hello"))
    function = at(server, str(tmp_path / "replies.sqlite"), timeout=10)
    child = multiprocessing.get_context("fork").Process(target=_dies, args=(function,))
    child.start()
    while not server.requests:
        pass
    assert function.apply({"text": "slow"}) == "hello"
    child.join()
    assert child.exitcode == 1


def test_a_cancelled_task_lets_others_ask(serve: Serve, where: str) -> None:
    server = serve(completion("late", delay=2), completion("hello"))
    function = at(server, where)

    async def cancelling() -> Any:
        first = asyncio.create_task(function.aapply({"text": "a"}))
        await asyncio.sleep(0.2)
        second = asyncio.create_task(function.aapply({"text": "a"}))
        await asyncio.sleep(0.1)
        assert len(server.requests) == 1
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        return await second

    assert asyncio.run(cancelling()) == "hello"


def test_one_who_waits_has_a_deadline(serve: Serve, where: str) -> None:
    server = serve(completion("late", delay=1.5))
    function = at(server, where)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(function.apply, {"text": "a"})
        while not server.requests:
            pass
        with pytest.raises(DeadlineError):
            function.with_options(timeout=0.3).apply({"text": "a"})
        assert first.result() == "late"
    assert len(server.requests) == 1


def test_a_file_outlives_the_process_and_is_its_owners(serve: Serve, tmp_path: Path) -> None:
    server = serve(completion("hello"))
    path = tmp_path / "replies.sqlite"
    at(server, str(path)).apply({"text": "a"})
    for file in tmp_path.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    cache.close()
    assert at(server, str(path)).apply({"text": "a"}) == "hello"
    assert len(server.requests) == 1
    assert "api_key" not in path.read_bytes().decode("latin-1")


def _garbage(path: Path) -> None:
    path.write_bytes(b"this is no database" * 100)


def _foreign(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE replies (a)")
    connection.close()


def _folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("damage", [_garbage, _foreign, _folder])
def test_a_file_that_cannot_be_used_is_done_without(
    serve: Serve, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    server, path = serve(completion("hello")), tmp_path / "replies.sqlite"
    damage(path)
    before = path.read_bytes() if path.is_file() else b""
    function = at(server, str(path))
    with pytest.warns(RuntimeWarning, match="cannot be used, so nothing is kept"):
        assert function.apply({"text": "a"}) == "hello"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert function.apply({"text": "a"}) == "hello"
    assert len(server.requests) == 2
    assert (path.read_bytes() if path.is_file() else b"") == before


def test_a_file_that_breaks_in_use_is_done_without(serve: Serve, tmp_path: Path) -> None:
    server, path = serve(completion("hello")), tmp_path / "replies.sqlite"
    function = at(server, str(path))
    function.apply({"text": "a"})
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE replies")
    connection.close()
    with pytest.warns(RuntimeWarning, match="no such table"):
        assert function.apply({"text": "a"}) == "hello"
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda _: function.apply({"text": "a"}), range(8))) == ["hello"] * 8


def test_a_kept_reply_that_is_damaged_is_asked_for_again(serve: Serve, tmp_path: Path) -> None:
    server, path = serve(completion("hello")), tmp_path / "replies.sqlite"
    function = at(server, str(path))
    function.apply({"text": "a"})
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE replies SET body = '{\"choices\": ['")
    connection.close()
    assert function.apply({"text": "a"}) == "hello"
    assert function.apply({"text": "a"}) == "hello"
    assert len(server.requests) == 2


def test_a_file_that_is_busy_is_passed_over(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores, "_PATIENCE", 0.05)
    server, path = serve(completion("hello")), tmp_path / "replies.sqlite"
    function = at(server, str(path))
    function.apply({"text": "a"})
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert function.apply({"text": "a"}) == "hello"  # reading waits for nobody
    assert function.apply({"text": "b"}) == "hello"
    other.execute("ROLLBACK")
    other.close()
    assert len(server.requests) == 2
    assert function.apply({"text": "b"}) == "hello"
    assert function.apply({"text": "b"}) == "hello"
    assert len(server.requests) == 3


def test_a_relative_file_is_the_same_file(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    server = serve(echo)
    names = ["replies.sqlite", "./replies.sqlite", str(tmp_path / "replies.sqlite")] * 2
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda name: at(server, name).apply({"text": "a"}), names))
    assert len(set(found)) == len(server.requests) == 1


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "_MOST_CHARACTERS", 100)
    store = stores.MemoryStore()
    for number in range(20):
        store.put(str(number), "x" * 10)
        assert store.get("0") is not None  # what is asked for stays
    assert [number for number in range(20) if store.get(str(number))] == [0, *range(11, 20)]
    for _ in range(20):
        store.put("0", "x" * 10)  # what is put again counts once
    assert store.get("11") is not None
    store.put("large", "x" * 101)
    assert store.get("large") is None


def test_fakes_are_not_kept(serve: Serve, where: str) -> None:
    server = serve(completion("real"))
    function = at(server, where)
    with scripted(["one", "two"]):
        assert [function.apply({"text": "a"}) for _ in range(2)] == ["one", "two"]
    sample = function.with_options(model="sample", base_url=None)
    assert sample.apply({"text": "a"}) == sample.apply({"text": "a"})
    assert function.apply({"text": "a"}) == "real"
    with no_network():
        assert function.apply({"text": "a"}) == "real"  # nothing leaves the process


def test_false_turns_it_off(serve: Serve) -> None:
    server = serve(completion("hello"))
    for _ in range(2):
        at(server, False).apply({"text": "a"})
    assert len(server.requests) == 2
