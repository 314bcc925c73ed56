"""Tools in lines of Python, for a model that writes code and for people; 4-tools, *Exposure*."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from aigen.runtime.tools.tokens import tokens

BUDGET: Final = 1500
"""Estimated tokens of a catalogue."""

PYTHON: Final[Mapping[str, str]] = {
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "string": "str",
    "null": "None",
    "any": "Any",
    "vector": "list[{}]",
}
"""JSON's types in Python's words; `vector` is a list of scalars."""

FORMATS: Final[Mapping[str, str]] = {
    "date": "date",
    "date-time": "datetime",
    "time": "time",
    "duration": "timedelta",
    "decimal": "Decimal",
    "uuid": "UUID",
}

_SENTENCE = re.compile(r"(.+?[.!?。！？])(?:\s|$)|(.+)", re.DOTALL)


def catalogue(definitions: Sequence[Mapping[str, Any]], budget: int = BUDGET) -> str:
    """A line for each tool, within a budget of tokens.

    Args:
        definitions: tools and AI functions, in order.
        budget: over it, descriptions are dropped from the end; then, from the end, the types of
            parameters; then the parameters. Names never are.
    """
    count = len(definitions)
    forms = [
        [line(each) for each in definitions],
        [line(each, described=False) for each in definitions],
        [_short(each) for each in definitions],
        [_path(each) for each in definitions],
    ]

    def text(dropped: int) -> str:
        whole, some = divmod(dropped, count)
        return "\n".join([*forms[whole][: count - some], *forms[min(whole + 1, 3)][count - some :]])

    least, most = 0, 3 * count
    while least < most:
        middle = (least + most) // 2
        if tokens(text(middle), "code") <= budget:
            most = middle
        else:
            least = middle + 1
    return text(least) if count else ""


def line(definition: Mapping[str, Any], *, described: bool = True) -> str:
    """A tool's signature as Python writes it, and the first sentence of its description.

    The key `signature` is all of the line.
    """
    own = definition.get("options", {}).get("signature")
    if own:
        return " ".join(map(str.strip, own.splitlines()))
    shown = signature(definition)
    words = first_sentence(definition["description"]) if described else ""
    return f"{shown}  # {words}" if words else shown


def signature(definition: Mapping[str, Any]) -> str:
    """`namespace.name(argument: type = default) -> type`, from the tool's schema."""
    defs = definition.get("$defs", {})
    parameters: list[str] = []
    optional = False
    for field in offered_inputs(definition):
        if "optional" not in field and optional and "*" not in parameters:
            parameters.append("*")  # what Python wants before it
        optional = optional or "optional" in field
        parameters.append(_parameter(field, defs))
    shown = f"{_path(definition)}({', '.join(parameters)})"
    returned = _returned(definition, defs)
    return f"{shown} -> {returned}" if returned else shown


def _short(definition: Mapping[str, Any]) -> str:
    """A signature without types; `...` stands for the parameters that may be left out."""
    inputs = offered_inputs(definition)
    required = [field["name"] for field in inputs if "optional" not in field]
    others = ["..."] if len(required) < len(inputs) else []
    return f"{_path(definition)}({', '.join([*required, *others])})"


def _path(definition: Mapping[str, Any]) -> str:
    return f"{namespace(definition)}.{definition['name']}"


def namespace(definition: Mapping[str, Any]) -> str:
    """A tool's namespace: by default its module."""
    return str(definition.get("options", {}).get("namespace") or definition["module"])


def offered_inputs(definition: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The parameters that the model sees, as fields."""
    if "shape" in definition:
        shape = definition["shape"]
        required = shape.get("required", ())
        return [
            {
                "name": name,
                "shape": part if isinstance(part, Mapping) else {},
                **({} if name in required else {"optional": True}),
                **({"desc": part["description"]} if _is_described(part) else {}),
            }
            for name, part in shape.get("properties", {}).items()
        ]
    injected = definition.get("options", {}).get("inject") or ()
    return [field for field in definition["inputs"] if field["name"] not in injected]


def _is_described(part: Any) -> bool:
    return isinstance(part, Mapping) and isinstance(part.get("description"), str)


def _parameter(field: Mapping[str, Any], defs: Mapping[str, Any]) -> str:
    shape = field["shape"]
    shown = f"{field['name']}: {type_text(shape, defs)}"
    if "default" in shape:
        return f"{shown} = {_literal(shape['default'])}"
    return f"{shown} = ..." if "optional" in field else shown


def _returned(definition: Mapping[str, Any], defs: Mapping[str, Any]) -> str:
    outputs = definition.get("outputs")
    if outputs is not None:  # an AI function; several outputs are one model
        return type_text(outputs[0]["shape"], defs) if len(outputs) == 1 else "dict[str, Any]"
    output = definition.get("output")
    return type_text(output["shape"], defs) if output else ""


def first_sentence(text: str) -> str:
    """The first sentence of a description, in one line."""
    first = text.strip().split("\n\n")[0]
    found = _SENTENCE.match(" ".join(first.split()))
    return (found[1] or found[2]).strip() if found else ""


def help_text(definition: Mapping[str, Any]) -> str:
    """All that is to be known of a tool: signature, description, arguments, result."""
    shown = [signature(definition)]
    if definition["description"]:
        shown += ["", definition["description"].strip()]
    inputs = offered_inputs(definition)
    if inputs:
        shown += ["", "Arguments:"]
        shown += [f"  {field['name']}: {field.get('desc') or '(no words)'}" for field in inputs]
    output = definition.get("output")
    if isinstance(output, Mapping) and output.get("desc"):
        shown += ["", f"Returns: {output['desc']}"]
    guidelines = definition.get("options", {}).get("guidelines")
    if guidelines:
        shown += ["", *(f"- {each}" for each in guidelines)]
    return "\n".join(shown)


# --------------------------------------------------------------------------------- types


def type_text(
    schema: Mapping[str, Any],
    defs: Mapping[str, Any],
    words: Mapping[str, str] = PYTHON,
    within: tuple[str, ...] = (),
) -> str:
    """A type as one expression; a record by its name.

    Args:
        schema: canonical.
        defs: the definitions that it refers to.
        words: of the scalars, as `PYTHON` has them.
        within: definitions that it is inside of.
    """
    if "$ref" in schema:
        key = str(schema["$ref"]).removeprefix("#/$defs/")
        inner = defs.get(key)
        if inner is None or key in within or "properties" in inner:
            return key
        return type_text(inner, defs, words, (*within, key))
    if "enum" in schema or "const" in schema:
        values = schema.get("enum", [schema.get("const")])
        return f"Literal[{', '.join(_literal(value) for value in values)}]"
    options = schema.get("anyOf") or schema.get("oneOf")
    kind = schema.get("type")
    if options is None and isinstance(kind, list):
        options = [{**schema, "type": each} for each in kind]
    if options is not None:
        found = [type_text(each, defs, words, within) for each in options]
        return " | ".join(dict.fromkeys(found))
    if kind == "array":
        return _array(schema, defs, words, within)
    if kind == "object":
        inner = schema.get("additionalProperties")
        value = inner if isinstance(inner, Mapping) and "properties" not in schema else {}
        return f"dict[str, {type_text(value, defs, words, within)}]"
    if kind == "string" and schema.get("format") in FORMATS:
        return FORMATS[schema["format"]]
    return words.get(str(kind), words["any"])


def _array(
    schema: Mapping[str, Any],
    defs: Mapping[str, Any],
    words: Mapping[str, str],
    within: tuple[str, ...],
) -> str:
    if "prefixItems" in schema:
        parts = ", ".join(type_text(part, defs, words, within) for part in schema["prefixItems"])
        return f"tuple[{parts or '()'}]"
    items = schema.get("items")
    inner: Mapping[str, Any] = items if isinstance(items, Mapping) else {}
    item = type_text(inner, defs, words, within)
    if schema.get("uniqueItems"):
        return f"set[{item}]"
    scalar = inner.get("type") in ("integer", "number", "boolean", "string")
    is_word = scalar and item in words.values()
    return words["vector"].format(item) if is_word else f"list[{item}]"


def _literal(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
