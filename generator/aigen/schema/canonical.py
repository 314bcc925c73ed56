"""The canonical JSON Schema (2020-12) of types of the intermediate representation.

One form for binding, for judging answers, for the reviewable files and for every dialect. A named
type is a `$ref` into `$defs`; the words of a choice's levels are in its description.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from aigen.ir import (
    Alias,
    Boolean,
    Choice,
    Described,
    Enumeration,
    External,
    Field,
    Formatted,
    Given,
    Integer,
    JsonAny,
    Level,
    List,
    Map,
    Media,
    Null,
    Number,
    Program,
    Record,
    Ref,
    Set,
    Shape,
    Text,
    Tuple,
    Type,
    TypeDef,
    Union,
)
from aigen.ir.types import refs

Schema = dict[str, Any]

_FORMATS = {
    "date": "date",
    "datetime": "date-time",
    "time": "time",
    "timedelta": "duration",
    "Decimal": "decimal",
    "UUID": "uuid",
}


def type_schema(kind: Type, home: str) -> Schema:
    """The schema of a type, as the module `home` writes it.

    Names in it are `{"$ref": "#/$defs/<key>"}` with the key that `ref_key` gives.
    """
    match kind:
        case Text():
            return _text(kind)
        case Integer() | Number():
            return _number(kind)
        case Boolean():
            return {"type": "boolean"}
        case Null():
            return {"type": "null"}
        case Formatted():
            return {"type": "string", "format": _FORMATS[kind.kind], **_bounds(kind)}
        case Choice():
            return _choice(kind.levels)
        case Ref():
            return {"$ref": f"#/$defs/{ref_key(kind, home)}"}
        case Union():
            return {"anyOf": [type_schema(option, home) for option in kind.options]}
        case List() | Set() | Tuple():
            return _array(kind, home)
        case Map():
            return _map(kind, home)
        case Described():
            inner = type_schema(kind.type, home)
            return {**inner, "description": _joined(kind.description, inner.get("description"))}
        case JsonAny():
            return {}
        case Given():
            return {"type": "string", "x-aigen-given": kind.parameter}
        case Media():
            return {"type": "string", "x-aigen-media": kind.kind}
        case Shape():
            return {**json.loads(kind.schema), "x-aigen-shape": True}


def ref_key(ref: Ref, home: str) -> str:
    """The name of a definition in the `$defs` that the module `home` writes.

    Names are unique inside a module only, so another module's stands behind the module's own:
    `shop_refunds_Order`.
    """
    return ref.name if ref.module == home else f"{ref.module.replace('.', '_')}_{ref.name}"


def member_schema(field: Field, home: str) -> Schema:
    """The schema of a member, its words and default inside."""
    schema = type_schema(field.type, home)
    if field.description:
        schema["description"] = _joined(field.description, schema.get("description"))
    if field.default is not None and field.default.call is None:
        schema["default"] = field.default.value
    if field.examples:
        schema["examples"] = list(field.examples)
    if field.deprecated:
        schema["deprecated"] = True
    return schema


def members_schema(members: Iterable[Field], home: str, additional: Type | None = None) -> Schema:
    """The object that has these members; closed unless `additional` types the others."""
    fields = list(members)
    schema: Schema = {
        "type": "object",
        "properties": {field.name: member_schema(field, home) for field in fields},
    }
    required = [field.name for field in fields if not field.optional]
    if required:
        schema["required"] = required
    if additional is None:
        schema["additionalProperties"] = False
    else:
        # A record without the keyword is closed, so an open one says so.
        any_json = isinstance(additional, JsonAny)
        schema["additionalProperties"] = True if any_json else type_schema(additional, home)
    return schema


def definition_schema(definition: TypeDef, home: str) -> Schema:
    """The schema of a named type, as it stands in `$defs`."""
    match definition:
        case Record(shape=str(shape)):
            schema = {**json.loads(shape), "x-aigen-shape": True}
        case Record():
            schema = members_schema(definition.members, home, definition.additional)
            if definition.deprecated:
                schema["deprecated"] = True
        case Enumeration():
            schema = _choice(definition.levels)
        case Alias():
            schema = type_schema(definition.type, home)
        case External(kind="enum"):
            schema = _choice(definition.levels)
        case External():
            schema = members_schema(
                definition.members, home, None if definition.closed else JsonAny()
            )
    if definition.description:
        schema = {
            "description": _joined(definition.description, schema.pop("description", None)),
            **schema,
        }
    return schema


def definitions_for(program: Program, home: str, types: Iterable[Type]) -> dict[str, Schema]:
    """`$defs` for all that these types refer to, directly or not, sorted by key."""
    found: dict[str, Schema] = {}
    pending = [ref for kind in types for ref in refs(kind)]
    while pending:
        ref = pending.pop()
        key = ref_key(ref, home)
        if key not in found:
            definition = program.definitions[(ref.module, ref.name)]
            found[key] = definition_schema(definition, home)
            pending.extend(definition_refs(definition))
    return dict(sorted(found.items()))


def definition_refs(definition: TypeDef) -> list[Ref]:
    """The names that a definition refers to, in order."""
    match definition:
        case Record(shape=str()):
            return []  # Its schema holds all that it refers to.
        case Record(additional=additional):
            types = [member.type for member in definition.members]
            types += [] if additional is None else [additional]
            return [ref for kind in types for ref in refs(kind)]
        case External():
            return [ref for member in definition.members for ref in refs(member.type)]
        case Alias():
            return refs(definition.type)
        case Enumeration():
            return []


def _text(kind: Text) -> Schema:
    return _without_none(
        type="string",
        minLength=kind.min_length,
        maxLength=kind.max_length,
        pattern=kind.pattern,
        format=kind.format,
    )


def _number(kind: Integer | Number) -> Schema:
    name = "integer" if isinstance(kind, Integer) else "number"
    return _without_none(type=name, **_bounds(kind), multipleOf=kind.multiple_of)


def _bounds(kind: Integer | Number | Formatted) -> Schema:
    """Those of a decimal number too, of which JSON Schema says nothing: it is a text there."""
    return _without_none(
        minimum=kind.ge, exclusiveMinimum=kind.gt, maximum=kind.le, exclusiveMaximum=kind.lt
    )


def _array(kind: List | Set | Tuple, home: str) -> Schema:
    if isinstance(kind, Tuple):
        if kind.rest is not None:
            return {"type": "array", "items": type_schema(kind.rest, home)}
        count = len(kind.items)
        return {
            "type": "array",
            "prefixItems": [type_schema(item, home) for item in kind.items],
            "items": False,
            "minItems": count,
            "maxItems": count,
        }
    return _without_none(
        type="array",
        items=type_schema(kind.item, home),
        minItems=kind.min_length,
        maxItems=kind.max_length,
        uniqueItems=True if isinstance(kind, Set) else None,
    )


def _map(kind: Map, home: str) -> Schema:
    return _without_none(
        type="object",
        additionalProperties=type_schema(kind.value, home),
        minProperties=kind.min_length,
        maxProperties=kind.max_length,
    )


def _choice(levels: tuple[Level, ...]) -> Schema:
    values = [level.value for level in levels]
    schema: Schema = {"enum": values}
    names = {bool: "boolean", int: "integer", str: "string"}
    kinds = {names[type(value)] for value in values}
    if len(kinds) == 1:
        schema["type"] = kinds.pop()
    meanings = [f"{level.value}: {level.meaning}" for level in levels if level.meaning]
    if meanings:
        schema["description"] = "\n".join(meanings)
    return schema


def _joined(words: str, more: str | None) -> str:
    return f"{words}\n{more}" if more else words


def _without_none(**keywords: Any) -> Schema:
    return {key: value for key, value in keywords.items() if value is not None}


def interface_field(field: Field, home: str) -> Mapping[str, Any]:
    """A field as an interface and a definition hold it: name, shape, words beside the shape."""
    entry: dict[str, Any] = {"name": field.name, "shape": type_schema(field.type, home)}
    if field.default is not None and field.default.call is None:
        entry["shape"]["default"] = field.default.value
    if field.description:
        entry["desc"] = field.description
    if field.optional:
        entry["optional"] = True
    return entry
