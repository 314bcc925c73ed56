"""The JSON Schema of spec files, which editors complete and check by.

It is made from the tables that the readers check against. It keeps to what draft-07 and draft
2020-12 both have, in the same meaning: language servers for YAML know the first best.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from aigen.runtime.setting_kinds import KINDS
from aigen.spec.keys import (
    ARGUMENT_DOCS,
    DOCS,
    FIELD,
    FILE,
    FUNCTION,
    TEST,
    TOOL,
    TYPE,
    Key,
    Keys,
    Kind,
)
from aigen.spec.setting_words import SETTING_WORDS

_Schema: TypeAlias = dict[str, Any]

_TEXT: Final[_Schema] = {"type": "string"}
_CALLABLE: Final = r"^[A-Za-z_][A-Za-z0-9_.]*:[A-Za-z_][A-Za-z0-9_.]*$"


def spec_schema() -> dict[str, Any]:
    """The JSON Schema of a spec file of format 1, as JSON values."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "aigen spec, format 1",
        **_object(FILE, required=("aigen",)),
        "definitions": {
            "callable": {"type": "string", "pattern": _CALLABLE},
            "file": _alone("$file", _TEXT),
            "call": _alone("$call", _ref("callable")),
            "text": {"anyOf": [_TEXT, _ref("file")]},
            "choice": _choice(),
            "field": _field(FIELD),
            "type": _field(TYPE),
            "fields": _mapping(_ref("field")),
            "settings": _settings(),
            "message": _message(),
            "test": _object(TEST, required=("inputs",)),
            "function": _object(FUNCTION),
            "tool": _object(TOOL),
            "docs": _object(DOCS),
            "documented": _mapping(_object(ARGUMENT_DOCS)),
        },
    }


def _object(keys: Keys, required: tuple[str, ...] = ()) -> _Schema:
    found: _Schema = {
        "type": "object",
        "properties": {
            name: {"description": key.doc, **_value(name, key)} for name, key in keys.items()
        },
        "additionalProperties": False,
    }
    return {**found, "required": list(required)} if required else found


def _value(name: str, key: Key) -> _Schema:
    if key.values:
        return {"enum": list(key.values)}
    if name == "settings":
        return _within("settings")
    return _BY_KIND[key.kind]


def _ref(name: str) -> _Schema:
    return {"$ref": f"#/definitions/{name}"}


def _within(name: str) -> _Schema:
    """A reference that may have words beside it; draft-07 reads none beside `$ref` itself."""
    return {"allOf": [_ref(name)]}


def _list(item: _Schema) -> _Schema:
    return {"type": "array", "items": item}


def _mapping(item: _Schema) -> _Schema:
    return {"type": ["object", "null"], "additionalProperties": item}


def _alone(key: str, value: _Schema) -> _Schema:
    return {
        "type": "object",
        "properties": {key: value},
        "required": [key],
        "additionalProperties": False,
    }


def _field(keys: Keys) -> _Schema:
    return {"anyOf": [{"type": ["string", "null"]}, _object(keys), _ref("file")]}


def _choice() -> _Schema:
    meanings = {"anyOf": [_TEXT, {"type": "null"}, _ref("file")]}
    return {
        "anyOf": [
            _list({"type": ["string", "integer"]}),
            _alone("$given", _TEXT),
            {"type": "object", "additionalProperties": meanings},
        ]
    }


def _message() -> _Schema:
    roles = ("system", "user", "assistant")
    return {"anyOf": [{"const": "demos"}, *(_alone(role, _ref("text")) for role in roles)]}


def _settings() -> _Schema:
    known: dict[str, _Schema] = {}
    for name, words in SETTING_WORDS.items():
        if KINDS[name].in_spec:
            # null unsets what a weaker layer says.
            allowed = [words.schema, {"type": "null"}]
            known[name] = {"description": words.doc, "anyOf": allowed} if words.schema else {}
    return {"type": ["object", "null"], "properties": known, "additionalProperties": False}


_DATA: Final[_Schema] = {"type": "object"}
_BY_KIND: Final[dict[Kind, _Schema]] = {
    "text": _within("text"),
    "word": _TEXT,
    "flag": {"type": "boolean"},
    "flag_or_text": {"type": ["boolean", "string"]},
    "whole": {"type": "integer", "minimum": 0},
    "number": {"type": "number"},
    "callable": _within("callable"),
    "callables": {"anyOf": [_ref("callable"), _list(_ref("callable"))]},
    "texts": {"anyOf": [_ref("text"), _list(_ref("text"))]},
    "mapping": _DATA,
    "list": {"type": "array"},
    "type": {"type": ["string", "null"]},
    "shape": {"type": ["object", "boolean"]},
    "field": _within("field"),
    "fields": _within("fields"),
    "types": _mapping(_ref("type")),
    "choice": _within("choice"),
    "demos": {"anyOf": [_list(_DATA), _ref("text")]},
    "prompt": {**_list(_ref("message")), "minItems": 1},
    "tests": _list(_ref("test")),
    "parameters": {
        "anyOf": [_ref("fields"), _ref("call"), _alone("json_shape", {"type": "object"})]
    },
    "docs": _within("docs"),
    "documented": _within("documented"),
    "any": {},
    "functions": _mapping(_ref("function")),
    "tools": _mapping(_ref("tool")),
    "format": {"const": 1},
}
