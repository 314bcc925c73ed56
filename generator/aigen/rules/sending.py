"""Lint of functions that every call of would refuse, as they are configured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from aigen.diagnostics import Diagnostics
from aigen.ir import Function, Media
from aigen.rules.context import Context
from aigen.rules.types import everything

_TAKE_MEDIA: Final = ("default", "length")
"""Filters of a prompt that media pass through."""
_KINDS: Final = {"image": "an image", "audio": "a recording", "file": "a file"}


def unsendable(context: Context, diagnostics: Diagnostics) -> None:
    """AIG815: inputs, a prompt or an adapter that the configured API or model cannot be sent."""
    for function in context.functions:
        for message, hint in (*_of_settings(function, context), *_of_prompt(function, context)):
            diagnostics.report("AIG815", function.span, f"{function.name} {message}", hint=hint)


def _of_settings(function: Function, context: Context) -> Iterator[tuple[str, str]]:
    settings = context.settings(function)
    if settings.get("api") == "responses":
        for name, kinds in _media(function, context).items():
            if "audio" in kinds:
                yield f"takes a recording ({name}), and the responses API none", "set api: chat"
    if settings.get("adapter") == "prompt" and not function.prompt:
        yield "has no prompt of its own, which adapter: prompt sends", "leave adapter at auto"
    if function.tools and settings.get("adapter") == "tool":
        yield "has tools, and adapter: tool forces one call, the answer's", "set adapter: json"
    if function.tools and settings.get("tool_calling") == "native":
        target = context.known_target(settings)
        if target is not None and "tool" not in target.takes:
            hint = "leave tool_calling at auto"
            yield f"has tools, which {target.model} does not take natively", hint


def _of_prompt(function: Function, context: Context) -> Iterator[tuple[str, str]]:
    media = _media(function, context)
    if not media:
        return
    for message in function.prompt or ():
        if not isinstance(message, Mapping):
            continue
        role, body = message.get("role"), message.get("body")
        for name, filters in sorted(set(_values(body))):
            kinds = media.get(name)
            if not kinds:
                continue
            what = " or ".join(_KINDS[kind] for kind in sorted(kinds))
            refused = [one for one in filters if one not in _TAKE_MEDIA]
            if refused:
                yield f"writes {name}, {what}, through the filter {refused[0]}", "leave it out"
            elif role != "user" and "length" not in filters:
                hint = "write it in a user message"
                yield f"writes {name}, {what}, in a message of the {role}", hint


def _media(function: Function, context: Context) -> dict[str, set[str]]:
    """The inputs that hold media, each with the kinds."""
    found = {}
    for field in function.inputs:
        parts = everything(context.program.definitions, [field.type])
        kinds = {part.kind for part in parts if isinstance(part, Media)}
        if kinds:
            found[field.name] = {str(kind) for kind in kinds}
    return found


def _values(body: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The inputs that a prompt writes whole, each with the names of its filters."""
    for segment in body or ():
        if isinstance(segment, str):
            continue
        if len(segment.get("value", ())) == 1:
            filters = tuple(str(name) for name, *_ in segment.get("filters", ()))
            yield str(segment["value"][0]), filters
        for _, inner in segment.get("branches", ()):
            yield from _values(inner)
        yield from _values(segment.get("otherwise"))
        yield from _values(segment.get("do"))
