"""One build: what is stale is made anew, under a lock, and written whole."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from aigen import __version__
from aigen.diagnostics import Span
from aigen.emit.cache import Cache
from aigen.emit.owned import JOURNAL, RUNTIME_FOLDER
from aigen.emit.write import (
    Changes,
    Foreign,
    compare,
    digest,
    finish,
    unfinished,
    write,
)
from aigen.project import Project

if TYPE_CHECKING:
    from aigen.ir import Module

_LOCK_POLL = 0.05


@dataclass(slots=True)
class Outcome:
    """What a build did.

    Attributes:
        changes: None where it failed, or where nothing had to be looked at.
        specs: how many there are.
        reason: why it was built, for `-v`.
        passed: files that are no specs, for `-v`.
        reads: further files that were read, or would have been had they existed.
    """

    changes: Changes | None = None
    specs: int = 0
    reason: str | None = None
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
    if out is None:
        project.diagnostics.report(
            "AIG707",
            None,
            "no output folder is set",
            hint='--out DIR, or out = "…" in [tool.aigen]',
        )
    if out is None or project.diagnostics.failed or not _is_folder(project, out):
        return outcome
    try:
        if not write_files:
            return _build(project, out, outcome, write_files=False)
        with _locked(project.state, out, say):
            return _build(project, out, outcome, write_files=True)
    except OSError as problem:
        _unwritable(project, problem)
        outcome.changes = None
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
        where = ", ".join(project.configuration.specs)
        project.diagnostics.report("AIG708", None, f"no specs in {where}", hint="aigen init")
    if project.diagnostics.failed:
        project.program(specs)  # what else is wrong, in the same run
        return outcome
    cache = Cache(project.state, out)
    key = _key(project)
    sources = {spec.shown: spec.seen for spec in specs}
    wanted = project.wanted(specs)
    reason = outcome.reason or cache.stale(key, sources)
    if reason is None:
        for found in cache.findings():
            project.diagnostics.add(found)
        outcome.changes = Changes({}, (), len(cache.record["outputs"]))
        outcome.reads = frozenset(map(Path, cache.record["reads"]))
        return outcome
    outcome.reason = reason
    before = frozenset(project.diagnostics)
    program, reads = project.program(specs)
    # Callables are looked up in the user's own modules; a change there may matter.
    outcome.reads = frozenset((*reads, *_modules(project, program.modules.values())))
    if project.diagnostics.failed:
        return outcome
    files = project.render(program)
    if project.diagnostics.failed:
        return outcome  # What no dialect can say shows only now.
    findings = [found for found in project.diagnostics if found not in before]
    chosen = files if wanted is None else _of(files, wanted)
    try:
        changes = compare(chosen, out, complete=wanted is None, known=cache.names())
    except Foreign as foreign:
        for path in foreign.paths:
            project.diagnostics.report(
                "AIG701",
                Span(project.show(path), 1, 1, 1, 1),
                f"{project.show(path)} was not written by aigen",
                hint="move it, or choose another output folder",
            )
        return outcome
    _warn_of_edits(project, out, changes, cache)
    if write_files:
        write(changes, out)
        complete = wanted is None
        cache.keep(key, sources, outcome.reads, chosen, findings, began=began, complete=complete)
    outcome.changes = changes
    return outcome


def _of(files: Mapping[str, str], modules: frozenset[str]) -> dict[str, str]:
    """The files of some modules, and those of the package itself."""
    stems = {name.replace(".", "/") for name in modules}
    chosen = {}
    for name, text in files.items():
        stem = name.removeprefix("schemas/").partition(".")[0]
        package = stem.rpartition("/")[2] == "__init__" or name in ("py.typed", ".gitattributes")
        if package or stem in stems or name.startswith(f"{RUNTIME_FOLDER}/"):
            chosen[name] = text
    return chosen


def _modules(project: Project, modules: Iterable[Module]) -> Iterator[Path]:
    roots = [(project.root / path).absolute() for path in project.configuration.python_path]
    names: set[str] = set()
    for module in modules:
        names.update(callable.partition(":")[0] for callable in module.callables)
    for name in sorted(names):
        inner = Path(*name.split("."))
        for root in roots:
            yield root / inner.with_suffix(".py")
            yield root / inner / "__init__.py"


def _warn_of_edits(project: Project, out: Path, changes: Changes, cache: Cache) -> None:
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
        configuration.specs,
        configuration.python_path,
        configuration.trust,
        configuration.dialects,
        configuration.standalone,
        configuration.settings,
        asdict(configuration.lint),
        str(project.named),
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
