"""One build: what is stale is made anew, under a lock, and written whole."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from aigen import __version__
from aigen.diagnostics import Span
from aigen.discovery import SpecPath
from aigen.emit.cache import Cache, Record, Source, Stale
from aigen.emit.owned import JOURNAL
from aigen.emit.tree import packages
from aigen.emit.write import (
    Changes,
    Foreign,
    compare,
    digest,
    finish,
    unfinished,
    write,
)
from aigen.project import Project, without_collection

if TYPE_CHECKING:
    from aigen.making import Made

_LOCK_POLL = 0.05


@dataclass(slots=True)
class Outcome:
    """What a build did.

    Attributes:
        changes: None where it failed, or where nothing had to be looked at.
        specs: how many there are.
        reason: why it was built, for `-v`.
        reasons: the specs that were built, each with its reason.
        passed: files that are no specs, for `-v`.
        reads: further files that were read, or would have been had they existed.
    """

    changes: Changes | None = None
    specs: int = 0
    reason: str | None = None
    reasons: Mapping[str, str] = field(default_factory=dict)
    passed: list[str] = field(default_factory=list)
    reads: frozenset[Path] = frozenset()


def build(
    project: Project, *, write_files: bool = True, say: Callable[[str], None] = lambda words: None
) -> Outcome:
    """Builds a project's output.

    Args:
        project: whose diagnostics take what is wrong; after an error nothing is written.
        write_files: false for `--check`: everything but the writing is done.
        say: told what the user should know while it runs, such as a wait for another build.
    """
    outcome = Outcome()
    out = project.out
    if out is None and not project.diagnostics.failed:
        project.diagnostics.report(
            "AIG707",
            None,
            "no output folder is set",
            hint='--out DIR, or out = "…" in [tool.aigen]; aigen init begins a project',
        )
    if out is None or project.diagnostics.failed or not _is_folder(project, out):
        project.program(project.specs()[0])  # what else is wrong, in the same run
        return outcome
    lock = _locked(project.state, out, say) if write_files else contextlib.nullcontext()
    try:
        with lock, without_collection():
            return _build(project, out, outcome, write_files=write_files)
    except OSError as problem:
        _unwritable(project, problem)
        return outcome


def _is_folder(project: Project, out: Path) -> bool:
    """Whether the output is a folder or can become one; reports what else stands there."""
    shown = project.show(out)
    if out.is_dir() or not os.path.lexists(out):
        return True
    if out.is_symlink():
        leads = f"{shown} is a link to {out.readlink()}, which is no folder"
        hint = "make that folder, or remove the link"
    else:
        leads, hint = f"{shown} is a file", "move it, or choose another output folder"
    project.diagnostics.report("AIG705", None, f"cannot write the output: {leads}", hint=hint)
    return False


def _build(project: Project, out: Path, outcome: Outcome, *, write_files: bool) -> Outcome:
    if unfinished(out):
        if not write_files:
            project.diagnostics.report(
                "AIG706",
                None,
                f"a build of {project.show(out)} was not finished",
                hint="aigen build",
            )
            return outcome
        outcome.reason = "the last build was not finished"
    if write_files and not finish(out):
        shown = project.show(out / JOURNAL)
        project.diagnostics.report(
            "AIG709", Span(shown, 1, 1, 1, 1), f"{shown} was no journal of a build, and is removed"
        )
    began = time.time_ns()
    specs, outcome.passed = project.specs()
    outcome.specs = len(specs)
    if not specs and not project.diagnostics.failed:
        project.report_no_specs(outcome.passed)
    if project.diagnostics.failed:
        project.program(specs)  # what else is wrong, in the same run
        return outcome
    cache = Cache(project.state, out)
    sources = _sources(specs)
    stale = cache.stale(_key(project), sources, _wanted(project, specs))
    if outcome.reason is not None:
        stale.reasons.update(dict.fromkeys(sources, outcome.reason))
    outcome.reason = _summary(stale.reasons.values()) or cache.package(sources)
    if outcome.reason is None and not project.named:
        outcome.reason = cache.leftover()
    if outcome.reason is not None:
        _renew(_Work(project, specs, cache, stale, began, write_files), outcome)
        return outcome
    record = cache.record
    files = [name for module in stale.wanted for name in record.modules[module].files or ()]
    outcome.changes = Changes({}, (), len(files) + len(record.package))
    outcome.reads = frozenset(map(Path, record.reads))
    _tell(project, specs, record)
    return outcome


@dataclass(frozen=True, slots=True)
class _Work:
    """A build that has something to do."""

    project: Project
    specs: Sequence[SpecPath]
    cache: Cache
    stale: Stale
    began: int
    write_files: bool


def _renew(work: _Work, outcome: Outcome) -> None:
    """Makes what is stale, and writes it."""
    from aigen.making import make

    made = make(work.project, work.specs, work.cache, work.stale, work.began)
    outcome.reads = frozenset(map(Path, made.reads))
    outcome.reasons = {
        work.stale.sources[name].shown: reason for name, reason in work.stale.reasons.items()
    }
    if made.files is None:
        if work.write_files and made.record.key:
            work.cache.keep(made.record)
        return
    _tell(work.project, work.specs, made.record)
    kept = [
        name
        for module in work.stale.wanted - work.stale.reasons.keys()
        for name in made.record.modules[module].files or ()
    ]
    changes = _compared(work, made.files, kept)
    if changes is None:
        return
    _warn_of_edits(work.project, work.cache, changes)
    if work.write_files:
        write(changes, work.cache.out)
        _keep(work, made, kept)
    outcome.changes = changes


def _compared(work: _Work, files: Mapping[str, str], kept: Collection[str]) -> Changes | None:
    """How the output differs; None, with findings, where files of others are in the way."""
    project, cache = work.project, work.cache
    try:
        return compare(
            files,
            cache.out,
            kept=kept,
            complete=not project.named,
            known=cache.record.outputs,
        )
    except Foreign as foreign:
        for path in foreign.paths:
            project.diagnostics.report(
                "AIG701",
                Span(project.show(path), 1, 1, 1, 1),
                f"{project.show(path)} was not written by aigen",
                hint="move it, or choose another output folder",
            )
        return None


def _keep(work: _Work, made: Made, kept: Collection[str]) -> None:
    """Records the build; of further files, where specs are named, what was known of them."""
    before = work.cache.record.outputs
    record, names = made.record, before if work.project.named else kept
    record.outputs.update({name: before[name] for name in names})
    record.outputs.update(work.cache.seen(made.files or {}))
    work.cache.keep(record)


def _wanted(project: Project, specs: Sequence[SpecPath]) -> frozenset[str]:
    """The modules whose files are written: those named, and the modules that they are inside."""
    every = frozenset(spec.module for spec in specs)
    named = project.wanted(specs)
    if named is None:
        return every
    above = {name[: found.start()] for name in named for found in re.finditer(r"\.", name)}
    return named | (above & every)


def _sources(specs: Sequence[SpecPath]) -> dict[str, Source]:
    tree = packages(spec.module for spec in specs)
    return {
        spec.module: Source(spec.shown, spec.seen, tuple(tree.get(spec.module, ())))
        for spec in specs
    }


def _summary(reasons: Iterable[str]) -> str | None:
    """Why something is made: the first reason, and how many there are."""
    first, *more = [*dict.fromkeys(reasons)] or [""]
    return f"{first} and {len(more)} more" if more else first or None


def _tell(project: Project, specs: Sequence[SpecPath], record: Record) -> None:
    """Says what was found; where specs are named, of those that they need."""
    modules = record.modules
    needed = project.needed(specs, lambda one: modules[one].needs if one in modules else ())
    others = {name for name in modules if needed is not None and name not in needed}
    passed = {modules[name].source.shown for name in others}
    passed |= {project.show(Path(path)) for name in others for path in modules[name].reads}
    for name in modules.keys() - others if others else ():
        passed -= {project.show(Path(path)) for path in modules[name].reads}
    for found in record.findings:
        if found.span is None or found.span.path not in passed:
            project.diagnostics.add(found)


def _warn_of_edits(project: Project, cache: Cache, changes: Changes) -> None:
    out = cache.out
    for name in changes.changed:
        written = cache.written(name)
        if written is None:
            continue
        with contextlib.suppress(OSError):
            if digest((out / name).read_bytes()) != written:
                shown = project.show(out / name)
                project.diagnostics.report(
                    "AIG702", Span(shown, 1, 1, 1, 1), f"{shown} was edited by hand"
                )


def _key(project: Project) -> str:
    """A digest of what every output depends on."""
    from aigen.emit.templates import digest as digest_of_templates

    configuration = project.configuration
    parts = [
        __version__,
        configuration.python_path,
        configuration.trust,
        configuration.dialects,
        configuration.standalone,
        configuration.settings,
        asdict(configuration.lint),
        digest_of_templates(project.templates),
        _own_files(),
    ]
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _own_files() -> str:
    """A digest of aigen's own files on disk: a checkout changes without its version."""
    found = hashlib.blake2b(digest_size=16)
    package = Path(__file__).parent
    for path in sorted(package.rglob("*.py")):
        state = path.stat()
        found.update(f"{path.name} {state.st_size} {state.st_mtime_ns}".encode())
    return found.hexdigest()


def _unwritable(project: Project, problem: OSError) -> None:
    where = project.show(Path(problem.filename)) if problem.filename else "the output"
    reason = problem.strerror or type(problem).__name__
    hints = {
        errno.ENOSPC: "free space and build again",
        errno.ENOTEMPTY: "move the folder, or what it holds",
    }
    hint = hints.get(problem.errno or 0)
    project.diagnostics.report("AIG705", None, f"cannot write {where}: {reason}", hint=hint)


@contextlib.contextmanager
def _locked(state: Path, out: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Holds the output's lock; waits where another build holds it."""
    name = hashlib.blake2b(str(out).encode(), digest_size=8).hexdigest()
    try:
        state.mkdir(parents=True, exist_ok=True)
        file = (state / f"{name}.lock").open("a+b")
    except OSError:
        # A read-only project can still be checked against; the output's own errors are reported.
        yield
        return
    with file:
        if not _try_lock(file.fileno()):
            say("another build of this output is running; waiting for it")
            while not _try_lock(file.fileno()):
                time.sleep(_LOCK_POLL)
        yield


def _try_lock(descriptor: int) -> bool:
    """Whether the lock was free; the system lets go of it when the file is closed."""
    try:
        import fcntl
    except ImportError:
        return _try_lock_windows(descriptor)
    try:
        # Of this process alone: a child of a build that was killed must not hold it.
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _try_lock_windows(descriptor: int) -> bool:
    import importlib

    windows = importlib.import_module("msvcrt")
    try:
        windows.locking(descriptor, windows.LK_NBLCK, 1)
    except OSError:
        return False
    return True
