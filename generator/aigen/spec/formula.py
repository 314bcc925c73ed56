"""The formula: `outputs ~ inputs`, names joined by `+`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aigen.diagnostics import Diagnostics
from aigen.spec.nodes import Scalar
from aigen.spec.places import within
from aigen.spec.tree import Formula, Text

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*").fullmatch
_LONGEST = 50_000
_ADVICE = (
    (
        re.compile(r"[A-Za-z_.][A-Za-z0-9_.]*\s*\("),
        "a function of a field cannot stand here",
        "name the field, and describe it under fields",
    ),
    (
        re.compile(r"(?:^|\s)-|^[01]$"),
        "a formula only lists names; nothing can be taken away, and there is no intercept",
        "name the inputs",
    ),
)
_TYPED = re.compile(
    r"([A-Za-z_][A-Za-z0-9_]*)\s*:\s*"
    r"(?:(?:str|string|int|integer|float|number|bool|boolean|date|time|datetime|image|audio|file)\b"
    r"|(?:list|dict|set|tuple)\b).*"
).fullmatch
_MARK = re.compile(r"%in%|[:*^|/]")
"""What R and patsy join names with, beside +."""


def parse_formula(scalar: Scalar, diagnostics: Diagnostics) -> Formula | None:
    """The names on both sides, or None with one finding that says what is wrong."""
    text = scalar.text
    if len(text) > _LONGEST:
        wrong = f"the formula has more than {_LONGEST:,} characters"
        _report(scalar, diagnostics, 0, 1, wrong)
        return None
    sides = text.split("~")
    if len(sides) != 2:
        wrong = "has no ~" if len(sides) < 2 else "has more than one ~"
        _report(scalar, diagnostics, 0, len(text), f"the formula {wrong}", _around_tilde(text))
        return None
    middle = len(sides[0]) + 1
    outputs = _side(scalar, sides[0], 0, "output", diagnostics)
    inputs = _side(scalar, sides[1], middle, "input", diagnostics) if outputs is not None else None
    if outputs is None or inputs is None:
        return None
    dots = [name for name in inputs if name.value == "."]
    names = tuple(name for name in inputs if name.value != ".")
    if not _once((*outputs, *names, *dots), diagnostics):
        return None
    return Formula(outputs, names, dots[0].span if dots else None, scalar.span)


def _around_tilde(text: str) -> str:
    """What to write; an arrow has its sides the other way round."""
    inputs, arrow, outputs = (part.strip() for part in text.partition("->"))
    if arrow and all(_NAME(name.strip()) for name in (inputs + "+" + outputs).split("+")):
        return f"write {outputs} ~ {inputs}"
    return "write outputs ~ inputs"


def is_name(text: str) -> bool:
    """Whether a text is an ASCII identifier."""
    return _NAME(text) is not None


def _side(
    scalar: Scalar, side: str, offset: int, what: str, diagnostics: Diagnostics
) -> tuple[Text, ...] | None:
    if not side.strip():
        _report(scalar, diagnostics, offset, offset + len(side), f"the formula has no {what}")
        return None
    names = []
    for term, start in _terms(side):
        end = start + len(term)
        if _NAME(term) or (term == "." and what == "input"):
            names.append(Text(term, within(scalar, offset + start, offset + end)))
            continue
        message, hint = _wrong(term, what)
        _report(scalar, diagnostics, offset + start, offset + end, message, hint)
        return None
    return tuple(names)


def _terms(side: str) -> Iterator[tuple[str, int]]:
    at = 0
    for term in side.split("+"):
        yield term.strip(), at + len(term) - len(term.lstrip())
        at += len(term) + 1


def _wrong(term: str, what: str) -> tuple[str, str | None]:
    if not term:
        return f"a name is missing between + in the {what}s", None
    if term == ".":
        return "a . may stand only on the right", "name the outputs"
    for pattern, message, hint in _ADVICE:
        if pattern.search(term):
            return f'"{term[:80]}" in the formula: {message}', hint
    typed = _TYPED(term)
    if typed is not None:
        message = "a formula only lists names; types stand under fields"
        return f'"{term[:80]}" in the formula: {message}', f"write {typed[1]}, and {term} there"
    mark = _MARK.search(term)
    if mark is not None:
        names = [name.strip() for name in _MARK.split(term)]
        hint = f"write {' + '.join(names)}" if all(map(_NAME, names)) else "write +"
        meaning = f'what "{mark[0]}" would mean is not known here: a formula only lists names'
        return f'"{term[:80]}" in the formula: {meaning}', hint
    words = term.replace(",", " ").split()
    if len(words) > 1 and all(map(_NAME, words)):
        return f'"{term[:80]}" in the formula: names are joined by +', f"write {' + '.join(words)}"
    hint = re.sub(r"[^A-Za-z0-9_]+", "_", term).strip("_") if term.isascii() else ""
    written = f"write {hint}" if _NAME(hint) else "use ASCII letters, digits and _"
    return f'"{term[:80]}" is no field name: an ASCII identifier is wanted', written


def _once(names: tuple[Text, ...], diagnostics: Diagnostics) -> bool:
    seen: dict[str, Text] = {}
    for name in names:
        if name.value in seen:
            diagnostics.report(
                "AIG132",
                name.span,
                f'"{name.value}" stands twice in the formula',
                hint="each name once, on one side",
                related=((seen[name.value].span, "first here"),),
            )
            return False
        seen[name.value] = name
    return True


def _report(
    scalar: Scalar,
    diagnostics: Diagnostics,
    start: int,
    end: int,
    message: str,
    hint: str | None = None,
) -> None:
    diagnostics.report("AIG131", within(scalar, start, end), message, hint=hint)
