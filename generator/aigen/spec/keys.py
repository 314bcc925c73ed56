"""Every key of the format: where it may stand, what it holds, and a line about it.

The readers check against these tables, unknown keys are compared with them, and the JSON Schema
that editors use and the reference in the documentation are made from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal[
    "text",  # a text, or {$file: path}
    "word",  # a text that stands in the spec itself: a name, a type
    "flag",  # true or false
    "flag_or_text",
    "whole",  # a whole number
    "number",
    "callable",  # pkg.mod:func
    "callables",  # one, or a list
    "texts",  # one text or a list of texts
    "mapping",
    "list",
    "type",  # a type expression
    "shape",  # a JSON Schema
    "field",  # words, a type, or a mapping of FIELD
    "fields",  # a mapping of fields
    "types",  # a mapping of fields that may be `python:`
    "choice",
    "demos",
    "prompt",
    "tests",
    "parameters",
    "docs",  # a mapping of DOCS
    "documented",  # a mapping of arguments to ARGUMENT_DOCS
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
    "$schema": Key("word", "The editor's schema."),
    "description": Key("text", "What the module is; its docstring."),
    "settings": Key("mapping", "Settings of every function of this file."),
    "types": Key("types", "Named types."),
    "functions": Key("functions", "Functions whose work a model does."),
    "tools": Key("tools", "What a model can use."),
}

FIELD: Final[Keys] = {
    "type": Key("type", 'A type: `int`, `"list[Line]"`, `Order | None`.'),
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
    "json_shape": Key("shape", "A JSON Schema, enforced whole."),
    "name": Key("word", "The class of a record or enum written in place."),
    "examples": Key("list", "Example values, a list."),
    "ge": Key("number", "At least: of an int, a float or a Decimal."),
    "gt": Key("number", "More than."),
    "le": Key("number", "At most."),
    "lt": Key("number", "Less than."),
    "multiple_of": Key("number", "A multiple of."),
    "min_length": Key("whole", "Characters or items at least."),
    "max_length": Key("whole", "Characters or items at most."),
    "pattern": Key("word", "A regular expression that the text must have a match of."),
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
    "formula": Key("word", "outputs ~ inputs, names joined by +."),
    "inputs": Key("texts", "The inputs, instead of a formula."),
    "outputs": Key("texts", "The outputs, instead of a formula."),
    "description": Key(
        "text", "What the function does: the model's instruction and the docstring."
    ),
    "fields": Key("fields", "Types and words of the formula's names."),
    "data": Key("word", "A table whose columns give the names their types."),
    "settings": Key("mapping", "Settings of this function."),
    "name": Key("word", "What the model reads as the function's name."),
    "answer": Key("word", "The name of the model of several outputs."),
    "defined_in": Key("word", "The module that calls are logged under."),
    "instructions": Key(
        "text", "An improved instruction: replaces description and words for the model."
    ),
    "demos": Key("demos", "Worked examples: a list, or a .jsonl or .csv file."),
    "tools": Key("texts", "Tools and functions that the model may call."),
    "check": Key("callables", "pkg.mod:func given inputs and outputs; true, or why not."),
    "deprecated": Key("flag_or_text", "true, or what to use instead."),
    "tags": Key("texts", "Words to find it by."),
    "prompt": Key("prompt", "Own messages: a list of system, user, assistant and demos."),
    "tests": Key("tests", "Cases for `aigen test`."),
}

TEST: Final[Keys] = {
    "name": Key("word", "What the case is called; else its number."),
    "inputs": Key("mapping", "The call's inputs."),
    "expect": Key("mapping", "Outputs that must be equal."),
    "check": Key("callable", "pkg.mod:func given inputs and outputs; true, or what is wrong."),
}

TOOL: Final[Keys] = {
    "name": Key("word", "What the model calls, if not the entry's key."),
    "description": Key("text", "For the model."),
    "python": Key("callable", "pkg.mod:func, called with the arguments by name."),
    "execute": Key("callable", "pkg.mod:func(input, ctx)."),
    "mcp": Key("mapping", "Implemented by a tool of an MCP server: {server: name, tool: name}."),
    "http": Key("mapping", "Implemented by an HTTP request."),
    "parameters": Key("parameters", "Fields, {json_shape: …}, or {$call: pkg.mod:func}."),
    "returns": Key("field", "Type and words of the result."),
    "inject": Key("texts", "Parameters given by the caller's context, not by the model."),
    "docs": Key("docs", "Documentation laid over the source."),
    "service": Key("text", "Where it comes from."),
    "metadata": Key("mapping", "Kept with it, never sent."),
    "fixup": Key(
        "callable", "Called with name, metadata and arguments when the implementation raises."
    ),
    "exposure": Key(
        "word", "How the model sees it; else direct.", ("direct", "code", "deferred", "hidden")
    ),
    "namespace": Key("word", "The group it belongs to; else the module."),
    "execution": Key(
        "word", "Whether neighbours may run at once; else sequential.", ("sequential", "concurrent")
    ),
    "risk": Key(
        "any",
        "0 to 4, a level's name, or pkg.mod:func; else 0 if read_only, or 2.",
    ),
    "approve": Key(
        "word", "never, changes, always, or pkg.mod:func; with the call's, the stricter wins."
    ),
    "snippet": Key("text", "A line in the prompt's tool list."),
    "guidelines": Key("texts", "Bullets added to the prompt's rules."),
    "signature": Key("text", "The catalogue line of a code tool."),
    "output_tokens": Key("whole", "Tokens that a printed result is cut to; else 4000."),
    "record": Key("flag", "false: left out of saved code."),
    "available": Key("callable", "pkg.mod:func(ctx): whether it is offered."),
    "annotations": Key(
        "mapping", "title, read_only, destructive, idempotent, open_world, requires_user."
    ),
    "strict": Key("any", "auto, true or false; else auto."),
    "examples": Key("list", "Argument objects."),
    "timeout": Key("number", "Seconds; else the call's."),
}

DOCS: Final[Keys] = {
    "name": Key("word", "What the model calls, where the tool has no name of its own."),
    "description": Key("text", "For the model."),
    "arguments": Key("documented", "Arguments, each a mapping."),
    "return": Key("mapping", "description: what is returned."),
}

ARGUMENT_DOCS: Final[Keys] = {
    "description": Key("text", "What it is."),
    "type": Key("any", "A type, match.arg, or a mapping of members to types."),
    "default_value": Key("any", "Its default; of match.arg the choices, the first the default."),
}

RETURN_DOCS: Final[Keys] = {"description": Key("text", "What is returned.")}
