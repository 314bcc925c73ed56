"""Parts of a JSON Schema document that stand alone, with the definitions they refer to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import blake2b
from typing import Any, Final, TypeAlias

from aigen.importers.definitions import LOCAL, Schema, unescaped
from aigen.resolve.shape_references import is_old
from aigen.runtime.wire.plain import everything
from aigen.spec.yaml_reader import MOST_VALUES

Place: TypeAlias = tuple[str, str]
"""`$defs` or `definitions`, and a key there."""

_MOST_HELD: Final = MOST_VALUES
"""Keywords of definitions; each has a value at least."""


def _differs_by_draft(schema: Schema) -> bool:
    """Whether a schema means something else in drafts before 2019-09, so that its draft is told."""
    return (
        ("$ref" in schema and len(schema) > 1)
        or isinstance(schema.get("items"), list)
        or any(
            isinstance(schema.get(word), bool) for word in ("exclusiveMinimum", "exclusiveMaximum")
        )
    )


class TooMuch(Exception):
    """Parts of a document hold more definitions, again and again, than a spec can."""


class Parts:
    """Parts of a document as schemas."""

    def __init__(self, root: Schema, given: Schema) -> None:
        """Takes the document, and as it was before `in_definitions`."""
        self._root = root
        self._given = given
        self._old = is_old(root)
        self._known: dict[Place, tuple[list[Place], int]] = {}
        self._held = 0

    def alone(self, schema: Schema) -> Schema:
        """A part that stands alone; its words stand beside it.

        Raises:
            TooMuch: the parts so far hold more than any spec, for they refer to one another.
        """
        whole = schema is self._root
        made = {
            key: value
            for key, value in (self._given if whole else schema).items()
            if key not in ("description", "default")
        }
        if whole:
            return made
        needed: dict[str, dict[str, Any]] = {}
        for word, key in self._needed(schema):
            needed.setdefault(word, {})[key] = self._root[word][key]
            self._held += self._definition((word, key))[1]
            if self._held > _MOST_HELD:
                raise TooMuch
        if self._old and any(map(_differs_by_draft, everything(made))):
            made = {"$schema": self._root["$schema"], **made}
        return {**made, **needed}

    def meaning(self, place: Place) -> str:
        """A digest of a definition and those that it refers to, the same in every document."""
        digest = blake2b(digest_size=16)
        for word, key in (place, *self._needed(self._root[place[0]][place[1]])):
            said = [self._root.get("$schema"), word, key, self._root[word][key]]
            digest.update(json.dumps(said, sort_keys=True).encode())
        return digest.hexdigest()

    def _needed(self, schema: Schema) -> Iterator[Place]:
        """The definitions that a schema refers to, and those that these refer to."""
        found: set[Place] = set()
        pending = [_references(schema)]
        while pending:
            for place in pending.pop():
                if place not in found:
                    found.add(place)
                    yield place
                    pending.append(self._definition(place)[0])

    def _definition(self, place: Place) -> tuple[list[Place], int]:
        """What a definition refers to, and how many keywords it has."""
        if place not in self._known:
            schema = self._root[place[0]][place[1]]
            size = sum(map(len, everything(schema)))
            self._known[place] = (_references(schema), size)
        return self._known[place]


def _references(schema: Any) -> list[Place]:
    """The definitions that a schema refers to itself."""
    refs = (LOCAL.fullmatch(part.get("$ref", "")) for part in everything(schema))
    return [(ref[1], unescaped(ref[2])) for ref in refs if ref is not None]


__all__ = ["Parts", "TooMuch"]
