"""Lint of choices."""

from __future__ import annotations

import unicodedata

from aigen.diagnostics import Diagnostics
from aigen.resolve.words import quoted
from aigen.rules.context import Context


def one_level(context: Context, diagnostics: Diagnostics) -> None:
    """AIG802: a choice that leaves nothing to choose.

    A union with other options (a tag of a record, `Literal["auto"] | int`) is none, and neither is
    a record's tag, a single level that tells records apart.
    """
    lone = [each for each in context.choices if each.alone and len(each.levels) == 1]
    if not lone:
        return
    tags = {
        field.span
        for module in context.modules
        for definition in module.types
        for field in getattr(definition, "members", ())
        if field.default is None and not field.optional
    }
    for name, levels, span, _ in lone:
        if span not in tags:
            diagnostics.report(
                "AIG802",
                span,
                f"{name} has one level, {quoted(levels[0].value)}: there is nothing to choose",
                hint="add levels",
            )


def alike(context: Context, diagnostics: Diagnostics) -> None:
    """AIG805: levels that differ only in case, white space or accents."""
    for name, levels, span, _ in context.choices:
        seen: dict[str, str] = {}
        for level in levels:
            if not isinstance(level.value, str):
                continue
            other = seen.setdefault(_folded(level.value), level.value)
            if other != level.value:
                diagnostics.report(
                    "AIG805",
                    span,
                    f"levels {quoted(other)} and {quoted(level.value)} of {name} "
                    "are read as one another",
                    hint="write levels that differ in their words",
                )


def _folded(text: str) -> str:
    if text.isascii():
        return " ".join(text.casefold().split())
    apart = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(char for char in apart if not unicodedata.combining(char)).split())
