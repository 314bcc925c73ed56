"""The page of AI functions: its examples' lines, every argument, and how values are bound."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from datetime import date
from types import ModuleType
from typing import Any

import pytest
from aigen.runtime import calls
from aigen.runtime.errors import InterfaceInputError
from aigen.runtime.testing import scripted

SPEC = """\
aigen: 1
functions:
  team:
    formula: team ~ message
    description: Which team should answer?
    fields: {message: the customer's own words, team: {choice: [sales, support]}}
  every:
    formula: out ~ text + whole + number + flag + who + gap + tone
    name: Everything
    description: Take all.
    defined_in: shop.desk
    settings: {temperature: 0, adapter: json}
    instructions: Do it better.
    demos:
      - {text: a, whole: 1, number: 1.5, flag: true, who: {name: n}, gap: null, out: {n: 1}}
    fields:
      whole: int
      number: float
      flag: bool
      who: {record: {name: str, age: {type: int, required: false}}}
      gap: int | None
      tone: {choice: [kind, brief], default: kind}
      out: {json_shape: {type: object, properties: {n: {type: integer}}, required: [n]}}
"""
GIVEN: dict[str, Any] = {
    "text": "a",
    "whole": 1,
    "number": 2.5,
    "flag": True,
    "who": {"name": "Ann"},
    "gap": None,
}


@pytest.fixture
def page(module: Callable[[str], ModuleType]) -> ModuleType:
    return module(SPEC)


def bound(function: Any, **inputs: Any) -> Any:
    """The inputs of a call as its record holds them."""
    with scripted([{"n": 1}]), calls() as seen:
        function(**{**GIVEN, **inputs})
    return seen[-1].inputs


def test_what_it_prints(page: ModuleType) -> None:
    assert str(page.team) == (
        "<ai function> team ~ message\n"
        "  Which team should answer?\n"
        "  message  text: the customer's own words\n"
        "  team     one of sales, support\n"
        "  model: (the default)"
    )
    assert page.team.__name__ == "team"
    tone = inspect.signature(page.every).parameters["tone"]
    assert tone.default == "kind"


def test_every_argument(page: ModuleType) -> None:
    with scripted([{"n": 3}]) as model, calls() as seen:
        found = page.every(**GIVEN)
    assert found == {"n": 3} or found.n == 3
    (request,) = model.requests
    assert request.body["temperature"] == 0
    words = str(request.messages)
    assert "Everything" in words  # `.name`
    assert "Do it better." in words and "Take all." not in words  # `.instructions`
    assert len(request.messages) > 2  # `.demos`
    assert (seen[-1].module, seen[-1].function) == ("shop.desk", "Everything")  # `.defined_in`


@pytest.mark.parametrize(
    ("name", "given", "wanted"),
    [
        ("text", 42, "42"),
        ("text", True, "true"),
        ("text", date(2026, 1, 2), "2026-01-02"),
        ("text", [1, 2], "[\n  1,\n  2\n]"),
        ("text", {"a": 1}, '{\n  "a": 1\n}'),
        ("whole", "5", 5),
        ("whole", 5.0, 5),
        ("number", "2.5", 2.5),
        ("who", {"name": "Ann", "email": "a@b.c"}, {"name": "Ann"}),
        ("gap", None, None),
    ],
)
def test_a_value_is_converted_where_its_meaning_is_clear(
    page: ModuleType, name: str, given: Any, wanted: Any
) -> None:
    assert bound(page.every, **{name: given})[name] == wanted


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("whole", 2.5),
        ("whole", "2.5"),
        ("whole", True),
        ("number", "much"),
        ("flag", 1),
        ("flag", "true"),
        ("who", "Ann"),
        ("who", {"name": "Ann", "age": None}),  # a mapping can leave a member out
        ("text", None),
        ("tone", "rude"),
    ],
)
def test_and_refused_before_any_request_otherwise(page: ModuleType, name: str, given: Any) -> None:
    with scripted([]) as model, pytest.raises(InterfaceInputError) as caught:
        page.every(**{**GIVEN, name: given})
    assert (model.requests, caught.value.field) == ([], name)


def test_what_is_left_out_is_sent_with_its_default(page: ModuleType) -> None:
    assert bound(page.every)["tone"] == "kind"
    assert bound(page.every, tone="brief")["tone"] == "brief"


def test_a_column_is_a_call_a_row(page: ModuleType) -> None:
    with scripted(["sales", "support"]) as model:
        answers = page.team.with_options(concurrency=1).map(["Buy!", "Help!"])
    assert [*answers] == ["sales", "support"]
    assert len(model.requests) == 2
