"""Lint of settings that a function's model or API refuses."""

from __future__ import annotations

from collections.abc import Iterator

from aigen.diagnostics import Diagnostics
from aigen.ir import Function
from aigen.rules.context import Context
from aigen.runtime.wire.providers import FIXED, NOT_OF_RESPONSES


def refused(context: Context, diagnostics: Diagnostics) -> None:
    """AIG801: `temperature` on a model with fixed sampling, `seed` under the responses API."""
    for function in context.functions:
        for name, whose in _refused(function, context):
            diagnostics.report(
                "AIG801",
                function.span,
                f"{function.name} sets {name}, which {whose} refuses",
                hint=f"leave {name} out",
            )


def _refused(function: Function, context: Context) -> Iterator[tuple[str, str]]:
    settings = context.settings(function)
    target = context.target(function)
    if target is not None and target.fixed_sampling:
        for name in sorted(FIXED & function.settings.keys()):
            yield name, str(settings["model"])
    if settings.get("api") == "responses":
        for name in sorted(NOT_OF_RESPONSES & function.settings.keys()):
            yield name, "the responses API"
