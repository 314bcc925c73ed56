"""Lint of how much a model is to read, in estimated tokens."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from aigen.diagnostics import Diagnostics
from aigen.ir import Function
from aigen.rules.context import Context
from aigen.runtime.tools.tokens import tokens


def tool(context: Context, diagnostics: Diagnostics) -> None:
    """AIG414: a `direct` tool's description over its budget; 1-spec-format, *Tools*."""
    most = context.lint.tool_tokens
    for each in context.tools:
        size = tokens(each.description or "")
        if size >= most and each.options.get("exposure", "direct") == "direct":
            diagnostics.report(
                "AIG414",
                each.span,
                f"the description of {each.name} is about {size:,} tokens; "
                f"a direct tool's stays under {most:,}",
                hint="shorten it; guidelines: has room for more",
            )


def examples(context: Context, diagnostics: Diagnostics) -> None:
    """AIG415: a tool's examples over the budget of demos; every request sends all of them."""
    most = context.lint.demo_tokens
    for each in context.tools:
        rows = each.options.get("examples")
        size = tokens(json.dumps(rows, ensure_ascii=False), "json") if rows else 0
        if size >= most:
            diagnostics.report(
                "AIG415",
                each.span,
                f"the examples of {each.name} have about {size:,} tokens; they stay under {most:,}",
                hint="keep the short ones, or raise demo_tokens in [tool.aigen.lint]",
            )


def instruction(context: Context, diagnostics: Diagnostics) -> None:
    """AIG810: what a function says of itself and its fields over its budget."""
    most = context.lint.instruction_tokens
    for function in context.functions:
        size = sum(tokens(words) for words in _said(function))
        if size >= most:
            diagnostics.report(
                "AIG810",
                function.span,
                f"the instruction of {function.name} has about {size:,} tokens; "
                f"it stays under {most:,}",
                hint="shorten it, or raise instruction_tokens in [tool.aigen.lint]",
            )


def demos(context: Context, diagnostics: Diagnostics) -> None:
    """AIG811: a function's demos over their budget; every call sends all of them."""
    most = context.lint.demo_tokens
    for function in context.functions:
        rows = (json.dumps(row, ensure_ascii=False, default=str) for row in function.demos)
        size = sum(tokens(row, "json") for row in rows)
        if size >= most:
            diagnostics.report(
                "AIG811",
                function.span,
                f"the {len(function.demos)} demos of {function.name} have about {size:,} tokens; "
                f"they stay under {most:,}",
                hint="keep the demos that teach most, or raise demo_tokens in [tool.aigen.lint]",
            )


def _said(function: Function) -> Iterator[str]:
    """The texts of every request that are not a call's own values."""
    for message in function.prompt or ():
        if isinstance(message, Mapping):
            yield from _written(message.get("body"))
    if function.instructions:
        yield function.instructions
        return
    yield function.description or ""
    for field in (*function.inputs, *function.outputs):
        yield field.description or ""


def _written(body: Any) -> Iterator[str]:
    """The texts in a prompt's segments, those of every branch."""
    for segment in body if isinstance(body, Sequence) else ():
        if isinstance(segment, str):
            yield segment
        elif isinstance(segment, Mapping):
            for _, inner in segment.get("branches", ()):
                yield from _written(inner)
            yield from _written(segment.get("otherwise"))
            yield from _written(segment.get("do"))
