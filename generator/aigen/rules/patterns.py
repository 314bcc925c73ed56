"""Lint of patterns."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from aigen.diagnostics import Diagnostics, Span
from aigen.ir import Alias, Record, Shape, Text, Type
from aigen.ir.types import parts
from aigen.resolve.constraints import is_linear
from aigen.resolve.words import quoted
from aigen.rules.context import Context

# What a linear engine lacks; without one of them it is not even asked, for that takes time.
_LACKS = {
    "look-ahead": re.compile(r"\(\?[=!]"),
    "look-behind": re.compile(r"\(\?<[=!]"),
    "a back-reference": re.compile(r"\\[1-9]|\(\?P="),
    "a possessive or atomic part": re.compile(r"[*+?}]\+|\(\?>"),
    "a condition": re.compile(r"\(\?\("),
}
_VALUES = ("enum", "const", "default", "examples")


def backtracking(context: Context, diagnostics: Diagnostics) -> None:
    """AIG814: a pattern that only Python's engine takes, whose time can be exponential."""
    told: set[tuple[str, str]] = set()
    for name, pattern, span in _patterns(context):
        lacks = [what for what, found in _LACKS.items() if found.search(pattern)]
        if not lacks or (span.path, pattern) in told or is_linear(pattern):
            continue
        told.add((span.path, pattern))
        diagnostics.report(
            "AIG814",
            span,
            f"the pattern {quoted(pattern)} of {name} needs an engine that backtracks: "
            f"it has {' and '.join(lacks)}",
            hint="write it without, or judge the value in a check:",
        )


def _patterns(context: Context) -> Iterator[tuple[str, str, Span]]:
    for name, field in context.fields:
        for pattern in _within(field.type):
            yield name, pattern, field.span
    for definition in context.types:
        if isinstance(definition, Alias):
            for pattern in _within(definition.type):
                yield definition.name, pattern, definition.span
        elif isinstance(definition, Record) and definition.shape is not None:
            for pattern in _of_schema(json.loads(definition.shape)):
                yield definition.name, pattern, definition.span
    for tool in context.tools:
        if tool.shape is not None:
            for pattern in _of_schema(json.loads(tool.shape)):
                yield tool.name, pattern, tool.span


def _within(kind: Type) -> Iterator[str]:
    for part in parts(kind):
        if isinstance(part, Text) and part.pattern is not None:
            yield part.pattern
        elif isinstance(part, Shape):
            yield from _of_schema(json.loads(part.schema))


def _of_schema(schema: Any) -> Iterator[str]:
    pending = [schema]
    while pending:
        one = pending.pop()
        if isinstance(one, list):
            pending.extend(one)
        elif isinstance(one, dict):
            if isinstance(one.get("pattern"), str):
                yield one["pattern"]
            yield from one.get("patternProperties", {})
            pending.extend(inner for key, inner in one.items() if key not in _VALUES)
