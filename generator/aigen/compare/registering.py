"""How a function becomes a rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from aigen.compare.model import SEVERITIES, ChangeRule, Comparison, Found, Kind, Side
from aigen.diagnostics import Rule

Finder = Callable[[Comparison], Iterator[Found]]

HEAD: Final = "aigen: 1\nfunctions:\n  mood:\n"
MOOD: Final = HEAD + "    formula: mood ~ review\n"
"""A spec with one function, for examples."""

TOOL: Final = "aigen: 1\ntools:\n  find:\n    description: Finds an order.\n"
"""A spec with one tool, to which examples add."""


def rule(
    code: str,
    kind: Kind,
    title: str,
    *,
    why: str,
    before: str,
    after: str,
    mend: str,
    breaks: Side | None = None,
) -> Callable[[Finder], ChangeRule]:
    """Makes a rule of the function that finds its changes.

    Args:
        code: `AIG9` and two digits.
        kind: how its changes count.
        title: the change in a few words.
        why: what it does to whom; a paragraph.
        before: a spec.
        after: the spec after such a change.
        mend: what to do about it.
        breaks: whose code it breaks; of breaking changes only.
    """
    example = {"the spec before": before, "the spec after": after}
    said = Rule(code, SEVERITIES[kind], title, why, example, mend)
    return lambda find: ChangeRule(said, kind, breaks, find)
