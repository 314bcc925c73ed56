"""Streams of generated functions, from fakes: what callers see and what is recorded."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from aigen.runtime import AsyncStream, Stream, calls, events, on_call, settings
from aigen.runtime.errors import (
    ConfigurationError,
    InterfaceInputError,
    ProviderError,
    RefusalError,
    ReplyError,
    StreamError,
)
from aigen.runtime.testing import (
    broken,
    chunked,
    cut_off,
    delayed,
    http_error,
    no_network,
    refusal,
    scripted,
)
from shop_ai import support

GOOD = {"summary": "A kettle sparks.", "urgent": True}
ANSWER = support.Triage(**GOOD)


def test_partials_then_the_answer() -> None:
    with scripted([GOOD]) as model, support.triage.stream("It sparks.") as stream:
        found = list(stream)
        assert stream.result() == ANSWER
    assert all(isinstance(one, support.TriagePartial) for one in found)
    assert [one.summary for one in found][:2] == ["A k", "A kettl"]
    assert [one.urgent for one in found][-2:] == [None, True]
    assert found[-1].model_dump() == ANSWER.model_dump()
    assert model.requests[0].body["stream"] is True


def test_it_is_the_same_awaited() -> None:
    async def main() -> tuple[list[Any], Any]:
        async with support.triage.astream("It sparks.") as stream:
            return [one async for one in stream], await stream.result()

    with scripted([GOOD, GOOD]):
        assert asyncio.run(main()) == (list(support.triage.stream("It sparks.")), ANSWER)


def test_result_needs_no_iterating() -> None:
    with scripted([GOOD, GOOD]), calls() as seen:
        assert support.triage.stream("a").result() == ANSWER
        assert asyncio.run(support.triage.astream("a").result()) == ANSWER
    assert [call.value for call in seen] == [ANSWER, ANSWER]
    assert seen[0].inputs == {"message": "a"}
    assert seen[0].usage.output_tokens > 0


def test_one_output_is_its_value() -> None:
    with scripted(["happy"]):
        assert list(support.mood.stream("a")) == ["happy"]
    with scripted([chunked({"reasoning": "So.", "result": "happy"}, 3)]):
        stream = support.mood.with_options(reasoning="cot").stream("a")
        assert list(stream) == ["happy"]
        assert stream.result() == "happy"


def test_a_stream_is_recorded_when_it_ends() -> None:
    heard: list[Any] = []
    remove = on_call(heard.append)
    try:
        with scripted([GOOD]), support.triage.stream("a") as stream:
            next(stream)
            assert heard == []
            stream.result()
            assert heard[0].value == ANSWER
    finally:
        remove()


def test_what_does_not_bind_is_refused_at_once() -> None:
    with scripted([]) as model, calls() as seen:
        for begin in (support.triage.stream, support.triage.astream):
            with pytest.raises(InterfaceInputError):
                begin(None)  # type: ignore[operator]
    assert (model.requests, len(seen)) == ([], 2)
    with pytest.raises(ConfigurationError, match="no model is set"):
        support.triage.stream("a")


def test_settings_are_those_of_its_beginning() -> None:
    with settings(model="sample"):
        stream = support.mood.stream("a")
    assert stream.result() == "happy"


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
def test_pieces_are_as_long_as_the_script_says(size: int) -> None:
    with scripted([chunked(GOOD, size)]):
        found = list(support.triage.stream("a").events())
    texts = [one.text for one in found if isinstance(one, events.TextDelta)]
    assert {len(text) for text in texts[:-1]} <= {size}
    with pytest.raises(ValueError, match="one character"):
        chunked(GOOD, 0)


def test_pieces_come_as_slowly_as_the_script_says() -> None:
    with scripted([delayed(0.05, chunked(GOOD, 20, pause=0.05))]):
        began = time.monotonic()
        support.triage.stream("a").result()
    assert time.monotonic() - began > 0.15


def test_a_break_before_a_partial_is_tried_again() -> None:
    with scripted([broken(GOOD, 3), http_error(503), GOOD]) as model:
        assert support.triage.stream("a").result() == ANSWER
    assert len(model.requests) == 3


def test_a_break_after_a_partial_is_said() -> None:
    with scripted([broken(GOOD, 20), GOOD]) as model, calls() as seen:
        stream = support.triage.stream("a")
        found = []
        with pytest.raises(StreamError, match="after a part") as caught:
            for partial in stream:
                found.append(partial)
        with pytest.raises(StreamError):
            stream.result()
    assert len(model.requests) == 1
    assert caught.value.partial == found[-1]
    assert caught.value.text == '{"summary": "A kettl'
    assert isinstance(caught.value.__cause__, ProviderError)
    assert seen[0].error is caught.value


def test_a_plain_call_gets_a_broken_step_whole() -> None:
    with scripted([broken(GOOD, 3)]):
        assert support.triage("a") == ANSWER


def test_a_stream_that_stalls_ends_in_time() -> None:
    with scripted([chunked(GOOD, pause=5)]), pytest.raises(ProviderError) as caught:
        support.triage.with_options(request_timeout=0.2, api_retries=0).stream("a").result()
    assert caught.value.code == "timeout"

    async def main() -> Any:
        quick = support.triage.with_options(request_timeout=0.2, api_retries=0)
        return await quick.astream("a").result()

    with scripted([delayed(5, GOOD)]), pytest.raises(ProviderError):
        asyncio.run(main())


@pytest.mark.parametrize("text", ['{"summary": 5, "urgent": "x"}', "no", "", "{"])
def test_an_unreadable_reply_is_asked_for_again(text: str) -> None:
    with scripted([text, GOOD]) as model:
        found = list(support.triage.stream("a"))
    assert found[-1].urgent is True
    assert len(model.requests) == 2


def test_an_unreadable_reply_that_was_shown_is_said() -> None:
    text = '{"summary": "s", "urgent": 7}'
    with scripted([text, GOOD]) as model, pytest.raises(ReplyError) as caught:
        list(support.triage.stream("a"))
    assert len(model.requests) == 1
    assert caught.value.reply == text


def test_an_end_that_reads_differently_is_said() -> None:
    words = '{"summary": "first", "urgent": 7} and {"summary": "second", "urgent": true}'
    with scripted([words]), pytest.raises(StreamError, match="reads differently") as caught:
        list(support.triage.stream("a"))
    assert caught.value.partial == support.TriagePartial(summary="first")


def test_refusals_and_cut_offs_are_as_in_a_call() -> None:
    with scripted([refusal("no")]), pytest.raises(RefusalError):
        support.triage.stream("a").result()
    with scripted([cut_off("{")] * 2) as model, pytest.raises(ReplyError):
        support.triage.with_options(max_output_tokens=5).stream("a").result()
    assert len(model.requests) == 2


def test_a_repaired_reply_ends_with_the_whole_answer() -> None:
    text = 'Here: {"summary": "s", "why": 1, "urgent": true}.'
    with scripted([text]), calls() as seen:
        found = list(support.triage.stream("a"))
    assert found[-1] == support.TriagePartial(summary="s", urgent=True)
    assert seen[0].repairs


def test_the_sample_model_streams() -> None:
    with no_network():
        for function in (support.triage, support.mood):
            stream = function.with_options(model="sample").stream("a")
            found = list(stream)
            assert found
            assert stream.result() == function.with_options(model="sample")("a")


def test_every_golden_function_streams_its_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    from aigen.runtime.wire.arrival import has_grown

    golden = Path(__file__).parents[2] / "golden" / "types"
    monkeypatch.syspath_prepend(str(golden / "expected"))
    monkeypatch.delitem(sys.modules, "types", raising=False)
    spec = importlib.util.spec_from_file_location(
        "streamed_types", golden / "expected" / "types.py"
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "streamed_types", module)
    spec.loader.exec_module(module)
    fill = module.fill.with_options(model="sample")
    stream = fill._stream({"limit": 1})
    found = list(stream)
    assert all(has_grown(*pair) for pair in pairwise(found))
    answer, last = stream.result(), found[-1]
    for name in type(last).model_fields:
        if name not in ("pet", "tags", "pair", "many"):
            assert getattr(last, name) in (getattr(answer, name), None)
    assert (last.pet.kind, last.tags) == (answer.pet.kind, sorted(answer.tags))


def test_type_checkers_see_partials_and_answers(tmp_path: Path) -> None:
    assert (
        get_type_hints(type(support.triage).stream)["return"]
        == (Stream[support.TriagePartial, support.Triage])
    )
    assert (
        get_type_hints(type(support.triage).astream)["return"]
        == (AsyncStream[support.TriagePartial, support.Triage])
    )
    source = tmp_path / "use.py"
    source.write_text(
        """
from typing import Literal, assert_type
from shop_ai import support
from aigen.runtime import events

with support.triage.stream("a") as stream:
    for partial in stream:
        assert_type(partial, support.TriagePartial)
        assert_type(partial.summary, str | None)
    assert_type(stream.result(), support.Triage)
for mood in support.mood.stream("a"):
    assert_type(mood, Literal["happy", "unhappy", "mixed"] | None)
for event in stream.events():
    if isinstance(event, events.TextDelta):
        assert_type(event.text, str)

async def main() -> None:
    async with support.triage.astream("a") as stream:
        async for partial in stream:
            assert_type(partial, support.TriagePartial)
        assert_type(await stream.result(), support.Triage)
""".replace('for text in support.advise.stream("a") if False else []:\n    pass\n', ""),
        encoding="utf-8",
    )
    root = Path(__file__).parents[3]
    paths = [str(root / "samples"), str(root / "generator")]
    # A user's checker looks into what is installed, and says nothing of it.
    silent = ["--config-file=", "--follow-imports=silent"]
    commands = [
        [sys.executable, "-m", "mypy", "--strict", *silent, str(source)],
        [sys.executable, "-m", "pyright", str(source)],
    ]
    (tmp_path / "pyrightconfig.json").write_text(
        f'{{"extraPaths": {paths!r}, "typeCheckingMode": "strict"}}'.replace("'", '"'),
        encoding="utf-8",
    )
    for command in commands:
        run = subprocess.run(
            command,
            cwd=tmp_path,
            env={**os.environ, "MYPYPATH": ":".join(paths)},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("adapter", ["json", "tool", "prompted", "xml", "chat", "auto"])
def test_every_adapter_streams(adapter: str) -> None:
    function = support.triage.with_options(adapter=adapter)
    with scripted([GOOD]):
        stream = function.stream("a")
        found = list(stream)
        assert stream.result() == ANSWER
    assert found[-1].model_dump() == ANSWER.model_dump()
    if adapter not in ("xml", "chat"):
        assert len(found) > 3
