"""`allOf` as one schema, where one schema says the same."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from aigen.resolve.shape_keywords import KEYWORDS, UNEVALUATED
from aigen.runtime.values.canonical_json import canonical, identity

Schema = dict[str, Any]
Follow = Callable[[str], Any]

_WORDS: Final = frozenset(
    {"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"}
)
_OBJECT: Final = ("properties", "additionalProperties", "required")
_LEAST: Final = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})
_MOST: Final = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})


class Unmergeable(Exception):
    """No one schema says what these say together."""


class Clash(Exception):
    """No value fits both: what the first says, and what the second says."""


def merged(parts: list[Any], follow: Follow) -> Any:
    """One schema that takes what all of these take.

    Args:
        parts: schemas; the words of the last go before those of the first.
        follow: what a `$ref` means.

    Raises:
        Unmergeable: there is none.
        Clash: no value fits all of them.
    """
    flat: list[Any] = []
    done: set[str] = set()
    for part in parts:
        _flatten(part, follow, flat, (), done)
    unique: dict[str, Any] = {canonical(part): part for part in flat if part is not True}
    found: Any = None
    for part in unique.values():
        found = part if found is None else _both(found, part)
    return True if found is None else found


def _flatten(
    part: Any, follow: Follow, flat: list[Any], seen: tuple[str, ...], done: set[str]
) -> None:
    """The parts with no `allOf` and no `$ref` of their own; what is `done` would come again."""
    if not isinstance(part, dict) or not ("allOf" in part or "$ref" in part):
        flat.append(part)
        return
    rest = {key: part[key] for key in part if key not in ("allOf", "$ref", "$defs", "definitions")}
    ref = part.get("$ref")
    if isinstance(ref, str):
        target = follow(ref)
        if target is None or ref in seen:
            raise Unmergeable
        if ref not in done:
            _flatten(_bare(target), follow, flat, (*seen, ref), done)
            done.add(ref)
    for inner in part.get("allOf", ()):
        _flatten(inner, follow, flat, seen, done)
    if rest:
        flat.append(rest)


def _bare(target: Any) -> Any:
    """A schema without words that belong to its own name."""
    if not isinstance(target, dict):
        return target
    return {key: target[key] for key in target if key not in ("title", "default")}


def _both(first: Any, second: Any) -> Any:
    if first is False or second is False:
        return False
    if UNEVALUATED & (first.keys() | second.keys()):
        raise Unmergeable  # They look at what the parts beside them have seen.
    for here, there in ((first, second), (second, first)):
        if "prefixItems" in here and ("items" in there or "prefixItems" in there):
            raise Unmergeable
        if isinstance(here.get("exclusiveMinimum", here.get("exclusiveMaximum")), bool):
            raise Unmergeable
    found = {**first}
    for key, value in second.items():
        if key in _OBJECT:
            continue
        if key not in found or key in _WORDS or found[key] == value:
            found[key] = value
        else:
            found[key] = _keyword(key, found[key], value)
    if any(key in part for part in (first, second) for key in _OBJECT):
        _members(found, first, second)
    return found


def _keyword(key: str, mine: Any, theirs: Any) -> Any:
    if key == "type":
        return _types(mine, theirs)
    if key == "enum":
        known = {identity(value) for value in theirs}
        common = [value for value in mine if identity(value) in known]
        if not common:
            raise Clash(f"one of {canonical(mine)}", f"one of {canonical(theirs)}")
        return common
    if key == "const":
        if identity(mine) == identity(theirs):
            return mine
        raise Clash(canonical(mine), canonical(theirs))
    if isinstance(mine, bool) or isinstance(theirs, bool):
        if key == "uniqueItems":
            return mine or theirs
    elif key in _LEAST:
        return min(mine, theirs)
    elif key in _MOST:
        return max(mine, theirs)
    elif key == "multipleOf" and isinstance(mine, int) and isinstance(theirs, int):
        return math.lcm(mine, theirs)
    if key in ("items", "propertyNames"):
        return _all_of(mine, theirs)
    if key not in KEYWORDS or key in ("$schema", "$id", "id"):
        return mine
    raise Unmergeable


def _types(mine: Any, theirs: Any) -> Any:
    firsts, seconds = (value if isinstance(value, list) else [value] for value in (mine, theirs))
    common = [
        kind
        for kind in dict.fromkeys([*firsts, *seconds])
        if _takes(firsts, kind) and _takes(seconds, kind)
    ]
    common = [kind for kind in common if not (kind == "integer" and "number" in common)]
    if not common:
        raise Clash(" or ".join(firsts), " or ".join(seconds))
    return common[0] if len(common) == 1 else common


def _takes(kinds: list[str], kind: str) -> bool:
    return kind in kinds or (kind == "integer" and "number" in kinds)


def _members(found: Schema, first: Schema, second: Schema) -> None:
    if "patternProperties" in first or "patternProperties" in second:
        plain = all("additionalProperties" not in part for part in (first, second))
        if not plain or ("patternProperties" in first and "patternProperties" in second):
            raise Unmergeable
    mine, theirs = (part.get("properties", {}) for part in (first, second))
    others = [part.get("additionalProperties", True) for part in (first, second)]
    names = dict.fromkeys([*mine, *theirs])
    if names or "properties" in first or "properties" in second:
        found["properties"] = {
            name: _all_of(mine.get(name, others[0]), theirs.get(name, others[1])) for name in names
        }
    rest = _all_of(*others)
    if rest is not True or "additionalProperties" in {**first, **second}:
        found["additionalProperties"] = rest
    required = dict.fromkeys([*first.get("required", ()), *second.get("required", ())])
    if required:
        found["required"] = list(required)


def _all_of(mine: Any, theirs: Any) -> Any:
    if mine is True or mine == {} or mine == theirs:
        return theirs
    if theirs is True or theirs == {}:
        return mine
    if mine is False or theirs is False:
        return False
    return {"allOf": [mine, theirs]}
