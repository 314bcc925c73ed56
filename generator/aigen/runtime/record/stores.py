"""Where kept replies are: texts by key, in memory or in an SQLite file."""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

_MOST_CHARACTERS = 64_000_000
"""Of all texts in memory; those that were not asked for the longest time go first."""

_PATIENCE = 2.0
"""Seconds to wait while another process writes."""

_OURS: Final = 0x61696765
"""`aige`: SQLite's `application_id` of a file that this module made."""

_BUSY: Final = frozenset((5, 6))
"""SQLite's codes `SQLITE_BUSY` and `SQLITE_LOCKED`."""


class Busy(Exception):
    """Another process has the file for longer than this one waits."""


class MemoryStore:
    """Texts in this process."""

    name = "memory"

    def __init__(self) -> None:
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._characters = 0
        self._lock = threading.Lock()

    def get(self, key: str) -> str | None:
        """The text of a key."""
        with self._lock:
            if key in self._texts:
                self._texts.move_to_end(key)
            return self._texts.get(key)

    def put(self, key: str, text: str) -> None:
        """Keeps a text."""
        with self._lock:
            self._characters += len(text) - len(self._texts.pop(key, ""))
            self._texts[key] = text
            while self._characters > _MOST_CHARACTERS:
                self._characters -= len(self._texts.popitem(last=False)[1])

    def delete(self, key: str) -> None:
        """Keeps it no longer."""
        with self._lock:
            self._characters -= len(self._texts.pop(key, ""))

    def lock(self, key: str) -> bool:
        """No other process shares this one."""
        return True

    def unlock(self, key: str) -> None:
        """No other process shares this one."""

    def close(self) -> None:
        """Lets go of all texts."""
        with self._lock:
            self._texts.clear()
            self._characters = 0


class FileStore:
    """Texts in an SQLite file, which only its owner may read.

    Args:
        name: its absolute path; missing folders are made.

    Raises:
        OSError: it cannot be opened.
        ValueError: it is no SQLite file, or another program's.
        Busy: another process has it.
    """

    def __init__(self, name: str) -> None:
        import sqlite3  # which most programs need not load

        self.name = name
        self._error = sqlite3.Error
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        # SQLite gives the files beside it the same permissions.
        os.close(os.open(name, os.O_CREAT | os.O_RDWR, 0o600))
        self._locks = os.open(f"{name}-flights", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            self._connection = sqlite3.connect(
                name, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
            )
        except self._error as problem:
            os.close(self._locks)
            raise OSError(str(problem)) from problem
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise

    def _prepare(self) -> None:
        with self._transaction("BEGIN"):
            # Both are read at one time, for another process may be making the file.
            owner = self._run("PRAGMA application_id")[0][0]
            if owner != _OURS and (owner or self._run("SELECT 1 FROM sqlite_master LIMIT 1")):
                raise ValueError("it is another program's database")
        self._write_ahead()
        self._run("PRAGMA synchronous=NORMAL")
        with self._transaction("BEGIN IMMEDIATE"):
            self._run(f"PRAGMA application_id={_OURS}")
            self._run(
                "CREATE TABLE IF NOT EXISTS replies "
                "(key TEXT PRIMARY KEY, kept REAL NOT NULL, body TEXT NOT NULL) WITHOUT ROWID"
            )

    def _write_ahead(self) -> None:
        """Readers and a writer do not wait for each other."""
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                self._run("PRAGMA journal_mode=WAL")
                return
            except Busy:
                # SQLite does not wait here by itself.
                if time.monotonic() > until:
                    raise
                time.sleep(0.02)

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        self._run(begin)
        try:
            yield
            self._run("COMMIT")
        except BaseException:
            self._connection.rollback()
            raise

    def _run(self, statement: str, *values: Any) -> list[Any]:
        try:
            with self._lock:
                return self._connection.execute(statement, values).fetchall()
        except self._error as problem:
            if getattr(problem, "sqlite_errorcode", 0) & 0xFF in _BUSY:
                raise Busy(str(problem)) from problem
            raise OSError(str(problem)) from problem

    def get(self, key: str) -> str | None:
        """The text of a key."""
        rows = self._run("SELECT body FROM replies WHERE key = ?", key)
        return str(rows[0][0]) if rows else None

    def put(self, key: str, text: str) -> None:
        """Keeps a text."""
        self._run("INSERT OR REPLACE INTO replies VALUES (?, ?, ?)", key, time.time(), text)

    def delete(self, key: str) -> None:
        """Keeps it no longer."""
        self._run("DELETE FROM replies WHERE key = ?", key)

    def lock(self, key: str) -> bool:
        """Whether no other process holds the key; it is held until `unlock`, or this process ends.

        One byte of a file stands for a key: the system lets go of it, however a process ends.
        """
        try:
            import fcntl
        except ImportError:  # elsewhere, each process has a flight of its own
            return True
        try:
            fcntl.lockf(self._locks, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _place(key))
        except (BlockingIOError, PermissionError):
            return False
        return True

    def unlock(self, key: str) -> None:
        """Another process may hold the key."""
        try:
            import fcntl
        except ImportError:
            return
        fcntl.lockf(self._locks, fcntl.LOCK_UN, 1, _place(key))

    def close(self) -> None:
        """Closes the files."""
        self._connection.close()
        os.close(self._locks)


def _place(key: str) -> int:
    return int(key[:15], 16)
