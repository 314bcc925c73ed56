"""Checks of an answer by code of the user's own."""

from __future__ import annotations

from typing import Any

from aigen.runtime.callables import at_once, imported
from aigen.runtime.errors import AigenError, ConfigurationError
from aigen.runtime.wire.reply import Unreadable


def run_check(place: str, arguments: tuple[Any, ...], field: str | None) -> None:
    """Runs one check of an answer.

    Args:
        place: `pkg.mod:func`.
        arguments: an output's value, or the inputs and the outputs.
        field: the output, where the check is of one.

    Raises:
        Unreadable: it says why not.
        ConfigurationError: it cannot be imported, raises, or says neither.
    """
    check = imported(place)
    try:
        found = at_once(check(*arguments), f"the check {place}")
        if type(found).__module__ == "numpy":
            found = found.item()
    except AigenError:
        raise
    except Exception as problem:
        said = f"{type(problem).__name__}: {problem}{_why(problem, arguments)}"
        raise ConfigurationError(f"the check {place} raised {said}", code="check") from problem
    if found is True:
        return
    if found is not False and not (isinstance(found, str) and found):
        raise ConfigurationError(
            f"the check {place} gave {type(found).__name__}: it gives true, or the reason why not",
            code="check",
        )
    reason = found or f"the check {place.partition(':')[2]} refused it"
    where = f"{field}: " if field else ""
    raise Unreadable(f"{where}{reason}", (field,) if field else ())


def _why(problem: Exception, arguments: tuple[Any, ...]) -> str:
    """What a check that took the answer for something else is told; empty for other faults."""
    outputs = arguments[-1]
    if isinstance(problem, KeyError) and isinstance(outputs, dict) and [*outputs] == ["result"]:
        return "; the only output is called result"
    if isinstance(problem, AttributeError) and isinstance(problem.obj, dict):
        if problem.obj is outputs:
            return f'; outputs are taken by their names: outputs["{problem.name}"]'
        return (
            "; records are dictionaries in the check of a test, and in aigen test and aigen call"
            " where the module is not built: aigen build"
        )
    return ""
