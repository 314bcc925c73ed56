"""Choices whose levels come with each call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import pytest
from aigen.runtime import override
from aigen.runtime.errors import InterfaceInputError, ReplyError
from aigen.runtime.testing import scripted

Module = Callable[[str], ModuleType]

SPEC = """\
aigen: 1
functions:
  sort:
    formula: topic ~ message
    fields:
      topic: {choice: {$given: topics}}
  split:
    formula: parts + tone ~ message
    fields:
      parts: {list: {choice: {$given: topics}}}
      tone: {choice: {$given: tones}}
  again:
    formula: other ~ topic + message
    fields:
      topic: {choice: {$given: topics}}
      other: {choice: {$given: topics}}
"""


def levels(function: Any, adapter: str, **given: Sequence[str]) -> Any:
    options = {"model": "m", "adapter": adapter}
    body = function.with_options(**options).request("hi", **given).body
    if adapter == "prompted":
        return body["messages"][0]["content"]
    return body["response_format"]["json_schema"]["schema"]


def test_the_model_sees_the_levels_as_choices(module: Module) -> None:
    functions = module(SPEC)
    schema = levels(functions.sort, "json", topics=["new", 'it\'s "old"'])
    assert schema["properties"]["result"]["enum"] == ["new", 'it\'s "old"']
    assert '"result": "new" or "old"' in levels(functions.sort, "prompted", topics=["new", "old"])
    schema = levels(functions.split, "json", topics=["a", "b", "a"], tones=("x",))
    assert schema["properties"]["parts"]["items"]["enum"] == ["a", "b"]
    assert schema["properties"]["tone"]["enum"] == ["x"]
    assert "x-aigen" not in str(schema)


def test_each_call_has_levels_of_its_own(module: Module) -> None:
    sort = module(SPEC).sort
    with scripted(["a", "c", "a"]) as model:
        assert sort("m", topics=["a", "b"]) == "a"
        assert sort("m", topics=["c"]) == "c"
        assert sort("m", topics=["a", "b"]) == "a"
    sent = [request.reply_schema["properties"]["result"]["enum"] for request in model.requests]
    assert sent == [["a", "b"], ["c"], ["a", "b"]]


def test_calls_at_the_same_time_do_not_mix_theirs(module: Module) -> None:
    sort = module(SPEC).sort

    def first(request: Any) -> Any:
        return request.reply_schema["properties"]["result"]["enum"][0]

    async def several() -> list[str]:
        topics = [[f"t{number}", "other"] for number in range(100)]
        return await asyncio.gather(*(sort.aio("m", topics=each) for each in topics))

    with scripted(first):
        assert asyncio.run(several()) == [f"t{number}" for number in range(100)]


def test_the_reply_is_judged_by_the_levels_of_its_call(module: Module) -> None:
    sort = module(SPEC).sort
    with scripted(["b", "a"]) as model:
        assert sort("m", topics=["a"]) == "a"
        assert 'should be one of "a"' in model.requests[1].messages[-1]["content"]
    with scripted(["b", "b"]), pytest.raises(ReplyError, match='should be one of "a"'):
        sort("m", topics=["a"])


def test_levels_inside_lists_are_judged(module: Module) -> None:
    split = module(SPEC).split.with_options(retries=0)
    good = {"parts": ["a", "b"], "tone": "x"}
    with scripted([good]):
        answer = split("m", topics=["a", "b"], tones=["x"])
    assert (answer.parts, answer.tone) == (["a", "b"], "x")
    bad = {**good, "parts": ["a", "x"]}
    with scripted([bad]), pytest.raises(ReplyError, match=r"parts\[1\] should be one of"):
        split("m", topics=["a", "b"], tones=["x"])


def test_an_input_is_bound_to_the_levels_of_its_call(module: Module) -> None:
    again = module(SPEC).again
    with scripted(["b", "b"]) as model:
        assert again("a", "m", topics=["a", "b"]) == "b"
        for topics in (["b"], ["A", "b"]):
            with pytest.raises(InterfaceInputError, match="topic") as caught:
                again("a", "m", topics=topics)
            assert caught.value.field == "topic"
        assert again("c", "m", topics=["c", "b"]) == "b"
    assert len(model.requests) == 2


@pytest.mark.parametrize(
    "topics",
    [None, "abc", b"abc", [], (), [1], ["a", None], [["a"]], [{}], {"a": 1}, 3],
    ids=str,
)
def test_levels_that_are_none_are_refused(module: Module, topics: Any) -> None:
    sort = module(SPEC).sort
    wants = "the input topics wants the levels of a choice"
    with scripted([]) as model:
        for call in (
            lambda: sort("m", topics=topics),
            lambda: asyncio.run(sort.aio("m", topics=topics)),
            lambda: sort.apply({"message": "m", "topics": topics}),
            lambda: sort.request("m", topics=topics),
            lambda: sort.map(["m", "n"], topics=topics),
            lambda: asyncio.run(sort.amap(["m", "n"], topics=topics)),
        ):
            with pytest.raises(InterfaceInputError, match=wants) as caught:
                call()
            assert caught.value.field == "topics"
    assert model.requests == []


def test_levels_left_out_of_a_mapping_are_refused(module: Module) -> None:
    functions = module(SPEC)
    with scripted([]), pytest.raises(InterfaceInputError, match="the input topics"):
        functions.sort.apply({"message": "m"})
    with scripted([]), pytest.raises(InterfaceInputError, match="the input tones"):
        functions.split.apply({"message": "m", "topics": ["a"]})
    with scripted([]), pytest.raises(InterfaceInputError, match="tones"):
        functions.sort.apply({"message": "m", "topics": ["a"], "tones": ["x"]})


def test_every_row_has_the_levels_of_the_map(module: Module) -> None:
    sort = module(SPEC).sort
    with scripted(lambda request: "a"):
        # An iterator is read once, not once a row.
        assert list(sort.map(["m", "n", "o"], topics=iter(["a", "b"]))) == ["a"] * 3
        assert list(asyncio.run(sort.amap(["m", "n"], topics=iter(["a"])))) == ["a"] * 2
        rows = [{"message": "m", "topics": [topic]} for topic in ("a", "b")]
        found = sort.with_options(retries=0).imap(rows)
        assert next(found) == "a"
        with pytest.raises(ReplyError):
            next(found)


def test_parse_knows_no_levels_and_takes_any_text(module: Module) -> None:
    sort = module(SPEC).sort
    assert sort.parse('{"result": "anything"}') == "anything"
    with pytest.raises(ReplyError):
        sort.parse('{"result": [3, 4]}')


def test_reasoning_and_levels_go_together(module: Module) -> None:
    sort = module(SPEC).sort
    reply = '{"reasoning": "hm", "result": "b"}'
    with override(model="m", reasoning="cot"), scripted([reply, reply, reply]) as model:
        assert sort("m", topics=["a", "b"]) == "b"
        with pytest.raises(ReplyError):
            sort("m", topics=["a"])
    schema = model.requests[0].body["response_format"]["json_schema"]["schema"]
    assert list(schema["properties"]) == ["reasoning", "result"]
    assert schema["properties"]["result"]["enum"] == ["a", "b"]
