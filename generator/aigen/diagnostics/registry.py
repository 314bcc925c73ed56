"""Every diagnostic code, with an example and its mend.

One registry feeds `aigen explain`, the list in the documentation and the tests, which build each
example and expect its code. Codes are stable: 1xx syntax, 2xx types and defaults, 3xx functions,
4xx tools, 5xx Python source, 6xx dialects and strict mode, 7xx output, 8xx lint.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from aigen.diagnostics.rule import Rule
from aigen.diagnostics.rules import ALL


@cache
def _registry() -> dict[str, Rule]:
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
