"""Keywords that narrow a type: which of two schemas is the stricter one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

from aigen.compare.words import cut, quoted

Way = Literal["wider", "narrower", "other"]

_LOWER: Final = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_UPPER: Final = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_ELSEWHERE: Final = frozenset(
    (
        *("type", "enum", "const", "items", "prefixItems", "properties", "required"),
        *("additionalProperties", "uniqueItems", "$defs"),
        *("x-aigen-shape", "x-aigen-media", "x-aigen-given"),
        *("description", "default", "examples", "deprecated", "title"),
    )
)
"""Keywords that are no constraints, or that are compared with their parts."""


def constraints(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[Way, str]]:
    """Every constraint that was added, removed or changed, in words."""
    fixed = "prefixItems" in old and "prefixItems" in new  # the counts say the same once more
    for keyword in sorted({*old, *new} - _ELSEWHERE):
        if fixed and keyword in ("minItems", "maxItems"):
            continue
        before, after = old.get(keyword), new.get(keyword)
        if quoted(before) == quoted(after):
            continue
        if before is None:
            yield "narrower", f"{keyword} {cut(quoted(after))} is new"
        elif after is None:
            yield "wider", f"{keyword} {cut(quoted(before))} is gone"
        else:
            words = f"{keyword} {cut(quoted(before))} is now {cut(quoted(after))}"
            yield _way(keyword, before, after), words


def _way(keyword: str, before: Any, after: Any) -> Way:
    if not _is_number(before) or not _is_number(after):
        return "other"
    if keyword in _LOWER:
        return "narrower" if after > before else "wider"
    if keyword in _UPPER:
        return "narrower" if after < before else "wider"
    if keyword == "multipleOf" and before > 0 and after > 0:
        if after % before == 0:
            return "narrower"
        if before % after == 0:
            return "wider"
    return "other"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
