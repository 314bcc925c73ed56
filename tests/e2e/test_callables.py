"""Generated functions and tools where the standard library takes a function."""

from __future__ import annotations

import asyncio
import copy
import functools
import inspect
import multiprocessing
import pickle
import typing
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from types import ModuleType
from typing import Any
from unittest import mock

import pytest
from aigen.runtime import override
from aigen.runtime.errors import InterfaceInputError
from aigen.runtime.testing import scripted
from desk_spec import ORDER


@pytest.mark.parametrize(
    ("name", "parameters", "returns", "words"),
    [
        ("answer", {"order": "Order", "tone": "Tone"}, "Answer", "tone: how to speak"),
        ("class_", {"message": str}, str, "Sort a message."),
        ("import_", {"id": str, "late": bool}, int, "id: the order's number"),
    ],
)
def test_it_shows_what_a_function_shows(
    desk: ModuleType, name: str, parameters: dict[str, Any], returns: Any, words: str
) -> None:
    function = getattr(desk, name)
    meant = {key: _meant(desk, kind) for key, kind in parameters.items()}
    shown = (function.__name__, function.__qualname__, function.__module__)
    assert shown == (name, name, "desk_ai.desk")
    assert words in (inspect.getdoc(function) or "")
    assert typing.get_type_hints(function) == {**meant, "return": _meant(desk, returns)}
    assert inspect.get_annotations(function, eval_str=True).keys() == {*meant, "return"}
    signature = inspect.signature(function)
    assert {key: field.annotation for key, field in signature.parameters.items()} == meant
    assert signature.return_annotation == _meant(desk, returns)
    assert inspect.signature(function.__call__) == signature
    assert list(inspect.getfullargspec(function).args) == list(meant)


def _meant(desk: ModuleType, kind: Any) -> Any:
    return getattr(desk, kind) if isinstance(kind, str) else kind


def test_an_input_that_may_be_left_out_has_its_default(desk: ModuleType) -> None:
    tone = inspect.signature(desk.answer).parameters["tone"]
    assert (tone.default, tone.kind) == ("kind", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    assert inspect.signature(desk.answer).bind(ORDER).arguments == {"order": ORDER}
    with pytest.raises(TypeError, match="order"):
        inspect.signature(desk.answer).bind(tone="brief")


def test_wraps_takes_its_name_words_and_signature(support: ModuleType) -> None:
    @functools.wraps(support.triage)
    def logged(*args: Any, **inputs: Any) -> Any:
        return support.triage(*args, **inputs)

    assert (logged.__name__, logged.__doc__) == ("triage", support.triage.__doc__)
    assert inspect.signature(logged) == inspect.signature(support.triage)
    assert typing.get_type_hints(logged) == {"message": str, "return": support.Triage}
    assert inspect.unwrap(logged) is support.triage
    with override(model="sample"):
        assert isinstance(logged("It sparks."), support.Triage)


def test_a_partial_asks_for_what_is_left(support: ModuleType) -> None:
    cheap = functools.partial(support.refund, price=9.5, final_sale=False)
    signature = inspect.signature(cheap)
    assert signature.parameters["message"].annotation is str
    assert typing.get_args(signature.return_annotation) == ("refund", "exchange", "decline")
    with scripted(["exchange"]) as model:
        assert cheap("It is torn.") == "exchange"
    said = model.requests[0].messages[-1]["content"]
    assert "It is torn." in said and "9.5" in said
    again = pickle.loads(pickle.dumps(cheap))
    assert (again.func, again.keywords) == (support.refund, cheap.keywords)


def test_a_mock_of_it_takes_what_it_takes(support: ModuleType) -> None:
    double = mock.create_autospec(support.refund, return_value="decline")
    assert double("a", 1.0, final_sale=True) == "decline"
    with pytest.raises(TypeError, match="final_sale"):
        double("a", 1.0)


def test_one_with_options_is_a_function_of_its_own(support: ModuleType) -> None:
    other = support.triage.with_options(model="sample")
    assert other.__call__ is other and copy.copy(other).__call__ is not other
    assert inspect.signature(other) == inspect.signature(support.triage)
    assert isinstance(other.__call__("It sparks."), support.Triage)
    assert {support.triage: 1, other: 2}[other] == 2


def test_it_runs_in_a_thread(support: ModuleType) -> None:
    async def both() -> list[Any]:
        with override(model="sample"):
            called = asyncio.to_thread(support.triage, "It sparks.")
            return await asyncio.gather(called, support.triage.aio("It sparks."))

    assert not inspect.iscoroutinefunction(support.triage)
    assert inspect.iscoroutinefunction(support.triage.aio)
    assert all(isinstance(found, support.Triage) for found in asyncio.run(both()))


@pytest.mark.parametrize("name", ["answer", "class_", "import_"])
def test_it_pickles_by_module_and_name(desk: ModuleType, name: str) -> None:
    function = getattr(desk, name)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        text = pickle.dumps(function, protocol)
        assert pickle.loads(text) is function
        assert b"format" not in text


@pytest.fixture
def pool() -> Iterator[Executor]:
    """One process that shares nothing with this one but what is pickled."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as executor:
        yield executor


def test_another_process_calls_it_with_its_options(
    desk: ModuleType, pool: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AIGEN_MODEL", raising=False)
    order = desk.Order.model_validate_json(desk.Order(**ORDER).model_dump_json())
    sample = desk.answer.with_options(model="sample")
    found = pool.submit(sample, order, tone="brief").result(60)
    assert isinstance(found, desk.Answer) and isinstance(found.copy_, desk.Order)
    rows = pool.submit(sample.map, [order, order]).result(60)
    assert [type(row) for row in rows] == [desk.Answer, desk.Answer]
    assert list(pool.map(desk.import_, ["A-1001", "A-7"], timeout=300)) == [6, 3]
    with pytest.raises(InterfaceInputError) as caught:
        pool.submit(sample, {**ORDER, "id": "B"}).result(60)
    assert "order" in str(caught.value) and caught.value.function == "answer"
