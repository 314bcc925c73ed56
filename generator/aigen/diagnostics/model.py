"""One finding, and the list that a run gathers."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from aigen.diagnostics.registry import rule
from aigen.diagnostics.span import Span

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One fault of a spec: one message, however many places it touches.

    Attributes:
        code: the stable code of its rule (`AIG203`).
        severity: `error` fails a build; `warning` and `note` do not.
        message: what is wrong, in the spec's own words, on one line.
        span: the text at fault, or None where the fault has no place in a file.
        hint: what to write instead; shown behind the carets.
        related: further places with a word each, such as the first of two duplicates.
    """

    code: str
    severity: Severity
    message: str
    span: Span | None
    hint: str | None = None
    related: tuple[tuple[Span, str], ...] = ()


class Diagnostics:
    """All findings of one run, over all files."""

    def __init__(self) -> None:
        self._found: dict[Diagnostic, None] = {}

    def report(
        self,
        code: str,
        span: Span | None,
        message: str,
        *,
        hint: str | None = None,
        related: Iterable[tuple[Span, str]] = (),
    ) -> None:
        """Adds a finding of the rule `code`, whose severity the registry gives.

        Line breaks in what a message quotes are written as escapes.

        Raises:
            KeyError: no rule has that code.
        """
        message = message.replace("\n", "\\n")
        hint = None if hint is None else hint.replace("\n", "\\n")
        self.add(Diagnostic(code, rule(code).severity, message, span, hint, tuple(related)))

    def add(self, found: Diagnostic) -> None:
        """Adds a finding as it is, such as one that an earlier run made."""
        self._found.setdefault(found)

    def extend(self, found: Iterable[Diagnostic]) -> None:
        """Adds findings as they are."""
        self._found.update(dict.fromkeys(found))

    @property
    def failed(self) -> bool:
        """Whether anything found is an error."""
        return any(found.severity == "error" for found in self._found)

    def __iter__(self) -> Iterator[Diagnostic]:
        """The findings by file, place and code."""
        return iter(sorted(self._found, key=_order))

    def __len__(self) -> int:
        return len(self._found)


def _order(found: Diagnostic) -> tuple[str, int, int, str, str]:
    place = found.span or Span("", 0, 0, 0, 0)
    return (place.path, place.line, place.column, found.code, found.message)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that `word` most likely meant, or None where none is close."""
    candidates = list(known)
    folded = {name.casefold(): name for name in reversed(candidates)}
    close = difflib.get_close_matches(word.casefold(), folded, n=1, cutoff=0.6)
    return folded[close[0]] if close else None
