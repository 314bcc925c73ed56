"""Whether a spec that an import made builds; what its fields cannot hold stays a JSON Schema."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Container, Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias

from aigen.diagnostics import Diagnostic, Diagnostics, Span
from aigen.importers.apart import TooMuch
from aigen.importers.yaml_text import yaml_text
from aigen.resolve import ResolveContext, resolve
from aigen.spec import read_file
from aigen.spec.source import LARGEST_SPEC
from aigen.spec.tree import SpecFile
from aigen.spec.yaml_reader import MOST_VALUES

Make: TypeAlias = Callable[[Container[str]], dict[str, Any]]


class _Every(Container[str]):
    """All names."""

    def __contains__(self, name: object) -> bool:
        return True


_EVERY: Final = _Every()


def proved(
    make: Make,
    span: Span | None,
    diagnostics: Diagnostics,
    *,
    hint: str | None = None,
    context: ResolveContext | None = None,
) -> str | None:
    """A spec's text, or None where no form of it builds, which is reported.

    Args:
        make: gives the spec, with the JSON Schemas of these tools and types left whole.
        span: where what is imported begins.
        diagnostics: takes what the spec cannot hold.
        hint: what to do about that.
        context: what the build knows.
    """
    whole: Container[str] = frozenset()
    named: set[str] = set()
    while True:
        text, wrong = _written(make, whole)
        if wrong and whole is not _EVERY:
            whole = _EVERY  # parts may hold the same again and again; a whole schema does not
            continue
        if wrong:
            said = f"no spec can hold this: more than {wrong}"
            diagnostics.report("AIG121", span, said, hint=hint)
            return None
        file, errors = read_back(text, context or ResolveContext())
        if not errors:
            return text
        faulty = {name for name in faults(file, errors) if name not in whole}
        if not faulty:
            for each in errors:
                said = f"no spec can hold this: {each.message}"
                diagnostics.report("AIG121", span, said, hint=hint)
            return None
        named |= faulty
        whole = named


def _written(make: Make, whole: Container[str]) -> tuple[str, str]:
    """The spec's text, and how much is more than a spec can hold: one of them is empty."""
    many = f"{MOST_VALUES:,} values"
    try:
        made = make(whole)
    except TooMuch:
        return "", many
    if _is_too_much(made):
        return "", many
    text = yaml_text(made)
    large = len(text.encode()) > LARGEST_SPEC
    return ("", f"{LARGEST_SPEC >> 20} MB") if large else (text, "")


def _is_too_much(spec: Any) -> bool:
    """Whether a spec has more values than are read; the schemas in it may share their parts."""
    pending, values = [spec], 1
    while pending and values <= MOST_VALUES:
        part = pending.pop()
        values += len(part)
        inner = part.values() if isinstance(part, dict) else part
        pending += [each for each in inner if isinstance(each, (dict, list))]
    return values > MOST_VALUES


def read_back(text: str, context: ResolveContext) -> tuple[SpecFile | None, list[Diagnostic]]:
    """A spec as a build reads it, and the errors that the build would have."""
    found = Diagnostics()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "imported.yaml")
        path.write_text(text, encoding="utf-8", newline="")
        file = read_file(
            path, root=path.parent, shown=path.name, module="imported", diagnostics=found
        )
        if file is not None:
            resolve([file], context, found)
    return file, [each for each in found if each.severity == "error"]


def faults(file: SpecFile | None, errors: list[Diagnostic]) -> Iterator[str]:
    """The tools and types in whose lines there is an error."""
    declared = [] if file is None else [(t.key.value, t.span) for t in file.tools]
    declared += [] if file is None else [(t.name.value, t.span) for t in file.types]
    for each in errors:
        for name, span in declared:
            at = each.span
            if at is not None and at.path == span.path and span.line <= at.line <= span.end_line:
                yield name


__all__ = ["faults", "proved", "read_back"]
