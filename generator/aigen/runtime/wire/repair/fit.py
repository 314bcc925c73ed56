"""Fits what a text says to a schema with the fewest changes.

Every part is fitted to every place once, so the work is linear in the value. Where two ways cost
the same and give different values, the part is ambiguous: that is kept, since a cheaper way around
it may exist, and refused only where it would be the answer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

from aigen.runtime.values import canonical
from aigen.runtime.wire.repair import words
from aigen.runtime.wire.repair.loose import Array, Bare, Object
from aigen.runtime.wire.repair.nodes import Node

Notes: TypeAlias = "tuple[str | tuple[str | int, Notes], ...]"
"""Repairs: names, or those inside a member or item."""


class Prose(Bare):
    """A whole reply that is no JSON: a choice, a number, a literal, or plain text."""

    __slots__ = ()


class Fit(NamedTuple):
    """A value that fits.

    Attributes:
        value: plain JSON.
        cost: how many changes it took.
        notes: their names.
        ambiguous: as few changes give another value too.
    """

    value: Any
    cost: int
    notes: Notes = ()
    ambiguous: bool = False


_JSON_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_DROPPED, _ABSENT = "dropped", "took null for absent"
_LITERAL = "literal of another language read"
_TRUTH = {"true": True, "false": False}
_NOTHING = frozenset({"none", "null", "undefined", "nil"})
_BOOLEANS = words.Levels(["true", "false"], {})
_JSON_LIKE = re.compile(r"[{\[]\s*+[\"'“{\[]|```")
_BARE_INSIDE = re.compile(r"""[{\[]\s*+[^\s"'“‘`{}\[\]]""")
_UNKNOWN = object()


class Fitter:
    """Fits the parts of one text.

    Args:
        text: that they were parsed from.
        null_is_absent: whether null stands for absent by the form that was asked for, so that it
            is no repair.
    """

    def __init__(self, text: str, *, null_is_absent: bool = False) -> None:
        self._text = text
        self._free_nulls = null_is_absent
        self._known: dict[tuple[int, int, bool], Fit | None] = {}
        self._kept: list[Any] = []

    def fit(self, value: Any, node: Node, lone: bool = True) -> Fit | None:
        """The way of fewest changes; None where there is none.

        Args:
            value: as `loose.parse` gives it, or `Prose`.
            node: where it stands.
            lone: whether it may be put into a list or a record of one member.
        """
        key = (id(value), id(node), lone)
        found = self._known.get(key, _UNKNOWN)
        if found is _UNKNOWN:
            self._kept.append(value)
            self._known[key] = None  # A schema that leads back here leads nowhere.
            found = self._known[key] = self._found(value, node, lone)
        return found  # type: ignore[return-value]

    def _found(self, value: Any, node: Node, lone: bool) -> Fit | None:
        match node.form:
            case "union":
                return self._union(value, node.options, lone)
            case "scalar":
                found = self._scalar(value, node.kind, lone)
            case "choice":
                found = _choice(value, node)
            case "record":
                found = self._record(value, node)
                if found is None and lone:
                    found = self._wrapped(value, node)
            case "list":
                found = self._list(value, node, lone)
            case _:
                found = _taken(value)
        if found is not None and node.check is not None and node.check.fits(found.value):
            return None
        return found

    def _union(self, value: Any, options: list[Node], lone: bool) -> Fit | None:
        # As it stands first: most values are one of the options and need not be put into another.
        found = cheapest(self.fit(value, option, False) for option in options)
        if lone and (found is None or found.cost):
            return cheapest(self.fit(value, option, True) for option in options)
        return found

    # ------------------------------------------------------------------ scalars

    def _scalar(self, value: Any, kind: str, lone: bool) -> Fit | None:
        if kind == "string":
            return self._string(value, lone)
        if not isinstance(value, str):
            return None
        if kind == "boolean":
            return _boolean(value)
        if kind == "null":
            return _null(value)
        found = _number(value)
        if found is None or kind == "number":
            return found
        whole = isinstance(found.value, int) or found.value.is_integer()
        return found._replace(value=int(found.value)) if whole else None

    def _string(self, value: Any, lone: bool) -> Fit | None:
        if isinstance(value, Prose):
            # Text around a broken answer is no answer.
            if not lone or _JSON_LIKE.search(value):
                return None
            return Fit(str(value), 1, ("whole reply taken as text",))
        if isinstance(value, Bare):
            if _JSON_NUMBER.fullmatch(value):
                return Fit(str(value), 1, ("number written as text",))
            if value in ("null", "true", "false") or not value:
                return None
            return Fit(str(value), 2, ("bare value quoted",))
        if isinstance(value, str):
            return Fit(value, 0)
        if isinstance(value, Object | Array) and self._bare_inside(value):
            return Fit(self._text[value.start : value.end].strip(), 2, ("bare value quoted",))
        return None

    def _bare_inside(self, value: Object | Array) -> bool:
        """Whether brackets hold text rather than JSON or Python: `{title: string}`, `[a, b]`."""
        if not _BARE_INSIDE.match(self._text, value.start):
            return False
        return isinstance(value, Object) or any(
            type(item) is Bare and not _token(item) for item in value
        )

    # ------------------------------------------------------------------ records

    def _record(self, value: Any, node: Node) -> Fit | None:
        if not isinstance(value, dict):
            return None
        made: dict[str, Any] = {}
        notes: list[Any] = []
        cost, ambiguous, matched = 0, False, 0
        for key, member in value.items():
            name = _member(key, value, node)
            if name is None:
                return None
            where = node.members.get(name, node.others)
            if where is None:
                notes.append((key, (_DROPPED,)))
                cost += 1
                continue
            if name in made:
                return None
            matched += 1
            found = self.fit(member, where)
            if found is None:
                if not _absent(member) or name not in node.members or name in node.needed:
                    return None
                if not self._free_nulls:
                    notes.append((name, (_ABSENT,)))
                    cost += 1
                continue
            if name != key:
                notes.append((name, (f"key matched by its letters ({key[:40]!r})",)))
                cost += 1
            made[name] = found.value
            cost += found.cost
            ambiguous |= found.ambiguous
            if found.notes:
                notes.append((name, found.notes))
        if not node.needed <= made.keys() or (value and not matched):
            return None
        return Fit(made, cost, tuple(notes), ambiguous)

    def _wrapped(self, value: Any, node: Node) -> Fit | None:
        """A record of one member, where the member's value stands in its place."""
        if len(node.members) != 1 or node.others is not None or _absent(value):
            return None
        [(name, inner)] = node.members.items()
        found = self.fit(value, inner, False)
        if found is None or (isinstance(found.value, str) and inner.form != "choice"):
            return None  # A text may mean anything.
        notes = (f"put into {name}", *found.notes)
        return Fit({name: found.value}, found.cost + 2, notes, found.ambiguous)

    # ------------------------------------------------------------------ lists

    def _list(self, value: Any, node: Node, lone: bool) -> Fit | None:
        if not isinstance(value, list):
            return self._alone(value, node) if lone else None
        heads = node.heads
        if node.item is None and len(value) > len(heads):
            return None
        made, notes = [], []
        cost, ambiguous = 0, False
        for at, item in enumerate(value):
            where = heads[at] if at < len(heads) else node.item
            found = self.fit(item, where) if where is not None else None
            if found is None:
                return None
            made.append(found.value)
            cost += found.cost
            ambiguous |= found.ambiguous
            if found.notes:
                notes.append((at, found.notes))
        return Fit(made, cost, tuple(notes), ambiguous)

    def _alone(self, value: Any, node: Node) -> Fit | None:
        where = node.heads[0] if node.heads else node.item
        if where is None or _absent(value):
            return None
        found = self.fit(value, where, False)
        if found is None:
            return None
        notes = ("lone value put into a list", *found.notes)
        return Fit([found.value], found.cost + 1, notes, found.ambiguous)


def cheapest(ways: Iterable[Fit | None]) -> Fit | None:
    """The way of fewest changes, ambiguous where another of as few gives another value.

    The first that takes none is the one: so are the options of a union tried.
    """
    best: Fit | None = None
    for way in ways:
        if way is None:
            continue
        if way.cost == 0:
            return way
        if best is None or way.cost < best.cost:
            best = way
        elif way.cost == best.cost and not same(way.value, best.value):
            best = best._replace(ambiguous=True)
    return best


def same(one: Any, other: Any) -> bool:
    """Whether two plain values are one JSON value."""
    return one is other or canonical(one) == canonical(other)


def names(notes: Notes) -> list[str]:
    """The repairs with their places, each once."""
    return list(dict.fromkeys(_names(notes, "")))


def _names(notes: Notes, place: str) -> Iterator[str]:
    for note in notes:
        if isinstance(note, str):
            yield f"{note} {place}" if note in (_DROPPED, _ABSENT) else _placed(note, place)
        else:
            step, inner = note
            yield from _names(inner, f"{place}.{step}" if place else str(step))


def _placed(note: str, place: str) -> str:
    return f"{note}: {place}" if place else note


def plain(value: Any) -> Any:
    """A parsed value as plain JSON, where no schema says what bare values are."""
    found = _taken(value)
    return found.value if found else str(value)


def _member(key: str, value: dict[str, Any], node: Node) -> str | None:
    """The member that a key means, or the key itself; None where two keys mean one."""
    if key in node.members:
        return key
    name = node.keys.get(words.folded(key), "")
    if not name:
        return key
    return None if name in value else name


def _absent(value: Any) -> bool:
    return type(value) is Bare and value.lower() in _NOTHING


def _boolean(value: str) -> Fit | None:
    truth = _TRUTH.get(value)
    if truth is not None and isinstance(value, Bare):
        return Fit(truth, 0)
    truth = _TRUTH.get(value.lower())
    if truth is not None:
        return Fit(truth, 1, (_LITERAL if isinstance(value, Bare) else "literal read from text",))
    found = _BOOLEANS.read(value)
    return Fit(found[0] == "true", found[1], (found[2],)) if found else None


def _null(value: str) -> Fit | None:
    if not isinstance(value, Bare) or value.lower() not in _NOTHING:
        return None
    return Fit(None, 0) if value == "null" else Fit(None, 1, (_LITERAL,))


def _number(value: str) -> Fit | None:
    if isinstance(value, Bare) and _JSON_NUMBER.fullmatch(value):
        exact = _json_number(value)
        return None if exact is None else Fit(exact, 0)
    found, cost = words.number(value), 1
    if found is None and isinstance(value, Prose):
        found, cost = words.number_said(value), 3
    return None if found is None else Fit(found, cost, ("number read from text",))


def _json_number(text: str) -> int | float | None:
    try:
        value = float(text)
        if not math.isfinite(value):
            return None
        return int(text) if text.lstrip("-").isdecimal() else value
    except ValueError:  # Python reads no integer of thousands of digits.
        return None


def _choice(value: Any, node: Node) -> Fit | None:
    if not isinstance(value, str):
        return None
    ways: list[Fit | None] = []
    if node.levels is not None and not _absent(value):
        found = node.levels.read(value)
        if found is not None:
            level, cost, repair = found
            bare = isinstance(value, Bare)
            quoted = bare and not isinstance(value, Prose)
            notes = (repair,) if repair else ("bare value quoted",) if quoted else ()
            ways.append(Fit(level, max(cost, 1) if bare else cost, notes))
    if node.values:
        for way in (_boolean(value), _null(value), _number(value)):
            if way is not None and node.check is not None and not node.check.fits(way.value):
                ways.append(way)
    return cheapest(ways)


def _taken(value: Any) -> Fit | None:
    """A value as it is; a bare one as JSON or Python would read it."""
    if isinstance(value, dict):
        parts = {key: _taken(member) for key, member in value.items()}
        return _together({key: part.value for key, part in parts.items() if part}, parts.values())
    if isinstance(value, list):
        items = [_taken(item) for item in value]
        return _together([item.value for item in items if item], items)
    for way in (_boolean_exact(value), _null(value), _number_exact(value)):
        if way is not None:
            return way
    if isinstance(value, Prose):
        return None
    return Fit(str(value), 2, ("bare value quoted",)) if isinstance(value, Bare) else Fit(value, 0)


def _together(value: Any, parts: Any) -> Fit | None:
    found = list(parts)
    if None in found:
        return None
    notes = tuple(dict.fromkeys(note for part in found for note in part.notes))
    return Fit(value, sum(part.cost for part in found), notes)


def _boolean_exact(value: Any) -> Fit | None:
    if not isinstance(value, Bare) or value.lower() not in _TRUTH:
        return None
    return _boolean(value)


def _number_exact(value: Any) -> Fit | None:
    return _number(value) if isinstance(value, Bare) and _JSON_NUMBER.fullmatch(value) else None


def _token(text: str) -> bool:
    return text in ("true", "false", "null") or _JSON_NUMBER.fullmatch(text) is not None
