"""Tools of a Python spec that are no plain functions: built, imported and called."""

from __future__ import annotations

import asyncio
import importlib
import sys
from pathlib import Path
from typing import Any

import pytest
from aigen.building import build
from aigen.project import Project

SPEC = '''\
from __future__ import annotations

import functools
from dataclasses import dataclass
from http import HTTPStatus
from typing import overload

from aigen.declare import ai, answer, tool
from aigen.runtime import ToolContext
from pydantic import Field
from typing_extensions import Required, TypedDict, Unpack


class Base:
    """What every desk has."""

    def look(self, order: int) -> str:  # its state
        """Look an order up."""
        return f"{type(self).__name__} {order}"

    @classmethod
    def named(cls, x: int = 1) -> str:
        return f"{cls.__name__} {x}"


class Desk(Base):
    """A desk."""

    def __call__(self, x: int) -> int:
        return 2 * x

    @staticmethod
    def free(x: float) -> float:
        return x / 2

    async def wait(self, x: str) -> str:
        return f"waited {x}"


def _two(a: int, b: str, c: bool = False) -> str:
    return f"{a} {b} {c}"


desk = Desk()
part = functools.partial(_two, 1, c=True)


@overload
def twice(x: int) -> int: ...
@overload
def twice(x: str) -> str: ...
@tool(parameters={"x": {"description": "what is taken twice"}})
def twice(x: int | str) -> int | str:
    return x + x


@dataclass
class Line:
    """A line of an order."""

    sku: str


class Options(TypedDict, total=False):
    """How it is sent."""

    line: Required[Line]  # what is sent
    fast: bool


class Marks(TypedDict, total=False):
    """What it is marked with."""

    colour: str


def send(to: str, **options: Unpack[Options]) -> str:
    """Send it."""
    return f"{to} {options['line'].sku} {options.get('fast')}"


def mark(to: str, **marks: Unpack[Marks]) -> str:
    """Mark it."""
    return f"{to} {sorted(marks.items())}"


def who(x: str, ctx: ToolContext | None = None) -> str:
    """Tell who is asked."""
    return f"{x} {ctx.tool if ctx else 'none'}"


def state(status: HTTPStatus, /, *others: HTTPStatus, most: int = 3, **named: int) -> str:
    """Tell the states."""
    told = ", ".join(each.phrase for each in [status, *others][:most])
    return f"{told} {named}"


@ai(tools=[part, desk, Desk.free, desk.look, desk.wait, Desk.named, twice])
def ask(x: str, most: int = Field(3, ge=1, description="how many")) -> str:
    """Ask."""
    return answer()
'''


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "own_desk.py").write_text(SPEC, encoding="utf-8")
    (tmp_path / "aigen.toml").write_text(
        'specs = ["specs"]\nout = "own_tools"\npython_path = ["specs"]\ntrust = ["http"]\n'
    )
    project = Project.load(tmp_path, named=[])
    build(project)
    assert not project.diagnostics.failed, [found.message for found in project.diagnostics]
    for name in ("own_tools", "own_tools.own_desk", "own_desk"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path / "specs"))
    return importlib.import_module("own_tools.own_desk")


def test_each_is_called(desk: Any) -> None:
    assert desk.part(b="x") == "1 x True"
    assert desk.desk(x=2) == 4
    assert desk.free(x=3.0) == 1.5
    assert desk.look(order=7) == "Desk 7"
    assert desk.named() == "Desk 1"
    assert desk.wait(x="a") == "waited a"
    assert asyncio.run(desk.wait.aio(x="b")) == "waited b"
    assert desk.who(x="a") == "a who"
    assert (desk.twice(x=2), desk.twice(x="a")) == (4, "aa")


def test_names_that_a_typed_dict_says(desk: Any) -> None:
    assert desk.send(to="ann", options={"line": {"sku": "a"}}) == "ann a None"
    assert desk.send(to="ann", options={"line": {"sku": "a"}, "fast": True}) == "ann a True"
    assert desk.send.schema()["inputSchema"]["required"] == ["to", "options"]
    assert (desk.mark(to="b"), desk.mark(to="b", marks={"colour": "red"})) == (
        "b []",
        "b [('colour', 'red')]",
    )


def test_a_class_of_the_standard_library_is_given(desk: Any) -> None:
    from http import HTTPStatus

    given = desk.state(HTTPStatus.OK, others=[HTTPStatus.GONE], named={"a": 1})
    assert given == "OK, Gone {'a': 1}"
    assert 404 in desk.state.schema()["inputSchema"]["$defs"]["HTTPStatus"]["enum"]


def test_what_the_function_has(desk: Any) -> None:
    assert [each.rpartition(".")[2] for each in desk.ask.definition["tools"]] == [
        *("part", "desk", "free", "look", "wait", "named", "twice"),
    ]
    assert desk.ask.interface["inputs"][1]["shape"] == {
        "type": "integer",
        "minimum": 1,
        "default": 3,
    }
