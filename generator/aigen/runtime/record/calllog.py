"""Writing the call log: one JSON line a call, in `<folder>/<UTC day>/<host>-<pid>-<6 hex>.jsonl`.

A file belongs to one process, and a line is one `write` in append mode, so that no line is ever
torn by another; after a fork the child has a file of its own. A log that cannot be written warns
once and never fails a call.
"""

from __future__ import annotations

import errno
import os
import secrets
import threading
import time
import warnings
from pathlib import Path
from typing import Final

from aigen.runtime.record.call import Call, logger
from aigen.runtime.record.entry import host, line_of

DEFAULT: Final = Path(".aigen", "calls")
"""The folder of `log_calls: true`."""

Given = str | os.PathLike[str] | bool
"""A `log_calls` that is on."""


class Log:
    """What this process writes into one folder."""

    def __init__(self, folder: Path, *, ignored: bool = False) -> None:
        """Takes the folder, and whether git is to be told to ignore it where it is made."""
        self.folder = folder
        self.ignored = ignored
        self.warned = False
        self._lock = threading.RLock()  # a finaliser may call a function while a line is written
        self._day = ""
        self._file = -1
        self._torn = False

    def write(self, line: bytes) -> None:
        """Appends a line.

        Raises:
            OSError: it cannot be written, or not whole.
        """
        with self._lock:
            self._open(time.strftime("%Y-%m-%d", time.gmtime()))
            # What a full disk cut off must not take the next line with it.
            whole = b"\n" + line if self._torn else line
            written = os.write(self._file, whole)
            self._torn = written < len(whole)
            if self._torn:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _open(self, day: str) -> None:
        if self._file >= 0 and day == self._day and os.fstat(self._file).st_nlink:
            return
        self.close()
        if not self.folder.is_dir():
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if self.ignored:
                (self.folder / ".gitignore").write_text("*\n", encoding="utf-8")
        folder = self.folder / day
        folder.mkdir(mode=0o700, exist_ok=True)
        name = f"{host()}-{os.getpid()}-{secrets.token_hex(3)}.jsonl"
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
        self._file = os.open(folder / name, flags | getattr(os, "O_BINARY", 0), 0o600)
        self._day, self._torn = day, False

    def close(self) -> None:
        """Closes the file; the next line opens another."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


_logs: dict[str, Log] = {}
"""By what was given: a relative folder stays where the first call of the process found it."""


def _own_files() -> None:
    for given, log in list(_logs.items()):
        log.close()
        _logs[given] = Log(log.folder, ignored=log.ignored)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_own_files)


def folder_of(given: Given) -> Path:
    """The folder that a setting means: `true` is `.aigen/calls`, `~` is the user's own."""
    path = DEFAULT if isinstance(given, bool) else Path(given).expanduser()
    return Path.cwd() / path


def folders() -> list[Path]:
    """Where this process has logged to."""
    return list(dict.fromkeys(log.folder for log in _logs.values()))


def log_to(given: Given) -> Log:
    """This process's log in a folder."""
    key = str(given) if isinstance(given, bool) else os.fspath(given)
    found = _logs.get(key)
    if found is None:
        # The default lies in the working directory, where git would pick it up.
        found = _logs.setdefault(key, Log(folder_of(given), ignored=isinstance(given, bool)))
    return found


def log(call: Call) -> None:
    """Writes a call to the log of its settings; what goes wrong is warned of once."""
    assert call.settings is not None and call.settings.log_calls
    given = call.settings.log_calls
    try:
        log_to(given).write(line_of(call))
    except Exception as problem:
        _warn(given, problem)


_warned: set[str] = set()


def _warn(given: Given, problem: Exception) -> None:
    if str(given) in _warned:
        return
    _warned.add(str(given))
    if isinstance(problem, OSError):
        why = problem.strerror or type(problem).__name__
    else:
        why = f"{type(problem).__name__}: {problem}"
    words = f"aigen cannot write the call log in {given}: {why}; calls go on without it"
    try:
        warnings.warn(words, RuntimeWarning, stacklevel=2)
    except RuntimeWarning:  # a program that turns warnings into errors: no call fails of this
        logger.warning(words)
