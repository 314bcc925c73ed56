"""Choices and enumerations: their levels, each once."""

from __future__ import annotations

from collections.abc import Sequence

from aigen.diagnostics import Diagnostics, Span
from aigen.ir import Alias, Choice, Enumeration, Level, Type, TypeDef
from aigen.resolve.words import BROKEN, NULL, union
from aigen.spec import tree


def literal(expr: tree.LiteralOf, diagnostics: Diagnostics) -> Type:
    """The type of `Literal[…]`."""
    levels = tuple(Level(value) for value in expr.values if value is not None)
    options: list[Type] = []
    if levels:
        _different(levels, [expr.span] * len(levels), diagnostics)
        options.append(Choice(_once(levels)))
    if None in expr.values:
        options.append(NULL)
    return union(tuple(options)) if options else BROKEN


def choice(expr: tree.ChoiceOf, diagnostics: Diagnostics) -> Type:
    """The type of a choice's levels."""
    if not expr.levels:
        diagnostics.report(
            "AIG212", expr.span, "a choice needs levels", hint="write choice: [a, b]"
        )
        return BROKEN
    levels = tuple(Level(level.value, level.meaning) for level in expr.levels)
    _different(levels, [level.span for level in expr.levels], diagnostics)
    return Choice(_once(levels))


def _different(levels: Sequence[Level], spans: Sequence[Span], diagnostics: Diagnostics) -> None:
    seen: dict[tuple[type, object], Span] = {}
    for level, span in zip(levels, spans, strict=True):
        key = (type(level.value), level.value)
        if key in seen:
            diagnostics.report(
                "AIG212",
                span,
                f"level {level.value} stands twice",
                hint="leave one out",
                related=[(seen[key], "first here")] if seen[key] != span else (),
            )
        seen.setdefault(key, span)


def enumeration(
    name: str, expr: tree.ChoiceOf, span: Span, words: str | None, diagnostics: Diagnostics
) -> TypeDef:
    """The enumeration that a choice with `enum` is."""
    kind = choice(expr, diagnostics)
    if not isinstance(kind, Choice):
        return Alias(name, BROKEN, span, words)
    if len({type(level.value) for level in kind.levels}) > 1:
        diagnostics.report(
            "AIG212",
            expr.span,
            f"enum {name} mixes texts and integers",
            hint="quote the integers, or leave enum out",
        )
        return Alias(name, kind, span, words)
    return Enumeration(name, kind.levels, span, words)


def _once(levels: Sequence[Level]) -> tuple[Level, ...]:
    return tuple({(type(level.value), level.value): level for level in levels}.values())
