"""Where a part of a text stands, when the text is a value of a spec or of a file it names."""

from __future__ import annotations

from aigen.diagnostics import Source, Span
from aigen.spec.nodes import Scalar


def within(scalar: Scalar, start: int, end: int) -> Span:
    """The place of a part of a text, where the text stands on one line as it is read."""
    span = scalar.span
    path, line, column, end_line, end_column = span
    quotes = 0 if scalar.plain else 2
    if line != end_line or end_column - column != len(scalar.text) + quotes:
        return span
    first = column + quotes // 2
    return Span(path, line, first + start, line, first + max(end, start + 1))


def within_lines(lines: list[str], scalar: Scalar, start: int, end: int) -> Span:
    """As `within`, and for a block text (`|`) line by line too; `lines` are the file's.

    A folded text, and a quoted one with escapes, is not read as it is written, so the place is all
    of it.
    """
    span = scalar.span
    opener = lines[span.line - 1][span.column - 1 : span.column]
    if scalar.plain or opener != "|":
        return within(scalar, start, end)
    first = Source(span.path, scalar.text).span(start, end)
    number = span.line + first.line
    written = lines[number - 1] if number <= len(lines) else ""
    read = scalar.text.split("\n")[first.line - 1]
    if not written.endswith(read):
        return span
    shift = len(written) - len(read)
    width = max(first.end_column - first.column, 1) if first.end_line == first.line else 1
    column = first.column + shift
    return Span(span.path, number, column, number, column + width)
