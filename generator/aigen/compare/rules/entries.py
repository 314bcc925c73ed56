"""Codes 90x: functions and tools that come and go, and their ids."""

from __future__ import annotations

from collections.abc import Iterator

from aigen.compare.model import Comparison, Found, Pair, Place
from aigen.compare.pairs import only_in
from aigen.compare.registering import MOOD, TOOL, rule

_TWO = MOOD + "  topic:\n    formula: topic ~ review\n"
_FIND = TOOL + "    parameters: {order: str}\n"
_KEEP = _FIND + "  keep:\n    description: Keeps it.\n    parameters: {note: str}\n"


@rule(
    "AIG901",
    "breaking",
    "A function is gone",
    why="Code that imports or calls it fails.",
    before=_TWO,
    after=MOOD,
    mend="Keep it, with deprecated: and what to use instead, until nobody calls it.",
    breaks="callers",
)
def function_removed(both: Comparison) -> Iterator[Found]:
    """Functions that only the earlier version has."""
    for module, name in only_in(both.before, both.after, "functions"):
        yield Found(Place(module, "function", name), f"the function {name} is gone")


@rule(
    "AIG902",
    "compatible",
    "A function is new",
    why="Nobody calls it yet.",
    before=MOOD,
    after=_TWO,
    mend="Nothing has to change.",
)
def function_added(both: Comparison) -> Iterator[Found]:
    """Functions that only the later version has."""
    for module, name in only_in(both.after, both.before, "functions"):
        yield Found(Place(module, "function", name), f"the function {name} is new")


@rule(
    "AIG903",
    "breaking",
    "A tool is gone",
    why="Code that imports it fails, and so do clients that call it by its name.",
    before=_KEEP,
    after=_FIND,
    mend="Keep it until nobody uses it.",
    breaks="callers",
)
def tool_removed(both: Comparison) -> Iterator[Found]:
    """Tools that only the earlier version has."""
    for module, name in only_in(both.before, both.after, "tools"):
        yield Found(Place(module, "tool", name), f"the tool {name} is gone")


@rule(
    "AIG904",
    "compatible",
    "A tool is new",
    why="Nobody uses it yet; a function that lists it is a change of its own.",
    before=_FIND,
    after=_KEEP,
    mend="Nothing has to change.",
)
def tool_added(both: Comparison) -> Iterator[Found]:
    """Tools that only the later version has."""
    for module, name in only_in(both.after, both.before, "tools"):
        yield Found(Place(module, "tool", name), f"the tool {name} is new")


@rule(
    "AIG905",
    "wire",
    "A tool's name for models is another",
    why="Stored conversations and recordings call it by the old name, and so may clients over MCP.",
    before=_FIND,
    after=_FIND + "    name: find_order\n",
    mend="Keep the name, or record the tests again and tell the clients.",
)
def tool_renamed(both: Comparison) -> Iterator[Found]:
    """Tools that models call by another name."""
    for pair in both.pairs:
        if pair.kind == "tool" and pair.before.get("name") != pair.after.get("name"):
            words = f"models called it {pair.before.get('name')} and call {pair.after.get('name')}"
            yield Found(pair.place, words)


@rule(
    "AIG907",
    "compatible",
    "A deprecation",
    why="Callers are warned, or no longer are; every call works as before.",
    before=MOOD,
    after=MOOD + "    deprecated: use topic\n",
    mend="Nothing has to change; move to what the deprecation names.",
)
def deprecated(both: Comparison) -> Iterator[Found]:
    """Functions that became deprecated, or are no longer."""
    for pair in both.pairs:
        if pair.before.get("deprecated") != pair.after.get("deprecated"):
            now = "is deprecated" if pair.after.get("deprecated") else "is no longer deprecated"
            other = pair.before.get("deprecated") and pair.after.get("deprecated")
            yield Found(pair.place, "the deprecation says other words" if other else f"it {now}")


@rule(
    "AIG908",
    "wire",
    "The interface's id alone is another",
    why="Inputs and outputs take what they took, but under other names of types, in another order "
    "or with other words inside a type, so log records, ratings and stored calls before and after "
    "have different ids.",
    before="aigen: 1\ntypes:\n  Tone: {choice: [kind, brief]}\n"
    "functions:\n  mood:\n    formula: mood ~ review\n    fields: {mood: Tone}\n",
    after="aigen: 1\ntypes:\n  Mood: {choice: [kind, brief]}\n  Tone: {choice: [kind, brief]}\n"
    "functions:\n  mood:\n    formula: mood ~ review\n    fields: {mood: Mood}\n",
    mend="Keep the names, or choose logs by the function's name where they span the change.",
)
def interface_id(both: Comparison) -> Iterator[Found]:
    """Functions whose interface's id changed for no other reason."""
    for pair in both.pairs:
        ids = [entry.get("ids", {}).get("interface") for entry in (pair.before, pair.after)]
        if ids[0] != ids[1] and not _said_elsewhere(pair):
            worded = any(one.facet == "words" for one in pair.differences)
            why = (
                "for words inside its types are" if worded else "though it takes and gives the same"
            )
            words = f"the interface's id is another, {why}"
            yield Found(pair.place._replace(path="ids.interface"), words)


def _said_elsewhere(pair: Pair) -> bool:
    """Whether a rule of inputs and outputs says what changed in the interface."""
    sides = (pair.inputs, pair.outputs)
    return (
        pair.new_form
        or pair.before.get("given") != pair.after.get("given")
        or any(list(side.before) != list(side.after) for side in sides)
        or any(one.facet not in ("words", "default") for s in sides for one in s.differences)
    )


RULES = (
    function_removed,
    function_added,
    tool_removed,
    tool_added,
    tool_renamed,
    deprecated,
    interface_id,
)
