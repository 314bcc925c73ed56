"""Lint of settings that a function's model refuses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aigen.diagnostics import Diagnostics
from aigen.ir import Module
from aigen.ir.model import Json
from aigen.runtime.errors import ConfigurationError
from aigen.runtime.wire.providers import FIXED, target


def refused(module: Module, configured: Mapping[str, Json], diagnostics: Diagnostics) -> None:
    """AIG801: `temperature` or `top_p` on a model with fixed sampling."""
    for function in module.functions:
        settings = {**configured, **function.settings}
        model = settings.get("model")
        if not isinstance(model, str) or not _fixed(model, settings):
            continue
        for name in sorted(FIXED & function.settings.keys()):
            diagnostics.report(
                "AIG801",
                function.span,
                f"{function.name} sets {name}, which {model} refuses",
                hint=f"leave {name} out",
            )


def _fixed(model: str, settings: Mapping[str, Any]) -> bool:
    own = settings.get("providers")
    try:
        # A provider that is not known here may still be, where the function is called.
        return target(model, settings.get("base_url"), own, given_server=True).fixed_sampling
    except ConfigurationError:
        return False
