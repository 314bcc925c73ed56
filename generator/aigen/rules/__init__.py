"""Checks and lint over a whole program: one function a rule, each with its text in the registry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from aigen.diagnostics import Diagnostics
from aigen.ir import Module, Program
from aigen.ir.model import Json
from aigen.rules import choices, sampling, words

__all__ = ["check"]

_RULES: Final[tuple[Callable[[Module, Diagnostics], None], ...]] = (
    choices.one_level,
    choices.alike,
    words.vague,
    words.long_tools,
    words.secrets,
)


def check(
    program: Program, diagnostics: Diagnostics, configured: Mapping[str, Json] | None = None
) -> None:
    """Runs every rule over a program.

    Args:
        program: resolved, and whole even where resolving found faults.
        diagnostics: takes what is found.
        configured: `[tool.aigen.settings]`, for the model that functions use by default.
    """
    for module in program.modules.values():
        for rule in _RULES:
            rule(module, diagnostics)
        sampling.refused(module, configured or {}, diagnostics)
