"""Limits of a model: requests and tokens a minute, calls in flight."""

from __future__ import annotations

import asyncio
import itertools
import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from aigen.runtime import settings
from aigen.runtime.errors import ConfigurationError, DeadlineError, ProviderError
from aigen.runtime.testing import scripted
from aigen.runtime.wire import limits
from servers import Seen, Server, Step, completion, message, status
from test_exchange import text_function

Serve = Callable[..., Server]


@pytest.fixture(autouse=True)
def _alone() -> Iterator[None]:
    limits._start_anew()
    yield
    limits._start_anew()


@pytest.fixture
def minute(monkeypatch: pytest.MonkeyPatch) -> float:
    """A minute that is over soon."""
    monkeypatch.setattr(limits, "_MINUTE", 1.0)
    return 1.0


def at(server: Server, most: dict[str, int], **more: Any) -> Any:
    options = {"model": "m", "base_url": server.url, "api_key": "none", "limits": most, **more}
    return text_function().with_options(**options)


def call(function: Any, awaited: bool, text: str = "a") -> Any:
    inputs = {"text": text}
    return asyncio.run(function.aapply(inputs)) if awaited else function.apply(inputs)


class InFlight:
    """Counts the requests that a server has at once."""

    def __init__(self, delay: float = 0.03) -> None:
        self.now = self.most = 0
        self.lock, self.delay = threading.Lock(), delay

    def __call__(self, seen: Seen) -> Step:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        time.sleep(self.delay)
        with self.lock:
            self.now -= 1
        return completion("hi")


async def _many(function: Any, count: int) -> None:
    await asyncio.gather(*(function.aapply({"text": str(number)}) for number in range(count)))


def test_calls_in_flight_of_threads_and_tasks_together(serve: Serve) -> None:
    flying = InFlight()
    function = at(serve(flying), {"in_flight": 3})
    with ThreadPoolExecutor(10) as pool:
        plain = [pool.submit(function.apply, {"text": "a"}) for _ in range(16)]
        loops = [pool.submit(asyncio.run, _many(function, 16)) for _ in range(2)]
        for done in (*plain, *loops):
            done.result()
    assert flying.most == 3


def test_each_model_has_its_own(serve: Serve) -> None:
    flying = InFlight(0.2)
    server = serve(flying)
    functions = [at(server, {"in_flight": 1}, model=name) for name in ("a", "b")]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: functions[n % 2].apply({"text": "a"}), range(6)))
    assert flying.most == 2


@pytest.mark.parametrize("awaited", [False, True])
def test_requests_a_minute(serve: Serve, minute: float, awaited: bool) -> None:
    times: list[float] = []

    def noted(seen: Seen) -> Step:
        times.append(time.monotonic())
        return completion("hi")

    function = at(serve(noted), {"requests_per_minute": 3})

    def begin() -> None:
        # The first call of a process, and of a loop, takes time after its turn has come.
        limits._start_anew()
        times.clear()

    async def awaiting() -> None:
        await function.aapply({"text": "first"})
        begin()
        await _many(function, 7)

    if awaited:
        asyncio.run(awaiting())
    else:
        function.apply({"text": "first"})
        begin()
        with ThreadPoolExecutor(7) as pool:
            list(pool.map(lambda n: function.apply({"text": str(n)}), range(7)))
    times.sort()
    assert all(later - first > minute * 0.8 for first, later in zip(times, times[3:], strict=False))
    assert times[-1] - times[0] < minute * 4


@pytest.mark.parametrize("awaited", [False, True])
def test_tokens_a_minute_as_the_server_counts_them(
    serve: Serve, minute: float, awaited: bool
) -> None:
    used = {"prompt_tokens": 400, "completion_tokens": 100}
    server = serve(Step({**message("hi"), "usage": used}))
    function = at(server, {"tokens_per_minute": 1000})
    call(function.with_options(limits=None), awaited)  # what it imports takes time
    began = time.monotonic()
    for _ in range(2):
        call(function, awaited)
    assert time.monotonic() - began < minute
    call(function, awaited)  # what the two used is more than its estimate leaves
    assert minute * 0.9 < time.monotonic() - began < minute * 3


def test_more_tokens_than_a_minute_has_go_alone(serve: Serve, minute: float) -> None:
    server = serve(completion("hi"))
    function = at(server, {"tokens_per_minute": 5}, max_output_tokens=100)
    began = time.monotonic()
    assert call(function, False) == "hi"
    assert time.monotonic() - began < minute / 2


def test_what_a_reply_may_take_counts_until_it_is_there(serve: Serve) -> None:
    flying = InFlight(0.2)
    function = at(serve(flying), {"tokens_per_minute": 1500}, max_output_tokens=1000)
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(lambda _: function.apply({"text": "a"}), range(3))) == ["hi"] * 3
    assert flying.most == 1


def test_what_was_refused_used_no_tokens(serve: Serve) -> None:
    server = serve(status(429, headers={"retry-after-ms": "1"}), completion("hi"))
    function = at(server, {"tokens_per_minute": 1500}, max_output_tokens=1000)
    assert call(function.with_options(timeout=5), False) == "hi"


@pytest.mark.parametrize("awaited", [False, True])
def test_first_come_first_served(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, awaited: bool
) -> None:
    names = [str(number) for number in range(12)]
    order: list[str] = []
    joined = threading.Semaphore(0)
    all_joined = threading.Event()
    enter = limits.Turn.enter

    def entered(turn: limits.Turn, wake: Callable[[], Any]) -> None:
        enter(turn, wake)
        joined.release()

    def noted(seen: Seen) -> Step:
        assert all_joined.wait(60)
        order.append(seen.body["messages"][-1]["content"].split("\n")[1])
        return completion("hi")

    monkeypatch.setattr(limits.Turn, "enter", entered)
    function = at(serve(noted), {"in_flight": 1}, timeout=120)
    if awaited:

        async def all_of_them() -> None:
            calls = [asyncio.create_task(function.aapply({"text": name})) for name in names]
            for _ in names:
                assert await asyncio.to_thread(joined.acquire, timeout=60)
            all_joined.set()
            await asyncio.gather(*calls)

        asyncio.run(all_of_them())
    else:
        with ThreadPoolExecutor(12) as pool:
            for name in names:
                pool.submit(function.apply, {"text": name})
                assert joined.acquire(timeout=60)
            all_joined.set()
    assert order == names


@pytest.mark.parametrize("awaited", [False, True])
def test_a_turn_that_does_not_come_in_time(serve: Serve, awaited: bool) -> None:
    server = serve(completion("hi"))
    function = at(server, {"requests_per_minute": 1}, timeout=0.3)
    assert call(function, awaited) == "hi"
    began = time.monotonic()
    with pytest.raises(DeadlineError):
        call(function, awaited)
    assert time.monotonic() - began < 1
    assert len(server.requests) == 1
    assert not limits._lane(function.request(text="a")).waiting


def test_a_cancelled_task_leaves_the_line(serve: Serve) -> None:
    server = serve(completion("hi", delay=0.3))
    function = at(server, {"in_flight": 1})

    async def cancelling() -> None:
        first, second, third = (
            asyncio.create_task(function.aapply({"text": name})) for name in "abc"
        )
        await asyncio.sleep(0.1)
        second.cancel()
        assert await asyncio.gather(first, third) == ["hi", "hi"]
        first = asyncio.create_task(function.aapply({"text": "d"}))
        await asyncio.sleep(0.1)
        first.cancel()
        assert await function.aapply({"text": "e"}) == "hi"

    asyncio.run(cancelling())
    assert limits._lane(function.request(text="a")).flying == 0


def test_a_server_that_asks_for_rest_gets_it_from_everyone(serve: Serve) -> None:
    times = []
    steps = itertools.chain([status(429, headers={"Retry-After": "1"})], itertools.repeat(None))

    def noted(seen: Seen) -> Step:
        times.append(time.monotonic())
        return next(steps) or completion("hi")

    function = at(serve(noted), {"in_flight": 1})
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: function.apply({"text": "a"}), range(4))) == ["hi"] * 4
    assert times[1] - times[0] > 0.9


def test_a_failed_call_frees_its_place(serve: Serve) -> None:
    function = at(serve(status(400)), {"in_flight": 1}, timeout=2)
    for awaited in (False, True, False):
        with pytest.raises(ProviderError):
            call(function, awaited)


def test_a_loop_that_is_gone_is_not_woken(serve: Serve) -> None:
    function = at(serve(completion("hi", delay=0.4)), {"in_flight": 1})

    async def gives_up() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await function.aapply({"text": "a"})

    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(function.apply, {"text": "b"})
        time.sleep(0.1)
        asyncio.run(gives_up())
        assert slow.result() == "hi"
    assert function.apply({"text": "c"}) == "hi"


def test_two_places_that_come_free_at_once_wake_two() -> None:
    lane, woken = limits._Lane(), list[str]()

    def turn(name: str) -> limits.Turn:
        made = limits.Turn(lane, {"in_flight": 2}, 0)
        made.enter(lambda: woken.append(name))
        return made

    flying = [turn("a"), turn("b")]
    assert [each.wait() for each in flying] == [0, 0]
    waiting = [turn("c"), turn("d")]
    assert all(each.wait() > 0 for each in waiting)
    woken.clear()
    for each in flying:
        each.end()
    assert set(woken) == {"c"}
    assert waiting[0].wait() == 0
    assert woken[-1] == "d"
    assert waiting[1].wait() == 0


@pytest.mark.parametrize("awaited", [False, True])
def test_a_request_that_takes_more_than_a_minute_is_counted_once(
    serve: Serve, minute: float, awaited: bool
) -> None:
    used = {"prompt_tokens": 400, "completion_tokens": 100}
    slow = Step({**message("hi"), "usage": used}, delay=minute * 1.3)
    function = at(serve(slow, completion("hi")), {"tokens_per_minute": 1000, "in_flight": 2})
    lane = limits._lane(function.request(text="a"))

    def both() -> None:
        with ThreadPoolExecutor(2) as pool:
            first = pool.submit(call, function, awaited)
            time.sleep(minute * 1.1)
            assert call(function, awaited) == "hi"
            assert first.result() == "hi"

    both()
    lane.forget_before(time.monotonic())
    assert lane.tokens == 0


def _child(function: Any, answers: Any) -> None:
    answers.put(function.apply({"text": "a"}))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_has_lines_of_its_own(serve: Serve) -> None:
    function = at(serve(completion("hi", delay=0.5)), {"in_flight": 1}, timeout=5)
    context = multiprocessing.get_context("fork")
    with ThreadPoolExecutor(1) as pool:
        mine = pool.submit(function.apply, {"text": "b"})
        time.sleep(0.1)
        answers = context.Queue()
        child = context.Process(target=_child, args=(function, answers))
        child.start()
        assert answers.get(timeout=300) == "hi"
        assert mine.result() == "hi"
    child.join()


def test_fakes_wait_for_nobody() -> None:
    with settings(limits={"requests_per_minute": 1}, timeout=1), scripted(["x"] * 5):
        assert [text_function().apply({"text": "a"}) for _ in range(5)] == ["x"] * 5


@pytest.mark.parametrize(
    "wrong", [{"rpm": 1}, {"in_flight": 0}, {"tokens_per_minute": "10"}, {"in_flight": True}, 5]
)
def test_what_is_no_limit(wrong: Any) -> None:
    with pytest.raises(ConfigurationError, match="requests_per_minute, tokens_per_minute"):
        text_function().with_options(limits=wrong)
