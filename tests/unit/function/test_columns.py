"""Whole columns: what they are, order, errors."""

from __future__ import annotations

import asyncio
import pickle
import time
from pathlib import Path
from typing import Any

import numpy
import openai
import pandas
import polars
import pyarrow
import pytest
import servers
from aigen.runtime import calls, same, settings
from aigen.runtime.columns.results import Failed, Results
from aigen.runtime.errors import ConfigurationError, MapError, ProviderError, RefusalError
from aigen.runtime.testing import delayed, http_error, refusal, scripted
from aigen.runtime.wire import faking
from aigen.runtime.wire.messages import Reply
from shop_ai import support


def step(request: Any) -> Any:
    words = request.messages[-1]["content"]
    number = int("".join(char for char in words if char.isdigit()))
    if number == 3:
        return refusal()
    return delayed(0.02 if number % 2 else 0.0, {"summary": f"s{number}", "urgent": False})


def mapped(awaited: bool, **options: Any) -> Any:
    function = support.triage.with_options(**options)
    texts = [f"m{number}" for number in range(8)]
    return asyncio.run(function.amap(texts)) if awaited else function.map(texts)


@pytest.mark.parametrize("awaited", [False, True])
def test_rows_keep_their_order_and_their_errors(awaited: bool) -> None:
    with scripted(step), pytest.warns(UserWarning, match="1 of 8 rows failed"):
        found = mapped(awaited)
    assert [getattr(row, "summary", row) for row in found.values_or("-")] == [
        "-" if number == 3 else f"s{number}" for number in range(8)
    ]
    assert list(found.errors) == [3]
    with pytest.raises(RefusalError):
        found[3]
    with pytest.raises(MapError) as caught:
        found.raise_for_errors()
    assert caught.value.errors == found.errors
    assert len(found[:3]) == 3 and not found[:3].errors
    assert list(found[2:5].errors) == [1] and list(found[::-1].errors) == [4]
    assert repr(found) == "<Results: 8 rows, 1 failed>"


@pytest.mark.parametrize("awaited", [False, True])
def test_each_row_has_its_call(awaited: bool) -> None:
    with scripted(step), pytest.warns(UserWarning), calls() as seen:
        found = mapped(awaited)
    assert [call.inputs["message"] for call in found.calls] == [f"m{row}" for row in range(8)]
    assert [call.value for call in found.calls] == found.values_or(None)
    assert found.calls[3].error is found.errors[3]
    assert {call.id for call in seen} == {call.id for call in found.calls}
    assert [call.inputs["message"] for call in found[5:2:-1].calls] == ["m5", "m4", "m3"]
    again = pickle.loads(pickle.dumps(found))
    assert again.values_or(None) == found.values_or(None)
    assert str(again.errors[3]) == str(found.errors[3])


@pytest.mark.parametrize("awaited", [False, True])
def test_the_warning_names_the_first_failed_row_at_the_callers_line(awaited: bool) -> None:
    with scripted(step), pytest.warns(UserWarning) as caught:
        mapped(awaited)
    (warning,) = caught
    assert str(warning.message).startswith("1 of 8 rows failed; the first is row 3: triage: the")
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    place = "asyncio.run(function.amap" if awaited else "function.map(texts)"
    if not awaited:
        assert warning.filename == __file__
        assert place in lines[warning.lineno - 1]
    else:
        # What runs a bare coroutine is the event loop: nobody's line is nearer.
        assert "asyncio" in warning.filename


def test_a_warning_of_an_awaited_map_points_at_the_await() -> None:
    async def main() -> Any:
        return await support.triage.amap([f"m{number}" for number in range(8)])  # here

    with scripted(step), pytest.warns(UserWarning) as caught:
        asyncio.run(main())
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    assert caught[0].filename == __file__ and lines[caught[0].lineno - 1].endswith("# here")


@pytest.mark.parametrize("awaited", [False, True])
def test_raise_gives_the_rows_own_error(awaited: bool) -> None:
    with scripted(step), pytest.raises(RefusalError):
        mapped(awaited, on_error="raise")


def test_an_answer_that_is_null_is_no_failed_row() -> None:
    found: Results[Any] = Results([None, Failed(KeyError("a")), 0])
    assert found.values_or("other") == [None, "other", 0]
    found[:1].raise_for_errors()
    assert [found[:1].values_or("other"), list(found.errors)] == [[None], [1]]


@pytest.mark.parametrize("awaited", [False, True])
def test_a_rows_call_is_the_outermost(awaited: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def model(request: Any) -> faking.Answer:
        if "Read the support ticket" not in str(request):
            return faking.Answer(Reply('{"result": "mixed"}'))
        support.mood("inside")
        return faking.Answer(Reply('{"summary": "s", "urgent": false}'))

    monkeypatch.setattr(faking, "scripts", [model])
    with calls() as seen:
        found = mapped(awaited)
    assert [call.function for call in found.calls] == ["triage"] * 8
    assert len(seen) == 16


def test_a_map_that_is_cancelled_is_not_interrupted() -> None:
    async def main() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await support.triage.amap(["a"])

    with scripted([delayed(30, {"summary": "s", "urgent": False})]):
        asyncio.run(main())


def refused(code: str | None, param: str | None, status: int = 400) -> ProviderError:
    body = {"message": "no", "code": code, "param": param}
    return ProviderError("no", status=status, reply=body)


EVERY_ROW = [
    http_error(401),
    http_error(402),
    http_error(403),
    http_error(404),
    ProviderError("spent", status=429, code="quota"),
    refused("unsupported_value", "temperature"),
    refused(None, "reasoning.effort", 422),
    ConfigurationError("no key", code="no-key"),
    ConfigurationError("no model", code="no-model"),
]


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize("error", EVERY_ROW, ids=lambda error: f"{error.code}-{error!s:.12}")
def test_what_every_row_meets_stops_at_once(error: Exception, awaited: bool) -> None:
    with scripted(lambda request: error) as model:
        with pytest.raises(type(error)) as caught:
            mapped(awaited, concurrency=1)
        time.sleep(0.02)
        assert len(model.requests) == 1
    assert caught.value is error


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize(
    "error",
    [
        http_error(400),
        refused("context_length_exceeded", "messages"),
        refused("invalid_prompt", "input[0].content"),
        refused("invalid_value", "messages.0.content"),
        ConfigurationError("a check", code="check"),
    ],
    ids=str,
)
def test_what_one_row_is_the_reason_of_stops_nothing(error: Exception, awaited: bool) -> None:
    with scripted(lambda request: error) as model, pytest.warns(UserWarning, match="8 of 8"):
        found = mapped(awaited, api_retries=0)
    assert len(found.errors) == 8 and len(model.requests) >= 8


@pytest.mark.parametrize("awaited", [False, True])
def test_what_stops_a_map_holds_what_was_done(awaited: bool) -> None:
    def fifth(request: Any) -> Any:
        return http_error(401) if "m5" in str(request.messages[-1]) else step(request)

    with scripted(fifth), pytest.raises(ProviderError) as caught:
        mapped(awaited, concurrency=1)
    done = caught.value.results
    assert [getattr(row, "summary", row) for row in done.values_or("-")] == [
        "s0", "s1", "s2", "-", "s4", "-", "-", "-"
    ]  # fmt: skip
    assert [error.code for error in done.errors.values()] == ["refusal", *["not-done"] * 3]
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@pytest.mark.parametrize("awaited", [False, True])
def test_an_error_that_stops_keeps_its_cause(awaited: bool, serve: Any) -> None:
    server = serve(lambda body: servers.status(401))
    with pytest.raises(ProviderError, match="401") as caught:
        mapped(awaited, model="m", base_url=server.url, api_key="k")
    assert isinstance(caught.value.__cause__, openai.AuthenticationError)


def test_stop_waits_for_no_slow_row() -> None:
    def slow(request: Any) -> Any:
        return http_error(401) if "m7" in str(request.messages[-1]) else delayed(5, step(request))

    began = time.monotonic()
    with scripted(slow), pytest.raises(ProviderError):
        mapped(False)
    assert time.monotonic() - began < 3


@pytest.mark.parametrize(
    "columns",
    [
        {"message": ["a", "b"], "price": [1.0], "final_sale": same(True)},
        {"message": "ab", "price": [1.0, 2.0], "final_sale": same(True)},
        {"message": same("a"), "price": same(1.0), "final_sale": same(True)},
    ],
)
def test_columns_that_do_not_go_together(columns: dict[str, Any]) -> None:
    with scripted([]), pytest.raises(ConfigurationError, match=r"refund\.map"):
        support.refund.map(**columns)


COLUMNS = {
    "list": lambda texts: texts,
    "tuple": tuple,
    "generator": lambda texts: (text for text in texts),
    "keys": lambda texts: dict.fromkeys(texts).keys(),
    "numpy": numpy.array,
    "numpy objects": lambda texts: numpy.array(texts, dtype=object),
    "pandas": lambda texts: pandas.Series(texts, index=range(5, 5 + len(texts))),
    "pandas category": lambda texts: pandas.Series(texts, dtype="category"),
    "pandas index": pandas.Index,
    "polars": polars.Series,
    "arrow": pyarrow.array,
    "arrow dictionary": lambda texts: pyarrow.array(texts).dictionary_encode(),
    "arrow chunks": lambda texts: pyarrow.chunked_array([texts[:3], texts[3:]]),
}


@pytest.mark.parametrize("made", COLUMNS.values(), ids=COLUMNS)
def test_columns_of_every_kind(made: Any) -> None:
    texts = [f"m{number + 10}" for number in range(5)]
    with scripted(step):
        found = support.triage.map(made(texts))
    assert [row.summary for row in found] == [f"s{number + 10}" for number in range(5)]


@pytest.mark.parametrize("made", [numpy.array, pandas.Series, polars.Series, pyarrow.array])
def test_numbers_and_truth_values_of_columns(made: Any) -> None:
    with scripted(lambda request: "refund") as model:
        found = support.refund.map(made(["a", "b"]), made([1, 2]), made([True, False]))
    assert list(found) == ["refund"] * 2
    said = sorted(str(request.messages[-1]["content"]) for request in model.requests)
    assert "true" in said[0] and "2" in said[1]


SPEC = """\
aigen: 1
types:
  Place: {record: {city: text, note: {type: text, required: false}}}
functions:
  greet:
    formula: greeting ~ place
    fields:
      place: Place | None
"""


def test_records_and_nulls_in_columns(module: Any) -> None:
    greet = module(SPEC).greet
    places = [{"city": "Kiel", "note": "by the sea"}, {"city": "Bern"}, None]
    # A column of structs has each member in every row: null is what was left out.
    for make in (list, pandas.Series, polars.Series, pyarrow.array):
        with scripted(lambda request: "hi"):
            found = greet.map(make(places))
        assert list(found) == ["hi"] * 3
        assert [call.inputs["place"] for call in found.calls] == places


@pytest.mark.parametrize(
    ("column", "mend"),
    [
        (
            "de",
            r'not str: write message=same\("de"\) for one value in every row '
            r"\(from aigen.runtime import same\)",
        ),
        ("x" * 60, r"message=same\(…\)"),
        (b"ab", r"not bytes: write message=same\(…\)"),
        ({"a": 1}, r"not dict: write message=same\(…\)"),
        (5, r"not int: write message=same\(5\)"),
        (None, r"not NoneType: write message=same\(…\)"),
        (numpy.array(5), r"not ndarray: write message=same"),
        ({"a", "b"}, r"not a set, which has no order: give sorted\(…\)"),
        (pandas.DataFrame({"a": [1]}), r'not a whole DataFrame: .*message=table\["message"\]'),
        (polars.DataFrame({"a": [1]}), r"triage.add_to\(table\)"),
        (pyarrow.table({"a": [1]}), r"not a whole Table"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_column_is_refused_with_the_mend(column: Any, mend: str) -> None:
    with scripted([]) as model:
        with pytest.raises(
            ConfigurationError, match=f"triage.map: message wants a column, .*{mend}"
        ):
            support.triage.map(column)
        with pytest.raises(ConfigurationError, match=mend):
            asyncio.run(support.triage.amap(column))
    # A row that another test left behind may have come here meanwhile.
    assert not [each for each in model.requests if each.target.base_url is None]


def test_a_value_that_is_not_logged_is_not_quoted() -> None:
    with settings(log_content=False), pytest.raises(ConfigurationError) as caught:
        support.triage.map("secret")
    assert "secret" not in str(caught.value) and "same(…)" in str(caught.value)


def test_lengths_are_named() -> None:
    with pytest.raises(ConfigurationError, match="message has 2, price has 1"):
        support.refund.map(["a", "b"], [1.0], same(True))


def test_a_column_that_raises_raises() -> None:
    def texts() -> Any:
        yield "m1"
        raise LookupError("the source is gone")

    with scripted([]), pytest.raises(LookupError, match="the source is gone"):
        support.triage.map(texts())


def test_no_rows_are_no_calls() -> None:
    with scripted([]):
        assert list(support.triage.map([])) == []
        assert list(asyncio.run(support.triage.amap([]))) == []
