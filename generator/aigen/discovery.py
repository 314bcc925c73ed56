"""Which files are specs, and the modules they become."""

from __future__ import annotations

import keyword
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from aigen.diagnostics import Diagnostics, Span
from aigen.spec import is_spec

SUFFIXES = (".yaml", ".yml", ".json")
_SKIPPED = frozenset(("__pycache__", "node_modules"))
_HEAD = 65536
"""Bytes in which the `aigen:` key is looked for; it is the first in what people write."""


class SpecPath(NamedTuple):
    """A spec file that was found.

    Attributes:
        root: of the specs; the module's name and the files it may name are relative to it.
        shown: relative to the project's root, as messages and markers have it.
    """

    path: Path
    root: Path
    shown: str
    module: str


def discover(
    project: Path, entries: Sequence[Path], diagnostics: Diagnostics
) -> tuple[list[SpecPath], list[str]]:
    """The spec files of some files and folders, and the files that were passed over.

    Args:
        project: the folder from which paths are shown.
        entries: absolute. A file that is named is a spec whatever it holds.
        diagnostics: takes what is wrong.
    """
    found: dict[Path, SpecPath] = {}
    passed: list[str] = []
    for entry in entries:
        if entry.is_file():
            _add(found, entry, entry.parent, project, diagnostics)
            continue
        if not entry.is_dir():
            shown = show(entry, project)
            diagnostics.report("AIG708", None, f"there is no file or folder {shown}")
            continue
        for path in _files(entry):
            if _is_spec(path):
                _add(found, path, entry, project, diagnostics)
            else:
                passed.append(show(path, project))
    specs = sorted(found.values(), key=lambda spec: spec.shown)
    return _one_each(specs, diagnostics), passed


def show(path: Path, project: Path) -> str:
    """A path as messages have it: from the project's root where it lies there, with `/`."""
    try:
        return path.relative_to(project).as_posix()
    except ValueError:
        return Path(os.path.relpath(path, project)).as_posix()


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder, followlinks=False):
        folders[:] = sorted(name for name in folders if name[0] != "." and name not in _SKIPPED)
        for name in sorted(names):
            if name.endswith(SUFFIXES) and name[0] != ".":
                yield Path(place, name)


def _is_spec(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return is_spec(file.read(_HEAD), path.suffix)
    except OSError:
        # It has the name of a spec; reading it says what is wrong.
        return True


def _add(
    found: dict[Path, SpecPath], path: Path, root: Path, project: Path, diagnostics: Diagnostics
) -> None:
    if path in found:
        return
    shown = show(path, project)
    module = _module(path.relative_to(root), shown, diagnostics)
    if module is not None:
        found[path] = SpecPath(path, root, shown, module)


def _module(inside: Path, shown: str, diagnostics: Diagnostics) -> str | None:
    parts = []
    for part in (*inside.parts[:-1], inside.stem):
        name = re.sub(r"[^0-9A-Za-z_]", "_", part)
        if keyword.iskeyword(name):
            name += "_"
        if part[0] == "_" or not name.isidentifier() or name == "schemas" or name[0] == "_":
            reason = "is taken" if name == "schemas" else "is no module name"
            span = Span(shown, 1, 1, 1, 1)
            diagnostics.report(
                "AIG703", span, f'"{part}" {reason}', hint="rename it: letters, digits and _"
            )
            return None
        parts.append(name)
    return ".".join(parts)


def _one_each(specs: list[SpecPath], diagnostics: Diagnostics) -> list[SpecPath]:
    seen: dict[str, SpecPath] = {}
    for spec in specs:
        first = seen.setdefault(spec.module.casefold(), spec)
        if first is not spec:
            diagnostics.report(
                "AIG704",
                Span(spec.shown, 1, 1, 1, 1),
                f"{spec.shown} and {first.shown} both become the module {spec.module}",
                hint="rename one of them",
                related=((Span(first.shown, 1, 1, 1, 1), "the other"),),
            )
    return list(seen.values())
