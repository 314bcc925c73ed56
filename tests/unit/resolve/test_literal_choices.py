"""The levels of a tool's choices are literal: a build reads them and runs nothing to know them."""

from __future__ import annotations

from typing import Any

import pytest

APP = """\
from typing import Literal

def load(): raise SystemExit("it was run")

X = "x"
Both = Literal["a", "b"]

def plain(unit) -> str: ...
def named(unit: Literal[X]) -> str: ...
def loaded(unit=("a", load())) -> str: ...
def alias(unit: Both = "a") -> str: ...
def levels(unit=("a", "b")) -> str: ...
"""


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("{python: app:plain, parameters: {unit: {choice: {$call: app:load}}}}",
         ["AIG120: a choice has no key \"$call\""]),
        ("{python: app:plain, parameters: {unit: {choice: {a: one, $file: b}}}}",
         ["AIG120: a choice has no key \"$file\""]),
        ("{python: app:plain, parameters: {unit: {choice: {$given: units}}}}",
         ["AIG213: a choice is given at run time to a function's own fields only"]),
        ("{python: app:plain, parameters: {unit: {choice: [[a], b]}}}",
         ["AIG121: a level is a text or a whole number, not a list"]),
        ("{python: app:plain, docs: {arguments: {unit: {type: match.arg, default_value:"
         " [a, 1.5]}}}}",
         ["AIG121: a level is a text or a whole number, not the number 1.5"]),
        ("{python: app:plain, docs: {arguments: {unit: {type: match.arg, default_value:"
         " {$call: app:load}}}}}",
         ["AIG121: match.arg takes its choices as default_value, a list, the first the default,"
          " not a mapping"]),
        ("{python: app:named}",
         ["AIG411: app.py:9: the type of the parameter unit cannot be known: Literal takes values"
          " as they are: write 'x', not X"]),
        ("{python: app:loaded}",
         ["AIG411: app.py:10: the type of the parameter unit is not written"]),
        ("{python: app:alias}", []),
        ("{python: app:levels}", []),
    ],
)  # fmt: skip
def test_a_choice_that_is_not_literal_is_one_error(
    resolved: Any, said: str, wanted: list[str]
) -> None:
    made = resolved({"spec.yaml": f"tools:\n  t: {said}\n", "app.py": APP})
    assert [f"{one.code}: {one.message}" for one in made.found] == wanted
