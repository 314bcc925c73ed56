"""One value as a text of its own, and back: what stands in a tag or a section.

A text stands as it is, everything else as JSON. Where the type takes both, a text that would be
read as something else stands in quotes, as JSON: `str | None` writes null as `null` and the text
"null" as `"null"`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from aigen.runtime.values import Judge, pretty


def as_text(value: Any, shape: Mapping[str, Any], defs: Mapping[str, Any]) -> str:
    """A JSON value of a type as text, so that `from_text` gives it back."""
    if isinstance(value, str) and from_text(value, shape, defs) == value:
        return value
    return json.dumps(value, ensure_ascii=False)


def from_text(text: str, shape: Mapping[str, Any], defs: Mapping[str, Any]) -> Any:
    """The JSON value that a text stands for; what fits nothing is given as near as it is."""
    judge = Judge.of(shape, defs)
    candidates = list(_candidates(text, only_text(shape, defs)))
    for candidate in candidates:
        if judge.fits(candidate) is None:
            return candidate
    return candidates[0]


def _candidates(text: str, plain: bool) -> Iterator[Any]:
    """What a text may stand for, the likeliest first."""
    if plain:
        yield text
        yield text.strip()
    try:
        parsed = _json(text)
    except (ValueError, RecursionError):
        pass
    else:
        yield parsed
    if not plain:
        yield text
        yield text.strip()


def _json(text: str) -> Any:
    import jiter

    data = text.encode("utf-8", errors="surrogatepass")
    return jiter.from_json(data, allow_inf_nan=False, catch_duplicate_keys=True)


def only_text(shape: Any, defs: Mapping[str, Any]) -> bool:
    """Whether every value of a type is a text."""
    for _ in range(len(defs) + 1):
        if not isinstance(shape, Mapping):
            return False
        if "$ref" in shape:
            shape = defs.get(str(shape["$ref"]).removeprefix("#/$defs/"))
    if not isinstance(shape, Mapping):
        return False
    levels = shape.get("enum", [shape["const"]] if "const" in shape else None)
    if levels is not None:
        return all(isinstance(level, str) for level in levels)
    options = shape.get("anyOf")
    if options:
        # A union that holds itself holds more than texts, or nothing.
        return all("$ref" not in option and only_text(option, defs) for option in options)
    return shape.get("type") == "string"


def as_object(values: Mapping[str, str], schema: Mapping[str, Any]) -> str:
    """Texts by output as one JSON object: it is judged and mended like any other reply."""
    defs = schema.get("$defs", {})
    known = schema["properties"]
    found = {name: from_text(text, known[name], defs) for name, text in values.items()}
    try:
        return json.dumps(found, ensure_ascii=False)
    except ValueError:  # an integer of more digits than Python prints
        return pretty(found)


def kind_words(shape: Mapping[str, Any], defs: Mapping[str, Any]) -> str:
    """What a model is told of a value of its own: levels as they are written, else the form."""
    from aigen.runtime.wire.adapters.notation import form

    if "$ref" in shape and only_text(shape, defs):
        return kind_words(defs[str(shape["$ref"]).removeprefix("#/$defs/")], defs)
    levels = shape.get("enum")
    if levels and only_text(shape, defs):
        return " or ".join(levels)
    return form(shape)
