"""Findings of lint that a project does not want: by `# aigen: ignore[AIG803]`, or everywhere."""

from __future__ import annotations

import contextlib
import io
import re
import tokenize
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from aigen.diagnostics import Diagnostic, Diagnostics, Span, nearest
from aigen.diagnostics.lint import lint_codes

_COMMENT = re.compile(r"#\s*aigen:\s*ignore\b(?:\[([^\]\n]*)\])?")
_CODE = re.compile(r"[^\s,]+")
_PYTHON = (".py", ".pyi")
_TEXTS = ("STRING", "FSTRING_MIDDLE", "TSTRING_MIDDLE")  # the last two since Python 3.12 and 3.14


class Ignored(NamedTuple):
    """A code in a comment, or the whole comment where it has none."""

    code: str
    span: Span


def unignored(
    findings: Iterable[Diagnostic],
    ignored: Sequence[Ignored],
    everywhere: Collection[str],
    *,
    whole: bool,
) -> Iterator[Diagnostic]:
    """The findings that no comment on their line and no configuration ignores.

    Args:
        findings: of lint alone.
        ignored: what the comments of the same files say.
        everywhere: codes that the project ignores.
        whole: whether lint saw the whole program, so that a comment that ignores nothing is
            reported (AIG816).
    """
    found = list(findings)
    places = {(one.span.path, one.span.line, one.code) for one in ignored}
    if whole:
        found += _needless(ignored, {_place(one) for one in found})
    for one in found:
        if one.severity == "error" or not (one.code in everywhere or _place(one) in places):
            yield one


def _place(found: Diagnostic) -> tuple[str, int, str]:
    span = found.span or Span("", 0, 0, 0, 0)
    return span.path, span.line, found.code


def comments(path: str, text: str) -> Iterator[Ignored]:
    """What the comments of a file ignore; `path` is as messages show it."""
    if "aigen:" not in text or "ignore" not in text or path.endswith(".json"):
        return
    literals: list[range] | None = None
    start = 0
    for number, line in enumerate(text.split("\n"), 1):
        for comment in _COMMENT.finditer(line):
            if literals is None:
                literals = list((_of_python if path.endswith(_PYTHON) else _of_yaml)(text))
            if not any(start + comment.start() in literal for literal in literals):
                yield from _codes(comment, path, number)
        start += len(line) + 1


def _codes(comment: re.Match[str], path: str, number: int) -> Iterator[Ignored]:
    inner = _CODE.finditer(comment.string, *comment.span(1)) if comment[1] else ()
    codes = [(code[0], code.span()) for code in inner]
    for word, (first, last) in codes or [("", comment.span())]:
        yield Ignored(word, Span(path, number, first + 1, number, last + 1))


def _of_yaml(text: str) -> Iterator[range]:
    """Where the texts of a YAML file stand: nothing in them is a comment."""
    import yaml

    with contextlib.suppress(yaml.YAMLError):  # what is wrong is told by who reads it
        for token in yaml.scan(text, yaml.CSafeLoader):
            if isinstance(token, yaml.ScalarToken):
                first, last = token.start_mark.index, token.end_mark.index
                # A comment may stand behind the sign that a block begins with.
                yield range(text.find("\n", first) if token.style in ("|", ">") else first, last)


def _of_python(text: str) -> Iterator[range]:
    """Where the texts of a Python file stand."""
    starts = [0, *(each.end() for each in re.finditer("\n", text))]
    with contextlib.suppress(tokenize.TokenError, SyntaxError):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if tokenize.tok_name[token.type] in _TEXTS:
                (first, column), (last, end) = token.start, token.end
                yield range(starts[first - 1] + column, starts[last - 1] + end)


def _needless(ignored: Iterable[Ignored], places: set[tuple[str, int, str]]) -> list[Diagnostic]:
    """AIG816: comments that name no rule, or one that finds nothing on their line."""
    known = lint_codes()
    report = Diagnostics()
    for code, span in ignored:
        if code in known and (span.path, span.line, code) in places:
            continue
        if code in known:
            said, hint = f"there is no {code} on this line", "remove it"
        elif code:
            close = nearest(code, known)
            said = f"{code} is no rule of lint"
            hint = (
                f'did you mean "{close}"?'
                if close
                else "only lint can be ignored: AIG8xx, AIG414, AIG415, AIG603 to AIG606"
            )
        else:
            said, hint = "the comment names no rule", "write # aigen: ignore[AIG803]"
        report.report("AIG816", span, said, hint=hint)
    return list(report)
