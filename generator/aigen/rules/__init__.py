"""Checks and lint over a whole program: one function a rule, each with its text in the registry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from aigen.diagnostics import Diagnostics
from aigen.diagnostics.lint import Lint
from aigen.ir import Program
from aigen.ir.model import Json
from aigen.rules import (
    budgets,
    choices,
    functions,
    patterns,
    personal,
    sampling,
    sending,
    strict,
    types,
    words,
)
from aigen.rules.context import Context
from aigen.rules.ignoring import unignored

__all__ = ["check"]

_RULES: Final[tuple[Callable[[Context, Diagnostics], None], ...]] = (
    sampling.refused,
    choices.one_level,
    choices.alike,
    words.vague,
    words.secrets,
    functions.alike,
    words.undescribed,
    budgets.tool,
    budgets.examples,
    budgets.instruction,
    budgets.demos,
    personal.demos,
    patterns.backtracking,
    sending.unsendable,
)
_OF_WHOLE: Final[tuple[Callable[[Context, Diagnostics], None], ...]] = (
    types.unused,
    strict.unenforced,
)
"""Rules that need a program without errors: what was left out of it would be missed."""


def check(
    program: Program,
    diagnostics: Diagnostics,
    configured: Mapping[str, Json] | None = None,
    *,
    dialects: tuple[str, ...] = (),
    lint: Lint | None = None,
    texts: Mapping[str, str] | None = None,
) -> None:
    """Runs every rule over a program.

    Args:
        program: resolved, and whole even where resolving found faults.
        diagnostics: takes what is found.
        configured: `[tool.aigen.settings]`, for what functions use by default.
        dialects: `[tool.aigen] dialects`.
        lint: `[tool.aigen.lint]`.
        texts: the spec files by their shown path, for `# aigen: ignore[...]`.
    """
    context = Context(program, configured or {}, dialects, lint or Lint())
    found = Diagnostics()
    whole = not diagnostics.failed
    for rule in (*_RULES, *(_OF_WHOLE if whole else ())):
        rule(context, found)
    for one in unignored(found, texts or {}, context.lint.ignore, whole=whole):
        diagnostics.add(one)
