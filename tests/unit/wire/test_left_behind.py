"""Work on threads that nobody waits for any more, and scripts that it must not reach."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any

import pytest
from aigen.runtime import on_call
from aigen.runtime.errors import ConfigurationError
from aigen.runtime.testing import Scripted, scripted
from aigen.runtime.wire.wanted import Wanted, current
from test_exchange import text_function


def echo(**settings: Any) -> Any:
    return text_function().with_options(model="m", api_retries=0, **settings)


def until(true: Callable[[], object]) -> bool:
    deadline = time.monotonic() + 5
    while not true() and time.monotonic() < deadline:
        time.sleep(0.005)
    return bool(true())


@contextmanager
def ended() -> Iterator[list[Any]]:
    """The calls of this process that end in the block, on whatever thread."""
    found: list[Any] = []
    remove = on_call(found.append)
    try:
        yield found
    finally:
        remove()


class Held:
    """A model whose first reply cannot be used and comes when it is let go."""

    def __init__(self) -> None:
        self.asked, self.go = threading.Event(), threading.Event()

    def __call__(self, request: Any) -> Any:
        self.asked.set()
        assert self.go.wait(10)
        return ""


def test_a_step_that_calls_a_function_itself() -> None:
    def model(request: Any) -> str:
        asked = request.messages[-1]["content"]
        return "inner" if "inner" in asked else f"of {echo().apply({'text': 'inner'})}"

    with scripted(model) as script:
        assert echo().apply({"text": "outer"}) == "of inner"
    assert len(script.requests) == 2


def test_a_step_that_calls_a_function_on_other_threads() -> None:
    def model(request: Any) -> str:
        asked = request.messages[-1]["content"]
        if "inner" in asked:
            return "inner"
        return " ".join(echo().imap([{"text": f"inner {number}"} for number in range(3)]))

    with scripted(model) as script:
        assert list(echo().imap([{"text": "outer"}])) == ["inner inner inner"]
    assert len(script.requests) == 4


def at_later(held: Held, done: list[Any]) -> Scripted:
    """A later script, after what was left behind has ended."""
    with scripted(["a step of a later script"]) as later:
        held.go.set()
        assert until(lambda: done)
        assert echo().apply({"text": "here"}) == "a step of a later script"
    return later


def test_rows_that_were_left_ask_no_more() -> None:
    held = Held()
    with ended() as done:
        with scripted(held) as script:
            rows = echo(retries=3).imap({"text": str(number)} for number in range(3))
            threading.Thread(target=held.asked.wait, args=(5,)).start()
            with pytest.raises(KeyboardInterrupt):
                _interrupted_when(held.asked, rows)
        later = at_later(held, done)
    assert len(later.requests) == 1
    assert {call.error.code for call in done[:-1]} == {"left"}
    assert len(script.requests) <= 3


def _interrupted_when(asked: threading.Event, rows: Any) -> None:
    """As Ctrl-C does it: the wait for a row raises."""
    from aigen.runtime.columns import threads

    def interrupted(self: Any) -> int:
        assert asked.wait(5)
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threads.Threads, "take", interrupted)
        next(rows)


def test_a_thread_that_outlives_its_script_takes_no_step_of_another() -> None:
    held, failed = Held(), []

    def call() -> None:
        try:
            echo(retries=1).apply({"text": "there"})
        except ConfigurationError as problem:
            failed.append(problem)

    with ended() as done:
        with scripted(held):
            thread = threading.Thread(target=call)
            thread.start()
            assert held.asked.wait(5)
        later = at_later(held, done)
        thread.join(5)
    assert len(later.requests) == 1
    assert [problem.code for problem in failed] == ["script"]


def test_a_stream_that_outlives_its_script_takes_no_step_of_another() -> None:
    with scripted(["", "two"]):
        stream = echo(retries=1)._stream({"text": "there"})
        next(stream.events())
    with scripted(["a step of a later script"]) as later, pytest.raises(ConfigurationError):
        stream.result()
    assert later.requests == []


def test_what_a_row_begins_and_leaves_running_is_wanted() -> None:
    """Rows that are done drop nothing: a job in the background goes on."""
    go, said = threading.Event(), []

    def model(request: Any) -> str:
        if "row" in request.messages[-1]["content"]:
            context = copy_context()
            threading.Thread(target=context.run, args=(later,)).start()
        return "said"

    def later() -> None:
        assert go.wait(5)
        said.append(echo().apply({"text": "background"}))

    with scripted(model):
        assert list(echo().imap([{"text": "row"}])) == ["said"]
        go.set()
        assert until(lambda: said == ["said"])


def test_what_is_inside_is_dropped_with_what_is_around() -> None:
    told: list[str] = []
    outer = Wanted()
    with pytest.raises(KeyError), outer, Wanted() as inner:
        assert current() is inner
        inner.when_dropped(lambda: told.append("inner"))
        context = copy_context()
        outer.drop()
        assert told == ["inner"]
        raise KeyError
    assert current() is None
    with pytest.raises(KeyError), Wanted() as alone:
        raise KeyError
    alone.when_dropped(lambda: told.append("at once"))
    assert told == ["inner", "at once"]

    def behind() -> bool:
        with Wanted() as late:
            return late.dropped

    assert context.run(behind)
