"""What a project wants of lint: `[tool.aigen.lint]`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from aigen.diagnostics.registry import all_rules


@dataclass(frozen=True, slots=True)
class Lint:
    """Which rules are left out, and how much a model is to read.

    Attributes:
        ignore: codes of lint rules (`lint_codes`) that are not reported anywhere.
        tool_tokens: estimated tokens that a `direct` tool's description stays under; 1-spec-format,
            *Tools*.
        instruction_tokens: those of a function's description and the words of its fields.
        demo_tokens: those of a function's demos together.
    """

    ignore: tuple[str, ...] = ()
    tool_tokens: int = 400
    instruction_tokens: int = 2000
    demo_tokens: int = 4000


_ELSEWHERE: Final = frozenset(("AIG414", "AIG415", "AIG603", "AIG604", "AIG605", "AIG606"))
"""Lint that stands with what it is about: budgets of tools, what providers make of schemas."""


def lint_codes() -> list[str]:
    """The codes that can be ignored."""
    return [code for code in all_rules() if code.startswith("AIG8") or code in _ELSEWHERE]
