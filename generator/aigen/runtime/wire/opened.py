"""Lists and objects of a reply that have begun and not ended."""

from __future__ import annotations

from typing import Any

from aigen.runtime.wire.places import ABSENT, ANYTHING, Place, Record, extend
from aigen.runtime.wire.tokens import Broken


class OpenObject:
    """An object that is open.

    Attributes:
        place: where it stands.
        record: what it is; None while it may still be one of several.
        seen: whether it, and all it stands in, can be shown.
        values: what is whole of it, by name: as it is shown, or as it came where `record` is None.
    """

    def __init__(self, place: Place, seen: bool) -> None:
        self.place = place
        self.record: Record | None = place.records[0] if len(place.records) == 1 else None
        self.can = seen and bool(place.records)
        self.seen = seen and self.record is not None
        self.values: dict[str, Any] = {}
        self.names: set[str] = set()
        self.name = ""
        self.options = place.records

    def begin(self, name: str) -> None:
        """A member begins.

        Raises:
            Broken: there was one of its name.
        """
        if name in self.names:
            raise Broken
        self.names.add(name)
        self.name = name
        if self.record is None:
            self._narrow([one for one in self.options if one.may_be(name)])

    def inside(self) -> Place | None:
        """The place of the member that comes now."""
        return ANYTHING if self.record is None else self.record.member(self.name)

    def put(self, value: Any) -> bool:
        """Takes a whole member; whether it can be shown."""
        if value is ABSENT:
            return False
        self.values[self.name] = value
        if self.record is None and not isinstance(value, (dict, list)):
            return self._narrow([one for one in self.options if one.may_be(self.name, value)])
        return self.seen

    def _narrow(self, options: list[Record]) -> bool:
        self.options = tuple(options)
        if len(options) != 1 or not self.can:
            return False
        self.record, self.seen = options[0], True
        self.values = self.record.shown(self.values)
        return True

    def shown(self, inner: Any) -> Any:
        """What is there of it, with what is open inside."""
        if not self.seen or self.record is None:
            return ABSENT
        open_member = {} if inner is ABSENT else {self.name: inner}
        return self.record.made({**self.values, **open_member})

    def whole(self) -> Any:
        """It, now that it has ended."""
        if self.record is not None:
            return self.record.made(self.values)
        # Its place says what it is, where it is one that can be told at all.
        return self.values


class OpenList:
    """A list that is open.

    Attributes:
        place, seen, values: as of `OpenObject`.
        stuck: whether an item cannot be shown; what follows would stand at the wrong index.
        looked: how much of the text had been read when many items were last looked for.
    """

    def __init__(self, place: Place, seen: bool) -> None:
        self.place, self.seen = place, seen and place.items is not None
        self.values: list[Any] = []
        self.stuck = False
        self.looked = -1

    def inside(self) -> Place | None:
        """The place of the item that comes now."""
        if self.stuck:
            return None
        return self.place.items(len(self.values)) if self.place.items else ANYTHING

    def put(self, value: Any) -> bool:
        """Takes a whole item; whether it can be shown."""
        if value is ABSENT or self.stuck:
            self.stuck = True
            return False
        self.values.append(value)
        return self.seen

    def extend(self, raw: list[Any]) -> bool:
        """Takes whole items; whether all of them can be shown."""
        if self.place.items is None:
            self.values += raw
            return True
        if self.stuck:
            return False
        self.stuck = not extend(self.values, self.place, raw)
        return not self.stuck

    def shown(self, inner: Any) -> Any:
        """What is there of it, with what is open inside."""
        if not self.seen:
            return ABSENT
        return self.values.copy() if inner is ABSENT or self.stuck else [*self.values, inner]

    def whole(self) -> Any:
        """It, now that it has ended."""
        return self.values
