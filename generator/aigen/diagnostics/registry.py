"""Every diagnostic code, with an example and its mend.

One registry feeds `aigen explain`, the list in the documentation and the tests, which build each
example and expect its code. Codes are stable: 1xx syntax, 2xx types and defaults, 3xx functions,
4xx tools, 5xx Python source, 6xx dialects and strict mode, 7xx output, 8xx lint.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal


@dataclass(frozen=True, slots=True)
class Rule:
    """What one code means.

    Attributes:
        code: `AIG` and three digits.
        severity: how a finding of it counts.
        title: the fault in a few words.
        why: why it is one, and what would go wrong otherwise; a paragraph.
        example: a spec that has the fault, whole, or files by path; empty where no spec alone can
            show it (a full disk, two builds at once).
        mend: what to write instead.
    """

    code: str
    severity: Literal["error", "warning", "note"]
    title: str
    why: str
    example: str | Mapping[str, str]
    mend: str


@cache
def _registry() -> dict[str, Rule]:
    from aigen.diagnostics.rules import ALL

    found: dict[str, Rule] = {}
    for entry in ALL:
        if entry.code in found:
            raise ValueError(f"two rules have the code {entry.code}")
        found[entry.code] = entry
    return dict(sorted(found.items()))


def rule(code: str) -> Rule:
    """The rule with this code.

    Raises:
        KeyError: there is none.
    """
    return _registry()[code]


def all_rules() -> Mapping[str, Rule]:
    """All rules by code, in order."""
    return _registry()
