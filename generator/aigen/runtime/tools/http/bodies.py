"""The body of a request: JSON, a form, parts of a form, or text."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from aigen.runtime.tools.http import styles

if TYPE_CHECKING:
    from aigen.runtime.definition import HttpDefinition

FORM: Final = "application/x-www-form-urlencoded"
PARTS: Final = "multipart/form-data"


def is_json(kind: str) -> bool:
    """Whether a media type is JSON: `application/json`, or one that ends in `+json`."""
    plain = kind.partition(";")[0].strip().lower()
    return plain == "application/json" or plain.endswith(("+json", "/json"))


def body(
    http: HttpDefinition, members: Mapping[str, Any], whole: Sequence[Any]
) -> tuple[bytes | None, str | None]:
    """The bytes of a body and their media type; None where there is none.

    Args:
        http: of the tool.
        members: of the body's object, each an argument.
        whole: the argument that is the whole body, where there is one.
    """
    if not members and not whole:
        return None, None
    value = whole[0] if whole else dict(members)
    if whole and members and isinstance(value, Mapping):
        value = {**value, **members}
    kind = http.get("content", "application/json")
    plain = kind.partition(";")[0].strip().lower()
    if plain == FORM and isinstance(value, Mapping):
        pairs = [pair for each in value.items() for pair in _pairs(*each, http)]
        return "&".join(f"{key}={text}" for key, text in pairs).encode(), kind
    if plain == PARTS and isinstance(value, Mapping):
        boundary = secrets.token_hex(16)
        pieces = [part for each in value.items() for part in _parts(*each, http)]
        lines = b"".join(b"--%b\r\n%b\r\n" % (boundary.encode(), piece) for piece in pieces)
        return lines + b"--%b--\r\n" % boundary.encode(), f"{PARTS}; boundary={boundary}"
    if is_json(kind):
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "replace"), kind
    return styles.plain(value).encode("utf-8", "replace"), kind


def _encoding(name: str, http: HttpDefinition) -> Mapping[str, Any]:
    return http.get("encoding", {}).get(name, {})


def _pairs(name: str, value: Any, http: HttpDefinition) -> styles.Pairs:
    said = _encoding(name, http)
    style = said.get("style", "json" if isinstance(value, Mapping) else "form")
    return styles.pairs(name, value, style, said.get("explode", style == "form"))


def _parts(name: str, value: Any, http: HttpDefinition) -> Iterator[bytes]:
    """The parts of a member: one, or one for each item of a list; null is as if it were left out.

    RFC 7578; a member with a media type of its own is sent as a file.
    """
    kind = _encoding(name, http).get("content")
    own = _quoted(name)
    for item in value if isinstance(value, list) else [value]:
        if item is None:
            continue
        head = f'Content-Disposition: form-data; name="{own}"'
        if kind is not None and not is_json(kind):
            head += f'; filename="{own}"'
        if kind is None and isinstance(item, Mapping | list):
            head += "\r\nContent-Type: application/json"
        elif kind is not None:
            head += f"\r\nContent-Type: {kind}"
        text = json.dumps(item) if kind is not None and is_json(kind) else styles.plain(item)
        yield f"{head}\r\n\r\n{text}".encode("utf-8", "replace")


def _quoted(name: str) -> str:
    """A name in a part's head, as browsers write it."""
    return name.replace("\r", "%0D").replace("\n", "%0A").replace('"', "%22")


__all__ = ["FORM", "PARTS", "body", "is_json"]
