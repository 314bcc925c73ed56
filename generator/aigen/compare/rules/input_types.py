"""Codes 92x: what inputs take."""

from __future__ import annotations

from collections.abc import Iterator

from aigen.compare.by_shape import differing
from aigen.compare.model import Comparison, Found
from aigen.compare.registering import HEAD, rule

_PRICE = HEAD + "    formula: mood ~ price\n    fields: {price: %s}\n"
_TONE = HEAD + "    formula: mood ~ tone\n    fields: {tone: {choice: [%s]}}\n"
_ORDER = (
    "aigen: 1\ntypes:\n  Order: {record: {%s}}\n"
    "functions:\n  mood:\n    formula: mood ~ order\n    fields: {order: Order}\n"
)


@rule(
    "AIG921",
    "breaking",
    "An input takes fewer types, or others",
    why="Calls that pass what it took are refused, by type checkers and when they run.",
    before=_PRICE % "float",
    after=_PRICE % "int",
    mend="Keep the type, as one of several if need be (int | str).",
    breaks="callers",
)
def type_narrowed(both: Comparison) -> Iterator[Found]:
    """Inputs that take less, or something else."""
    return differing(both, "inputs", "type", "narrower", "other")


@rule(
    "AIG922",
    "compatible",
    "An input takes more types",
    why="Whatever was passed still may be.",
    before=_PRICE % "int",
    after=_PRICE % "float",
    mend="Nothing has to change.",
)
def type_widened(both: Comparison) -> Iterator[Found]:
    """Inputs that take more."""
    return differing(both, "inputs", "type", "wider")


@rule(
    "AIG923",
    "breaking",
    "A level that calls may pass is gone",
    why="Calls that pass it are refused.",
    before=_TONE % "kind, brief, formal",
    after=_TONE % "kind, brief",
    mend="Keep the level.",
    breaks="callers",
)
def level_removed(both: Comparison) -> Iterator[Found]:
    """Levels of inputs that are gone."""
    return differing(both, "inputs", "level", "narrower")


@rule(
    "AIG924",
    "compatible",
    "A level that calls may pass is new",
    why="Nobody passes it yet.",
    before=_TONE % "kind, brief",
    after=_TONE % "kind, brief, formal",
    mend="Nothing has to change.",
)
def level_added(both: Comparison) -> Iterator[Found]:
    """Levels of inputs that are new."""
    return differing(both, "inputs", "level", "wider")


@rule(
    "AIG925",
    "breaking",
    "An input's constraint is tighter, or another",
    why="Values that were taken are refused.",
    before=_PRICE % "{type: int, le: 100}",
    after=_PRICE % "{type: int, le: 50}",
    mend="Keep the constraint.",
    breaks="callers",
)
def constraint_tightened(both: Comparison) -> Iterator[Found]:
    """Constraints of inputs that refuse more, or something else."""
    return differing(both, "inputs", "constraint", "narrower", "other")


@rule(
    "AIG926",
    "compatible",
    "An input's constraint is looser",
    why="Whatever was passed still may be.",
    before=_PRICE % "{type: int, le: 50}",
    after=_PRICE % "{type: int, le: 100}",
    mend="Nothing has to change.",
)
def constraint_loosened(both: Comparison) -> Iterator[Found]:
    """Constraints of inputs that refuse less."""
    return differing(both, "inputs", "constraint", "wider")


@rule(
    "AIG927",
    "breaking",
    "A member that calls must pass, or may not pass any more",
    why="Objects that were taken are refused.",
    before=_ORDER % "id: str",
    after=_ORDER % "id: str, total: int",
    mend="Give a new member a default, and keep old ones.",
    breaks="callers",
)
def member_narrowed(both: Comparison) -> Iterator[Found]:
    """Members of inputs that make objects of before refused."""
    return differing(both, "inputs", "member", "narrower", "other")


@rule(
    "AIG928",
    "compatible",
    "A member that calls may pass is new, or may be absent now",
    why="Objects that were taken still are.",
    before=_ORDER % "id: str",
    after=_ORDER % "id: str, total: {type: int, default: 0}",
    mend="Nothing has to change.",
)
def member_widened(both: Comparison) -> Iterator[Found]:
    """Members of inputs that let more be passed."""
    return differing(both, "inputs", "member", "wider", "added")


RULES = (
    type_narrowed,
    type_widened,
    level_removed,
    level_added,
    constraint_tightened,
    constraint_loosened,
    member_narrowed,
    member_widened,
)
