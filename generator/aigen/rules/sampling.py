"""Lint of settings that a function's model refuses."""

from __future__ import annotations

from aigen.diagnostics import Diagnostics
from aigen.rules.context import Context
from aigen.runtime.wire.providers import FIXED


def refused(context: Context, diagnostics: Diagnostics) -> None:
    """AIG801: `temperature` or `top_p` on a model with fixed sampling."""
    for function in context.functions:
        target = context.target(function)
        if target is None or not target.fixed_sampling:
            continue
        model = context.settings(function)["model"]
        for name in sorted(FIXED & function.settings.keys()):
            diagnostics.report(
                "AIG801",
                function.span,
                f"{function.name} sets {name}, which {model} refuses",
                hint=f"leave {name} out",
            )
