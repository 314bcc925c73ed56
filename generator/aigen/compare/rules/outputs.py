"""Codes 93x: which outputs there are."""

from __future__ import annotations

from collections.abc import Iterator

from aigen.compare.model import Comparison, Found
from aigen.compare.registering import HEAD, MOOD, rule

_ONE = MOOD
_TWO = HEAD + "    formula: mood + topic ~ review\n"
_THREE = HEAD + "    formula: mood + topic + urgency ~ review\n"


@rule(
    "AIG931",
    "breaking",
    "An output is gone",
    why="Code that reads it from an answer fails.",
    before=_THREE,
    after=_TWO,
    mend="Keep it until nobody reads it.",
    breaks="readers",
)
def removed(both: Comparison) -> Iterator[Found]:
    """Outputs that only the earlier version has."""
    for pair in both.pairs:
        for field in pair.outputs.removed():
            place = pair.place._replace(path=f"outputs.{field.name}")
            yield Found(place, f"the output {field.name} is gone")


@rule(
    "AIG932",
    "wire",
    "An output is new",
    why="Code that reads answers goes on, but stored answers lack it: replies in a cache or a "
    "recording are refused, and rated answers are no examples any more.",
    before=_TWO,
    after=_THREE,
    mend="Record the tests again, and add it to rated answers and demos.",
)
def added(both: Comparison) -> Iterator[Found]:
    """Outputs that only the later version has."""
    for pair in both.pairs:
        for field in pair.outputs.added():
            place = pair.place._replace(path=f"outputs.{field.name}")
            yield Found(place, f"the output {field.name} is new")


@rule(
    "AIG933",
    "breaking",
    "An answer of another form",
    why="A function of one output returns its value, one of several a model that has them.",
    before=_ONE,
    after=_TWO,
    mend="Put the further outputs into a function of their own.",
    breaks="readers",
)
def another_form(both: Comparison) -> Iterator[Found]:
    """Functions that returned a value and return a model, or the reverse."""
    for pair in both.pairs:
        if pair.new_form:
            value = len(pair.after["interface"].get("outputs", ())) == 1
            words = "was a model of several outputs and is one value"
            if not value:
                words = "was one value and is a model of several outputs"
            yield Found(pair.place._replace(path="outputs"), f"the answer {words}")


@rule(
    "AIG934",
    "prompt",
    "Outputs in another order",
    why="A model writes them in this order, and what it wrote bears on what it writes next.",
    before=_TWO,
    after=HEAD + "    formula: topic + mood ~ review\n",
    mend="Keep the order, or test the answers again.",
)
def reordered(both: Comparison) -> Iterator[Found]:
    """Functions whose outputs are the same in another order."""
    for pair in both.pairs:
        was = [name for name in pair.outputs.before if name in pair.outputs.after]
        now = [name for name in pair.outputs.after if name in pair.outputs.before]
        if was != now:
            words = f"the outputs were {', '.join(was)} and are {', '.join(now)}"
            yield Found(pair.place._replace(path="outputs"), words)


RULES = (removed, added, another_form, reordered)
