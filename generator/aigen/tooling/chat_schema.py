"""The schema of a function in the shape of a chat request, for programs that send it themselves.

The words of a parameter stand inside each option of a union, there is no default, and where the
function comes from is its `metadata`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.wire.adapters.layout import with_own_definitions
from aigen.runtime.wire.plain import to_plain
from aigen.tooling.docs import documented
from aigen.tooling.schemas import NoSchema, Schema, canonical_schemas, each_ref
from aigen.tooling.signature import read_signature
from aigen.tooling.source import function_words

_NULL_WORDS: Final = "A default value will be automatically used."


def extract_parameter_comments(func: Callable[..., Any]) -> dict[str, str]:
    """The comments of a function's parameters.

    Args:
        func: a function whose source can be read.

    Returns:
        The words by parameter, without those that have none.

    Raises:
        ConfigurationError: its source cannot be read.
    """
    signature, found = read_signature(func), function_words(inspect.unwrap(_plain(func)))
    if found is None:
        raise ConfigurationError(
            f"the source of {signature.name} cannot be read, so its comments are not known;"
            " add_docs(func, docs) can say what they say",
            code="tool",
        )
    words = {each.name: found.comment(each.name) for each in signature.arguments}
    return {name: said for name, said in words.items() if said}


def _plain(func: Any) -> Any:
    return getattr(func, "func", func)


def param_converter(param_type: Any, description: str | None = None) -> dict[str, Any]:
    """A parameter's type as a schema that holds its words.

    Args:
        param_type: a Python type.
        description: the words; in a union they stand in each option.

    Raises:
        ConfigurationError: the type has no JSON form.
    """
    try:
        shapes, defs = canonical_schemas({"": param_type})
    except NoSchema as problem:
        raise ConfigurationError(
            f"{param_type!r} has no JSON form: {problem}", code="tool"
        ) from None
    made = _described(_inlined(shapes[""], defs), description, _NULL_WORDS)
    left = _left(made, defs)
    return {**made, "$defs": left} if left else made


def function_schema(
    func: Callable[..., Any],
    service_name: str | None = None,
    fixup: Callable[..., Any] | None = None,
    **kwargs: Any,
) -> dict[str, Any]:
    """The schema of a function as a tool of a chat request.

    Args:
        func: a function, method, partial, or object with `__call__`.
        service_name: kept as `service` of the metadata; by default the module.
        fixup: a function that is asked when `func` fails; its dotted path is kept.
        kwargs: further metadata.

    Returns:
        `{type: function, function: {name, description, parameters, metadata, fixup}}`.

    Raises:
        ConfigurationError: a parameter's type cannot be known or has no JSON form.
    """
    definition = documented(func)
    defs = definition.get("$defs", {})
    properties = {}
    for field in definition["inputs"]:
        shape = {**field["shape"]}
        default = shape.pop("default", _NULL_WORDS)
        null = _NULL_WORDS if default is None else field.get("desc")
        properties[field["name"]] = _described(_inlined(shape, defs), field.get("desc"), null)
    parameters: Schema = {
        "type": "object",
        "properties": properties,
        "required": [each["name"] for each in definition["inputs"] if "optional" not in each],
    }
    if left := _left(properties, defs):
        parameters["$defs"] = left
    module = definition["module"]
    made: dict[str, Any] = {
        "name": definition["name"],
        "description": definition["description"],
        "parameters": parameters,
        "metadata": {"module": module, "service": service_name or module, **kwargs},
    }
    if fixup is not None:
        made["fixup"] = f"{fixup.__module__}.{fixup.__qualname__}"
    return {"type": "function", "function": made}


def _described(schema: Schema, words: str | None, null: str | None) -> Schema:
    """A schema with words, inside each option of a union."""
    if "anyOf" in schema:
        options = [
            _described(each, null if each.get("type") == "null" else words, null)
            for each in schema["anyOf"]
        ]
        return {**schema, "anyOf": options}
    if not words:
        return schema
    more = schema.get("description")
    return {**schema, "description": f"{words}\n{more}" if more else words}


def _inlined(schema: Schema, defs: Mapping[str, Schema]) -> Schema:
    """A plain schema in which only recursive types are references."""
    recursive = {
        name for name in defs if name in with_own_definitions(defs[name], defs).get("$defs", {})
    }

    def inline(node: Any) -> Any:
        if isinstance(node, list):
            return [inline(each) for each in node]
        if not isinstance(node, Mapping):
            return node
        name = next(each_ref({"$ref": node["$ref"]})) if "$ref" in node else None
        rest = {key: inline(value) for key, value in node.items() if key != "$ref"}
        if name is None or name in recursive or name not in defs:
            return dict(rest) if name is None else {"$ref": f"#/$defs/{name}", **rest}
        return {**inline(defs[name]), **rest}

    plain = to_plain(inline(schema))
    plain.pop("$defs", None)
    return plain


def _left(schemas: Any, defs: Mapping[str, Schema]) -> dict[str, Schema]:
    """The recursive definitions that schemas refer to, plain."""
    found: dict[str, Schema] = {}
    pending = list(each_ref(schemas))
    while pending:
        name = pending.pop()
        if name not in found:
            found[name] = _inlined(defs[name], defs)
            pending.extend(each_ref(found[name]))
    return dict(sorted(found.items()))
