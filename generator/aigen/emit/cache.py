"""What an earlier build was made from, so that an unchanged one need not be made again.

It lies in `.aigen/`, which may vanish at any time: missing, damaged or foreign, it means a full
build and never an error.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from aigen.diagnostics import Diagnostic, Span
from aigen.emit.write import digest

_VERSION = 2
_CLOCK = 10_000_000
"""Nanoseconds by which the time of a file may be behind the clock."""
_TABLES = ("sources", "reads", "outputs", "others")


class Cache:
    """The record of one output's last build.

    Args:
        state: the folder of what may vanish.
        out: the output, whose record it is.
    """

    def __init__(self, state: Path, out: Path) -> None:
        name = hashlib.blake2b(str(out).encode(), digest_size=8).hexdigest()
        self.state = state
        self.path = state / f"{name}.json"
        self.out = out
        self.record = self._load()

    def _load(self) -> Mapping[str, Any]:
        try:
            record = json.loads(self.path.read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        known = isinstance(record, dict) and record.get("version") == _VERSION
        return record if known and _well_formed(record) else {}

    def stale(self, key: str, sources: Mapping[str, str]) -> str | None:
        """Why the output must be built; None where it is as it was.

        Args:
            key: a digest of configuration, version and templates.
            sources: the specs' digests by path.
        """
        if not self.record:
            return "no earlier build is known"
        if self.record["key"] != key:
            return "the configuration, a template or aigen itself has changed"
        known = self.record["sources"]
        if known != sources:
            changed = sorted(
                path
                for path in known.keys() | sources.keys()
                if known.get(path) != sources.get(path)
            )
            more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
            return f"{changed[0]} has changed{more}"
        for path, seen in self.record["reads"].items():
            if fingerprint(Path(path)) != seen:
                return f"{path} has changed"
        for name, (size, written, seen) in self.record["outputs"].items():
            if not self._same(name, size, written, seen):
                return f"{name} is not as it was written"
        return None

    def _same(self, name: str, size: int, written: int, seen: str) -> bool:
        path = self.out / name
        try:
            now = path.stat()
            return (now.st_size, now.st_mtime_ns) == (size, written) or (
                now.st_size == size and digest(path.read_bytes()) == seen
            )
        except OSError:
            return False

    def names(self) -> Collection[str]:
        """The paths of all that earlier builds wrote."""
        return {*self.record.get("outputs", {}), *self.record.get("others", {})}

    def written(self, name: str) -> str | None:
        """The digest of a file as it was last written."""
        found = self.record.get("outputs", {}).get(name)
        seen: str | None = found[2] if found else self.record.get("others", {}).get(name)
        return seen

    def findings(self) -> list[Diagnostic]:
        """What was found by the build that is recorded, none of it an error."""
        return [_finding(data) for data in self.record["findings"]]

    def keep(
        self,
        key: str,
        sources: Mapping[str, str],
        reads: Iterable[Path],
        files: Mapping[str, str],
        findings: Iterable[Diagnostic] = (),
        *,
        began: int,
        complete: bool = True,
    ) -> None:
        """Records a build. What cannot be written is not kept.

        Args:
            key: as `stale` takes it.
            sources: as `stale` takes them.
            reads: further files that were read, or would have been had they existed.
            files: the texts that the output has now.
            findings: what a build that finds nothing stale says again.
            began: when the build began to read, in nanoseconds.
            complete: false where the output has further files, which earlier builds wrote.
        """
        outputs = {}
        for name, text in files.items():
            try:
                now = (self.out / name).stat()
            except OSError:
                return
            outputs[name] = [now.st_size, now.st_mtime_ns, digest(text.encode())]
        record = {
            "version": _VERSION,
            "key": key,
            "sources": dict(sources),
            "reads": {str(path): _read_as(path, began) for path in sorted(set(reads))},
            "outputs": outputs,
            "others": {} if complete else self._others(outputs),
            "findings": [_data(found) for found in findings],
        }
        beside = self.path.with_suffix(".new")
        with contextlib.suppress(OSError):
            self.state.mkdir(parents=True, exist_ok=True)
            ignore = self.state / ".gitignore"
            if not ignore.exists():
                ignore.write_text("*\n", encoding="utf-8")
            beside.write_text(json.dumps(record, separators=(",", ":")), encoding="utf-8")
            beside.replace(self.path)

    def _others(self, outputs: Collection[str]) -> dict[str, str]:
        """Digests of what earlier builds wrote and this one did not."""
        known = {name: seen for name, (_, _, seen) in self.record.get("outputs", {}).items()}
        known = {**self.record.get("others", {}), **known}
        return {name: seen for name, seen in known.items() if name not in outputs}


def _data(found: Diagnostic) -> list[Any]:
    return [found.code, found.severity, found.message, found.span, found.hint, found.related]


def _finding(data: Any) -> Diagnostic:
    code, severity, message, span, hint, related = data
    place = None if span is None else Span(*span)
    others = tuple((Span(*other), words) for other, words in related)
    return Diagnostic(code, severity, message, place, hint, others)


def fingerprint(path: Path) -> str | None:
    """A file's digest; None where there is none."""
    try:
        return digest(path.read_bytes())
    except OSError:
        return None


def _read_as(path: Path, began: int) -> str | None:
    """The digest of a file that was read; empty where it was saved since, so that it is stale."""
    with contextlib.suppress(OSError):
        if began - _CLOCK <= path.stat().st_mtime_ns <= time.time_ns():
            return ""
    return fingerprint(path)


def _well_formed(record: Mapping[str, Any]) -> bool:
    return (
        isinstance(record.get("key"), str)
        and all(isinstance(record.get(name), dict) for name in _TABLES)
        and all(isinstance(one, list) and len(one) == 3 for one in record["outputs"].values())
        and isinstance(record.get("findings"), list)
        and all(_is_finding(data) for data in record["findings"])
    )


def _is_finding(data: Any) -> bool:
    try:
        return hash(_finding(data)) is not None and data[1] in ("warning", "note")
    except (TypeError, ValueError):
        return False
