"""An implementation is given what its annotations say, and what it gives comes back as declared."""

from __future__ import annotations

import asyncio
import json
from datetime import date
from typing import Any

import pytest
from aigen.runtime.errors import InterfaceInputError, ToolError
from aigen.runtime.tools.typed import parameter_types
from runners import ran

APP = """
from __future__ import annotations
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum, IntEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple
from typing_extensions import TypedDict
from uuid import UUID
from pydantic import BaseModel, ConfigDict, Field, field_validator

if TYPE_CHECKING:
    from collections.abc import Mapping
    from own_tools.desk import Ticket

class Colour(Enum):
    RED = "red"

class Level(IntEnum):
    HIGH = 2

class Order(BaseModel):
    model_config = ConfigDict(strict=True)
    id: str
    placed: date | None = None
    colour: Colour = Colour.RED

    @field_validator("id")
    @classmethod
    def known(cls, value: str) -> str:
        if value == "gone":
            raise ValueError("there is no such order")
        return value

@dataclass
class Line:
    sku: str
    when: date | None = None

class Point(NamedTuple):
    x: int
    y: int = 2

class Options(TypedDict, total=False):
    day: date

def echo(value: Any) -> str:
    return repr(value)

def order(x: Order) -> str: return echo(x)
def line(x: Line) -> str: return echo(x)
def lines(x: list[Line] | None = None) -> str: return echo(x)
def by_name(x: dict[str, Line]) -> str: return echo(x)
def point(x: Point) -> str: return echo(x)
def options(x: Options) -> str: return echo(x)
def colour(x: Colour) -> str: return echo(x)
def level(x: Level = Level.HIGH) -> str: return echo(x)
def day(x: date) -> str: return echo(x)
def pair(x: tuple[int, str]) -> str: return echo(x)
def several(x: set[int]) -> str: return echo(x)
def money(x: Decimal) -> str: return echo(x)
def unique(x: UUID) -> str: return echo(x)
def either(x: Order | Line) -> str: return echo(x)
def literal(x: Literal["a", "b"]) -> str: return echo(x)
def bare(x): return echo(x)
def passing(*x: Line, **more: Point) -> str: return echo((x, more))
async def later(x: Order) -> str: return echo(x)

class Desk:
    @staticmethod
    def static(x: Line) -> str: return echo(x)
    @classmethod
    def made(cls, x: Line) -> str: return echo(x)
    def own(self, x: Line) -> str: return echo(x)
    def __call__(self, x: Line) -> str: return echo(x)

called = Desk()
part = partial(line)

def ticket(x: Ticket, more: Mapping[str, Any]) -> str:
    return echo((type(x).__name__, x.day, more))

def gives_line() -> Line: return Line("a", date(2026, 1, 2))
def gives_point() -> Point: return Point(1)
def gives_order() -> Order: return Order(id="1")
def gives_colours() -> list[Colour]: return [Colour.RED]
def gives_dict() -> Any: return {"sku": "a", "when": "2026-01-02"}
def gives_nothing() -> Any: return None
def gives_object() -> Any: return object()
"""

NAMES = [
    *("order", "line", "lines", "by_name", "point", "options", "colour", "level", "day", "pair"),
    *("several", "money", "unique", "either", "literal", "passing", "later"),
]
SPEC = f"""
types:
  Ticket: {{record: {{day: date}}}}
  Row: {{record: {{sku: str, when: date | None}}}}
  Place: {{record: {{x: int, y: int}}}}
  Bought: {{record: {{id: str, placed: date | None, colour: {{choice: [red, blue]}}}}}}
  Own: {{python: 'own_app:Line'}}
tools:
{"".join(f"  {name}: {{python: 'own_app:{name}'}}{chr(10)}" for name in NAMES)}
  static: {{python: 'own_app:Desk.static'}}
  made: {{python: 'own_app:Desk.made'}}
  own: {{python: 'own_app:Desk.own'}}
  called: {{python: 'own_app:called'}}
  part: {{python: 'own_app:part'}}
  bare: {{python: 'own_app:bare', parameters: {{x: Ticket}}}}
  ticket: {{python: 'own_app:ticket', parameters: {{x: Ticket, more: 'dict[str, int]'}}}}
  executed: {{execute: 'own_app:bare', parameters: {{x: Ticket}}}}
  declared: {{parameters: {{x: Ticket}}}}
  row: {{python: 'own_app:gives_line', returns: Row}}
  place: {{python: 'own_app:gives_point', returns: Place}}
  bought: {{python: 'own_app:gives_order', returns: Bought}}
  colours: {{python: 'own_app:gives_colours', returns: {{list: {{choice: [red, blue]}}}}}}
  own_line: {{python: 'own_app:gives_dict', returns: Own}}
  none: {{python: 'own_app:gives_nothing', returns: Row}}
  thing: {{python: 'own_app:gives_object', returns: Row}}
"""


@pytest.fixture
def desk(module: Any) -> Any:
    return module(SPEC, APP)


ORDER = "Order(id='7', placed=datetime.date(2026, 1, 2), colour=<Colour.RED: 'red'>)"
LINE = "Line(sku='a', when=datetime.date(2026, 1, 2))"
BOUGHT = {"id": "7", "placed": "2026-01-02", "colour": "red"}
BARE_LINE = "Line(sku='a', when=None)"


def test_an_implementation_is_given_what_it_is_written_with(desk: Any) -> None:
    line = {"sku": "a", "when": "2026-01-02"}
    unique = "12345678-1234-5678-1234-567812345678"
    wanted: dict[str, tuple[Any, str]] = {
        "order": (BOUGHT, ORDER),
        "line": (line, LINE),
        "lines": ([line], f"[{LINE}]"),
        "by_name": ({"k": line}, f"{{'k': {LINE}}}"),
        "point": ({"x": 1}, "Point(x=1, y=2)"),
        "options": ({"day": "2026-01-02"}, "{'day': datetime.date(2026, 1, 2)}"),
        "colour": ("red", "<Colour.RED: 'red'>"),
        "level": (2, "<Level.HIGH: 2>"),
        "day": ("2026-01-02", "datetime.date(2026, 1, 2)"),
        "pair": ([1, "a"], "(1, 'a')"),
        "several": ([1, 2], "{1, 2}"),
        "money": ("1.50", "Decimal('1.50')"),
        "unique": (unique, f"UUID('{unique}')"),
        "either": (BOUGHT, ORDER),
        "literal": ("b", "'b'"),
        "later": (BOUGHT, ORDER),
        "static": (line, LINE),
        "made": (line, LINE),
        "called": (line, LINE),
        "part": (line, LINE),
    }
    for name, (given, shown) in wanted.items():
        tool = getattr(desk, name)
        assert tool(given) == shown, name
        assert asyncio.run(tool.aio(given)) == shown, name
        assert ran(tool, name=name, arguments=json.dumps({"x": given})).text == shown, name


def test_the_ways_an_argument_is_passed(desk: Any) -> None:
    made = desk.passing(x=[{"sku": "a"}], more={"at": {"x": 3}})
    assert made == f"(({BARE_LINE},), {{'at': Point(x=3, y=2)}})"


def test_what_is_not_annotated_stays_json(desk: Any) -> None:
    assert desk.bare({"day": "2026-01-02"}) == "{'day': datetime.date(2026, 1, 2)}"
    assert desk.lines() == "None"


def test_a_name_for_type_checkers_only_is_the_wrappers_type(desk: Any) -> None:
    said = desk.ticket({"day": "2026-01-02"}, {"a": 1})
    assert said == "('Ticket', datetime.date(2026, 1, 2), {'a': 1})"


def test_what_is_bound_later_is_given_its_types_too(desk: Any) -> None:
    import own_app

    desk.own.implement(own_app.Desk().own)
    assert desk.own({"sku": "a"}) == BARE_LINE

    desk.declared.implement(own_app.options)
    assert desk.declared({"day": "2026-01-02"}) == "{'day': datetime.date(2026, 1, 2)}"
    desk.declared.implement(lambda x: type(x).__name__)
    assert desk.declared({"day": "2026-01-02"}) == "dict"


def test_a_types_own_check_is_words_for_the_model(desk: Any) -> None:
    with pytest.raises(
        InterfaceInputError, match=r"the input x\.id: Value error, there is no such"
    ):
        desk.order({"id": "gone"})
    done = ran(desk.order, name="order", arguments='{"x": {"id": "gone"}}')
    assert done.is_error
    assert "there is no such order" in done.text


def test_results_come_back_as_declared(desk: Any) -> None:
    import own_app

    row = desk.row()
    assert (type(row), row.sku, row.when) == (desk.Row, "a", date(2026, 1, 2))
    assert desk.place() == desk.Place(x=1, y=2)
    assert desk.bought() == desk.Bought(id="1", placed=None, colour="red")
    assert desk.colours() == ["red"]
    assert desk.own_line() == own_app.Line("a", date(2026, 1, 2))
    for wrong in (desk.none, desk.thing):
        with pytest.raises(ToolError, match="gave a result that is not what its spec says"):
            wrong()


def test_nothing_is_known_of_some_callables() -> None:
    assert parameter_types(print, {}) == {}
    assert parameter_types(dict.fromkeys, {}) == {}
