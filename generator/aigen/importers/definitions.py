"""JSON Schema documents whose references all lead to their definitions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, TypeAlias
from urllib.parse import unquote

from aigen.importers.names import first_free
from aigen.resolve.shape_references import References, Steps, is_old
from aigen.runtime.wire.plain import BY_NAME, MANY, ONE, everything, parts, pointed

Schema: TypeAlias = Mapping[str, Any]

LOCAL: Final = re.compile(r"#/(\$defs|definitions)/([^/]+)")
"""A reference to a definition of the document."""

_NAMES: Final = frozenset({"$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor"})
_DYNAMIC: Final = frozenset({"$dynamicRef", "$recursiveRef"})
_OF_PLACES: Final = frozenset({"description", "default", "examples", "deprecated"})
_OF_DOCUMENTS: Final = frozenset({"$defs", "definitions", "$schema"})


class Document(NamedTuple):
    """A document whose references lead to its definitions.

    Attributes:
        root: the whole.
        own: where the whole stands among its definitions, if a reference leads to it.
    """

    root: Schema
    own: str | None = None


def in_definitions(root: Schema, called: str) -> Document | None:
    """A document whose references lead to definitions: other places that they lead to become some.

    What its schemas call themselves (`$id`, `$anchor`) is gone, for nothing refers to it any more.

    Args:
        root: the document.
        called: the key for the whole of it, where a reference leads to that.

    Returns:
        None where a reference leads to what is no schema, or depends on who asks (`$dynamicRef`).
    """
    schemas = everything(root)
    referring = [part for part in schemas if "$ref" in part]
    draft = root.get("$schema")
    if any(
        not _DYNAMIC.isdisjoint(part) or part.get("$schema", draft) != draft for part in schemas
    ):
        return None
    if all(_is_local(part["$ref"], root) for part in referring) and all(
        map(_NAMES.isdisjoint, schemas)
    ):
        return Document(root)
    return _Moving(root, called, schemas).document(referring)


def _is_local(ref: str, root: Schema) -> bool:
    """Whether a reference leads to a definition of the document."""
    found = LOCAL.fullmatch(ref)
    return found is not None and unescaped(found[2]) in root.get(found[1], {})


def _pointers(root: Schema) -> dict[int, str | None]:
    """What the references of a document mean, by the ids of the schemas that refer."""
    references = References(old=is_old(root))
    bases: list[tuple[Schema, str]] = []
    pending: list[tuple[Schema, str, Steps]] = [(root, "", ())]
    while pending:
        schema, around, steps = pending.pop()
        base = references.note(schema, around, steps)
        if "$ref" in schema:
            bases.append((schema, base))
        inner = [(part, base, (steps, *at)) for at, part in parts(schema) if isinstance(part, dict)]
        pending += reversed(inner)
    return {id(schema): references.pointer(schema["$ref"], base) for schema, base in bases}


def _wanted(ref: str, pointer: str) -> str:
    """What a place is called as a definition: by its anchor, else by the last step to it."""
    anchor = ref.partition("#")[2]
    last = pointer.rpartition("/")[2] if not anchor or "/" in anchor else anchor
    return re.sub(r"\W", "_", unescaped(last))


class _Moving:
    """Moves what references lead to into the definitions."""

    def __init__(self, root: Schema, called: str, schemas: list[dict[str, Any]]) -> None:
        self._root = root
        self._called = called
        self._known = {id(part): part for part in schemas}
        self._word = "definitions" if "definitions" in root and "$defs" not in root else "$defs"
        self._taken = {*root.get("$defs", ()), *root.get("definitions", ())}
        self._keys: dict[int, str] = {}  # of the places that become definitions
        self._refs: dict[int, str] = {}  # by the schemas that refer

    def document(self, referring: list[dict[str, Any]]) -> Document | None:
        """The document; None where one of these schemas refers to what is no schema."""
        pointers = _pointers(self._root)
        for part in referring:
            ref = self._ref(part["$ref"], pointers[id(part)])
            if ref is None:
                return None
            self._refs[id(part)] = ref
        made = self._inside(self._root)
        added = {key: _kept(self._inside(self._known[place])) for place, key in self._keys.items()}
        if added:
            made[self._word] = {**made.get(self._word, {}), **added}
        own = self._keys.get(id(self._root))
        return Document(made, None if own is None else f"{self._word}/{own}")

    def _ref(self, ref: str, pointer: str | None) -> str | None:
        """What a schema refers to instead."""
        if pointer is None or _is_local(pointer, self._root):
            return pointer
        place = pointed(self._root, pointer)
        if id(place) not in self._known:
            return None
        if id(place) not in self._keys:
            wanted = self._called if place is self._root else _wanted(ref, pointer)
            key = first_free(wanted, f"{wanted}_{{}}".format, self._taken.__contains__)
            self._taken.add(key)
            self._keys[id(place)] = key
        return f"#/{self._word}/{self._keys[id(place)]}"

    def _schema(self, schema: Any) -> Any:
        """A schema where it stands: a reference with the words of the place, if it is moved."""
        key = self._keys.get(id(schema))
        if key is None:
            return self._inside(schema) if isinstance(schema, dict) else schema
        words = {word: schema[word] for word in schema if word in _OF_PLACES}
        return {"$ref": f"#/{self._word}/{key}", **words}

    def _inside(self, schema: Schema) -> dict[str, Any]:
        """A schema without names, with those inside it rewritten."""
        made: dict[str, Any] = {}
        for key, value in schema.items():
            if key in _NAMES:
                continue
            if key in BY_NAME and isinstance(value, dict):
                made[key] = {name: self._schema(part) for name, part in value.items()}
            elif isinstance(value, list) and (key in MANY or key == "items"):
                made[key] = [self._schema(part) for part in value]
            else:
                made[key] = self._schema(value) if key in ONE else value
        if id(schema) in self._refs:
            made["$ref"] = self._refs[id(schema)]
        return made


def _kept(schema: Schema) -> Schema:
    """A definition without what its place says of itself."""
    return {key: schema[key] for key in schema if key not in _OF_PLACES | _OF_DOCUMENTS}


def unescaped(step: str) -> str:
    """A step of a reference, as the key that it names."""
    return unquote(step).replace("~1", "/").replace("~0", "~")


__all__ = ["LOCAL", "Document", "Schema", "in_definitions", "unescaped"]
