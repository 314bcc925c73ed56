"""Taking a JSON Schema document apart: which of its parts mean the same outside it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, TypeAlias
from urllib.parse import unquote

from aigen.importers.names import first_free
from aigen.runtime.wire.plain import BY_NAME, MANY, ONE, everything, pointed
from aigen.spec.yaml_reader import MOST_VALUES

Schema: TypeAlias = Mapping[str, Any]

LOCAL: Final = re.compile(r"#/(\$defs|definitions)/([^/]+)")
"""A reference to a definition of the document."""

_ANCHORS: Final = frozenset(
    {"$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$dynamicRef", "$recursiveRef"}
)

_OF_PLACES: Final = ("description", "default", "examples", "deprecated")
_OLD: Final = re.compile(r"draft-0?[34567]\b")
_MOST_HELD: Final = MOST_VALUES
"""Keywords of definitions; each has a value at least."""

_DEFINED: Final = frozenset({"$defs", "definitions", "$schema"})


def takes_apart(root: Schema) -> bool:
    """Whether parts of a document mean the same outside it, their definitions beside them."""
    for part in everything(root):
        found = LOCAL.fullmatch(part["$ref"]) if "$ref" in part else None
        if "$ref" in part and (found is None or unescaped(found[2]) not in root.get(found[1], {})):
            return False
        if part is root:
            continue
        named = isinstance(part.get("id"), str)
        if named or not (_ANCHORS.isdisjoint(part) and _DEFINED.isdisjoint(part)):
            return False
    return root.keys().isdisjoint(_ANCHORS - {"$id"})


def _differs_by_draft(schema: Schema) -> bool:
    """Whether a schema means something else in drafts before 2019-09, so that its draft is told."""
    return (
        ("$ref" in schema and len(schema) > 1)
        or isinstance(schema.get("items"), list)
        or any(
            isinstance(schema.get(word), bool) for word in ("exclusiveMinimum", "exclusiveMaximum")
        )
    )


def in_definitions(root: Schema) -> Schema:
    """A document whose references lead to definitions: other places that they lead to become some.

    The document itself where there are none, or where one leads to what is no schema.
    """
    schemas = everything(root)
    refs = dict.fromkeys(part["$ref"] for part in schemas if "$ref" in part)
    inner = [ref for ref in refs if ref.startswith("#/") and not LOCAL.fullmatch(ref)]
    places = {ref: pointed(root, ref) for ref in inner}
    known = {id(part): part for part in schemas} if places else {}
    if not places or any(id(place) not in known or place is root for place in places.values()):
        return root
    word = "definitions" if "definitions" in root and "$defs" not in root else "$defs"
    names = {id(place): "" for place in places.values()}
    taken = {*root.get("$defs", ()), *root.get("definitions", ())}
    for ref, place in places.items():
        wanted = re.sub(r"\W", "_", unescaped(ref.rpartition("/")[2]))
        name = names[id(place)] or first_free(wanted, f"{wanted}_{{}}".format, taken.__contains__)
        names[id(place)] = name
        taken.add(name)
    called = {ref: f"#/{word}/{names[id(place)]}" for ref, place in places.items()}
    moved = _Moved({id(place): called[ref] for ref, place in places.items()}, called)
    made = moved.inside(root)
    added = {names[key]: _kept(moved.inside(known[key])) for key in names}
    return {**made, word: {**made.get(word, {}), **added}}


class _Moved(NamedTuple):
    """Rewrites schemas.

    Attributes:
        places: what refers to the places that are definitions now, by the ids of their schemas.
        called: the same by what referred to them before.
    """

    places: dict[int, str]
    called: dict[str, str]

    def schema(self, schema: Any) -> Any:
        """A schema where it stands: a reference with the words of the place, if it is moved."""
        if id(schema) not in self.places:
            return self.inside(schema)
        words = {key: schema[key] for key in _OF_PLACES if key in schema}
        return {"$ref": self.places[id(schema)], **words}

    def inside(self, schema: Any) -> Any:
        """A schema with those inside it rewritten."""
        if not isinstance(schema, dict):
            return schema
        made = dict(schema)
        for key, value in schema.items():
            if key in BY_NAME and isinstance(value, dict):
                made[key] = {name: self.schema(part) for name, part in value.items()}
            elif isinstance(value, list) and (key in MANY or key == "items"):
                made[key] = [self.schema(part) for part in value]
            elif key in ONE:
                made[key] = self.schema(value)
        if schema.get("$ref") in self.called:
            made["$ref"] = self.called[schema["$ref"]]
        return made


def _kept(schema: Schema) -> Schema:
    """A definition without what its place says of itself."""
    return {key: schema[key] for key in schema if key not in _OF_PLACES}


class TooMuch(Exception):
    """Parts of a document hold more definitions, again and again, than a spec can."""


class Parts:
    """Parts of a document as schemas that stand alone, with the definitions they refer to."""

    def __init__(self, root: Schema, given: Schema) -> None:
        """Takes the document, and as it was before `in_definitions`."""
        self._root = root
        self._given = given
        self._old = bool(_OLD.search(str(root.get("$schema", ""))))
        self._known: dict[tuple[str, str], tuple[list[tuple[str, str]], int]] = {}
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
        if self._old and any(map(_differs_by_draft, everything(made))):
            made = {"$schema": self._root["$schema"], **made}
        return {**made, **needed}

    def _needed(self, schema: Schema) -> list[tuple[str, str]]:
        found: dict[tuple[str, str], None] = {}
        pending = [_references(schema)]
        while pending:
            for place in pending.pop():
                if place not in found:
                    found[place] = None
                    references, size = self._definition(place)
                    pending.append(references)
                    self._held += size
            if self._held > _MOST_HELD:
                raise TooMuch
        return list(found)

    def _definition(self, place: tuple[str, str]) -> tuple[list[tuple[str, str]], int]:
        """What a definition refers to, and how many keywords it has."""
        if place not in self._known:
            schema = self._root[place[0]][place[1]]
            size = sum(map(len, everything(schema)))
            self._known[place] = (_references(schema), size)
        return self._known[place]


def _references(schema: Any) -> list[tuple[str, str]]:
    """The definitions that a schema refers to itself."""
    refs = (LOCAL.fullmatch(part.get("$ref", "")) for part in everything(schema))
    return [(ref[1], unescaped(ref[2])) for ref in refs if ref is not None]


def unescaped(step: str) -> str:
    """A step of a reference, as the key that it names."""
    return unquote(step).replace("~1", "/").replace("~0", "~")


__all__ = ["LOCAL", "Parts", "Schema", "TooMuch", "in_definitions", "takes_apart", "unescaped"]
