"""Writing an output: whole or not at all, and never over what is not ours.

Every new text is written beside its place first; then a journal says what is to be moved and
removed, and the moves are made. A build that ends in between leaves the journal, and the next one
finishes it. So a reader of the output sees old or new files, each whole.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from aigen.emit.owned import (
    BY_NAME,
    JOURNAL,
    NEW,
    elsewhere,
    is_package,
    orphans,
    owned,
    strays,
    within,
)

_WRITERS = 16
"""Threads that wait for the disk; a file's fsync is time without work."""


class Foreign(Exception):
    """Files that aigen did not write stand in the way.

    Attributes:
        paths: all of them, absolute.
    """

    def __init__(self, paths: list[Path]) -> None:
        super().__init__(", ".join(map(str, paths)))
        self.paths = paths


@dataclass(frozen=True, slots=True)
class Changes:
    """What a build would do to an output.

    Attributes:
        changed: texts by path in the output, of files that are new or differ.
        removed: paths in the output of owned files that belong to no spec any more.
        unchanged: how many files stay as they are.
    """

    changed: Mapping[str, bytes]
    removed: tuple[str, ...]
    unchanged: int

    @property
    def none(self) -> bool:
        """Whether there is nothing to do."""
        return not self.changed and not self.removed


def digest(data: bytes) -> str:
    """A short fingerprint of a file."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def compare(
    files: Mapping[str, str],
    out: Path,
    *,
    kept: Collection[str] = (),
    complete: bool = True,
    known: Collection[str] = (),
) -> Changes:
    """What differs between texts and an output folder.

    Args:
        files: by path in the output.
        out: the folder; it need not exist.
        kept: further files of the output, which are as they should be.
        complete: whether these are all files of the output, so that others of ours may go.
        known: paths that an earlier build is recorded to have written, whatever they hold now.

    Raises:
        Foreign: files in the way that aigen did not write.
        OSError: the output cannot be read.
    """
    if not os.path.lexists(out):  # thousands of files need not be looked for
        return Changes({name: text.encode() for name, text in files.items()}, (), len(kept))
    changed: dict[str, bytes] = {}
    foreign = []
    for name, text in files.items():
        data = text.encode()
        try:
            with open(f"{out}/{name}", "rb", buffering=0) as file:  # noqa: PTH123
                old = file.readall()
        except FileNotFoundError:
            changed[name] = data
            continue
        except (IsADirectoryError, NotADirectoryError):
            foreign.append(out / name)
            continue
        if old == data:
            continue
        ours = owned(name, old) and (name not in BY_NAME or is_package(out))
        if name in known and not name.endswith(".py"):
            ours = True
        if ours and not elsewhere(out, name):
            changed[name] = data
        else:
            foreign.append(out / name)
    if foreign:
        raise Foreign(foreign)
    removed = tuple(orphans(out, {*files, *kept})) if complete else ()
    return Changes(changed, removed, len(files) + len(kept) - len(changed))


def write(changes: Changes, out: Path) -> None:
    """Makes the changes.

    Raises:
        OSError: a full disk, a folder that cannot be written; nothing was replaced, unless the
            moves had begun, and then the next build finishes them.
    """
    if changes.none:
        return
    from concurrent.futures import ThreadPoolExecutor

    try:
        out.mkdir(parents=True, exist_ok=True)
        for folder in _folders(changes.changed):
            (out / folder).mkdir(parents=True, exist_ok=True)
        texts = list(changes.changed.items())
        shares = [texts[start::_WRITERS] for start in range(min(_WRITERS, len(texts)))]
        with ThreadPoolExecutor(_WRITERS) as pool:
            for _ in pool.map(partial(_place, out), shares):
                pass
        _write_journal(out, changes)
    except BaseException:
        # The journal goes first: without the new texts it would have nothing to move.
        with contextlib.suppress(OSError):
            (out / JOURNAL).unlink()
        for name in changes.changed:
            with contextlib.suppress(OSError):
                os.unlink(_beside(out, name))  # noqa: PTH108
        with contextlib.suppress(OSError):
            os.unlink(_beside(out, JOURNAL))  # noqa: PTH108
        for folder in _folders(changes.changed):
            _remove_empty(out / folder, out)
        raise
    _move(out, list(changes.changed), changes.removed)


def _folders(names: Iterable[str]) -> list[str]:
    """The folders of some paths of an output."""
    return sorted({name.rpartition("/")[0] for name in names})


def unfinished(out: Path) -> bool:
    """Whether a build of this output ended between two files."""
    return os.path.lexists(out / JOURNAL)


def finish(out: Path) -> bool:
    """Makes the moves that an ended build had left to make; clears what it had not begun.

    Returns:
        Whether the journal could be followed; one that could not is gone. Nobody knows what the
        build that left it was doing, so all is to be built anew.

    Raises:
        OSError: the output cannot be written, or a folder that holds something is in the way.
    """
    journal = out / JOURNAL
    good = True
    if journal.is_dir() and not journal.is_symlink():
        journal.rmdir()
        good = False
    elif unfinished(out):
        try:
            moves = _moves(journal.read_bytes())
        except (ValueError, KeyError, TypeError, RecursionError, FileNotFoundError):
            # The journal itself is moved into place whole, so this one is somebody else's.
            journal.unlink()
            good = False
        else:
            # It lies where anybody may have put it: it moves and removes nothing that a build
            # would not.
            changed, removed = ([name for name in names if _ours(out, name)] for names in moves)
            _move(out, changed, removed)
    for stray in strays(out):
        with contextlib.suppress(OSError):
            stray.unlink()
    return good


def _moves(data: bytes) -> tuple[list[str], list[str]]:
    journal = json.loads(data)
    found = journal["changed"], journal["removed"]
    for names in found:
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise TypeError("a journal lists paths")
        if any("\0" in name for name in names):
            raise ValueError("a path has no NUL")
    return found


def _ours(out: Path, name: str) -> bool:
    """Whether a file may be replaced or removed; one that is not there may."""
    if not within(out, name):
        return False
    try:
        return owned(name, (out / name).read_bytes())
    except FileNotFoundError:
        return True
    except (OSError, ValueError):
        return False


def _beside(out: Path, name: str) -> str:
    """Where a new text waits; there are thousands of them, so they are no `Path`s."""
    folder, slash, file = name.rpartition("/")
    return f"{out}/{folder}{slash}.{file}{NEW}"


def _place(out: Path, texts: Iterable[tuple[str, bytes]]) -> None:
    for name, data in texts:
        _synced(_beside(out, name), data)


def _synced(path: str, data: bytes) -> None:
    with open(path, "wb", buffering=0) as file:  # noqa: PTH123
        left = memoryview(data)
        while left:
            left = left[file.write(left) :]
        os.fsync(file.fileno())


def _write_journal(out: Path, changes: Changes) -> None:
    text = json.dumps({"changed": list(changes.changed), "removed": list(changes.removed)})
    _synced(_beside(out, JOURNAL), text.encode())
    os.replace(_beside(out, JOURNAL), out / JOURNAL)  # noqa: PTH105
    _sync_folder(out)


def _move(out: Path, changed: Collection[str], removed: Collection[str]) -> None:
    for name in changed:
        # One that is not there any more was moved before the build ended.
        with contextlib.suppress(FileNotFoundError):
            os.replace(_beside(out, name), f"{out}/{name}")  # noqa: PTH105
    for name in removed:
        with contextlib.suppress(FileNotFoundError):
            (out / name).unlink()
        _remove_empty((out / name).parent, out)
    for folder in _folders((*changed, *removed)):
        _sync_folder(out / folder)
    with contextlib.suppress(FileNotFoundError):
        (out / JOURNAL).unlink()


def _remove_empty(folder: Path, out: Path) -> None:
    while folder != out and folder.is_relative_to(out):
        cache = folder / "__pycache__"
        try:
            if cache.is_dir() and [path.name for path in folder.iterdir()] == ["__pycache__"]:
                for compiled in cache.iterdir():
                    compiled.unlink()
                cache.rmdir()
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":
        return
    with contextlib.suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
