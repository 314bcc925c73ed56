"""JSON Schema in the words of a spec: fields where they say the same, else a `json_shape`.

The schemas here were checked (`aigen.importers.foreign`), so every keyword has a value of its kind.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from typing import Any, Final, TypeAlias

from aigen.importers.apart import Parts
from aigen.importers.definitions import LOCAL, Document, Schema, in_definitions, unescaped
from aigen.importers.names import Names
from aigen.runtime.wire.overlap import all_apart
from aigen.runtime.wire.plain import pointed

Field: TypeAlias = dict[str, Any]

_WORDS: Final = frozenset({"title", "description", "default", "examples", "deprecated"})
_ASIDE: Final = _WORDS | {"$comment", "$schema", "$defs", "definitions"}
_PLAIN: Final = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
_FORMATS: Final = {
    "date": "date",
    "date-time": "datetime",
    "time": "time",
    "uuid": "UUID",
    "email": "email",
    "uri": "url",
}
_LENGTHS: Final = {"minLength": "min_length", "maxLength": "max_length"}
_BOUNDS: Final = {
    "minimum": "ge",
    "exclusiveMinimum": "gt",
    "maximum": "le",
    "exclusiveMaximum": "lt",
    "multipleOf": "multiple_of",
}
_ITEMS: Final = {"minItems": "min_length", "maxItems": "max_length"}


class Fields:
    """One JSON Schema document as fields, and the named types that they refer to.

    Attributes:
        types: the types, by name, in the order in which fields needed them.
        meanings: what each of them means, where documents share types.
        recursive: whether a reference leads to the whole document.
    """

    def __init__(
        self,
        root: Schema,
        names: Names,
        owner: str,
        *,
        closed: bool,
        whole: Container[str] = (),
        itself: bool = False,
        shared: Mapping[str, str] | None = None,
    ) -> None:
        """Takes the document.

        Args:
            root: the whole schema.
            names: gives its types names.
            owner: what a type is named after where its own name is taken.
            closed: whether an object that says nothing of other members has none.
            whole: names of types that stay JSON Schemas.
            itself: whether the document is the type of its owner's name.
            shared: types of other documents by their meaning; one that means the same is not made
                again.
        """
        self.types: dict[str, Field] = {}
        self.meanings: dict[str, str] = {}
        self._shared = shared
        self._given = root
        found = in_definitions(root, owner)
        self._whole = found is None
        self._root, own = found or Document(root)
        self.recursive = own is not None
        self._names = names
        self._owner = owner
        self._closed = closed
        self._left = whole
        self._named: dict[str, str] = {own: owner} if own is not None and itself else {}
        self._waiting: list[tuple[str, str, Any]] = []
        self._making = False
        self._parts = Parts(self._root, root)

    def members(self, schema: Schema | None = None) -> dict[str, Field] | None:
        """The fields of the object that a part of the document describes, by default the whole.

        None where fields say less.
        """
        schema = self._root if schema is None else schema
        if self._whole or any(key[:2] != "x-" for key in schema.keys() - _ASIDE - _OBJECT):
            return None
        return self._members(schema)

    def definition(self, key: str) -> Any:
        """What stands under a key of `$defs`."""
        return self._root["$defs"][key]

    def alone(self, key: str) -> Schema:
        """A definition that stands alone, with those that it refers to."""
        return self._parts.alone(self.definition(key))

    def document(self) -> Field:
        """The whole document as one field."""
        if self._whole:
            return {"json_shape": dict(self._given)}
        return self.field(self._root, self._owner)

    def field(self, schema: Any, key: str = "") -> Field:
        """A schema as a field, its words beside it.

        Args:
            schema: a part of the document.
            key: the member it is of; a title that says no more is left out.
        """
        if not isinstance(schema, Mapping):
            return {"type": "json"} if schema else {"json_shape": False}
        said = None if "$ref" in schema and self._constrains(schema) else self._said(schema)
        made: Field = {"json_shape": self._parts.alone(schema)} if said is None else said
        if said is not None and schema.get("examples"):
            made["examples"] = schema["examples"]
        words = _words(schema, key)
        if words:
            made["description"] = words
        if "default" in schema:
            made["default"] = schema["default"]
        if schema.get("deprecated") is True:
            made["deprecated"] = True
        return made

    def named(self, word: str, key: str) -> str:
        """The type of a definition, made at its first use in any document."""
        place = f"{word}/{key}"
        if place not in self._named:
            meaning = place if self._shared is None else self._parts.meaning((word, key))
            known = self._shared.get(meaning) if self._shared else None
            self._named[place] = name = known or self._names.of_type(key, self._owner)
            if known is None:
                self.types[name] = {}
                self.meanings[name] = meaning
                self._waiting.append((name, key, self._root[word][key]))
                self._make_waiting()
        return self._named[place]

    def _make_waiting(self) -> None:
        """Makes types one after another: chains of them may be longer than calls may be deep."""
        if self._making:
            return
        self._making = True
        while self._waiting:
            name, key, schema = self._waiting.pop()
            made = {"json_shape": self._parts.alone(schema)} if name in self._left else None
            self.types[name].update(made or self._type(schema, key))
        self._making = False

    def used(self, fields: Any) -> dict[str, Field]:
        """The types that fields refer to, and those that these refer to."""
        found: dict[str, Field] = {}
        pending = [*_type_words(fields)]
        while pending:
            name = pending.pop()
            if name in self.types and name not in found:
                found[name] = self.types[name]
                pending.extend(_type_words(found[name]))
        return {name: kind for name, kind in self.types.items() if name in found}

    def _type(self, schema: Any, name: str) -> Field:
        """A definition as a named type, which has no default of its own."""
        made = self.field(schema, name)
        for key in ("default", "examples"):
            made.pop(key, None)
        return made

    # ---------------------------------------------------------------------------- types

    def _constrains(self, schema: Schema) -> bool:
        return bool(schema.keys() - _ASIDE - {"$ref"})

    def _said(self, schema: Schema) -> Field | None:
        """What fields say of a schema; None where they cannot say the same."""
        core = {key: schema[key] for key in schema if key not in _ASIDE and key[:2] != "x-"}
        if not core:
            return {"type": "json"}
        if "$ref" in core:
            found = LOCAL.fullmatch(core["$ref"])
            return {"type": self.named(found[1], unescaped(found[2]))} if found else None
        if "const" in core or "enum" in core:
            return _choice(core)
        for word in ("anyOf", "oneOf"):
            if core.keys() - {"discriminator"} == {word}:
                return self._options(core[word], apart=word == "oneOf")
        kind = core.pop("type", None)
        if isinstance(kind, list):
            return self._several(kind, core)
        return self._of_kind(kind, core)

    def _options(self, options: list[Any], *, apart: bool) -> Field | None:
        """One schema or null, or several that have names; `apart`: one fits, and no other."""
        rest = [option for option in options if option != {"type": "null"}]
        if not rest:
            return None
        if apart and not all_apart(options, self._look):
            return None
        optional = {"optional": True} if len(rest) < len(options) else {}
        if len(rest) > 1:
            names = dict.fromkeys(map(self._name, rest))
            if None in names or {"int", "float"} <= names.keys():
                return None
            return {"type": " | ".join(map(str, names)), **optional}
        if not isinstance(rest[0], Mapping) or rest[0].keys() & _WORDS:
            return None
        made = self._said(rest[0])
        return None if made is None or made == {"type": "json"} else {**made, **optional}

    def _name(self, option: Any) -> str | None:
        """The type of a definition, or of a plain value of which no more is said."""
        if not isinstance(option, Mapping) or len(option) > 1:
            return None
        if "$ref" in option:
            made = self._said(option)
            return None if made is None else str(made["type"])
        return _PLAIN.get(str(option.get("type")))

    def _look(self, ref: str) -> Any:
        return pointed(self._root, ref) if ref.startswith("#/") else None

    def _several(self, kinds: list[str], core: Schema) -> Field | None:
        rest = [kind for kind in dict.fromkeys(kinds) if kind != "null"]
        optional = {"optional": True} if "null" in kinds else {}
        if len(rest) == 1:
            made = self._of_kind(rest[0], dict(core))
            return None if made is None else {**made, **optional}
        if core or not all(kind in _PLAIN for kind in rest):
            return None
        if {"integer", "number"} <= set(rest):
            rest.remove("integer")
        return {"type": " | ".join(_PLAIN[kind] for kind in rest), **optional} if rest else None

    def _of_kind(self, kind: str | None, core: dict[str, Any]) -> Field | None:
        match kind:
            case "string":
                return _string(core)
            case "integer" | "number":
                return _constrained({"type": _PLAIN[kind]}, core, _BOUNDS)
            case "boolean":
                return None if core else {"type": "bool"}
            case "array":
                return self._array(core)
            case "object":
                return self._object(core)
            case _:
                return None

    def _array(self, core: dict[str, Any]) -> Field | None:
        items = core.pop("items", True)
        if isinstance(items, list):
            return None
        item = self.field(items)
        if (
            item.keys()
            - {"type", "list", "record", "choice", "json_shape", "description"}
            - ({*_LENGTHS.values(), *_BOUNDS.values(), "pattern", "optional"})
        ):
            return None
        if core.pop("uniqueItems", False):
            made: Field | None = (
                {"type": f"set[{item['type']}]"} if item.keys() == {"type"} else None
            )
        elif item.keys() == {"type"}:
            made = {"type": f"list[{item['type']}]"}
        else:
            made = {"list": item}
        return None if made is None else _constrained(made, core, _ITEMS)

    def _object(self, core: dict[str, Any]) -> Field | None:
        if not core.get("properties"):
            return self._map(core)
        if core.keys() - _OBJECT:
            return None
        members = self._members(core)
        return None if members is None else {"record": members}

    def _map(self, core: dict[str, Any]) -> Field | None:
        if core.get("required") or core.keys() - _OBJECT:
            return None
        value = self.field(core.get("additionalProperties", True))
        return {"type": f"dict[str, {value['type']}]"} if value.keys() == {"type"} else None

    def _members(self, core: Schema) -> dict[str, Field] | None:
        """The members of a closed object; None where it is open, or says more."""
        properties: Schema = core.get("properties", {})
        required = frozenset(core.get("required", ()))
        if core.get("additionalProperties", not self._closed) is not False:
            return None
        if any(key.startswith("$") for key in properties) or required - properties.keys():
            return None
        found = {}
        for key, schema in properties.items():
            made = self.field(schema, key)
            if key not in required:
                if "default" not in made:
                    made["required"] = False
            elif "default" in made:
                made["required"] = True
            found[key] = made
        return found


_OBJECT: Final = frozenset({"type", "properties", "required", "additionalProperties"})


def _string(core: dict[str, Any]) -> Field | None:
    written = core.pop("format", None)
    if written is not None:
        return {"type": _FORMATS[written]} if written in _FORMATS and not core else None
    pattern = {"pattern": core.pop("pattern")} if "pattern" in core else {}
    made = _constrained({"type": "str"}, core, _LENGTHS)
    return None if made is None else {**made, **pattern}


def _constrained(made: Field, core: Schema, words: Mapping[str, str]) -> Field | None:
    """A field with its constraints; None where a keyword is none of them."""
    if core.keys() - words.keys() or any(isinstance(value, bool) for value in core.values()):
        return None
    if {"ge", "gt"} <= {words[key] for key in core} or {"le", "lt"} <= {words[k] for k in core}:
        return None
    return {**made, **{words[key]: _whole(value) for key, value in core.items()}}


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _choice(core: Schema) -> Field | None:
    """The levels of an enumeration; null among them makes it optional."""
    if core.keys() - {"type", "enum", "const"} or core.keys() >= {"enum", "const"}:
        return None
    levels = [core["const"]] if "const" in core else list(core["enum"])
    kind = core.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    optional = None in levels
    if optional:
        if kind is not None and "null" not in kinds:
            return None
        levels.remove(None)
    texts = all(isinstance(level, str) for level in levels)
    whole = all(type(level) is int for level in levels)
    if not levels or len(set(map(str, levels))) < len(levels) or not (texts or whole):
        return None
    fitting = {None, "string", "null"} if texts else {None, "integer", "number", "null"}
    if not set(kinds) <= fitting or set(kinds) == {"null"}:
        return None
    return {"choice": levels, **({"optional": True} if optional else {})}


def _words(schema: Schema, key: str) -> str | None:
    title, words = schema.get("title"), schema.get("description")
    if title and _letters(title) == _letters(key):
        title = None
    return words or title or None


def _type_words(fields: Any) -> Iterator[str]:
    """The words in the type expressions of fields."""
    pending = [fields]
    while pending:
        part = pending.pop()
        if isinstance(part, Mapping):
            if isinstance(part.get("type"), str):
                yield from re.findall(r"\w+", part["type"])
            pending.extend(inner for key, inner in part.items() if key != "json_shape")


def _letters(text: str) -> str:
    return re.sub(r"[\W_]", "", text).casefold()


__all__ = ["Field", "Fields", "Schema"]
