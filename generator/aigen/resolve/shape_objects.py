"""Objects of a JSON Schema: records and maps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from aigen.ir import Default, Field, Map, Record, Ref, Type
from aigen.resolve.names import camel
from aigen.resolve.shape_definitions import Definitions
from aigen.resolve.shape_source import Source
from aigen.resolve.shape_values import Judged
from aigen.resolve.shape_words import ANY, text_of, title_name, whole
from aigen.resolve.words import union

_BEYOND: Final = frozenset(
    {"patternProperties", "dependentRequired", "dependentSchemas", "dependencies"}
    | {"propertyNames", "unevaluatedProperties"}
)
"""What records and maps do not say."""

_APPLIED: Final = frozenset({"$ref", "allOf", "anyOf", "oneOf"})
"""Keywords of a part whose type stands elsewhere."""


class Objects:
    """Reads the types of objects.

    Args:
        source: the schema.
        definitions: takes the records.
        judged: judges the members' defaults and examples.
        read: the type of a part, named by a name where it is written in place.
    """

    def __init__(
        self,
        source: Source,
        definitions: Definitions,
        judged: Judged,
        read: Callable[[Any, str], Type],
    ) -> None:
        self._source = source
        self._definitions = definitions
        self._judged = judged
        self._read = read

    def type_of(self, schema: Mapping[str, Any], name: str, place: Any) -> Type:
        """The type of an object; a record stands where `place` does, and is named `name`."""
        properties = schema.get("properties", {})
        required = schema.get("required", [])
        rest = schema.get("additionalProperties", True)
        if not _BEYOND.isdisjoint(schema):
            self._definitions.exact = False
        patterns = schema.get("patternProperties", {})
        if not properties and not required and (rest is not False or patterns):
            return self._map(schema, patterns, rest, name)
        if schema.keys() & {"minProperties", "maxProperties"}:
            self._definitions.exact = False
        return self._record(schema, name, place, patterns)

    def _map(
        self, schema: Mapping[str, Any], patterns: Mapping[str, Any], rest: Any, name: str
    ) -> Type:
        least, most = whole(schema.get("minProperties")), whole(schema.get("maxProperties"))
        values = [*patterns.values(), *([] if rest is False else [rest])]
        kinds = [self._read(part, title_name(part) or f"{name}Value") for part in values]
        return Map(ANY if ANY in kinds else union(kinds), least or None, most)

    def _record(
        self, schema: Mapping[str, Any], name: str, place: Any, patterns: Mapping[str, Any]
    ) -> Type:
        own = self._definitions.name_of(name, place)
        span = self._source.span(place)
        self._definitions.made[own] = Record(own, (), span)
        members = self._members(schema, own)
        rest = schema.get("additionalProperties", True)
        additional: Type | None = None
        if patterns:
            additional = ANY
        elif rest is not False:
            additional = self._read(rest, title_name(rest) or f"{own}Value")
        self._definitions.made[own] = Record(
            own,
            members,
            span,
            text_of(schema, "description"),
            additional,
            None,
            schema.get("deprecated") is True,
        )
        return self._definitions.ref(own)

    def _members(self, schema: Mapping[str, Any], owner: str) -> tuple[Field, ...]:
        required = dict.fromkeys(schema.get("required", ()))
        properties: Mapping[str, Any] = schema.get("properties", {})
        found = []
        for name, part in properties.items():
            if part is False:
                self._definitions.exact = False
                if name in required:
                    self._definitions.impossible(schema)
                continue
            found.append(self._member(name, part, owner, name in required))
        for name in required:
            if name in properties:
                continue
            rest = schema.get("additionalProperties", True)
            patterned = "patternProperties" in schema
            if rest is False and not patterned:
                self._definitions.impossible(schema)
                continue
            self._source.warn(
                "AIG238",
                self._source.at(schema, "required"),
                f"{name} is required and not among properties",
                hint="describe it there",
            )
            kind = ANY if patterned else self._read(rest, f"{owner}{camel(name)}")
            found.append(Field(name, kind, self._source.at(schema, "required")))
        return tuple(found)

    def _member(self, name: str, part: Any, owner: str, required: bool) -> Field:
        kind = self._read(part, title_name(part) or f"{owner}{camel(name)}")
        words: Mapping[str, Any] = part if isinstance(part, dict) else {}
        default = self._judged.default(words) if "default" in words else None
        said = text_of(words, "description")
        if said and isinstance(kind, Ref) and _APPLIED.isdisjoint(words):
            said = None  # a record written in place has the words of its member already
        return Field(
            name=name,
            type=kind,
            span=self._source.span(part),
            description=said,
            optional=not required,
            default=None if required or default is None else Default(default.value),
            examples=self._judged.examples(words),
            deprecated=words.get("deprecated") is True,
        )
