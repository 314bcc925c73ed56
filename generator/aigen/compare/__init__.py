"""Two versions of a project's `schemas/`, and what changed between them for whom.

Pure: texts in, changes out. The rules are functions, registered with what `aigen explain` says.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from aigen.compare.model import KINDS, Change, ChangeRule, Kind, Place
from aigen.compare.pairs import comparison
from aigen.compare.reading import Unreadable, read
from aigen.compare.rules import ALL


@cache
def change_rules() -> Mapping[str, ChangeRule]:
    """All rules by code, in order."""
    found = {one.rule.code: one for one in ALL}
    if len(found) != len(ALL):
        raise ValueError("two rules have one code")
    return dict(sorted(found.items()))


def changes(
    before: Mapping[str, Mapping[str, Any]], after: Mapping[str, Mapping[str, Any]]
) -> list[Change]:
    """What changed, the kinds in the order of `KINDS`, and in each by place.

    Args:
        before: the earlier modules by name, as `read` gives them.
        after: the later ones.
    """
    both = comparison(before, after)
    found = [
        Change(one.rule.code, one.kind, one.breaks, place, message, one.rule.mend)
        for one in change_rules().values()
        for place, message in one.find(both)
    ]
    kinds = list(KINDS)
    return sorted(found, key=lambda one: (kinds.index(one.kind), one.place, one.code, one.message))


__all__ = [
    "KINDS",
    "Change",
    "ChangeRule",
    "Kind",
    "Place",
    "Unreadable",
    "change_rules",
    "changes",
    "read",
]
