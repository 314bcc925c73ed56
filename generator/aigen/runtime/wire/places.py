"""What may stand at each place of an answer while it arrives, and what is made of it.

A place is made of two things that belong together: the schema of the reply, which says what JSON
may come, and the annotation of the partial answer, which says what it becomes. Text grows; a list
or a record is there when it has begun; all else is there when it is whole and fits.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic import JsonValue

from aigen.runtime.values import Judge

ABSENT: Final = object()
"""Nothing that can be shown."""

_set = object.__setattr__
_WORDS: Final = frozenset(
    ("title", "description", "default", "examples", "deprecated", "$comment", "$defs", "$schema")
)
_CLOSED_FORMS: Final = frozenset(
    ("type", "properties", "required", "additionalProperties", "minProperties", "maxProperties")
)
_PLAIN: Final = (str, int, float, bool)


class Record:
    """The members of an object.

    Attributes:
        kind: the model that shows it; None for a mapping.
        names: of the members in Python, by their names in the reply; None where any may come.
        closed: whether other members cannot come.
    """

    def __init__(
        self,
        kind: Any,
        names: Mapping[str, str] | None,
        closed: bool,
        place: Callable[[str], Place],
    ) -> None:
        self.kind, self.names, self.closed = kind, names, closed
        self._place = place
        self._places: dict[str, Place] = {}
        self._same = all(name == other for name, other in (names or {}).items())
        self._blank = {} if kind is None else dict.fromkeys(kind.model_fields)

    def member(self, name: str) -> Place | None:
        """The place of a member; None where it is none of these."""
        if self.names is None:
            name = ""
        found = self._places.get(name)
        if found is None and (self.names is None or name in self.names):
            found = self._places[name] = self._place(name)
        return found

    def made(self, values: Mapping[str, Any]) -> Any:
        """The object with what has arrived of it, by the names of the reply."""
        names, kind = self.names, self.kind
        if kind is None or names is None:
            return dict(values)
        given = values if self._same else {names[name]: each for name, each in values.items()}
        found = kind.__new__(kind)
        # As `model_construct` does, which looks every default up again.
        _set(found, "__dict__", {**self._blank, **given})
        _set(found, "__pydantic_fields_set__", set(given))
        _set(found, "__pydantic_extra__", None)
        _set(found, "__pydantic_private__", None)
        return found

    def shown(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        """Those of some whole members that can be shown, as they are shown."""
        found, known = {}, self._places
        for name, value in raw.items():
            place = known[name] if name in known else self.member(name)
            shown = ABSENT if place is None else place.whole(value)
            if shown is not ABSENT:
                found[name] = shown
        return found

    def may_be(self, name: str, value: Any = ABSENT) -> bool:
        """Whether an object with this member, and this whole value in it, may be one of these."""
        place = self.member(name)
        if place is None:
            return not self.closed
        return value is ABSENT or value is None or place.fits(value)


class Place:
    """One place.

    Attributes:
        grows: whether a text is shown while it arrives.
        items: the place of an item, by its index; None where a list is shown when it is whole.
        records: what an object may be; none where it is shown when it is whole.
        anything: whether it is a place of any JSON, shown as it is.
    """

    def __init__(
        self,
        schema: Any,
        defs: Mapping[str, Any],
        annotation: Any,
        grows: bool,
        items: Callable[[int], Place] | None,
        records: tuple[Record, ...],
    ) -> None:
        self.grows, self.items, self.records = grows, items, records
        self._schema, self._defs, self._annotation = schema, defs, annotation
        self.anything = not schema and annotation is Any
        self._as_it_is = _as_it_is(schema, annotation, grows)

    @cached_property
    def _judge(self) -> Judge:
        return Judge(self._schema, self._defs)

    @cached_property
    def _convert(self) -> Callable[[Any], Any]:
        return _converter(self._annotation)

    def fits(self, raw: Any) -> bool:
        """Whether a whole value is what the schema says."""
        return self._judge.fits(raw) is None

    def whole(self, raw: Any) -> Any:
        """A whole value as it is shown; `ABSENT` where it does not fit."""
        if self.anything or type(raw) in self._as_it_is:
            return raw
        if isinstance(raw, dict) and self.records:
            return self._record(raw)
        if isinstance(raw, list) and self.items is not None:
            found: list[Any] = []
            extend(found, self, raw)
            return found
        if not self.fits(raw):
            return ABSENT
        try:
            return self._convert(raw)
        except (ValueError, TypeError, OverflowError):
            return ABSENT

    def _record(self, raw: dict[str, Any]) -> Any:
        options = self.records
        if len(options) > 1:
            options = tuple(
                one for one in options if all(one.may_be(name, raw[name]) for name in raw)
            )
            if len(options) > 1:
                options = tuple(one for one in options if _has_all(one, raw))
        return options[0].made(options[0].shown(raw)) if options else ABSENT


def extend(items: list[Any], place: Place, raw: list[Any]) -> bool:
    """Shows whole items behind those that are shown; whether all of them can be.

    Those behind one that cannot be would stand at the wrong index.
    """
    at = place.items
    assert at is not None
    for item in raw:
        shown = at(len(items)).whole(item)
        if shown is ABSENT:
            return False
        items.append(shown)
    return True


def _has_all(record: Record, raw: Mapping[str, Any]) -> bool:
    """Whether every member but those of other options is one of this record's."""
    return all(record.member(name) is not None for name in raw)


class Places:
    """Makes the places of one schema.

    Args:
        defs: what its references mean.
        own: whether it is a JSON Schema of a spec's own, whose objects are open.
    """

    def __init__(self, defs: Mapping[str, Any], own: bool = False) -> None:
        self._defs, self._own = defs, own
        self._kept: dict[Any, Place] = {}

    def of(self, schema: Any, annotation: Any) -> Place:
        """The place of a schema's value that becomes what an annotation says."""
        if not isinstance(schema, Mapping):
            schema = {}
        if schema.get("x-aigen-shape") is True and not self._own:
            return Places(schema.get("$defs", {}), own=True).of(schema, annotation)
        key = (str(schema["$ref"]), annotation) if "$ref" in schema else None
        found = self._kept.get(key) if key else None
        if found is None:
            found = self._made(schema, annotation)
            if key:
                self._kept[key] = found
        return found

    def _made(self, schema: Mapping[str, Any], annotation: Any) -> Place:
        judged: Any = schema
        if self._own:
            judged = {**schema, "x-aigen-shape": True, "$defs": self._defs}
        options = list(_options(annotation))
        anything = not options or all(_is_any(one) for one in options)
        alternatives = list(self._alternatives(schema, ()))
        texts = [one for one in alternatives if _accepts(one, "string")]
        lists = [one for one in alternatives if _accepts(one, "array")]
        objects = [one for one in alternatives if _accepts(one, "object")]
        return Place(
            judged,
            self._defs,
            annotation,
            bool(texts) and (anything or str in options) and all(map(_is_text, texts)),
            self._items(lists, options, anything) if len(lists) == 1 else None,
            self._records(objects, options, anything),
        )

    def _alternatives(
        self, schema: Mapping[str, Any], seen: tuple[str, ...]
    ) -> Iterator[Mapping[str, Any]]:
        """The schemas that a value may fit, references followed and unions opened."""
        if "$ref" in schema:
            name = str(schema["$ref"]).removeprefix("#/$defs/")
            named = self._defs.get(name)
            if isinstance(named, Mapping) and name not in seen:
                yield from self._alternatives(named, (*seen, name))
            return
        for word in ("anyOf", "oneOf"):
            if word in schema and not {"type", "properties", "items", "enum"} & schema.keys():
                for option in schema[word]:
                    yield from self._alternatives(
                        option if isinstance(option, Mapping) else {}, seen
                    )
                return
        yield schema

    def _items(
        self, schemas: list[Mapping[str, Any]], options: list[Any], anything: bool
    ) -> Callable[[int], Place] | None:
        schema = schemas[0]
        held = [one for one in options if get_origin(one) is list]
        if not anything and len(held) != 1:
            return None
        annotation = Any if anything else get_args(held[0])[0]
        prefix = schema.get("prefixItems") or ()
        first = [self.of(one, annotation) for one in prefix]
        rest: list[Place] = []

        def item(number: int) -> Place:
            if number < len(first):
                return first[number]
            if not rest:
                # Only now: the items of what contains itself have no end.
                rest.append(self.of(schema.get("items"), annotation))
            return rest[0]

        return item

    def _records(
        self, schemas: list[Mapping[str, Any]], options: list[Any], anything: bool
    ) -> tuple[Record, ...]:
        """What an object may be; nothing where one of them is shown only when it is whole."""
        found = []
        for schema in schemas:
            record = self._record(schema, options, anything)
            if record is None:
                return ()
            found.append(record)
        return tuple(found)

    def _record(
        self, schema: Mapping[str, Any], options: list[Any], anything: bool
    ) -> Record | None:
        if not schema.keys() - _WORDS - {"x-aigen-shape"} <= _CLOSED_FORMS:
            return None
        properties, more = schema.get("properties"), schema.get("additionalProperties")
        if not properties and more is not False and (more is not None or self._own or anything):
            held = [one for one in options if get_origin(one) is dict]
            if not anything and len(held) != 1:
                return None
            inner = Any if anything else get_args(held[0])[1]
            return Record(None, None, False, lambda name: self.of(more, inner))
        shapes = properties or {}
        closed = more is False or (more is None and not self._own)
        if anything:
            names = {name: name for name in shapes}
            return Record(None, names, closed, lambda name: self.of(shapes[name], Any))
        kinds = [one for one in options if _fills(one, shapes)]
        if len(kinds) != 1:
            return None
        fields = kinds[0].model_fields
        names = _members(kinds[0])
        return Record(
            kinds[0],
            names,
            closed,
            lambda name: self.of(shapes[name], fields[names[name]].annotation),
        )


def _options(annotation: Any) -> Iterator[Any]:
    """The types that an annotation allows, without None."""
    if annotation is JsonValue:
        yield annotation
    elif hasattr(annotation, "__value__"):
        yield from _options(annotation.__value__)
    elif get_origin(annotation) is Annotated:
        yield from _options(get_args(annotation)[0])
    elif get_origin(annotation) in (Union, UnionType):
        for option in get_args(annotation):
            yield from _options(option)
    elif annotation not in (None, NoneType):
        yield annotation


def _is_any(annotation: Any) -> bool:
    return annotation is Any or annotation is object or annotation is JsonValue


def _accepts(schema: Mapping[str, Any], kind: str) -> bool:
    """Whether a schema without references takes values of a JSON type."""
    kinds = schema.get("type")
    if kinds is not None:
        return kind == kinds if isinstance(kinds, str) else kind in kinds
    if "const" in schema or "enum" in schema:
        levels = schema.get("enum", [schema.get("const")])
        of = {"string": str, "array": list, "object": dict}[kind]
        return any(isinstance(level, of) for level in levels)
    return kind == "object" or "properties" not in schema


def _is_text(schema: Mapping[str, Any]) -> bool:
    """Whether the texts of a schema mean something before they are whole."""
    return not schema.keys() & {"enum", "const", "format", "x-aigen-given"}


def _members(kind: Any) -> dict[str, str]:
    return {field.validation_alias or name: name for name, field in kind.model_fields.items()}


def _fills(kind: Any, shapes: Mapping[str, Any]) -> bool:
    """Whether a class is a record's partial: all its members may be missing, nothing is judged."""
    if not (isinstance(kind, type) and hasattr(kind, "model_fields")):
        return False
    if not kind.__pydantic_fields_complete__:  # type: ignore[attr-defined]
        kind.model_rebuild()  # type: ignore[attr-defined]
    judged = kind.__pydantic_decorators__  # type: ignore[attr-defined]
    if judged.field_validators or judged.model_validators or judged.validators:
        return False
    fields = kind.model_fields.values()
    return all(field.default is None for field in fields) and _members(kind).keys() == shapes.keys()


def _as_it_is(schema: Any, annotation: Any, grows: bool) -> frozenset[type]:
    """Classes whose values are shown unjudged.

    Texts that grow, for they were shown before they were whole; and what its class alone says all
    of, for there is much of that in a reply.
    """
    found: list[type] = [str] if grows else []
    kind = _BY_TYPE.get(str(schema.get("type")))
    alone = kind is not None and schema.keys() - _WORDS == {"type"}
    if kind and alone and (annotation is Any or kind in _options(annotation)):
        found.append(kind)
    return frozenset(found)


_BY_TYPE: Final = {"integer": int, "number": float, "boolean": bool}


def _converter(annotation: Any) -> Callable[[Any], Any]:
    """Makes what an annotation says of a whole value that fits.

    Raises:
        ValueError: in the call, where a class of the user's own refuses it.
    """
    options = list(_options(annotation))
    if all(one in _PLAIN or _is_any(one) or get_origin(one) is Literal for one in options):
        if options == [float]:
            return lambda raw: raw if raw is None else float(raw)
        if options == [int]:
            return lambda raw: int(raw) if isinstance(raw, float) else raw
        return lambda raw: raw
    from pydantic import TypeAdapter

    adapter: TypeAdapter[Any] = TypeAdapter(annotation)
    return lambda raw: adapter.validate_json(json.dumps(raw))


ANYTHING: Final = Places({}).of({}, Any)
"""The place of any JSON."""
