"""Values as texts of a URL, a header or a form: OpenAPI's styles (OpenAPI 3.1, *Style Values*)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias
from urllib.parse import quote

Pairs: TypeAlias = list[tuple[str, str]]

_RESERVED: Final = ":/?@!$'()*,;[]"
"""What `allow_reserved` leaves as it is: all but what would end the value."""

USUAL: Final = {"path": "simple", "query": "form", "header": "simple", "cookie": "form"}
"""The style of a parameter that names none, by its place."""

_BETWEEN: Final = {"form": ",", "spaceDelimited": "%20", "pipeDelimited": "%7C"}


def plain(value: Any) -> str:
    """One value as text; lists and objects inside others as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def encoded(value: Any, *, reserved: bool = False) -> str:
    """One value in which nothing but letters, digits, `-`, `.`, `_` and `~` stands as it is."""
    # A lone surrogate, which JSON can say and UTF-8 cannot, becomes a question mark.
    text = plain(value).encode("utf-8", "replace")
    return quote(text, safe=_RESERVED if reserved else "")


def pairs(name: str, value: Any, style: str, explode: bool, *, reserved: bool = False) -> Pairs:
    """A parameter of a query, a form or a cookie as encoded names and values.

    Args:
        name: of the parameter.
        value: its JSON value; null is as if it were left out.
        style: `form`, `spaceDelimited`, `pipeDelimited`, `deepObject` or `json`.
        explode: whether each item or member is a pair of its own.
        reserved: whether characters that mean something in a URL stay.
    """
    if value is None:
        return []
    if style == "json":
        return [(encoded(name), encoded(_json(value), reserved=reserved))]
    if style == "deepObject" and isinstance(value, Mapping | list):
        return [
            (key, encoded(inner, reserved=reserved)) for key, inner in _deep(encoded(name), value)
        ]
    if not isinstance(value, Mapping | list):
        return [(encoded(name), encoded(value, reserved=reserved))]
    if explode and isinstance(value, Mapping):
        return [(encoded(key), encoded(inner, reserved=reserved)) for key, inner in value.items()]
    if explode:
        return [(encoded(name), encoded(item, reserved=reserved)) for item in value]
    flat = [encoded(item, reserved=reserved) for item in _flat(value)]
    return [(encoded(name), _BETWEEN.get(style, ",").join(flat))] if flat else []


def segment(name: str, value: Any, style: str, explode: bool) -> str:
    """A parameter of a path, encoded: `simple`, `label` (`.a`), `matrix` (`;name=a`) or `json`."""
    if style == "json":
        return encoded(_json(value))
    items = _items(value, explode)
    if style == "label":
        return "." + (".".join(items) if explode else ",".join(items))
    if style == "matrix":
        own = encoded(name)
        if explode and isinstance(value, Mapping):
            return "".join(f";{item}" for item in items)
        if explode and isinstance(value, list):
            return "".join(f";{own}={item}" for item in items)
        return f";{own}={','.join(items)}"
    return ",".join(items)


def header(value: Any, explode: bool, style: str = "simple") -> str:
    """A parameter of a header, which is not encoded: `simple` or `json`."""
    if style == "json":
        return _json(value)
    if explode and isinstance(value, Mapping):
        return ",".join(f"{key}={plain(inner)}" for key, inner in value.items())
    return ",".join(map(plain, _flat(value))) if isinstance(value, Mapping | list) else plain(value)


def _items(value: Any, explode: bool) -> list[str]:
    if explode and isinstance(value, Mapping):
        return [f"{encoded(key)}={encoded(inner)}" for key, inner in value.items()]
    return [*map(encoded, _flat(value) if isinstance(value, Mapping | list) else [value])]


def _flat(value: Mapping[str, Any] | list[Any]) -> list[Any]:
    if isinstance(value, list):
        return value
    return [each for entry in value.items() for each in entry]


def _deep(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Members and items at any depth, as `name[member][0]`."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _deep(f"{name}%5B{encoded(key)}%5D", inner)
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _deep(f"{name}%5B{place}%5D", inner)
    elif value is not None:
        yield name, value


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


__all__ = ["USUAL", "Pairs", "encoded", "header", "pairs", "plain", "segment"]
