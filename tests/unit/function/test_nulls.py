"""What may be absent and what may be null, from a spec to the answer of a call."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from types import ModuleType
from typing import Any

import pytest
from aigen.runtime import calls
from aigen.runtime.errors import InterfaceInputError, ReplyError
from aigen.runtime.testing import scripted
from pydantic import TypeAdapter, ValidationError

Module = Callable[[str], ModuleType]

SPEC = """\
aigen: 1
types:
  Maybe: int | None
  Line:
    record:
      sku: str
      note: {type: str, required: false}
      count: {type: int, default: 1}
      either: {type: int | None, required: false}
      filled: {type: int | None, default: 7}
      tone: {choice: [kind, brief], required: false}
      named: {type: Maybe, required: false}
      until: {type: date, required: false}
  Cash: {record: {kind: {choice: [cash]}, tip: {type: float, required: false}}}
  Card:
    record:
      kind: {choice: [card]}
      tip: {type: float | None, required: false}
      holder: {type: str, default: nobody}
  Tree: {record: {name: str, kids: {type: "list[Tree]", required: false}}}
functions:
  read:
    formula: order + total ~ text
    fields:
      order:
        record:
          lines: list[Line]
          first: {type: Line, required: false}
          pay: Cash | Card
          levels: {type: "list[str]", default: [a, b]}
      total: float | None
  grow:
    formula: tree ~ text
    fields: {tree: Tree}
  mix:
    formula: mix ~ text
    fields: {mix: "list[Line | int | None]"}
"""
LINE = dict.fromkeys(("note", "count", "either", "filled", "tone", "named", "until"))
NULLS = {"sku": "s", **LINE}
BARE = {"sku": "s", "count": 1, "either": None, "filled": None, "named": None}
"""A line of nulls as it is dumped: what may be null is null, what is absent is not there."""


def order(**more: Any) -> dict[str, Any]:
    return {"lines": [NULLS, NULLS], "first": None, "pay": cash(), "levels": None, **more}


def cash() -> dict[str, Any]:
    return {"kind": "cash", "tip": None}


def card() -> dict[str, Any]:
    return {"kind": "card", "tip": None, "holder": None}


def answered(function: Any, reply: Any, adapter: str = "json") -> tuple[Any, tuple[str, ...]]:
    with scripted([json.dumps(reply)]), calls() as seen:
        answer = function.with_options(model="m", adapter=adapter, retries=0)("t")
    return answer, seen[-1].repairs


def members(function: Any, name: str) -> dict[str, Any]:
    held = function.with_options(model="m", adapter="json").request("t").body["response_format"]
    assert held["json_schema"]["strict"] is True
    found = held["json_schema"]["schema"]["$defs"][name]
    assert found["required"] == list(found["properties"])
    return dict(found["properties"])


def test_the_strict_form_takes_null_for_absent(module: Module) -> None:
    line = members(module(SPEC).read, "Line")
    assert line["note"] == {"type": ["string", "null"]}
    assert line["tone"] == {"type": ["string", "null"], "enum": ["kind", "brief", None]}
    assert line["until"]["type"] == ["string", "null"]
    assert line["count"]["description"].splitlines() == ["default: 1", "null: the default"]
    # What takes null as it is says nothing of a default behind it.
    assert line["filled"]["description"] == "default: 7"
    assert {"type": "null"} in line["either"]["anyOf"]


def test_null_is_absent_or_the_default_where_it_is_no_value(module: Module) -> None:
    functions = module(SPEC)
    answer, repairs = answered(functions.read, {"order": order(), "total": None})
    assert repairs == ()
    assert answer.model_dump() == {
        "order": {"lines": [BARE, BARE], "pay": {"kind": "cash"}, "levels": ["a", "b"]},
        "total": None,
    }
    line = answer.order.lines[0]
    assert line.model_fields_set == {"sku", "either", "filled", "named"}
    assert (line.note, line.count, line.filled, line.until) == (None, 1, None, None)
    assert answer.order.model_fields_set == {"lines", "pay"}


def test_values_stay(module: Module) -> None:
    line = {**NULLS, "note": "n", "count": 2, "either": 3, "filled": 4, "tone": "kind", "named": 5}
    reply = {"order": order(first=line, levels=[]), "total": 1.5}
    answer, _ = answered(module(SPEC).read, reply)
    assert answer.order.first.model_dump() == {k: v for k, v in line.items() if v is not None}
    assert (answer.order.levels, answer.total) == ([], 1.5)


@pytest.mark.parametrize(
    ("pay", "dumped"),
    [
        (cash(), {"kind": "cash"}),
        (card(), {"kind": "card", "tip": None, "holder": "nobody"}),
    ],
)
def test_an_option_has_nulls_of_its_own(
    module: Module, pay: dict[str, Any], dumped: dict[str, Any]
) -> None:
    functions = module(SPEC)
    for adapter in ("json", "prompted"):
        answer, _ = answered(functions.read, {"order": order(pay=pay), "total": None}, adapter)
        assert answer.order.pay.model_dump() == dumped


def test_lists_of_unions_and_recursive_types(module: Module) -> None:
    functions = module(SPEC)
    answer, _ = answered(functions.mix, {"result": [NULLS, 1, None]})
    assert [getattr(item, "count", item) for item in answer] == [1, 1, None]
    tree = {"name": "a", "kids": [{"name": "b", "kids": None}, {"name": "c", "kids": []}]}
    answer, _ = answered(functions.grow, {"result": tree})
    assert answer.model_dump() == {"name": "a", "kids": [{"name": "b"}, {"name": "c", "kids": []}]}


def test_null_for_absent_is_a_repair_where_nothing_was_agreed(module: Module) -> None:
    functions = module(SPEC)
    reply = {"order": order(), "total": None}
    told, repairs = answered(functions.read, reply, "prompted")
    held, _ = answered(functions.read, reply)
    assert told == held
    assert told.order.lines[0].model_fields_set == held.order.lines[0].model_fields_set
    assert "took null for absent order.lines.1.note" in repairs
    assert "took null for absent order.pay.tip" in repairs
    assert not [repair for repair in repairs if "either" in repair or "filled" in repair]
    with pytest.raises(ReplyError):
        answered(functions.read.with_options(reading="strict"), reply, "prompted")


def test_null_is_no_absence_of_what_must_be_there(module: Module) -> None:
    functions = module(SPEC)
    for adapter in ("json", "prompted"):
        lines = [{**NULLS, "sku": None}]
        with pytest.raises(ReplyError, match=r"order\.lines\[0\]\.sku should be text"):
            answered(functions.read, {"order": order(lines=lines), "total": None}, adapter)


def test_parse_reads_both_forms(module: Module) -> None:
    read = module(SPEC).read
    null = read.parse(json.dumps({"order": order(), "total": None}))
    lines = [{"sku": "s", "either": None, "filled": None, "named": None}] * 2
    absent = read.parse(
        json.dumps({"order": {"lines": lines, "pay": {"kind": "cash"}}, "total": None})
    )
    assert null == absent


def test_a_named_boolean_is_strict_without_a_model(module: Module) -> None:
    made = module(
        "aigen: 1\n"
        "types:\n"
        "  Flag: bool\n"
        "  Flags: {list: bool}\n"
        "  Either: bool | str\n"
        "  Row: {record: {flag: Flag, plain: bool}}\n"
    )
    for kind, value in [(made.Flag, 1), (made.Flags, [0]), (made.Either, 1), (made.Flag, "yes")]:
        with pytest.raises(ValidationError):
            TypeAdapter(kind).validate_python(value)
    assert TypeAdapter(made.Flags).validate_json("[true]") == [True]
    assert made.Row(flag=True, plain=False).flag is True
    with pytest.raises(ValidationError):
        made.Row(flag=1, plain=False)


def test_a_member_goes_by_its_own_name_and_not_by_pythons(module: Module) -> None:
    made = module(
        "aigen: 1\n"
        "functions:\n"
        "  read:\n"
        "    formula: order ~ text\n"
        "    fields: {order: {record: {class: str, n: int}}}\n"
    )
    read = made.read.with_options(model="m", retries=0, reading="strict")
    with scripted(['{"result": {"class": "a", "n": 1}}']):
        assert made.read.with_options(model="m")("x").n == 1
    for text in (
        '{"result": {"class_": "a", "n": 1}}',
        '{"result": {"class": "a", "n": 1, "n": 2}}',
    ):
        with scripted([text]), pytest.raises(ReplyError):
            read("x")


def test_limits_of_a_decimal_are_counted_in_decimal(module: Module) -> None:
    made = module(
        "aigen: 1\n"
        "types: {Price: {type: Decimal, gt: 0, le: 0.3}}\n"
        "functions:\n"
        "  read:\n"
        "    formula: price + other ~ text + least\n"
        "    fields:\n"
        "      price: Price\n"
        "      other: {type: Decimal | None, ge: 7}\n"
        "      least: {type: Decimal, ge: 0.1, default: '0.1'}\n"
    )
    read = made.read.with_options(model="m", retries=0)
    price = read.definition["$defs"]["Price"]
    assert price == {"type": "string", "format": "decimal", "exclusiveMinimum": 0, "maximum": 0.3}
    with scripted([{"price": "0.3", "other": None}] * 3) as model:
        assert read("x").price == Decimal("0.3")
        assert read("x", Decimal("0.1")).other is None
        read("x", "0.1")
    assert "at most 0.3" in json.dumps(model.requests[0].body)
    for price, other in [("0", "7"), ("0.30000000000000001", "7"), ("0.1", "6.99")]:
        with scripted([{"price": price, "other": other}]), pytest.raises(ReplyError):
            read("x")
        with pytest.raises(ValidationError):
            made.Read.model_validate({"price": price, "other": other})
    with pytest.raises(InterfaceInputError, match="a decimal number at least"):
        read("x", Decimal("0.09"))
    sampled = made.read.with_options(model="sample")("x")
    assert sampled.other >= 7 and 0 < sampled.price <= Decimal("0.3")
    assert '"maximum": 0.3' in json.dumps(made.Read.model_json_schema())
