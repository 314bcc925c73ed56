"""What an earlier build was made from, so that an unchanged one need not be made again.

It lies in `.aigen/`, which may vanish at any time: missing, damaged or foreign, it means a full
build and never an error.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from aigen.emit.write import digest

_VERSION = 1


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
        except (OSError, ValueError):
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
            return "the configuration, or aigen itself, has changed"
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
        for name, (size, time, seen) in self.record["outputs"].items():
            if not self._same(name, size, time, seen):
                return f"{name} is not as it was written"
        return None

    def _same(self, name: str, size: int, time: int, seen: str) -> bool:
        path = self.out / name
        try:
            now = path.stat()
            return (now.st_size, now.st_mtime_ns) == (size, time) or (
                now.st_size == size and digest(path.read_bytes()) == seen
            )
        except OSError:
            return False

    def written(self, name: str) -> str | None:
        """The digest of a file as it was last written."""
        found = self.record.get("outputs", {}).get(name)
        return found[2] if found else None

    def keep(
        self,
        key: str,
        sources: Mapping[str, str],
        reads: Iterable[Path],
        files: Mapping[str, str],
    ) -> None:
        """Records a build. What cannot be written is not kept."""
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
            "reads": {str(path): fingerprint(path) for path in sorted(set(reads))},
            "outputs": outputs,
        }
        beside = self.path.with_suffix(".new")
        with contextlib.suppress(OSError):
            self.state.mkdir(parents=True, exist_ok=True)
            ignore = self.state / ".gitignore"
            if not ignore.exists():
                ignore.write_text("*\n", encoding="utf-8")
            beside.write_text(json.dumps(record, separators=(",", ":")), encoding="utf-8")
            beside.replace(self.path)


def fingerprint(path: Path) -> str | None:
    """A file's digest; None where there is none."""
    try:
        return digest(path.read_bytes())
    except OSError:
        return None


def _well_formed(record: Mapping[str, Any]) -> bool:
    return (
        isinstance(record.get("key"), str)
        and all(isinstance(record.get(name), dict) for name in ("sources", "reads", "outputs"))
        and all(isinstance(one, list) and len(one) == 3 for one in record["outputs"].values())
    )
