"""Changes as text for people, JSON, GitHub annotations and Markdown."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Final

from aigen.compare.model import KINDS, SEVERITIES, Change
from aigen.diagnostics import Diagnostic, Span, formats

Where = Callable[[Change], Span | None]
"""The place of a change in a file; None where the file is gone."""


def as_text(changes: Sequence[Change]) -> str:
    """The changes by kind, each with its code and place, and what to do about it."""
    parts = []
    for kind, group in groupby(changes, key=lambda one: one.kind):
        several = list(group)
        lines = [f"{kind}: {KINDS[kind]}"]
        for one in several:
            lines.append(f"  {one.code} {one.place.full}: {_plain(one.message)}{_whom(one)}")
            if one.kind != "compatible":
                lines.append(f"         {one.mend}")
        parts.append("\n".join(lines))
    return "\n\n".join([*parts, summary(changes)])


def summary(changes: Sequence[Change]) -> str:
    """`1 breaking, 2 prompt`."""
    counts = Counter(one.kind for one in changes)
    said = [f"{counts[kind]} {kind}" for kind in KINDS if counts[kind]]
    return ", ".join(said) or "nothing has changed"


def as_json(changes: Sequence[Change], where: Where) -> str:
    """A list of objects."""
    return json.dumps([_data(one, where(one)) for one in changes], ensure_ascii=False, indent=2)


def _data(one: Change, span: Span | None) -> dict[str, object]:
    return {
        "code": one.code,
        "kind": one.kind,
        "breaks": one.breaks,
        "module": one.place.module,
        "what": one.place.kind,
        "name": one.place.name or None,
        "path": one.place.path or None,
        "message": one.message,
        "mend": one.mend,
        "file": None if span is None else span.path,
        "line": None if span is None else span.line,
    }


def as_github(changes: Sequence[Change], where: Where, folder: str = "") -> str:
    """Workflow commands, which GitHub shows beside the lines of a pull request.

    Args:
        changes: what changed; what is compatible is left out, for GitHub shows few.
        where: their places in files.
        folder: that the files' paths begin in, from the repository's root.
    """
    found = [
        Diagnostic(
            one.code,
            SEVERITIES[one.kind],
            f"{one.place.full}: {_plain(one.message)}{_whom(one)}",
            where(one),
            one.mend,
        )
        for one in changes
        if one.kind != "compatible"
    ]
    return formats.as_github(found, folder)


def as_markdown(changes: Sequence[Change]) -> str:
    """A comment for a pull request: a heading and a list for each kind."""
    parts = [f"### Interfaces: {summary(changes)}"]
    for kind, group in groupby(changes, key=lambda one: one.kind):
        rows = [
            f"- **{_marked(one.place.full)}**: {_marked(one.message)}{_whom(one)} ({one.code})"
            + ("" if kind == "compatible" else f"  \n  {one.mend}")
            for one in group
        ]
        parts.append("\n".join([f"#### {kind.capitalize()}: {KINDS[kind]}", "", *rows]))
    return "\n\n".join(parts)


def _whom(one: Change) -> str:
    """Whose code a change breaks; readers of answers are not the same people as callers."""
    return "" if one.breaks is None else f" [{one.breaks}]"


def _plain(text: str) -> str:
    """Text without what would move a terminal's cursor or turn its direction."""
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)


_MARKS: Final = re.compile(r"([\\`*_{}\[\]<>#|~!@&])")


def _marked(text: str) -> str:
    """Text that Markdown shows as it is."""
    return _MARKS.sub(r"\\\1", _plain(text))
