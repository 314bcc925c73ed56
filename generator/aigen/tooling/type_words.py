"""Types in the words of documentation: `integer`, `vector string`, `match.arg`, `list[T]`.

What these words mean: 1-spec-format, *Types*.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.tools.catalogue import FORMATS, type_text
from aigen.tooling.schemas import NoSchema, Schema, canonical_schemas

TypeWords: TypeAlias = "str | dict[str, TypeWords]"
Defs: TypeAlias = Mapping[str, Schema]

CHOICE: Final = "match.arg"
_SCALARS: Final[Mapping[str, Schema]] = {
    "integer": {"type": "integer"},
    "numeric": {"type": "number"},
    "logical": {"type": "boolean"},
    "string": {"type": "string"},
}
_WORDS: Final[Mapping[str, str]] = {
    **{str(schema["type"]): word for word, schema in _SCALARS.items()},
    "null": "None",
    "any": "json",
    "vector": "vector {}",
}
_NAMES: Final[Mapping[str, Schema]] = {
    **_SCALARS,
    **dict.fromkeys(("int",), _SCALARS["integer"]),
    **dict.fromkeys(("float", "number", "double"), _SCALARS["numeric"]),
    **dict.fromkeys(("bool", "boolean"), _SCALARS["logical"]),
    **dict.fromkeys(("str", "text", "character"), _SCALARS["string"]),
    **{word: {"type": "string", "format": form} for form, word in FORMATS.items()},
    "url": {"type": "string", "format": "uri"},
    "email": {"type": "string", "format": "email"},
    "json": {},
    "Any": {},
    "None": {"type": "null"},
    "list": {"type": "array", "items": {}},
    "dict": {"type": "object", "additionalProperties": {}},
}


# --------------------------------------------------------------------------- schema → words


def said(schema: Schema, defs: Defs) -> TypeWords:
    """A type in words; a record is a mapping of its members' types."""
    return _record(schema, defs, ()) or type_text(schema, defs, _WORDS)


def choices(schema: Schema, defs: Defs) -> list[Any] | None:
    """The levels of a choice; None for what is none."""
    while "$ref" in schema:
        schema = defs[_key(schema)]
    found = schema.get("enum")
    return list(found) if isinstance(found, list) else None


def _key(schema: Schema) -> str:
    return str(schema["$ref"]).removeprefix("#/$defs/")


def _record(schema: Schema, defs: Defs, within: tuple[str, ...]) -> TypeWords | None:
    if "$ref" in schema:
        key = _key(schema)
        return None if key in within else _record(defs[key], defs, (*within, key))
    members = schema.get("properties")
    if not members:
        return None
    return {
        name: _record(part, defs, within) or type_text(part, defs, _WORDS)
        for name, part in members.items()
    }


# --------------------------------------------------------------------------- words → schema


def meant(words: Any, levels: Any = None) -> Schema:
    """The schema that a type in words means, self-contained.

    Args:
        words: a text, a mapping of members, or a Python type.
        levels: of `match.arg`.

    Raises:
        ConfigurationError: it is no type; the message says what is.
    """
    if isinstance(words, Mapping):
        members = {str(name): meant(each) for name, each in words.items()}
        return {
            "type": "object",
            "properties": members,
            "required": [*members],
            "additionalProperties": False,
        }
    if not isinstance(words, str):
        return _python(words)
    if words == CHOICE:
        return _choice(levels)
    if words.startswith("vector "):
        return {"type": "array", "items": meant(words.removeprefix("vector ").strip())}
    try:
        return _meant(ast.parse(words.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError):
        raise _unknown(words) from None


def _python(kind: Any) -> Schema:
    try:
        shapes, defs = canonical_schemas({"": kind})
    except NoSchema as problem:
        raise ConfigurationError(f"{kind!r} has no JSON form: {problem}", code="tool") from None
    return {**shapes[""], "$defs": defs} if defs else shapes[""]


def _choice(levels: Any) -> Schema:
    if not isinstance(levels, list | tuple) or not levels:
        raise ConfigurationError(
            "match.arg takes its choices as default_value: a list of texts, the first the default",
            code="tool",
        )
    return enumerated(levels)


def enumerated(levels: Sequence[Any]) -> Schema:
    """A choice of texts, integers or truth values."""
    kinds = {type(each) for each in levels}
    if not kinds <= {str, int, bool}:
        raise ConfigurationError(
            f"choices are texts, integers or truth values, not {levels!r}", code="tool"
        )
    names = {str: "string", int: "integer", bool: "boolean"}
    made: Schema = {"enum": list(dict.fromkeys(levels))}
    return {**made, "type": names[kinds.pop()]} if len(kinds) == 1 else made


def _meant(node: ast.expr) -> Schema:
    match node:
        case ast.Name(id=name) if name in _NAMES:
            return {**_NAMES[name]}
        case ast.Constant(value=None):
            return {"type": "null"}
        case ast.BinOp(op=ast.BitOr()):
            return {"anyOf": [*_options(node)]}
        case ast.Subscript(value=ast.Name(id=name), slice=inner):
            args = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            return _applied(name, args, node)
    raise _unknown(ast.unparse(node))


def _options(node: ast.expr) -> list[Schema]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_options(node.left), *_options(node.right)]
    return [_meant(node)]


def _applied(name: str, args: list[ast.expr], node: ast.expr) -> Schema:
    match name, len(args):
        case "Literal", _:
            return enumerated([ast.literal_eval(each) for each in args])
        case "Optional", 1:
            return {"anyOf": [*_options(args[0]), {"type": "null"}]}
        case "list", 1:
            return {"type": "array", "items": _meant(args[0])}
        case "set", 1:
            return {"type": "array", "items": _meant(args[0]), "uniqueItems": True}
        case "dict", 2:
            return {"type": "object", "additionalProperties": _meant(args[1])}
        case "tuple", count:
            return {
                "type": "array",
                "prefixItems": [_meant(each) for each in args],
                "items": False,
                "minItems": count,
                "maxItems": count,
            }
    raise _unknown(ast.unparse(node))


def _unknown(words: str) -> ConfigurationError:
    from difflib import get_close_matches

    known = [*_NAMES, CHOICE]
    close = get_close_matches(words, known, n=1)
    hint = f"did you mean {close[0]}?" if close else "such as integer, string, list[integer]"
    return ConfigurationError(f"{words} is no type; {hint}", code="tool")
