"""What the references of a JSON Schema mean: ids and anchors as pointers from its root."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, TypeAlias
from urllib.parse import quote, unquote, urljoin

from aigen.diagnostics import nearest

Steps: TypeAlias = tuple[Any, ...]
"""Where a schema stands: the steps of the one around it, and its own."""


_OLD: Final = re.compile(r"draft-0?[34567]\b")


def is_old(root: Any) -> bool:
    """Whether a document is of a draft before 2019-09, where `$ref` stands alone."""
    said = root.get("$schema") if isinstance(root, dict) else None
    return isinstance(said, str) and _OLD.search(said) is not None


class References:
    """The names of one schema's parts.

    Args:
        old: whether the schema is of a draft before 2019-09; the first of these call `$id` `id`.
    """

    def __init__(self, *, old: bool) -> None:
        self._old = old
        self._targets: dict[str, str] = {}  # absolute URI → pointer

    def note(self, schema: Mapping[str, Any], base: str, steps: Steps) -> str:
        """Notes what a schema calls itself; gives the base of the references in it."""
        own = schema.get("$id", schema.get("id") if self._old else None)
        if isinstance(own, str) and not (self._old and "$ref" in schema):
            if own.startswith("#"):
                self._targets.setdefault(urljoin(base, own), _pointer(steps))
            else:
                base = joined(base, own).rstrip("#")
                self._targets.setdefault(base, _pointer(steps))
        if not steps:
            self._targets.setdefault(base, "#")
        for word in ("$anchor", "$dynamicAnchor"):
            if isinstance(schema.get(word), str):
                self._targets.setdefault(f"{base}#{schema[word]}", _pointer(steps))
        return base

    def pointer(self, ref: str, base: str) -> str | None:
        """A reference as a pointer from the root; None where it leads outside."""
        whole = joined(base, ref)
        uri, _, fragment = whole.partition("#")
        if whole in self._targets:
            return self._targets[whole]
        start = self._targets.get(uri)
        if start is None or (fragment and not fragment.startswith("/")):
            return None
        return start + fragment

    def nearest(self, ref: str, root: Any) -> str | None:
        """What a reference that leads to nothing may have been meant to be."""
        known = [*map(_shown, self._targets), *_definitions(root)]
        lasts = [unquote(name.rpartition("/")[2]) for name in known]
        close = nearest(unquote(ref.rpartition("/")[2]), lasts)
        return None if close is None else known[lasts.index(close)]


def joined(base: str, ref: str) -> str:
    """`urljoin`, which also takes bases that it does not know, such as URNs."""
    if ref.startswith("#"):
        return base.partition("#")[0] + ref
    try:
        return urljoin(base, ref)
    except ValueError:
        return ref


def _shown(uri: str) -> str:
    return f"#{uri.partition('#')[2]}" if "#" in uri else uri


def _pointer(steps: Steps) -> str:
    found: list[str] = []
    while steps:
        steps, *last = steps
        found[:0] = map(_escaped, last)
    return "/".join(["#", *found])


def _escaped(step: str) -> str:
    return quote(step.replace("~", "~0").replace("/", "~1"), safe="~$!'()*+,;=:@ -._")


def _definitions(root: Any) -> list[str]:
    found: list[str] = []
    for word in ("$defs", "definitions"):
        inner = root.get(word) if isinstance(root, dict) else None
        if isinstance(inner, dict):
            found += [f"#/{word}/{_escaped(name)}" for name in inner]
    return found


__all__ = ["References", "Steps", "is_old", "joined"]
