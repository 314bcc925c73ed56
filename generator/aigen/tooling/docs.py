"""The documentation of a function as data, and laid over what its source says."""

from __future__ import annotations

import copy
import functools
import warnings
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, Final, NotRequired, TypedDict, TypeVar, cast

from aigen.runtime.definition import FieldDefinition, ToolDefinition
from aigen.runtime.errors import ConfigurationError
from aigen.runtime.function_like import FunctionLike
from aigen.runtime.tool import AITool
from aigen.runtime.values import fits
from aigen.tooling import type_words
from aigen.tooling.definitions import define
from aigen.tooling.signature import REQUIRED, each_untyped, read_signature
from aigen.tooling.type_words import TypeWords

F = TypeVar("F", bound=Callable[..., Any])

ATTRIBUTE: Final = "__aigen_docs__"
_MISSING: Final = object()


class ArgumentDocs(TypedDict):
    """What is said of an argument. The choices of `match.arg` are `default_value`."""

    description: NotRequired[str]
    type: NotRequired[TypeWords]
    default_value: NotRequired[Any]


class ReturnDocs(TypedDict):
    """What is said of the result, or of what the call changes."""

    description: NotRequired[str]


Docs = TypedDict(
    "Docs",
    {
        "name": NotRequired[str],
        "description": NotRequired[str],
        "arguments": NotRequired[dict[str, ArgumentDocs]],
        "return": NotRequired[ReturnDocs],
    },
)
"""The documentation of a function."""


def get_docs(func: Callable[..., Any]) -> Docs:
    """The documentation of a function: what `add_docs` gave it, over what its source says.

    Args:
        func: a function, method, partial, or object with `__call__`.

    Returns:
        `name`, `description`, `arguments` and `return`; yours to change. An argument whose type
        nothing says has no `type`.

    Raises:
        ConfigurationError: its signature or types cannot be known.
    """
    found = docs_of(documented(func, lenient=True))
    if isinstance(func, AITool):
        return found
    signature = read_signature(func)
    given = docs_on(func).get("arguments", {})
    for name in each_untyped(signature):
        if "type" not in given.get(name, {}):
            found["arguments"][name].pop("type", None)
    return found


def add_docs(func: F, docs: Docs) -> F:
    """Gives a function documentation, which every reader of this library prefers to its source's.

    Args:
        func: the function; a method's documentation is its class's.
        docs: as `get_docs` gives it; all of it may be left out.

    Returns:
        The same function; the documentation is its `__aigen_docs__`.

    Raises:
        ConfigurationError: the documentation has another form, or nothing can be added to `func`.
    """
    checked(docs)
    if isinstance(func, FunctionLike):
        raise ConfigurationError(
            f"{func.__name__} is a tool or AI function already: give it docs=… when it is made",
            code="tool",
        )
    known = [each.name for each in read_signature(func).arguments]
    for name in docs.get("arguments", {}):
        if name not in known:
            close = get_close_matches(name, known, n=1)
            hint = f"did you mean {close[0]}?" if close else f"it takes {', '.join(known)}"
            warnings.warn(f"the docs name {name}, which is no parameter; {hint}", stacklevel=2)
    try:
        setattr(getattr(func, "__func__", func), ATTRIBUTE, copy.deepcopy(docs))
    except (AttributeError, TypeError):
        raise ConfigurationError(
            f"nothing can be added to {func!r}: wrap it in a function of your own", code="tool"
        ) from None
    return func


def docs_on(func: Any) -> Docs:
    """The documentation that was given to a function; empty where none was."""
    found = getattr(func, ATTRIBUTE, None)
    if found is None and isinstance(func, functools.partial):
        return docs_on(func.func)
    return cast("Docs", found or {})


def documented(
    func: Callable[..., Any],
    types: Mapping[str, Any] | None = None,
    *,
    returns: Any = REQUIRED,
    docs: Docs | None = None,
    lenient: bool = False,
) -> ToolDefinition:
    """The definition of a function as a tool, its documentation laid over it.

    Args:
        func: the function.
        types: of parameters, in place of the function's own.
        returns: what it returns, in place of what the function says.
        docs: laid over the function's own documentation.
        lenient: whether a parameter without a type takes any JSON, instead of an error.

    Raises:
        ConfigurationError: a type cannot be known or has no JSON form; the message names it.
    """
    if isinstance(func, AITool):
        return func.definition
    signature = read_signature(func)
    laid = [each for each in (docs_on(func), docs or cast("Docs", {})) if each]
    typed = {
        name for each in laid for name, said in each.get("arguments", {}).items() if "type" in said
    }
    free = {name: Any for name in each_untyped(signature) if lenient or name in typed}
    found = define(signature, {**free, **(types or {})}, returns)
    for each in laid:
        found = laid_over(found, each)
    return found


# ------------------------------------------------------------------------------ as data


def docs_of(definition: ToolDefinition) -> Docs:
    """The documentation of a tool."""
    defs = definition.get("$defs", {})
    found: Docs = {
        "name": definition["name"],
        "description": definition["description"],
        "arguments": {field["name"]: argument_docs(field, defs) for field in definition["inputs"]},
        "return": {},
    }
    output = definition.get("output", cast("FieldDefinition", {}))
    if "desc" in output:
        found["return"]["description"] = output["desc"]
    return found


def argument_docs(field: FieldDefinition, defs: Mapping[str, Any]) -> ArgumentDocs:
    """The documentation of one input of a tool."""
    shape = field["shape"]
    found: ArgumentDocs = {"description": field["desc"]} if "desc" in field else {}
    levels = type_words.choices(shape, defs)
    if levels is not None:
        first = [shape["default"]] if "default" in shape else []
        found["type"] = type_words.CHOICE
        found["default_value"] = first + [each for each in levels if each not in first]
        return found
    found["type"] = type_words.said(shape, defs)
    if "default" in shape:
        found["default_value"] = shape["default"]
    return found


# ------------------------------------------------------------------------- laying over


def laid_over(definition: ToolDefinition, docs: Docs) -> ToolDefinition:
    """A tool with documentation laid over it.

    A type that says what the tool's says already changes nothing, so what words cannot say of a
    type (bounds, members' words) stays.

    Raises:
        ConfigurationError: a type is none.
    """
    found = cast("ToolDefinition", {**definition})
    found["name"] = docs.get("name", found["name"])
    found["description"] = docs.get("description", found["description"])
    defs, said = dict(found.get("$defs", {})), docs.get("arguments", {})
    found["inputs"] = [
        _laid(field, said[field["name"]], defs) if field["name"] in said else field
        for field in found["inputs"]
    ]
    defaults: Any = {
        field["name"]: {"value": field["shape"]["default"]}
        for field in found["inputs"]
        if "default" in field["shape"]
    }
    if defaults:
        found["defaults"] = {**found.get("defaults", {}), **defaults}
    if defs:
        found["$defs"] = dict(sorted(defs.items()))
    words = docs.get("return", {}).get("description")
    if words:
        output: FieldDefinition = found.get("output") or {"name": "result", "shape": {}}
        found["output"] = {**output, "desc": words}
    return found


def _laid(field: FieldDefinition, said: ArgumentDocs, defs: dict[str, Any]) -> FieldDefinition:
    before = argument_docs(field, defs)
    made: FieldDefinition = {**field, "shape": {**field["shape"]}}
    if "description" in said:
        made["desc"] = said["description"]
    kind, default = said.get("type", _MISSING), said.get("default_value", _MISSING)
    if kind in (_MISSING, before.get("type")) and default in (
        _MISSING,
        before.get("default_value", _MISSING),
    ):
        return made
    if kind is not _MISSING and (kind != before.get("type") or kind == type_words.CHOICE):
        made["shape"] = type_words.meant(kind, default)
        defs.update(made["shape"].pop("$defs", {}))
    if default is not _MISSING:
        is_choice = said.get("type", before.get("type")) == type_words.CHOICE
        value = default[0] if is_choice and isinstance(default, list | tuple) else default
        bare = {key: each for key, each in made["shape"].items() if key != "default"}
        if fits(value, bare, defs) is not None:
            raise ConfigurationError(
                f"the default_value of {field['name']} does not fit its type: {value!r}",
                code="tool",
                field=field["name"],
            )
        made["shape"]["default"] = value
        made["optional"] = True
    return made


# ----------------------------------------------------------------------------- its form

_KEYS: Final = ("name", "description", "arguments", "return")
_ARGUMENT: Final = ("description", "type", "default_value")


def checked(docs: Any) -> Docs:
    """Documentation, once it has the form of `Docs`.

    Raises:
        ConfigurationError: it has another; the message says where.
    """
    _known(docs, _KEYS, "the docs")
    for key in ("name", "description"):
        _text(docs, key, "the docs")
    arguments = docs.get("arguments", {})
    if not isinstance(arguments, Mapping):
        raise _malformed("arguments", "a mapping of arguments", arguments)
    for name, said in arguments.items():
        where = f"the docs of the argument {name}"
        _known(said, _ARGUMENT, where)
        _text(said, "description", where)
        if "type" in said:
            type_words.meant(said["type"], said.get("default_value"))
    returned = docs.get("return", {})
    _known(returned, ("description",), "the docs of return")
    _text(returned, "description", "the docs of return")
    return cast("Docs", docs)


def _known(found: Any, keys: tuple[str, ...], where: str) -> None:
    if not isinstance(found, Mapping):
        raise _malformed(where, f"a mapping of {', '.join(keys)}", found)
    for key in found:
        if key not in keys:
            close = get_close_matches(str(key), keys, n=1)
            hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(keys)}"
            raise ConfigurationError(f"{where} have no {key}; {hint}", code="tool")


def _text(found: Mapping[str, Any], key: str, where: str) -> None:
    if key in found and not isinstance(found[key], str):
        raise _malformed(f"{key} of {where}", "a text", found[key])


def _malformed(where: str, wanted: str, found: Any) -> ConfigurationError:
    return ConfigurationError(f"{where}: {wanted}, not {found!r:.80}", code="tool")
