"""Where two JSON values differ, in words that fit on a line each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

_ABSENT: Final = object()
_SHOWN = 120


class Difference(NamedTuple):
    """One place where two values differ.

    Attributes:
        place: such as `items[2].name`; empty for the whole.
        wanted: what was wanted there, as JSON; `nothing` where there should be none.
        found: what is there, as JSON; `nothing` where there is none.
    """

    place: str
    wanted: str
    found: str

    def __str__(self) -> str:
        place = f"{self.place}: " if self.place else ""
        return f"{place}wanted {self.wanted}, found {self.found}"


def differences(wanted: Any, found: Any) -> list[Difference]:
    """Every place where JSON values differ; 1 and 1.0 are equal, 1 and true are not."""
    return list(_walk(wanted, found, ""))


def _walk(wanted: Any, found: Any, place: str) -> Iterator[Difference]:
    if isinstance(wanted, Mapping) and isinstance(found, Mapping):
        for name in dict.fromkeys((*wanted, *found)):
            inner = f"{place}.{name}" if place else str(name)
            yield from _walk(wanted.get(name, _ABSENT), found.get(name, _ABSENT), inner)
    elif isinstance(wanted, (list, tuple)) and isinstance(found, (list, tuple)):
        for index in range(max(len(wanted), len(found))):
            one = wanted[index] if index < len(wanted) else _ABSENT
            other = found[index] if index < len(found) else _ABSENT
            yield from _walk(one, other, f"{place}[{index}]")
    elif isinstance(wanted, str) and isinstance(found, str) and wanted != found:
        start = _first_difference(wanted, found)
        yield Difference(place, _cut(wanted, start), _cut(found, start))
    elif isinstance(wanted, bool) != isinstance(found, bool) or wanted != found:
        yield Difference(place, _shown(wanted), _shown(found))


def _first_difference(one: str, other: str) -> int:
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _cut(text: str, start: int) -> str:
    """A long text from a little before where it begins to differ."""
    if len(text) <= _SHOWN:
        return _shown(text)
    begin = max(0, start - _SHOWN // 4)
    piece = text[begin : begin + _SHOWN]
    before, after = "…" * (begin > 0), "…" * (begin + _SHOWN < len(text))
    return json.dumps(f"{before}{piece}{after}", ensure_ascii=False)


def _shown(value: Any) -> str:
    if value is _ABSENT:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 2 * _SHOWN else f"{text[: 2 * _SHOWN]}…"
