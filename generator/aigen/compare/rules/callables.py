"""Codes 96x: which code specs name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from aigen.compare.model import Comparison, Found, Place
from aigen.compare.registering import MOOD, TOOL, rule
from aigen.compare.words import quoted

_CHECKED = MOOD + "    check: app:polite\n"
_PYTHON = TOOL + "    python: app:find\n    parameters: {}\n"
_RUNS = ("python", "execute", "parameters")


@rule(
    "AIG961",
    "callable",
    "A spec names code that none named before",
    why="A build only looks names up, but calls run them: with a tool's arguments a model decides "
    "what they are given. Somebody should have looked at each.",
    before=MOOD,
    after=_CHECKED,
    mend="Read that code as you would a new dependency.",
)
def named(both: Comparison) -> Iterator[Found]:
    """Callables that no module named before."""
    known = {name for module in both.before.values() for name in module.get("callables", ())}
    for _, data in sorted(both.after.items()):
        for name in data.get("callables", ()):
            if name not in known:
                place = _where(data, name)
                yield Found(place, f"a spec now runs {name}")


@rule(
    "AIG962",
    "compatible",
    "No spec names this code any more",
    why="Generated code does not run it any more.",
    before=_CHECKED,
    after=MOOD,
    mend="Nothing has to change; it may have become dead code.",
)
def unnamed(both: Comparison) -> Iterator[Found]:
    """Callables that no module names any more."""
    known = {name for module in both.after.values() for name in module.get("callables", ())}
    for module, data in sorted(both.before.items()):
        for name in data.get("callables", ()):
            if name not in known:
                yield Found(Place(module, "module"), f"no spec runs {name} any more")


@rule(
    "AIG963",
    "prompt",
    "A tool runs other code",
    why="The model's call does something else, or takes its parameters from elsewhere.",
    before=_PYTHON,
    after=_PYTHON.replace("app:find", "app:find_faster"),
    mend="Test the tool, and what the functions make of its results.",
)
def runs_other(both: Comparison) -> Iterator[Found]:
    """Tools with another implementation."""
    for pair in both.pairs:
        if pair.kind != "tool":
            continue
        old, new = (
            [entry[key] for key in _RUNS if key in entry] for entry in (pair.before, pair.after)
        )
        if old != new:
            words = f"it ran {' and '.join(map(str, old)) or 'nothing'}"
            yield Found(pair.place, f"{words} and runs {' and '.join(map(str, new)) or 'nothing'}")


def _where(module: Mapping[str, Any], name: str) -> Place:
    """The tool or function that names a callable; the module, where a type does."""
    home = str(module["module"])
    for key, tool in module.get("tools", {}).items():
        if f'"{name}"' in quoted(tool):
            return Place(home, "tool", key)
    for key, function in module.get("functions", {}).items():
        if f'"{name}"' in quoted([function.get("checks"), function.get("defaults")]):
            return Place(home, "function", key)
    return Place(home, "module")


RULES = (named, unnamed, runs_other)
