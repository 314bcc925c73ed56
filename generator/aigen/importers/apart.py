"""Taking a JSON Schema document apart: which of its parts mean the same outside it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, TypeAlias
from urllib.parse import unquote

from aigen.runtime.wire.plain import everything

Schema: TypeAlias = Mapping[str, Any]

LOCAL: Final = re.compile(r"#/(\$defs|definitions)/([^/]+)")
"""A reference to a definition of the document."""

_ANCHORS: Final = (
    *("$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$dynamicRef", "$recursiveRef"),
)

_DEFINED: Final = frozenset({"$defs", "definitions", "$schema"})


def takes_apart(root: Schema) -> bool:
    """Whether parts of a document mean the same outside it, their definitions beside them."""
    for part in everything(root):
        found = LOCAL.fullmatch(part["$ref"]) if "$ref" in part else None
        if "$ref" in part and (found is None or unescaped(found[2]) not in root.get(found[1], {})):
            return False
        if any(word in part for word in _ANCHORS) and (part is not root or "$id" not in part):
            return False
        if part is not root and (isinstance(part.get("id"), str) or part.keys() & _DEFINED):
            return False
    return not root.keys() & (set(_ANCHORS) - {"$id"})


def differs_by_draft(schema: Schema) -> bool:
    """Whether a schema means something else in drafts before 2019-09, so that its draft is told."""
    return (
        ("$ref" in schema and len(schema) > 1)
        or isinstance(schema.get("items"), list)
        or any(
            isinstance(schema.get(word), bool) for word in ("exclusiveMinimum", "exclusiveMaximum")
        )
    )


def unescaped(step: str) -> str:
    """A step of a reference, as the key that it names."""
    return unquote(step).replace("~1", "/").replace("~0", "~")


__all__ = ["LOCAL", "Schema", "differs_by_draft", "takes_apart", "unescaped"]
