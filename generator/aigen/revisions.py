"""The `schemas/` of another revision: out of a folder, or out of git."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

SCHEMAS = "schemas"


class NoRevision(Exception):
    """There is nothing to compare with; the message says what is missing and what to write."""


def from_folder(folder: Path) -> dict[str, bytes]:
    """The files of an output folder's `schemas/`, or of that folder itself.

    Returns:
        What they hold, by path from the output folder.

    Raises:
        NoRevision: there is no such folder, or it has no schemas.
    """
    inner = folder / SCHEMAS
    root = inner if inner.is_dir() else folder
    if not root.is_dir():
        raise NoRevision(f"there is no folder {folder}; a revision is written git:{folder}")
    try:
        found = {
            f"{SCHEMAS}/{path.relative_to(root).as_posix()}": path.read_bytes()
            for path in sorted(root.rglob("*.json"))
            if path.is_file()
        }
    except OSError as problem:
        raise NoRevision(f"cannot read {problem.filename}: {problem.strerror}") from None
    if not found:
        raise NoRevision(f"there are no schemas in {folder}: name an output folder of aigen build")
    return found


def from_git(out: Path, revision: str) -> dict[str, bytes]:
    """The files of an output folder's `schemas/` as a revision has them.

    Args:
        out: the output folder, absolute; it need not exist now.
        revision: whatever git takes as a commit: `HEAD`, `origin/main`, a tag, a hash.

    Returns:
        What they hold, by path from the output folder; nothing where the revision has none.

    Raises:
        NoRevision: git is not there, the folder is in no repository, or it has no such revision.
    """
    here = out.resolve()
    nearest = next(folder for folder in (here, *here.parents) if folder.is_dir())
    top = Path(_git(nearest, "rev-parse", "--show-toplevel").decode(errors="surrogateescape")[:-1])
    commit = _commit(top, revision)
    inside = (here / SCHEMAS).relative_to(top.resolve()).as_posix()
    # A name that looks like a pattern or an option is a name after all.
    listed = _git(top, "ls-tree", "-r", "-z", "--full-tree", commit, "--", f"{inside}/")
    names = {}
    for row in listed.split(b"\0"):
        about, _, path = row.partition(b"\t")
        if path.endswith(b".json") and b" blob " in about:
            shown = path.decode(errors="surrogateescape").removeprefix(f"{inside}/")
            names[f"{SCHEMAS}/{shown}"] = about.split()[2]
    return _blobs(top, names)


def _commit(top: Path, revision: str) -> str:
    wanted = f"{revision}^{{commit}}"
    try:
        found = _git(top, "rev-parse", "--verify", "--end-of-options", wanted)
    except NoRevision:
        if not _git(top, "rev-list", "--max-count=1", "--all"):
            raise NoRevision("the repository has no commit yet to compare with") from None
        raise NoRevision(
            f'git knows no revision "{revision}" here; a clone of the last commit alone has no '
            "other: git fetch it first"
        ) from None
    return found.decode().strip()


def _blobs(top: Path, names: Mapping[str, bytes]) -> dict[str, bytes]:
    """The contents of blobs, all by one process: there may be thousands."""
    if not names:
        return {}
    batch = _git(top, "cat-file", "--batch", given=b"\n".join(names.values()) + b"\n")
    found, at = {}, 0
    for name in names:
        end = batch.index(b"\n", at)
        head = batch[at:end].split()
        if len(head) != 3:
            raise NoRevision(f"git has no content of {name}: a partial clone lacks it, so fetch it")
        size = int(head[2])
        found[name] = batch[end + 1 : end + 1 + size]
        at = end + 1 + size + 1
    return found


def _git(folder: Path, *arguments: str, given: bytes | None = None) -> bytes:
    """What git prints.

    Raises:
        NoRevision: git is not there, or fails; with the first line of what it says.
    """
    try:
        run = subprocess.run(
            ["git", *arguments],
            cwd=folder,
            env=_environment(),
            input=given,
            stdin=None if given is not None else subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        raise NoRevision("there is no git here: compare with a folder, --against DIR") from None
    if run.returncode:
        said = (run.stderr.decode(errors="replace").strip().splitlines() or [arguments[0]])[0]
        raise NoRevision(f"git: {said.removeprefix('fatal: ')}; --against DIR needs no git")
    return run.stdout


def _environment() -> dict[str, str]:
    """Ours, without what a git hook says of the folder that it runs in."""
    hooks = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")
    kept = {name: value for name, value in os.environ.items() if name not in hooks}
    return {**kept, "LC_ALL": "C"}


__all__ = ["NoRevision", "from_folder", "from_git"]
