"""Lint of functions beside one another."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Hashable, Iterable

from aigen.diagnostics import Diagnostics
from aigen.ir import Field, Function
from aigen.rules.context import Context

_WORD = re.compile(r"\w+")
_ARTICLES = frozenset(("a", "an", "the"))


def alike(context: Context, diagnostics: Diagnostics) -> None:
    """AIG807: functions of one spec that say the same words of the same inputs and outputs.

    Functions that differ in settings, tools or prompt are variants of one another, and meant.
    """
    for module in context.modules:
        said = [_words(each.instructions or each.description) for each in module.functions]
        often = Counter(said)
        seen: dict[Hashable, Function] = {}
        for function, words in zip(module.functions, said, strict=True):
            if not words or often[words] == 1:
                continue
            other = seen.setdefault((words, *_shape(function)), function)
            if other is not function:
                diagnostics.report(
                    "AIG807",
                    function.span,
                    f"{function.name} asks for the same as {other.name}",
                    hint="keep one, or say how they differ",
                    related=[(other.span, f"{other.name} is here")],
                )


def _words(text: str | None) -> tuple[str, ...]:
    found = _WORD.findall((text or "").casefold())
    return tuple(word for word in found if word not in _ARTICLES)


def _shape(function: Function) -> tuple[Hashable, ...]:
    kept = (function.settings, function.tools, function.prompt)
    return (
        _fields(function.inputs),
        # The one output is `result` here, and its name in the formula is the function's choice.
        _fields(function.outputs),
        json.dumps(kept, sort_keys=True, default=str),
    )


def _fields(fields: Iterable[Field]) -> tuple[Hashable, ...]:
    return tuple((field.name, field.type, _words(field.description)) for field in fields)
