"""Codes 94x: what outputs can be."""

from __future__ import annotations

from collections.abc import Iterator

from aigen.compare.by_shape import differing
from aigen.compare.model import Comparison, Found
from aigen.compare.registering import HEAD, rule

_SCORE = HEAD + "    formula: score ~ review\n    fields: {score: %s}\n"
_MOOD = HEAD + "    formula: mood ~ review\n    fields: {mood: {choice: [%s]}}\n"
_ORDER = (
    "aigen: 1\ntypes:\n  Order: {record: {%s}}\n"
    "functions:\n  read:\n    formula: order ~ letter\n    fields: {order: Order}\n"
)


@rule(
    "AIG941",
    "breaking",
    "An output can be more types, or others",
    why="Code that reads the answer meets values that it does not know.",
    before=_SCORE % "int",
    after=_SCORE % "int | None",
    mend="Keep the type, and give what is new in an output or function of its own.",
    breaks="readers",
)
def type_widened(both: Comparison) -> Iterator[Found]:
    """Outputs that can be more, or something else."""
    return differing(both, "outputs", "type", "wider", "other")


@rule(
    "AIG942",
    "wire",
    "An output can be fewer types",
    why="Code that reads answers goes on, but stored answers may not fit: those of a cache, a "
    "recording, a rating or a demo.",
    before=_SCORE % "int | None",
    after=_SCORE % "int",
    mend="Record the tests again, and look through rated answers and demos.",
)
def type_narrowed(both: Comparison) -> Iterator[Found]:
    """Outputs that can be less."""
    return differing(both, "outputs", "type", "narrower")


@rule(
    "AIG943",
    "breaking",
    "A level that answers may have is new",
    why="Code that handles each level does not handle it, and a type checker says so.",
    before=_MOOD % "happy, unhappy",
    after=_MOOD % "happy, unhappy, mixed",
    mend="Handle it wherever the answer is read, then pass this change with --allow.",
    breaks="readers",
)
def level_added(both: Comparison) -> Iterator[Found]:
    """Levels of outputs that are new."""
    return differing(both, "outputs", "level", "wider")


@rule(
    "AIG944",
    "wire",
    "A level that answers may have is gone",
    why="Code that reads answers goes on, but stored answers with the level do not fit.",
    before=_MOOD % "happy, unhappy, mixed",
    after=_MOOD % "happy, unhappy",
    mend="Record the tests again, and look through rated answers and demos.",
)
def level_removed(both: Comparison) -> Iterator[Found]:
    """Levels of outputs that are gone."""
    return differing(both, "outputs", "level", "narrower")


@rule(
    "AIG945",
    "breaking",
    "An output's constraint is looser, or another",
    why="Answers may be larger, longer or others than code that reads them relies on, such as a "
    "column of a database.",
    before=_SCORE % "{type: int, le: 5}",
    after=_SCORE % "{type: int, le: 10}",
    mend="Keep the constraint, or make room for such values, then pass this change with --allow.",
    breaks="readers",
)
def constraint_loosened(both: Comparison) -> Iterator[Found]:
    """Constraints of outputs that refuse less, or something else."""
    return differing(both, "outputs", "constraint", "wider", "other")


@rule(
    "AIG946",
    "wire",
    "An output's constraint is tighter",
    why="Code that reads answers goes on, but stored answers may not fit.",
    before=_SCORE % "{type: int, le: 10}",
    after=_SCORE % "{type: int, le: 5}",
    mend="Record the tests again, and look through rated answers and demos.",
)
def constraint_tightened(both: Comparison) -> Iterator[Found]:
    """Constraints of outputs that refuse more."""
    return differing(both, "outputs", "constraint", "narrower")


@rule(
    "AIG947",
    "breaking",
    "A member of an answer is gone, or may be absent now",
    why="Code that reads it fails, or meets None.",
    before=_ORDER % "id: str, total: int",
    after=_ORDER % "id: str",
    mend="Keep the member.",
    breaks="readers",
)
def member_widened(both: Comparison) -> Iterator[Found]:
    """Members of outputs that cannot be relied on any more."""
    return differing(both, "outputs", "member", "wider", "other")


@rule(
    "AIG948",
    "wire",
    "A member that every answer has is new",
    why="Code that reads answers goes on, but stored answers lack it.",
    before=_ORDER % "id: str",
    after=_ORDER % "id: str, total: int",
    mend="Record the tests again, and look through rated answers and demos.",
)
def member_narrowed(both: Comparison) -> Iterator[Found]:
    """Members of outputs that stored answers may lack."""
    return differing(both, "outputs", "member", "narrower")


@rule(
    "AIG949",
    "compatible",
    "A member that answers may have is new",
    why="Code that reads answers goes on, and stored answers fit.",
    before=_ORDER % "id: str",
    after=_ORDER % "id: str, total: {type: int, required: false}",
    mend="Nothing has to change.",
)
def member_added(both: Comparison) -> Iterator[Found]:
    """Members of outputs that may be absent."""
    return differing(both, "outputs", "member", "added")


RULES = (
    type_widened,
    type_narrowed,
    level_added,
    level_removed,
    constraint_loosened,
    constraint_tightened,
    member_widened,
    member_narrowed,
    member_added,
)
