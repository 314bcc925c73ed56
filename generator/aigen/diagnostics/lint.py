"""What a project wants of lint: `[tool.aigen.lint]`."""

from __future__ import annotations

from dataclasses import dataclass

from aigen.diagnostics.registry import all_rules


@dataclass(frozen=True, slots=True)
class Lint:
    """Which rules are left out, and how much a model is to read.

    Attributes:
        ignore: codes of lint rules (`AIG8xx`) that are not reported anywhere.
        tool_tokens: estimated tokens that a `direct` tool's description stays under; 1-spec-format,
            *Tools*.
        instruction_tokens: those of a function's description and the words of its fields.
        demo_tokens: those of a function's demos together.
    """

    ignore: tuple[str, ...] = ()
    tool_tokens: int = 400
    instruction_tokens: int = 2000
    demo_tokens: int = 4000


def lint_codes() -> list[str]:
    """The codes that can be ignored."""
    return [code for code in all_rules() if code.startswith("AIG8")]
