"""Whole columns: order, errors, interruption."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from aigen.runtime import same
from aigen.runtime.columns import run
from aigen.runtime.errors import ConfigurationError, MapError, MapInterrupted, RefusalError
from aigen.runtime.testing import delayed, http_error, refusal, scripted
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
    with pytest.raises(MapError):
        found.raise_for_errors()
    assert len(found[:3]) == 3 and not found[:3].errors


@pytest.mark.parametrize("awaited", [False, True])
def test_raise_gives_the_rows_own_error(awaited: bool) -> None:
    with scripted(step), pytest.raises(RefusalError):
        mapped(awaited, on_error="raise")


@pytest.mark.parametrize("awaited", [False, True])
def test_what_every_row_meets_stops_at_once(awaited: bool) -> None:
    with scripted(lambda request: http_error(401)) as model:
        with pytest.raises(Exception, match="401"):
            mapped(awaited, concurrency=1)
        assert len(model.requests) <= 2


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


def test_imap_reads_only_a_little_ahead() -> None:
    read: list[int] = []

    def rows() -> Any:
        for number in range(100):
            read.append(number)
            yield {"message": f"m{number + 10}"}

    with scripted(step):
        found = support.triage.with_options(concurrency=2).imap(rows())
        assert next(found).summary == "s10"
        assert len(read) <= 5
        assert [row.summary for row in found] == [f"s{number}" for number in range(11, 110)]


def test_an_interruption_keeps_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    def rows(call: Any, given: Any, concurrency: int) -> Any:
        yield from (1, 2)
        raise KeyboardInterrupt

    monkeypatch.setattr("aigen.runtime.columns.stream", rows)
    with pytest.raises(MapInterrupted) as caught:
        run(lambda row: row, [], 2, "warn")
    assert isinstance(caught.value, KeyboardInterrupt)
    assert list(caught.value.results) == [1, 2]
