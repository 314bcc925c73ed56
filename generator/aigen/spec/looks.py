"""Whether a file looks like a spec, told from its bytes alone."""

from __future__ import annotations

import re

_BLOCK = re.compile(rb"^(?:\xef\xbb\xbf)?(?:aigen|\"aigen\"|'aigen')[ \t]*:", re.MULTILINE)
_MENTIONED = re.compile(rb"aigen[\"']?\s*:")
_JSON = re.compile(rb"""(?P<key>"aigen"\s*:)|"(?:[^"\\]|\\.)*"|[{}\[\]]""", re.DOTALL)
_FLOW = re.compile(
    rb"""(?P<key>(?<![\w-])(?:"aigen"|'aigen'|aigen)\s*:)"""
    rb"""|"(?:[^"\\]|\\.)*"|(?<=[\s,:{\[])'(?:[^']|'')*'|[{}\[\]]""",
    re.DOTALL,
)


def is_spec(data: bytes, suffix: str) -> bool:
    """Whether a file's bytes have a top-level `aigen:` key, as far as a look can tell.

    Args:
        data: the file.
        suffix: `.yaml`, `.yml` or `.json`.
    """
    if suffix == ".json":
        return _has_key(data, _JSON)
    if _BLOCK.search(data) is not None:
        return True
    return data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and _has_key(data, _FLOW)


def _has_key(data: bytes, tokens: re.Pattern[bytes]) -> bool:
    """Whether the outermost braces have the key; a JSON Schema of specs has it further in."""
    if _MENTIONED.search(data) is None:
        return False
    depth = 0
    for token in tokens.finditer(data):
        if token["key"]:
            if depth == 1:
                return True
        elif token[0] in (b"{", b"["):
            depth += 1
        elif token[0] in (b"}", b"]"):
            depth -= 1
    return False
