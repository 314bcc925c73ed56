"""A tool's result as the text that the model reads."""

from __future__ import annotations

from typing import Any

from aigen.runtime.tools.context import ToolResult
from aigen.runtime.tools.tokens import Kind, cut

OUTPUT_TOKENS = 4000
"""The budget of a result where its tool says none; 1-spec-format, *Tools*."""


def printed(result: Any, budget: int | None = None) -> str:
    """A result as text, within its budget of tokens.

    A text is sent as it is, anything else as JSON; what has no JSON form as `print` shows it.
    """
    text, kind = _text(result)
    return cut(text, OUTPUT_TOKENS if budget is None else budget, kind)


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
    except (TypeError, ValueError, RecursionError):
        return str(result), "prose"
