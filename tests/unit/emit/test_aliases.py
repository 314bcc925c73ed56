"""A long annotation has one private name, and stands under it everywhere."""

from __future__ import annotations

import ast
import re
import sys
import types
import typing

import programs
import pytest
from aigen.emit.render import RenderOptions, render
from aigen.ir import Boolean, Choice, Level, List, Module, Null, Text, Type, Union

LEVELS = Choice(tuple(Level(f"a rather long level {n}") for n in range(4)))
NUMBERS = Choice(tuple(Level(10_000_000_000 + n) for n in range(6)))


def written(answer: Type, given: Type) -> str:
    inputs = [programs.field("first", given), programs.field("second", given)]
    made = programs.function("sort", inputs, [programs.field("kind", answer)])
    module = Module("m", "m.yaml", None, functions=(made,))
    return render(programs.program(module), RenderOptions())["m.py"]


def times(text: str, level: str | int) -> int:
    """How often a level stands in the code by itself."""
    nodes = ast.walk(ast.parse(text))
    return sum(isinstance(node, ast.Constant) and node.value == level for node in nodes)


@pytest.mark.parametrize(
    "answer",
    [
        LEVELS,
        Union((LEVELS, Null())),
        List(LEVELS),
        Union((List(LEVELS), Boolean())),
        Union((LEVELS, Boolean(), Null())),
    ],
)
def test_what_has_a_name_stands_under_it(answer: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    text = written(answer, answer)
    assert times(text, "a rather long level 0") == 1
    made = types.ModuleType("an_output")
    monkeypatch.setitem(sys.modules, "an_output", made)
    exec(compile(text, "an_output.py", "exec"), made.__dict__)
    hints = typing.get_type_hints(made.sort)
    assert hints["first"] == hints["second"] == hints["return"]
    assert str(hints["return"]).count("a rather long level 0") == 1


def test_numbers_are_judged_by_another_type_than_callers_read() -> None:
    text = written(NUMBERS, Text())
    assert times(text, 10_000_000_000) == 1
    assert re.search(r"Annotated\[_SortAnswer, Exact\(\)\]", text)
