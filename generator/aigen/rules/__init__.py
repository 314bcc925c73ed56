"""Checks and lint over a whole program: one function a rule, each with its text in the registry."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from aigen.diagnostics import Diagnostic, Diagnostics
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
    servers,
    strict,
    types,
    words,
)
from aigen.rules.context import Context
from aigen.rules.ignoring import comments, unignored

__all__ = ["check", "judged"]

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
    servers.named_in_a_spec,
)
_WHOLE_CODES: Final = re.compile("AIG6|AIG813")


def said_of_faulty(found: Diagnostic) -> bool:
    """Whether dialects and lint say a thing also of a project that has errors elsewhere."""
    return _WHOLE_CODES.match(found.code) is None


_OF_WHOLE: Final[tuple[Callable[[Context, Diagnostics], None], ...]] = (strict.unenforced,)
"""Rules that need a program without errors: what was left out of it would be missed."""


def check(
    program: Program,
    diagnostics: Diagnostics,
    configured: Mapping[str, Json] | None = None,
    *,
    dialects: tuple[str, ...] = (),
    lint: Lint | None = None,
    texts: Mapping[str, str] | None = None,
    also: Iterable[Diagnostic] = (),
) -> None:
    """Runs every rule over a program.

    Args:
        program: resolved, and whole even where resolving found faults.
        diagnostics: takes what is found.
        configured: `[tool.aigen.settings]`, for what functions use by default.
        dialects: `[tool.aigen] dialects`.
        lint: `[tool.aigen.lint]`.
        texts: the spec files by their shown path, for `# aigen: ignore[...]`.
        also: what the dialects say of the program.
    """
    context = Context(program, configured or {}, dialects, lint or Lint())
    whole = not diagnostics.failed
    found = judged(context, whole=whole)
    if whole:
        types.unused({module.name: types.uses(module) for module in context.modules}, found)
    found.extend(also)
    said = [one for path, text in (texts or {}).items() for one in comments(path, text)]
    told = list(found) if whole else _without_faults(found, diagnostics)
    diagnostics.extend(unignored(told, said, context.lint.ignore, whole=whole))


def _without_faults(found: Diagnostics, faults: Diagnostics) -> list[Diagnostic]:
    """What is found of places that hold no error: what could not be read would be missed."""
    errors = [one for one in faults if one.severity == "error"]
    wrong = [one.span for one in errors if one.span is not None]
    wrong += [span for one in errors for span, _ in one.related]
    return [
        one for one in found if one.span is None or not any(one.span.holds(span) for span in wrong)
    ]


def judged(context: Context, *, whole: bool = True) -> Diagnostics:
    """What the rules say that look at one module and those it needs, nothing of it ignored yet.

    Args:
        context: whose modules are judged.
        whole: whether the program has no errors.
    """
    found = Diagnostics()
    for rule in (*_RULES, *(_OF_WHOLE if whole else ())):
        rule(context, found)
    return found
