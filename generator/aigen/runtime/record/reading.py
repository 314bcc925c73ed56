"""Reading the call log, line by line: what it takes does not grow with the log."""

from __future__ import annotations

import heapq
import json
import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import NoneType
from typing import Any, Final, TypeAlias

import jiter

from aigen.runtime.record.entry import FORMAT, written_time

Record: TypeAlias = dict[str, Any]

_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_LONGEST: Final = 1 << 26
"""The most bytes of a line; what is longer is no line of ours but a damaged file."""

_HEAD: Final = b'{"aigen_call":1,"id":"'
_ID: Final = slice(len(_HEAD), len(_HEAD) + 36)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which calls are asked for; None asks for all.

    Attributes:
        function: its name, or `module.name`.
        error: `*` for every failed call, else an error's code or type.
        since: seconds since 1970.
        model: as a record has it.
        caller: the setting of the calls.
    """

    function: str | None = None
    error: str | None = None
    since: float | None = None
    model: str | None = None
    caller: str | None = None

    def __call__(self, record: Mapping[str, Any]) -> bool:
        """Whether a record is one of them."""
        if self.since is not None and record["started"] < written_time(self.since):
            return False
        if self.function is not None:
            program = record["program"]
            if self.function not in (program["name"], f"{program.get('module')}.{program['name']}"):
                return False
        if self.model is not None and record.get("model") != self.model:
            return False
        if self.caller is not None and record.get("caller") != self.caller:
            return False
        return self.error is None or _failed(record.get("error"), self.error)


def _failed(error: Any, wanted: str) -> bool:
    if not isinstance(error, Mapping):
        return False
    return wanted == "*" or wanted in (error.get("code"), error.get("type"))


class LogReader:
    """The records of one log folder.

    Attributes:
        skipped: lines so far that are no record: damaged, or of a later format.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.skipped = 0

    def calls(self, wanted: Wanted, ids: Container[bytes] | None = None) -> Iterator[Record]:
        """The records of calls, newest day first, in a file oldest first.

        Args:
            wanted: which.
            ids: of the only calls whose lines are worth reading.
        """
        for path in self.files(wanted.since):
            for line in self.lines(path):
                if ids is not None and line.startswith(_HEAD) and line[_ID] not in ids:
                    continue
                record = self.record(line)
                if record is not None and "aigen_call" in record and wanted(record):
                    yield record

    def newest(self, wanted: Wanted, limit: int) -> list[Record]:
        """The newest `limit` records, newest first; only so many are held."""
        kept: list[tuple[str, int, Record]] = []
        count, oldest = 0, b""
        for path in self.files(wanted.since) if limit > 0 else ():
            if len(kept) == limit and kept[0][2]["started"][:10] > path.parent.name:
                break  # what was written before that day began before it
            for line in self.lines(path):
                # Most lines of a long log go no further than this.
                if len(kept) == limit and line.startswith(_HEAD) and line[_ID] <= oldest:
                    continue
                record = self.record(line)
                if record is None or "aigen_call" not in record or not wanted(record):
                    continue
                count += 1
                entry = (record["id"], count, record)
                if len(kept) < limit:
                    heapq.heappush(kept, entry)
                else:
                    heapq.heappushpop(kept, entry)
                oldest = kept[0][0].encode()
        return [record for _, _, record in sorted(kept, reverse=True)]

    def with_id(self, start: str) -> tuple[list[Record], list[Record]]:
        """The calls whose id begins so (two at most), and the ratings of the one."""
        calls: dict[str, Record] = {}
        ratings = []
        part = start.encode()
        for path in self.files(began(start)):
            for line in self.lines(path):
                if part not in line:
                    continue
                record = self.record(line)
                if record is None:
                    continue
                if "aigen_rating" in record:
                    if record["call"].startswith(start):
                        ratings.append(record)
                elif record["id"].startswith(start) and len(calls) < 2:
                    calls[record["id"]] = record
        return list(calls.values()), sorted(ratings, key=lambda each: str(each["id"]))

    def files(self, since: float | None = None) -> Iterator[Path]:
        """The files, newest first, without those of days before."""
        first = "" if since is None else written_time(since)[:10]
        days = [
            path
            for path in self.folder.iterdir()
            if _DAY.fullmatch(path.name) and path.name >= first and path.is_dir()
        ]
        for day in sorted(days, reverse=True):
            yield from sorted(day.glob("*.jsonl"), key=_written, reverse=True)

    def lines(self, path: Path) -> Iterator[bytes]:
        """The lines of a file; one that is too long counts as skipped."""
        with path.open("rb") as file:
            while line := file.readline(_LONGEST):
                if len(line) == _LONGEST and not line.endswith(b"\n"):
                    self.skipped += 1
                    while line and not line.endswith(b"\n"):
                        line = file.readline(_LONGEST)
                elif line != b"\n":
                    yield line

    def record(self, line: bytes) -> Record | None:
        """The record of a line; None, and counted, where it is none."""
        found = _parsed(line)
        if isinstance(found, dict) and (_is_call(found) or _is_rating(found)):
            return found
        self.skipped += 1
        return None


def _parsed(line: bytes) -> Any:
    """The JSON of a line; None where it is none."""
    try:
        return jiter.from_json(line)
    except ValueError:
        pass
    try:  # half a surrogate pair, and what is nested deeply
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # tidied away meanwhile
        return 0.0


_KINDS: Final[Mapping[str, tuple[type, ...]]] = {
    "id": (str,),
    "started": (str,),
    "seconds": (int, float),
    "program": (dict,),
    "usage": (dict, NoneType),
    "error": (dict, NoneType),
    "omitted": (dict, NoneType),
    "sizes": (dict, NoneType),
    "inputs": (dict, NoneType),
    "outputs": (dict, NoneType),
    "repairs": (list, NoneType),
    "exchanges": (list, NoneType),
}
"""What a reader relies on; the rest of a record is shown as it is."""


def _is_call(found: Record) -> bool:
    if found.get("aigen_call") != FORMAT:
        return False
    for name, kinds in _KINDS.items():
        if not isinstance(found.get(name), kinds):
            return False
    return (
        found["id"].isascii()
        and 0 <= found["seconds"] < 1e9
        and isinstance(found["program"].get("name"), str)
        and all(map(_are_names, (found.get("omitted") or {}).values()))
        and all(map(_are_sizes, (found.get("sizes") or {}).values()))
        and all(map(_is_exchange, found.get("exchanges") or ()))
    )


def _are_names(found: Any) -> bool:
    return isinstance(found, list) and all(isinstance(name, str) for name in found)


def _are_sizes(found: Any) -> bool:
    return isinstance(found, dict) and all(isinstance(size, int) for size in found.values())


def _is_exchange(found: Any) -> bool:
    if not isinstance(found, dict) or not isinstance(found.get("reply"), (dict, NoneType)):
        return False
    request = found.get("request")
    if request is None:
        return True
    said = request.get("messages") or request.get("input") if isinstance(request, dict) else False
    return said is None or (
        isinstance(said, list) and all(isinstance(message, dict) for message in said)
    )


def _is_rating(found: Record) -> bool:
    return (
        found.get("aigen_rating") == FORMAT
        and isinstance(found.get("call"), str)
        and isinstance(found.get("id"), str)
    )


def began(id: str) -> float | None:
    """When a call with this UUIDv7 began; None where it is too short to say, or none."""
    digits = id.replace("-", "")[:12]
    try:
        moment = int(digits, 16) / 1000 if len(digits) == 12 else None
        return moment if moment is None or datetime.fromtimestamp(moment, UTC) else None
    except (ValueError, OverflowError, OSError):
        return None
