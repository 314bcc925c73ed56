"""Which files are specs, and the modules they become."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from aigen.diagnostics import Diagnostics, Span, nearest
from aigen.emit.write import digest
from aigen.spec import is_spec
from aigen.spec.python_names import free
from aigen.spec.source import LARGEST_SPEC, read_up_to

SUFFIXES = (".yaml", ".yml", ".json", ".py", ".pyi")
_SKIPPED = frozenset(("__pycache__", "node_modules"))


class SpecPath(NamedTuple):
    """A spec file that was found.

    Attributes:
        root: of the specs; the module's name and the files it may name are relative to it.
        module: the dotted name, also where a finding says that it can be none, so that whatever
            else is wrong in the file is found too.
        shown: relative to the project's root, as messages and markers have it.
        seen: a digest of what it held when it was found; empty where it could not be read.
    """

    path: Path
    root: Path
    shown: str
    module: str
    seen: str


def discover(
    project: Path,
    entries: Sequence[tuple[Path, Path]],
    diagnostics: Diagnostics,
    written: Path | None = None,
) -> tuple[list[SpecPath], list[str]]:
    """The spec files of some files and folders, and the files that were passed over.

    Args:
        project: the folder from which paths are shown.
        entries: each with the root of its specs, both absolute. A file that is named is a spec
            whatever it holds.
        diagnostics: takes what is wrong.
        written: the folder where builds write schemas; as JSON they look like specs.
    """
    found: dict[Path, SpecPath] = {}
    passed: list[str] = []
    for entry, root in sorted(entries, key=lambda one: not one[0].is_file()):
        if entry.is_file():
            _add(found, entry, root, _head(entry), project, diagnostics)
            continue
        if not entry.is_dir():
            message = f"there is no file or folder {show(entry, project)}"
            diagnostics.report("AIG708", None, message, hint=_meant(entry, project))
            continue
        for path in _files(entry, project, diagnostics):
            if path in found or _is_schema(path, written):
                continue
            head = _head(path)
            # One that cannot be read has the name of a spec; reading it says what is wrong.
            if head is None or is_spec(head, path.suffix):
                _add(found, path, root, head, project, diagnostics)
            else:
                passed.append(show(path, project))
    specs = sorted(found.values(), key=lambda spec: spec.shown)
    return _one_each(specs, diagnostics), passed


def _is_schema(path: Path, written: Path | None) -> bool:
    return written is not None and path.suffix == ".json" and path.is_relative_to(written)


def _meant(missing: Path, project: Path) -> str | None:
    """What may have been meant by a file or folder that is not there."""
    try:
        there = [each for each in missing.parent.iterdir() if each.name[0] != "."]
    except OSError:
        return None
    names = [each.name for each in there if each.is_dir() or each.suffix in SUFFIXES]
    close = nearest(missing.name, names)
    return f"did you mean {show(missing.with_name(close), project)}?" if close else None


def show(path: Path, project: Path) -> str:
    """A path as messages have it: from the project's root where it lies there, with `/`."""
    try:
        return path.relative_to(project).as_posix()
    except ValueError:
        return Path(os.path.relpath(path, project)).as_posix()


def _files(
    folder: Path, project: Path, diagnostics: Diagnostics, above: frozenset[str] = frozenset()
) -> Iterator[Path]:
    """The files with a spec's suffix, in order; links are followed, but never round a loop."""
    real = os.path.realpath(folder)
    if real in above:
        return
    try:
        with os.scandir(folder) as scanned:
            entries = sorted(scanned, key=lambda entry: entry.name)
    except OSError as problem:
        shown = show(folder, project)
        reason = problem.strerror or type(problem).__name__
        diagnostics.report("AIG101", Span(shown, 1, 1, 1, 1), f"cannot read {shown}: {reason}")
        return
    for entry in entries:
        if entry.name[0] == "." or entry.name in _SKIPPED:
            continue
        if _is_folder(entry):
            yield from _files(Path(entry.path), project, diagnostics, above | {real})
        elif entry.name.endswith(SUFFIXES) and not _is_special(entry):
            yield Path(entry.path)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False


def _is_special(entry: os.DirEntry[str]) -> bool:
    """Whether it is a pipe, socket or device, which may never end."""
    try:
        return not stat.S_ISREG(entry.stat().st_mode)
    except OSError:  # reading it says what is wrong
        return False


def _head(path: Path) -> bytes | None:
    try:
        with path.open("rb") as file:
            return read_up_to(file, LARGEST_SPEC)
    except OSError:
        return None


def _add(
    found: dict[Path, SpecPath],
    path: Path,
    root: Path,
    head: bytes | None,
    project: Path,
    diagnostics: Diagnostics,
) -> None:
    if path in found:
        return
    shown = show(path, project)
    module = _module(path.relative_to(root), shown, diagnostics)
    found[path] = SpecPath(path, root, shown, module, digest(head) if head else "")


def _module(inside: Path, shown: str, diagnostics: Diagnostics) -> str:
    names = []
    for part in (*inside.parts[:-1], inside.stem):
        name = free(re.sub(r"[^0-9A-Za-z_]", "_", part))
        if not name.isidentifier() or name == "schemas" or name[0] == "_":
            taken = name == "schemas"
            reason = "is taken by the folder of the schemas" if taken else "is no module name"
            hint = "rename it" if taken else "rename it: a letter, then letters, digits and _"
            span = Span(shown, 1, 1, 1, 1)
            diagnostics.report("AIG703", span, f'"{part}" {reason}', hint=hint)
        names.append(name)
    return ".".join(names)


def _one_each(specs: list[SpecPath], diagnostics: Diagnostics) -> list[SpecPath]:
    seen: dict[str, SpecPath] = {}
    for at, spec in enumerate(specs):
        first = seen.setdefault(spec.module.casefold(), spec)
        if first is not spec:
            diagnostics.report(
                "AIG704",
                Span(spec.shown, 1, 1, 1, 1),
                f"{spec.shown} and {first.shown} both become the module {spec.module}",
                hint="rename one of them",
                related=((Span(first.shown, 1, 1, 1, 1), "the other"),),
            )
            specs[at] = spec._replace(module=spec.shown)
    return specs
