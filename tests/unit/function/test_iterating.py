"""`imap` and `aimap`: order, reading ahead, failed rows, sources that fail, abandoned iterators."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
import weakref
from collections import namedtuple
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pandas
import pytest
import servers
from aigen.runtime import override
from aigen.runtime.errors import ConfigurationError, ProviderError, RefusalError
from aigen.runtime.testing import delayed, http_error, refusal, scripted
from shop_ai import support

Rows = Callable[[], Iterator[Any]]


def step(request: Any) -> Any:
    words = request.messages[-1]["content"]
    number = int("".join(char for char in words if char.isdigit()))
    if number % 10 == 3:
        return refusal()
    return delayed(0.01 if number % 2 else 0.0, {"summary": f"s{number}", "urgent": False})


def rows(count: int) -> list[dict[str, str]]:
    return [{"message": f"m{number}"} for number in range(count)]


def answers(given: Any, awaited: bool, **how: Any) -> Iterator[Any]:
    """The answers of `imap`, or of `aimap`, each when it comes."""
    function = support.triage.with_options(concurrency=2)
    if not awaited:
        yield from function.imap(given, **how)
        return
    with asyncio.Runner() as runner:
        found = function.aimap(given, **how)
        try:
            while True:
                try:
                    yield runner.run(anext(found))
                except StopAsyncIteration:
                    return
        finally:
            runner.run(found.aclose())


BOTH = pytest.mark.parametrize("awaited", [False, True])


@BOTH
def test_answers_come_in_order_and_a_failed_row_raises_at_its_turn(awaited: bool) -> None:
    with scripted(step):
        found = answers(rows(6), awaited)
        assert [next(found).summary for _ in range(3)] == ["s0", "s1", "s2"]
        with pytest.raises(RefusalError):
            next(found)
        assert list(found) == []


@BOTH
def test_a_failed_rows_error_may_be_given_in_its_place(awaited: bool) -> None:
    with scripted(step):
        found = list(answers(rows(25), awaited, on_error="give"))
    assert [number for number, row in enumerate(found) if isinstance(row, RefusalError)] == [
        3,
        13,
        23,
    ]
    assert [row.summary for row in found[14:18]] == ["s14", "s15", "s16", "s17"]


@BOTH
def test_what_every_row_meets_is_raised_always(awaited: bool) -> None:
    refused = pytest.raises(ProviderError, match="401")
    with scripted(lambda request: http_error(401)) as model, refused:
        list(answers(rows(50), awaited, on_error="give"))
    assert len(model.requests) <= 4


@BOTH
def test_it_reads_at_most_twice_its_concurrency_ahead(awaited: bool) -> None:
    read: list[int] = []

    def source() -> Iterator[dict[str, str]]:
        for number in range(100):
            read.append(number)
            yield {"message": f"m{number * 10}"}

    with scripted(step):
        found = answers(source(), awaited)
        assert read == []
        for taken in range(1, 101):
            assert next(found).summary == f"s{(taken - 1) * 10}"
            assert len(read) == min(100, taken + 3)
        assert list(found) == []


@BOTH
def test_no_more_rows_are_called_at_once_than_the_concurrency(awaited: bool, serve: Any) -> None:
    lock, at_once, most = threading.Lock(), 0, 0

    def answering(seen: Any) -> servers.Step:
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        time.sleep(0.01)
        with lock:
            at_once -= 1
        return servers.completion('{"summary": "s", "urgent": false}')

    server = serve(answering)
    with override(model="m", base_url=server.url, api_key="k"):
        assert len(list(answers(rows(20), awaited))) == 20
    assert most == 2


@BOTH
def test_a_source_that_raises_does_so_after_the_answers_before_it(awaited: bool) -> None:
    def source() -> Iterator[dict[str, str]]:
        yield from rows(3)
        raise LookupError("the source is gone")

    seen = []
    with scripted(step), pytest.raises(LookupError, match="the source is gone"):
        for answer in answers(source(), awaited):
            seen.append(answer.summary)
    assert seen == ["s0", "s1", "s2"]


def test_an_asynchronous_source() -> None:
    closed = []

    async def source() -> AsyncIterator[dict[str, str]]:
        try:
            for row in rows(100):
                await asyncio.sleep(0)
                yield row
        finally:
            closed.append(True)

    async def main() -> list[str]:
        found = []
        answered = support.triage.aimap(source())
        async for answer in answered:
            found.append(answer.summary)
            if len(found) == 3:
                break
        await answered.aclose()
        assert [task for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []
        return found

    with scripted(step):
        assert asyncio.run(main()) == ["s0", "s1", "s2"]
    assert closed


@dataclass
class Ticket:
    message: str


Named = namedtuple("Named", "message")


@BOTH
@pytest.mark.parametrize(
    "given",
    [
        [Ticket("m1")],
        [Named("m1")],
        list(pandas.DataFrame({"message": ["m1"]}).itertuples(index=False)),
        [row for _, row in pandas.DataFrame({"message": ["m1"]}).iterrows()],
    ],
    ids=["dataclass", "named tuple", "itertuples", "iterrows"],
)
def test_rows_may_be_what_has_named_members(given: Any, awaited: bool) -> None:
    with scripted(step):
        assert [row.summary for row in answers(given, awaited)] == ["s1"]


@BOTH
@pytest.mark.parametrize(
    ("given", "mend"),
    [
        ("text", r'not a str: give \[\{"input": value\}, …\]'),
        ({"message": ["a"]}, "not a dict: give"),
        (5, "not a int: give"),
        (pandas.DataFrame({"message": ["m1"]}), r"call triage.add_to\(table\)"),
        (["m1"], r'row 0 is no mapping of inputs but a str: give rows such as \{"input": value\}'),
        ([{"message": "m0"}, None], "row 1 is no mapping"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_rows_is_refused(given: Any, mend: str, awaited: bool) -> None:
    with scripted(step), pytest.raises(ConfigurationError, match=mend):
        list(answers(given, awaited))


def test_it_refuses_before_it_is_iterated() -> None:
    with pytest.raises(ConfigurationError):
        support.triage.imap("text")  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match=r"on_error is .* not 'warn'"):
        support.triage.imap([], on_error="warn")  # type: ignore[call-overload]


def test_settings_are_those_where_it_is_called() -> None:
    with override(model="sample"):
        found = support.triage.imap(rows(2))
    assert [row.summary for row in found] == ["sample", "sample"]


def test_settings_of_an_awaited_one_too() -> None:
    async def main() -> list[str]:
        with override(model="sample"):
            found = support.triage.aimap(rows(2))
        return [row.summary async for row in found]

    assert asyncio.run(main()) == ["sample", "sample"]


def test_an_awaited_iterator_that_is_closed_ends_its_rows() -> None:
    def slow(request: Any) -> Any:
        first = request.messages[-1]["content"] == "<message>\nm0\n</message>"
        return delayed(0 if first else 30, {"summary": "s", "urgent": False})

    async def main() -> None:
        found = support.triage.with_options(concurrency=2).aimap(rows(100))
        assert (await anext(found)).summary == "s"
        began = time.monotonic()
        await found.aclose()
        assert time.monotonic() - began < 10
        assert len(asyncio.all_tasks()) == 1

    with scripted(slow):
        asyncio.run(main())


def of_rows() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "aigen-row"}


@pytest.mark.parametrize("end", ["close", "drop", "raise"])
def test_an_abandoned_iterator_ends_its_threads(end: str) -> None:
    before = of_rows()  # rows that another test left behind
    with scripted(step) as model:
        found = support.triage.with_options(concurrency=2).imap(rows(1000))
        assert next(found).summary == "s0"
        if end == "close":
            found.close()
        elif end == "raise":
            with pytest.raises(RuntimeError):
                found.throw(RuntimeError())
        del found
        gc.collect()
        until = time.monotonic() + 5
        while of_rows() - before and time.monotonic() < until:
            time.sleep(0.01)
        assert not of_rows() - before
        assert len(model.requests) <= 6


def test_rows_see_the_callers_context_and_not_each_others() -> None:
    from contextvars import ContextVar

    seen: ContextVar[str] = ContextVar("seen", default="nothing")
    found = []

    def looking(request: Any) -> Any:
        found.append(seen.get())
        seen.set("a row's")
        return {"summary": "s", "urgent": False}

    token = seen.set("the caller's")
    with scripted(looking):
        list(support.triage.with_options(concurrency=1).imap(rows(3)))
        support.triage.with_options(concurrency=1).map(["a", "b"])
    seen.reset(token)
    assert set(found) == {"the caller's"}


@BOTH
def test_rows_and_answers_that_were_given_are_let_go(awaited: bool) -> None:
    class Row(dict[str, str]):
        """A mapping that a weak reference can point at."""

        __hash__ = object.__hash__  # type: ignore[assignment]

    there: weakref.WeakSet[Row] = weakref.WeakSet()
    most = 0

    def source() -> Iterator[Row]:
        for number in range(400):
            row = Row(message=f"m{number}")
            there.add(row)
            yield row

    kept: list[Any] = []
    with override(model="sample"):
        for answer in answers(source(), awaited):
            kept.append(weakref.ref(answer))
            del answer
            alive = sum(reference() is not None for reference in kept)
            most = max(most, len(there), alive)
    assert most <= 12
    assert len(kept) == 400
    until = time.monotonic() + 10  # a thread holds the last row until it has ended
    while (there or any(reference() for reference in kept)) and time.monotonic() < until:
        gc.collect()
        time.sleep(0.01)
    assert not there and not any(reference() for reference in kept)
