"""The command as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

AIGEN = [sys.executable, "-m", "aigen"]

SPEC = """\
aigen: 1
functions:
  mood:
    formula: mood ~ review
    description: How does the customer feel?
    fields:
      mood: {choice: [happy, unhappy]}
"""


class Ran(NamedTuple):
    code: int
    out: str
    err: str


class Project:
    """A folder that commands run in."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.out = root / "ai"

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def start(self, command: Sequence[str], **more: Any) -> subprocess.Popen[str]:
        """Starts a command, its output in pipes."""
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
        return subprocess.Popen(
            command, cwd=self.root, env=environment(), text=True, encoding="utf-8", **pipes
        )

    def aigen(
        self,
        *arguments: str,
        before: Sequence[str] = (),
        environ: Mapping[str, str] | None = None,
        timeout: float = 60,
    ) -> Ran:
        """Runs `aigen` to its end.

        Args:
            arguments: of the command.
            before: a command that runs it, such as `setpriv`.
            environ: variables that are added to the environment.
            timeout: seconds after which it has failed.
        """
        run = subprocess.run(
            [*before, *AIGEN, *arguments],
            cwd=self.root,
            env={**environment(), **(environ or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=timeout,
            check=False,
        )
        return Ran(run.returncode, run.stdout, run.stderr)

    def files(self) -> dict[str, bytes]:
        """The output as it is on disk, hidden files too."""
        return {
            path.relative_to(self.out).as_posix(): path.read_bytes()
            for path in self.out.rglob("*")
            if path.is_file()
        }


def environment() -> dict[str, str]:
    """This process's, without what would change what a command says."""
    ours = ("AIGEN_", "OPENAI_", "LC_", "LANG")
    names = ("GITHUB_WORKSPACE", "NO_COLOR", "FORCE_COLOR", "PYTHONIOENCODING", "PYTHONUTF8")
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(ours) and name not in names
    }
