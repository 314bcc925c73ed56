"""Builds again whenever a file is saved that the output depends on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from aigen.building import Outcome
from aigen.project import Project

_GROUPED, _STEP = 60, 15
"""Milliseconds: how long saves are gathered at most, and how long a pause ends that."""
_STANDING = 100
"""Milliseconds after which a new watch has begun: what was saved before that is looked for."""

_SUFFIXES: Final = frozenset(("", ".yaml", ".yml", ".json", ".toml", ".py", ".jinja"))
"""Of files that a build may depend on, and of folders."""
_SKIPPED: Final = frozenset(("__pycache__", "node_modules"))


def watch(load: Callable[[], Project], rebuild: Callable[[Project], Outcome]) -> None:
    """Builds at once and after every save, until Ctrl-C.

    Args:
        load: the project as it is now, for its configuration may change too.
        rebuild: builds it, and says what came of it.

    Raises:
        KeyboardInterrupt: Ctrl-C.
        ModuleNotFoundError: watchfiles is not installed.
    """
    import watchfiles

    project = load()
    outcome = rebuild(project)
    while True:
        watched = _folders(project, outcome)
        standing = False
        for changes in watchfiles.watch(
            *sorted(watched),
            recursive=False,
            watch_filter=None,
            debounce=_GROUPED,
            step=_STEP,
            rust_timeout=_STANDING,
            yield_on_timeout=True,
            raise_interrupt=True,
        ):
            matters = any(_matters(Path(path), project, outcome) for _, path in changes)
            if standing and not matters:
                continue
            standing = True
            project = load()
            outcome = rebuild(project)
            if _folders(project, outcome) != watched:
                break


def _folders(project: Project, outcome: Outcome) -> frozenset[Path]:
    """The folders whose files the output depends on.

    Each is watched by itself: a project's root has its configuration, and beside it whole
    environments that nobody wants to watch.
    """
    wanted = {project.root}
    for entry in _entries(project):
        wanted.update(_inner(entry) if entry.is_dir() else [entry.parent])
    for path in outcome.reads:
        wanted.update((path.parent, path.resolve().parent))
    return frozenset(map(_existing, wanted))


def _entries(project: Project) -> list[Path]:
    """The files and folders that hold specs and templates."""
    entries = [*project.named, *(project.root / entry for entry in project.configuration.specs)]
    return [*entries, *([project.templates] if project.templates else [])]


def _inner(folder: Path) -> Iterator[Path]:
    """A folder and those in it, as specs are looked for; links are followed, never in a loop."""
    seen = set()
    for here, names, _ in os.walk(folder, followlinks=True):
        real = os.path.realpath(here)
        if real in seen:
            names.clear()
            continue
        seen.add(real)
        yield Path(here)
        names[:] = [name for name in names if name[0] != "." and name not in _SKIPPED]


def _existing(folder: Path) -> Path:
    """The folder, or the nearest above it that is there."""
    return next((each for each in (folder, *folder.parents) if each.is_dir()), folder)


def _matters(path: Path, project: Project, outcome: Outcome) -> bool:
    """Whether a change of a file may change the output; a build then finds out."""
    if path in outcome.reads:
        return True
    if path.is_relative_to(project.state) or path.suffix not in _SUFFIXES:
        return False
    return not (_is_apart(project) and path.is_relative_to(project.out or ""))


def _is_apart(project: Project) -> bool:
    """Whether nothing lies in the output that it is made of."""
    out = (project.out or project.state).resolve()
    made_of = (project.root, *_entries(project))
    return not any(path.resolve().is_relative_to(out) for path in made_of)
