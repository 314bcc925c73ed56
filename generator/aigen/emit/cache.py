"""What an earlier build was made from, so that what is unchanged need not be made again.

It lies in `.aigen/`, which may vanish at any time: missing, damaged or foreign, it means a full
build and never an error. Its first line is a digest of the rest.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aigen.diagnostics import Diagnostic, Span
from aigen.emit.owned import orphans
from aigen.emit.write import digest

_VERSION = 4
_CLOCK = 10_000_000
"""Nanoseconds by which the time of a file may be behind the clock."""
_MALFORMED = (AttributeError, IndexError, KeyError, TypeError, ValueError)

Json = Any


@dataclass(frozen=True, slots=True)
class Source:
    """What the files of one module are made of, besides other files.

    Attributes:
        shown: the spec's path.
        seen: a digest of its text; empty where it could not be read.
        inside: the modules inside the module.
    """

    shown: str
    seen: str
    inside: tuple[str, ...] = ()


@dataclass(slots=True)
class Entry:
    """What is known of one module.

    Attributes:
        source: what it was made of.
        needs: modules whose change may change it.
        reads: further files whose change may change it.
        found: the rest of what was found of it, as JSON.
        files: its files in the output; None where it has not been rendered.
        streamed: its types that functions of other modules answer with.
        declares: the names of its types, and of its functions and tools, as JSON.
    """

    source: Source
    needs: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    found: Json = None
    files: tuple[str, ...] | None = None
    streamed: tuple[str, ...] = ()
    declares: Json = None


@dataclass(slots=True)
class Record:
    """All that is known of an output.

    Attributes:
        key: a digest of configuration, version and templates.
        modules: by name.
        package: files of the output that are no module's.
        reads: digests of further files, None where there was none.
        outputs: size, time and digest of each file as it was last written.
        findings: what a build that finds nothing stale says again.
    """

    key: str = ""
    modules: dict[str, Entry] = field(default_factory=dict)
    package: tuple[str, ...] = ()
    reads: dict[str, str | None] = field(default_factory=dict)
    outputs: dict[str, tuple[int, int, str]] = field(default_factory=dict)
    findings: list[Diagnostic] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Stale:
    """What is to be made.

    Attributes:
        key: as a record has it.
        sources: of all modules, by name.
        wanted: the modules whose files are wanted.
        reasons: the modules that are stale, each with the reason; more may be added.
        unwritten: modules that are as they were and lack files; they wait until those that have
            changed are known to be without errors.
    """

    key: str
    sources: Mapping[str, Source]
    wanted: frozenset[str]
    reasons: dict[str, str]
    unwritten: Mapping[str, str]


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

    def _load(self) -> Record:
        try:
            seen, _, text = self.path.read_bytes().partition(b"\n")
            if digest(text).encode() != seen:
                return Record()
            data = json.loads(text)
            return _record(data) if data["version"] == _VERSION else Record()
        except (OSError, RecursionError, *_MALFORMED):
            return Record()

    def stale(self, key: str, sources: Mapping[str, Source], wanted: frozenset[str]) -> Stale:
        """The modules that must be made anew.

        Args:
            key: a digest of configuration, version and templates.
            sources: of all modules, by name.
            wanted: the modules whose files are wanted.
        """
        changed = self._changed(key, sources)
        unwritten = {
            module: reason
            for module in sources
            if module in wanted and module not in changed
            if (reason := self._unwritten(self.record.modules[module])) is not None
        }
        return Stale(key, sources, wanted, changed or unwritten, unwritten)

    def _changed(self, key: str, sources: Mapping[str, Source]) -> dict[str, str]:
        """The modules that may be others than they were, each with the reason."""
        record = self.record
        if record.key != key:
            known = "the configuration, a template or aigen itself has changed"
            return dict.fromkeys(sources, known if record.key else "no earlier build is known")
        changed = {path for path, seen in record.reads.items() if fingerprint(Path(path)) != seen}
        reasons = {
            name: f"{entry.source.shown} has gone"
            for name, entry in record.modules.items()
            if name not in sources
        }
        for module, source in sources.items():
            reason = _differs(source, record.modules.get(module), changed)
            if reason is not None:
                reasons[module] = reason
        return self.dependents(reasons, sources)

    def dependents(
        self, reasons: Mapping[str, str], sources: Mapping[str, Source]
    ) -> dict[str, str]:
        """Modules with a reason to be made anew, and those that need them, in the order found."""
        needed: dict[str, list[str]] = {}
        for module, entry in self.record.modules.items():
            for need in entry.needs:
                needed.setdefault(need, []).append(module)
        found = dict(reasons)
        pending = list(found)
        for module in pending:
            for other in needed.get(module, ()):
                if other not in found and other in sources:
                    found[other] = f"{sources[other].shown} needs {module}"
                    pending.append(other)
        return {module: reason for module, reason in found.items() if module in sources}

    def package(self, modules: Collection[str]) -> str | None:
        """Why the files that are no module's must be made anew; None where they are as they were.

        Args:
            modules: the names of all modules.
        """
        gone = next((name for name in self.record.modules if name not in modules), None)
        if gone is not None:
            return f"{self.record.modules[gone].source.shown} has gone"
        return self._damaged(self.record.package)

    def leftover(self) -> str | None:
        """A file of the output that belongs to no spec any more."""
        files = {name for entry in self.record.modules.values() for name in entry.files or ()}
        rest = next(orphans(self.out, files.union(self.record.package)), None)
        return f"{rest} is of no spec" if rest else None

    def _unwritten(self, entry: Entry) -> str | None:
        if entry.files is None:
            return f"{entry.source.shown} was not built before"
        return self._damaged(entry.files)

    def _damaged(self, names: Iterable[str]) -> str | None:
        for name in names:
            if name not in self.record.outputs or not self._same(name):
                return f"{name} is not as it was written"
        return None

    def _same(self, name: str) -> bool:
        size, written, seen = self.record.outputs[name]
        path = f"{self.out}/{name}"  # thousands of them, so they are no `Path`s
        try:
            now = os.stat(path)  # noqa: PTH116
            return (now.st_size, now.st_mtime_ns) == (size, written) or (
                now.st_size == size and digest(Path(path).read_bytes()) == seen
            )
        except OSError:
            return False

    def written(self, name: str) -> str | None:
        """The digest of a file as it was last written."""
        found = self.record.outputs.get(name)
        return found[2] if found else None

    def keep(self, record: Record) -> None:
        """Records a build. What cannot be written is not kept."""
        text = json.dumps(_data(record), separators=(",", ":")).encode()
        beside = self.path.with_suffix(".new")
        with contextlib.suppress(OSError):
            self.state.mkdir(parents=True, exist_ok=True)
            ignore = self.state / ".gitignore"
            if not ignore.exists():
                ignore.write_text("*\n", encoding="utf-8")
            beside.write_bytes(digest(text).encode() + b"\n" + text)
            beside.replace(self.path)
        self.record = record

    def seen(self, files: Mapping[str, str]) -> dict[str, tuple[int, int, str]]:
        """What is recorded of files of the output, which have these texts now."""
        found = {}
        for name, text in files.items():
            with contextlib.suppress(OSError):
                now = os.stat(f"{self.out}/{name}")  # noqa: PTH116
                found[name] = (now.st_size, now.st_mtime_ns, digest(text.encode()))
        return found


def read_as(path: str, began: int) -> str | None:
    """The digest of a file that was read; empty where it was saved since, so that it is stale.

    Args:
        path: of the file.
        began: when the build began to read, in nanoseconds.
    """
    with contextlib.suppress(OSError):
        if began - _CLOCK <= Path(path).stat().st_mtime_ns <= time.time_ns():
            return ""
    return fingerprint(Path(path))


def fingerprint(path: Path) -> str | None:
    """A file's digest; None where there is none."""
    try:
        return digest(path.read_bytes())
    except OSError:
        return None


def _differs(source: Source, entry: Entry | None, changed: Collection[str]) -> str | None:
    if entry is None:
        return f"{source.shown} is new"
    if entry.source.seen != source.seen or entry.source.shown != source.shown or not source.seen:
        return f"{source.shown} has changed"
    if entry.source.inside != source.inside:
        return f"{source.shown} has other modules inside"
    for path in entry.reads if changed else ():
        if path in changed:
            return f"{path} has changed"
    return None


# ------------------------------------------------------------------------------------- as JSON


def _data(record: Record) -> Json:
    return {
        "version": _VERSION,
        "key": record.key,
        "modules": {
            name: [
                [each.source.shown, each.source.seen, each.source.inside],
                each.needs,
                each.reads,
                each.found,
                each.files,
                each.streamed,
                each.declares,
            ]
            for name, each in record.modules.items()
        },
        "package": record.package,
        "reads": record.reads,
        "outputs": record.outputs,
        "findings": [finding_data(found) for found in record.findings],
    }


def _record(data: Json) -> Record:
    """Raises one of `_MALFORMED` for what no build of this version wrote."""
    return Record(
        _text(data["key"]),
        {_text(name): _entry(*entry) for name, entry in data["modules"].items()},
        _texts(data["package"]),
        {
            _text(path): None if seen is None else _text(seen)
            for path, seen in data["reads"].items()
        },
        {
            _text(name): (int(size), int(time), _text(seen))
            for name, (size, time, seen) in data["outputs"].items()
        },
        [_no_error(finding(found)) for found in data["findings"]],
    )


def _entry(
    source: Json, needs: Json, reads: Json, found: Json, files: Json, streamed: Json, declares: Json
) -> Entry:
    shown, seen, inside = source
    return Entry(
        Source(_text(shown), _text(seen), _texts(inside)),
        _texts(needs),
        _texts(reads),
        found,
        None if files is None else _texts(files),
        _texts(streamed),
        declares,
    )


def _text(data: Json) -> str:
    if not isinstance(data, str):
        raise TypeError("no text")
    return data


def _texts(data: Json) -> tuple[str, ...]:
    for each in data:
        _text(each)
    return tuple(data)


def _no_error(found: Diagnostic) -> Diagnostic:
    if found.severity not in ("warning", "note"):
        raise ValueError("no build with an error is recorded")
    return found


def finding_data(found: Diagnostic) -> Json:
    """A finding as JSON."""
    return [found.code, found.severity, found.message, found.span, found.hint, found.related]


def finding(data: Json) -> Diagnostic:
    """The finding that `finding_data` was given."""
    code, severity, message, span, hint, related = data
    place = None if span is None else Span(*span)
    others = tuple((Span(*other), words) for other, words in related)
    made = Diagnostic(code, severity, message, place, hint, others)
    hash(made)
    return made
