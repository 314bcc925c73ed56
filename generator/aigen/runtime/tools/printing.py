"""A tool's result as the text that the model reads."""

from __future__ import annotations

from typing import Any

from aigen.runtime.errors import AigenError
from aigen.runtime.tools.context import ToolResult
from aigen.runtime.tools.tokens import Kind, cut
from aigen.runtime.wire.content import sendable

OUTPUT_TOKENS = 4000
"""The budget of a result where its tool says none; 1-spec-format, *Tools*."""


def printed(result: Any, budget: int | None = None) -> str:
    """A result as text, within its budget of tokens.

    A text is sent as it is, anything else as JSON; what has no JSON form as `print` shows it.
    """
    text, kind = _text(result)
    return cut(sendable(text), OUTPUT_TOKENS if budget is None else budget, kind)


def _text(result: Any) -> tuple[str, Kind]:
    if isinstance(result, ToolResult):
        if result.text is not None:
            return result.text, "error" if result.is_error else "prose"
        return _text(result.value)
    if result is None:
        return "(no output)", "prose"
    if isinstance(result, str):
        return result or "(no output)", "prose"
    import json

    from aigen.runtime.values import jsonable

    try:
        return json.dumps(jsonable(result), ensure_ascii=False), "json"
    except Exception:  # it has no JSON form, or code of its own fails
        return _shown(result), "prose"


def raised(problem: BaseException) -> str:
    """An exception in words: ours as they are, any other with its name."""
    if isinstance(problem, AigenError):
        return problem.message
    name = type(problem).__name__
    try:
        words = str(problem)
    except Exception:  # code of its own fails
        return name
    return f"{name}: {words}" if words else name


def _shown(result: Any) -> str:
    """What `print` shows; deep values and numbers of many digits have no text either."""
    try:
        return str(result)
    except Exception as problem:
        return f"({type(result).__name__}, which cannot be shown: {type(problem).__name__})"
