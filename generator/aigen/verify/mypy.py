"""Runs `mypy --strict` over an output, whatever the project's own configuration of mypy says."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_OPTIONS: Final = (
    *("--strict", "--output=json", "--no-error-summary", "--config-file="),
    # What the user's own modules do is theirs; modules are named as they are from `python_path`.
    *("--follow-imports=silent", "--explicit-package-bases"),
)


class CannotVerify(Exception):
    """mypy is not installed, or could not check the output.

    Attributes:
        hint: what to do about it.
    """

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Finding:
    """An error that mypy found, with its 1-based place.

    Attributes:
        path: of the file, absolute.
        code: mypy's own, such as `arg-type`.
    """

    path: Path
    line: int
    column: int
    message: str
    code: str


def findings(out: Path, bases: Sequence[Path], cache: Path) -> list[Finding]:
    """What mypy says of an output.

    Args:
        out: the output folder.
        bases: the folders that modules are imported from.
        cache: the folder where mypy keeps what it has checked, absolute.

    Raises:
        CannotVerify: mypy is missing, or ended without judging.
    """
    if importlib.util.find_spec("mypy") is None:
        raise CannotVerify("mypy is not installed", 'pip install "aigen[build]"')
    command = [sys.executable, "-m", "mypy", *_OPTIONS, f"--cache-dir={cache}", str(out)]
    inside = [base for base in bases if out.is_relative_to(base) and out != base]
    roots = dict.fromkeys([*bases, *([] if inside else [out.parent])])
    root = inside[0] if inside else out.parent
    run = subprocess.run(
        command,
        cwd=root,
        env={**os.environ, "MYPYPATH": os.pathsep.join(map(str, roots))},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    found = [each for line in run.stdout.splitlines() if (each := _finding(line, root, out))]
    if run.returncode not in (0, 1) or (run.returncode == 1 and not found):
        said = _words(run.stdout) or run.stderr.strip() or "it said nothing"
        raise CannotVerify(f"mypy ended with {run.returncode}: {said}")
    return found


def _finding(line: str, root: Path, out: Path) -> Finding | None:
    """An error in the output from a line of mypy's; None for all else."""
    try:
        said: dict[str, Any] = json.loads(line)
        path = (root / said["file"]).absolute()
        place = said["line"], said["column"] + 1
    except (ValueError, KeyError, TypeError):
        return None
    if said["severity"] != "error" or not path.is_relative_to(out):
        return None
    return Finding(path, max(place[0], 1), max(place[1], 1), said["message"], said["code"] or "")


def _words(printed: str) -> str:
    """The first error of mypy's, wherever it is, in one line."""
    lines = printed.splitlines()
    for line in lines:
        try:
            said: dict[str, Any] = json.loads(line)
            return f"{said['file']}:{said['line']}: {said['message']}"
        except (ValueError, KeyError, TypeError):
            continue
    return lines[0] if lines else ""  # mypy 1 says in plain words why it cannot go on
