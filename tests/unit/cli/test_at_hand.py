"""`aigen call`, `show` and `test` of functions that use tools: nothing has to be built."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from aigen.runtime.testing import scripted, tool_call

SPEC = """\
aigen: 1
functions:
  answer:
    formula: words ~ message
    description: Answer the customer.
    tools: [find_order, judge]
  judge:
    formula: mood ~ text
    description: Judge the mood of the text.
tools:
  find_order:
    python: shop_of_the_test:find_order
    annotations: {read_only: true}
"""
SHOP = """\
from dataclasses import dataclass
from datetime import date


@dataclass
class Order:
    id: str
    placed: date


def find_order(order_id: str, since: date = date(2026, 1, 1)) -> Order:
    \"\"\"Find an order.\"\"\"
    assert isinstance(since, date)
    return Order(order_id, since)
"""


@pytest.fixture
def desk(here: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    import sys

    (here / "specs").mkdir()
    (here / "aigen.toml").write_text('specs = ["specs"]\nout = "ai"\npython_path = ["src"]\n')
    (here / "specs" / "desk.yaml").write_text(SPEC)
    (here / "src").mkdir()
    (here / "src" / "shop_of_the_test.py").write_text(SHOP)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield here
    sys.modules.pop("shop_of_the_test", None)


@pytest.mark.parametrize("model", ["", "sample", "gpt-4.1-mini"])
def test_a_function_with_tools_is_called(
    aigen: Callable[..., Any], desk: Path, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    if model:
        monkeypatch.setenv("AIGEN_MODEL", model)
    steps = [
        tool_call("find_order", {"order_id": "A-1", "since": "2026-02-03"}),
        tool_call("judge", {"text": "Where is it?!"}),
        "angry",
        "It is on its way.",
    ]
    with scripted(steps) as asked:
        ran = aigen("call", "answer", "message=Where is it?!")
    assert (ran.code, ran.err) == (0, "")
    assert json.loads(ran.out) == "It is on its way."
    said = str(asked.requests[-1].messages)
    assert '"placed": "2026-02-03"' in said
    assert "angry" in said


def test_its_request_has_the_tools(aigen: Callable[..., Any], desk: Path) -> None:
    ran = aigen("show", "desk.answer", "message=Hm", "--model", "gpt-4.1-mini")
    assert ran.code == 0, ran.err
    tools = json.loads(ran.out)["tools"]
    assert [tool["function"]["name"] for tool in tools] == ["find_order", "judge"]


def test_a_result_is_judged(aigen: Callable[..., Any], desk: Path) -> None:
    file = desk / "src" / "shop_of_the_test.py"
    file.write_text(SHOP.replace("return Order(order_id, since)", "return 'none'"))
    with scripted([tool_call("find_order", {"order_id": "A-1"}), "Sorry."]) as asked:
        assert aigen("call", "answer", "message=Hm").code == 0
    assert "not what its spec says" in asked.requests[-1].messages[-1]["content"]
