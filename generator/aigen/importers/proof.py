"""Whether a spec that an import made builds; what its fields cannot hold stays a JSON Schema."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterator
from itertools import count
from pathlib import Path
from typing import Any, Final, TypeAlias

from aigen.diagnostics import Diagnostic, Diagnostics, Source, Span
from aigen.importers.apart import TooMuch
from aigen.importers.yaml_text import yaml_text
from aigen.resolve import ResolveContext, resolve
from aigen.spec.document import read_node
from aigen.spec.nodes import Entry, Json, Mapping, Node, Scalar, at_one_place
from aigen.spec.reading import Reading
from aigen.spec.source import LARGEST_SPEC
from aigen.spec.tree import SpecFile
from aigen.spec.yaml_reader import DEEPEST, MOST_VALUES

Spec: TypeAlias = dict[str, Any]
Make: TypeAlias = Callable[[Container[str]], Spec]

_SHOWN: Final = "imported.yaml"
_NOWHERE: Final = Path(os.devnull)
"""A folder that holds no file: an imported spec names none."""


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
        made, text, wrong = _written(make, whole)
        if wrong and whole is not _EVERY:
            whole = _EVERY  # parts may hold the same again and again; a whole schema does not
            continue
        if wrong:
            said = f"no spec can hold this: more than {wrong}"
            diagnostics.report("AIG121", span, said, hint=hint)
            return None
        file, errors = built(made, text, context or ResolveContext())
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


def _written(make: Make, whole: Container[str]) -> tuple[Spec, str, str]:
    """The spec, its text, and what it has more of than is read, if anything."""
    try:
        made = make(whole)
    except TooMuch:
        return {}, "", _VALUES
    wrong = _too_much(made)
    if wrong:
        return made, "", wrong
    text = yaml_text(made)
    large = len(text.encode()) > LARGEST_SPEC
    return made, text, f"{LARGEST_SPEC >> 20} MB" if large else ""


_VALUES: Final = f"{MOST_VALUES:,} values"


def _too_much(spec: Spec) -> str:
    """What a spec has more of than its text may have; the schemas in it may share their parts."""
    pending: list[tuple[Any, int]] = [(spec, 1)]
    values = 3  # what begins and ends counts too: the text, its document, each collection
    while pending:
        part, depth = pending.pop()
        named = isinstance(part, dict)
        each_of = part.values() if named else part
        inner = [each for each in each_of if isinstance(each, (dict, list))]
        values += 2 + len(part) * (2 if named else 1) - len(inner)
        if values > MOST_VALUES:
            return _VALUES
        if depth > DEEPEST:
            return f"{DEEPEST} levels"
        pending += [(each, depth + 1) for each in inner]
    return ""


def built(
    spec: Spec, text: str, context: ResolveContext
) -> tuple[SpecFile | None, list[Diagnostic]]:
    """A spec as a build would read it, and the errors that the build would have.

    Each type and tool stands at a line of its own.

    Args:
        spec: what `text` says.
        text: as `yaml_text` gives it.
        context: what the build knows.
    """
    found = Diagnostics()
    reading = Reading(Source(_SHOWN, text), _NOWHERE, _NOWHERE, found)
    # What is known of a type's schema makes reading it once more needless.
    known = {name: {**spec["types"][name], "json_shape": True} for name in context.shapes}
    read = {**spec, "types": {**spec["types"], **known}} if known else spec
    file = read_node(reading, _at_lines(read, count(1), levels=2), "imported")
    if file is not None:
        resolve([file], context, found)
    return file, [each for each in found if each.severity == "error"]


def _at_lines(value: Json, lines: Iterator[int], levels: int) -> Node:
    """A value as a node; what is in it so many levels down stands at a line of its own."""
    line = next(lines)
    place = Span(_SHOWN, line, 1, line, 2)
    if levels == 0 or not isinstance(value, dict):
        return at_one_place(value, place)
    entries = {}
    for name, inner in value.items():
        node = _at_lines(inner, lines, levels - 1)
        entries[name] = Entry(Scalar(name, node.span, name, False), node)
    return Mapping(entries, place)


def faults(file: SpecFile | None, errors: list[Diagnostic]) -> Iterator[str]:
    """The tools and types in whose lines there is an error."""
    declared = [] if file is None else [(t.key.value, t.span) for t in file.tools]
    declared += [] if file is None else [(t.name.value, t.span) for t in file.types]
    for each in errors:
        for name, span in declared:
            at = each.span
            if at is not None and at.path == span.path and span.line <= at.line <= span.end_line:
                yield name


__all__ = ["built", "faults", "proved"]
