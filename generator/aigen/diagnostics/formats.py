"""Findings as text for people, JSON, GitHub annotations and SARIF."""

from __future__ import annotations

import json
import posixpath
import unicodedata
from collections.abc import Callable, Iterable
from typing import Any, Final

from aigen import __version__
from aigen.diagnostics.model import Diagnostic
from aigen.diagnostics.registry import all_rules
from aigen.diagnostics.span import Span

_LONGEST: Final = 160
"""Characters of a line that are shown; a JSON file may be one line."""

_MOST: Final = 1000
"""Characters of a message that are shown; it may quote a name, which has no end of its own."""

_BEFORE: Final = 40
"""Characters shown before a span that is far out in a long line."""

Lines = Callable[[str], list[str]]
"""A file's lines by its shown path; none where it cannot be read."""


def as_text(findings: Iterable[Diagnostic], lines: Lines) -> str:
    """Each finding with its line and a caret under its span, then how many there are."""
    found = list(findings)
    blocks = [_block(one, lines) for one in found]
    return "\n".join([*blocks, *([summary(found)] if found else [])])


def summary(findings: Iterable[Diagnostic]) -> str:
    """`2 errors, 1 warning`."""
    counts = dict.fromkeys(("error", "warning", "note"), 0)
    for one in findings:
        counts[one.severity] += 1
    said = [f"{count} {name}{'s' * (count != 1)}" for name, count in counts.items() if count]
    return ", ".join(said) or "no findings"


def _block(one: Diagnostic, lines: Lines) -> str:
    head = f"{one.severity}[{one.code}]: {_printable(_short(one.message))}"
    if one.span is None:
        return head if one.hint is None else f"{head}\n      | {_printable(_short(one.hint))}"
    span = one.span
    parts = [f"{_place(span)}: {head}"]
    parts += _marked(span, one.hint, lines)
    for place, words in one.related:
        parts.append(f"{_place(place)}: {_printable(_short(words))}")
        parts += _marked(place, None, lines)
    return "\n".join(parts)


def _place(span: Span) -> str:
    return f"{_printable(span.path)}:{span.line}:{span.column}"


def _marked(span: Span, hint: str | None, lines: Lines) -> list[str]:
    """The line of a span with carets under it, and the hint behind them."""
    text = lines(span.path)
    told = f" {_printable(_short(hint))}" if hint else ""
    if not 0 < span.line <= len(text) or span.column == span.end_column == 1:
        return [f"      |{told}"] if told else []
    line = text[span.line - 1]
    start = span.column - 1
    end = span.end_column - 1 if span.end_line == span.line else len(line)
    cut = max(0, start - _BEFORE) if len(line) > _LONGEST else 0
    head = "…" if cut else ""
    tail = "…" if len(line) > cut + _LONGEST else ""
    runs_on = end > cut + _LONGEST
    end = start + 1 if runs_on else end  # else the hint would stand far out behind it
    before, under = head + _printable(line[cut:start]), _printable(line[start:end])
    carets = "^" * max(1, _width(under))
    return [
        f"{span.line:>5} | {head}{_printable(line[cut : cut + _LONGEST])}{tail}",
        f"      | {' ' * _width(before)}{carets}{told}",
    ]


def _short(text: str) -> str:
    """The beginning and the end of what is long."""
    return text if len(text) <= _MOST else f"{text[: _MOST // 2]} … {text[-_MOST // 4 :]}"


def _printable(text: str) -> str:
    """Text as one line that a terminal shows as it is: no controls, no bidi marks."""
    return "".join(
        " " if char in "\t\n" else char if _shows(char) else f"\\u{ord(char):04x}" for char in text
    )


def _shows(char: str) -> bool:
    return char.isprintable() and unicodedata.category(char) not in ("Cf", "Cs")


def _width(text: str) -> int:
    """Columns of a terminal."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def as_json(findings: Iterable[Diagnostic]) -> str:
    """A list of objects: code, severity, message, hint, span and related places."""
    return json.dumps([_data(one) for one in findings], indent=2)


def _data(one: Diagnostic) -> dict[str, Any]:
    return {
        "code": one.code,
        "severity": one.severity,
        "message": one.message,
        "hint": one.hint,
        "span": None if one.span is None else one.span._asdict(),
        "related": [{"span": span._asdict(), "message": words} for span, words in one.related],
    }


_COMMANDS: Final = {"error": "error", "warning": "warning", "note": "notice"}


def as_github(findings: Iterable[Diagnostic], folder: str = "") -> str:
    """Workflow commands, which GitHub shows beside the lines of a pull request.

    Args:
        findings: what was found.
        folder: that their paths begin in, from the repository's root, for GitHub's begin there.
    """
    found = []
    for one in findings:
        values: dict[str, str | int] = {}
        if one.span is not None:
            span = one.span
            values = {
                "file": posixpath.normpath(posixpath.join(folder, span.path)),
                "line": span.line,
                "endLine": span.end_line,
                "col": span.column,
                "endColumn": span.end_column,
            }
        values["title"] = one.code
        said = ",".join(f"{key}={_escaped(str(value))}" for key, value in values.items())
        words = _short(one.message if one.hint is None else f"{one.message}: {one.hint}")
        found.append(f"::{_COMMANDS[one.severity]} {said}::{_escaped_data(words)}")
    return "\n".join(found)


def _escaped_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escaped(text: str) -> str:
    return _escaped_data(text).replace(":", "%3A").replace(",", "%2C")


def as_sarif(findings: Iterable[Diagnostic]) -> str:
    """A SARIF 2.1.0 log of one run."""
    found = list(findings)
    rules = [rule for code, rule in all_rules().items() if any(one.code == code for one in found)]
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "aigen",
                        "version": __version__,
                        "rules": [
                            {
                                "id": rule.code,
                                "shortDescription": {"text": rule.title},
                                "fullDescription": {"text": rule.why},
                                "help": {"text": rule.mend},
                            }
                            for rule in rules
                        ],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(one) for one in found],
            }
        ],
    }
    return json.dumps(log, indent=2)


def _result(one: Diagnostic) -> dict[str, Any]:
    words = one.message if one.hint is None else f"{one.message}: {one.hint}"
    result: dict[str, Any] = {
        "ruleId": one.code,
        "level": one.severity,
        "message": {"text": words},
    }
    if one.span is not None:
        result["locations"] = [_location(one.span)]
    if one.related:
        result["relatedLocations"] = [
            {**_location(span), "message": {"text": words}} for span, words in one.related
        ]
    return result


def _location(span: Span) -> dict[str, Any]:
    from urllib.parse import quote

    return {
        "physicalLocation": {
            # Bytes of a file's name that are no UTF-8 stand in it as surrogates.
            "artifactLocation": {"uri": quote(span.path, errors="surrogateescape")},
            "region": {
                "startLine": span.line,
                "startColumn": span.column,
                "endLine": span.end_line,
                "endColumn": span.end_column,
            },
        }
    }
