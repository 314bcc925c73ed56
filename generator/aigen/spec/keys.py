"""Every key of the format: where it may stand, what it holds, and a line about it.

The readers check against these tables, unknown keys are compared with them, and the JSON Schema
that editors use and the reference in the documentation are made from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal[
    "text",  # a text, or {$file: path}
    "name",  # a text that is a name
    "flag",  # true or false
    "flag_or_text",
    "whole",  # a whole number
    "number",
    "callable",  # pkg.mod:func
    "callables",  # one, or a list
    "names",  # a list of names
    "texts",  # one text or a list of texts
    "mapping",
    "field",  # words, a type, or a mapping of FIELD
    "fields",  # a mapping of fields
    "choice",
    "any",
    "functions",
    "tools",
    "format",
]


class Key(NamedTuple):
    """One key: what it holds, and what it is for."""

    kind: Kind
    doc: str
    values: tuple[str, ...] = ()


Keys: TypeAlias = Mapping[str, Key]

FILE: Final[Keys] = {
    "aigen": Key("format", "The format of this file: 1."),
    "$schema": Key("text", "The editor's schema."),
    "description": Key("text", "What the module is; its docstring."),
    "settings": Key("mapping", "Settings of every function of this file."),
    "types": Key("fields", "Named types."),
    "functions": Key("functions", "Functions whose work a model does."),
    "tools": Key("tools", "What a model can use."),
}

FIELD: Final[Keys] = {
    "type": Key("text", 'A type: `int`, `"list[Line]"`, `Order | None`.'),
    "description": Key("text", "Words the model reads."),
    "default": Key(
        "any", "What an input or member is when it is left out, or {$call: pkg.mod:func}."
    ),
    "required": Key("flag", "false: a member or parameter may be absent."),
    "optional": Key("flag", "true: it may be null."),
    "choice": Key("choice", "One of these: a list, a mapping to meanings, or {$given: parameter}."),
    "enum": Key("flag", "true: a named choice becomes an Enum class."),
    "record": Key("fields", "An object with these members."),
    "list": Key("field", "A list of these."),
    "json_shape": Key("mapping", "A JSON Schema, enforced whole."),
    "name": Key("name", "The class of a record or enum written in place."),
    "examples": Key("any", "Example values, a list."),
    "ge": Key("number", "At least."),
    "gt": Key("number", "More than."),
    "le": Key("number", "At most."),
    "lt": Key("number", "Less than."),
    "multiple_of": Key("number", "A multiple of."),
    "min_length": Key("whole", "Characters or items at least."),
    "max_length": Key("whole", "Characters or items at most."),
    "pattern": Key("text", "A regular expression that the text must have a match of."),
    "check": Key("callables", "pkg.mod:func that says true, or why not."),
    "deprecated": Key("flag_or_text", "true, or what to use instead."),
}

TYPE: Final[Keys] = {
    **FIELD,
    "python": Key("callable", "pkg.mod:Class, a type of your own."),
}

CONSTRAINTS: Final = frozenset(
    ("ge", "gt", "le", "lt", "multiple_of", "min_length", "max_length", "pattern")
)
TYPES: Final = ("type", "choice", "record", "list", "json_shape", "python")
"""The keys that say a type; one at most may stand in a field."""

FUNCTION: Final[Keys] = {
    "formula": Key("text", "outputs ~ inputs, names joined by +."),
    "inputs": Key("names", "The inputs, instead of a formula."),
    "outputs": Key("names", "The outputs, instead of a formula."),
    "description": Key(
        "text", "What the function does: the model's instruction and the docstring."
    ),
    "fields": Key("fields", "Types and words of the formula's names."),
    "data": Key("text", "A table whose columns give the names their types."),
    "settings": Key("mapping", "Settings of this function."),
    "name": Key("text", "What the model reads as the function's name."),
    "answer": Key("name", "The name of the model of several outputs."),
    "defined_in": Key("text", "The module that calls are logged under."),
    "instructions": Key(
        "text", "An improved instruction: replaces description and words for the model."
    ),
    "demos": Key("any", "Worked examples: a list, or a .jsonl or .csv file."),
    "tools": Key("names", "Tools and functions that the model may call."),
    "check": Key("callables", "pkg.mod:func given inputs and outputs; true, or why not."),
    "deprecated": Key("flag_or_text", "true, or what to use instead."),
    "tags": Key("texts", "Words to find it by."),
    "prompt": Key("any", "Own messages: a list of system, user, assistant and demos."),
    "tests": Key("any", "Cases for `aigen test`."),
}

TEST: Final[Keys] = {
    "name": Key("text", "What the case is called."),
    "inputs": Key("mapping", "The call's inputs."),
    "expect": Key("mapping", "Outputs that must be equal."),
    "check": Key("callable", "pkg.mod:func over the outputs."),
}

TOOL: Final[Keys] = {
    "name": Key("text", "What the model calls, if not the entry's key."),
    "description": Key("text", "For the model."),
    "python": Key("callable", "pkg.mod:func, called with the arguments by name."),
    "execute": Key("callable", "pkg.mod:func(input, ctx)."),
    "mcp": Key("mapping", "Implemented by an MCP server's tool: server, tool."),
    "http": Key("mapping", "Implemented by an HTTP request."),
    "parameters": Key("fields", "Fields, {json_shape: …}, or {$call: pkg.mod:func}."),
    "returns": Key("field", "Type and words of the result."),
    "inject": Key("names", "Parameters given by the caller's context, not by the model."),
    "docs": Key("mapping", "Documentation laid over the source."),
    "service": Key("text", "Where it comes from."),
    "metadata": Key("mapping", "Kept with it, never sent."),
    "fixup": Key("callable", "Called when the implementation raises."),
    "exposure": Key("text", "How the model sees it.", ("direct", "code", "deferred", "hidden")),
    "namespace": Key("text", "The group it belongs to."),
    "execution": Key("text", "Whether neighbours may run at once.", ("sequential", "concurrent")),
    "risk": Key("any", "0 to 4, a level's name, or pkg.mod:func."),
    "approve": Key("text", "never, changes, always, or pkg.mod:func."),
    "snippet": Key("text", "A line in the prompt's tool list."),
    "guidelines": Key("texts", "Bullets added to the prompt's rules."),
    "signature": Key("text", "The catalogue line of a code tool."),
    "output_tokens": Key("whole", "Budget of a printed result."),
    "record": Key("flag", "false: left out of saved code."),
    "available": Key("callable", "pkg.mod:func(ctx): whether it is offered."),
    "annotations": Key(
        "mapping", "title, read_only, destructive, idempotent, open_world, requires_user."
    ),
    "strict": Key("any", "auto, true or false."),
    "examples": Key("any", "Argument objects."),
    "timeout": Key("number", "Seconds."),
}


def spec_schema() -> dict[str, object]:
    """The JSON Schema of spec files, for editors and `check-jsonschema` (draft 2020-12)."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "aigen spec, format 1",
        **_object(FILE),
        "required": ["aigen"],
        "$defs": {
            "callable": {"type": "string", "pattern": r"^[A-Za-z_][\w.]*:[A-Za-z_][\w.]*$"},
            "text": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/file"}]},
            "file": {
                "type": "object",
                "properties": {"$file": {"type": "string"}},
                "required": ["$file"],
                "additionalProperties": False,
            },
            "field": {"anyOf": [{"type": ["string", "null"]}, _object(TYPE)]},
            "function": _object(FUNCTION),
            "tool": _object(TOOL),
        },
    }


def _object(keys: Keys) -> dict[str, object]:
    return {
        "type": "object",
        "properties": {
            name: {"description": key.doc, **_schema(key)} for name, key in keys.items()
        },
        "additionalProperties": False,
    }


def _schema(key: Key) -> dict[str, object]:
    texts: dict[str, object] = {"type": "array", "items": {"type": "string"}}
    shapes: dict[Kind, dict[str, object]] = {
        "text": {"enum": list(key.values)} if key.values else {"$ref": "#/$defs/text"},
        "name": {"type": "string"},
        "flag": {"type": "boolean"},
        "flag_or_text": {"type": ["boolean", "string"]},
        "whole": {"type": "integer", "minimum": 0},
        "number": {"type": "number"},
        "callable": {"$ref": "#/$defs/callable"},
        "callables": {
            "anyOf": [
                {"$ref": "#/$defs/callable"},
                {"type": "array", "items": {"$ref": "#/$defs/callable"}},
            ]
        },
        "names": texts,
        "texts": {"anyOf": [{"type": "string"}, texts]},
        "mapping": {"type": "object"},
        "field": {"$ref": "#/$defs/field"},
        "fields": {"type": "object", "additionalProperties": {"$ref": "#/$defs/field"}},
        "choice": {"type": ["array", "object"]},
        "any": {},
        "functions": {"type": "object", "additionalProperties": {"$ref": "#/$defs/function"}},
        "tools": {"type": "object", "additionalProperties": {"$ref": "#/$defs/tool"}},
        "format": {"const": 1},
    }
    return shapes[key.kind]
