"""Tokens of JSON, and of what models write in its place."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final


class Broken(Exception):
    """The text is not what can be read here."""


THINKS: Final = "<think>"
"""With this some servers begin what a model thinks aloud."""
SPACE = re.compile(r"(?:\s++|//[^\n]*+\n|/\*(?:[^*]++|\*(?!/))*+\*/)*+")
KEY = re.compile(
    r"""(?:"((?:[^"\\]++|\\.)*+)"|'((?:[^'\\]++|\\.)*+)'|([^\W\d][\w$-]*+))\s*+:""", re.DOTALL
)
KEY_BEGUN = re.compile(
    r"""(?:"(?:[^"\\]++|\\.)*+(?:\\|"\s*+)?|'(?:[^'\\]++|\\.)*+(?:\\|'\s*+)?|[^\W\d][\w$-]*+\s*+)\Z""",
    re.DOTALL,
)
WORD = re.compile(r"""[^\s,\]}\[{:"'/]++""")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?").fullmatch
TEXT = {
    mark: re.compile(rf"""(?:[^{mark}\\]++|\\u[0-9a-fA-F]{{4}}|\\["'\\/bfnrt])*+""")
    for mark in "\"'"
}
HALF = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\Z")
_WORDS: Final = {
    "true": True,
    "false": False,
    "null": None,
    "True": True,
    "False": False,
    "None": None,
}
_ESCAPE = re.compile(
    r"\\(?:u[0-9a-fA-F]{0,3})?|\\u[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u[0-9a-fA-F]{0,3})?)?"
).fullmatch


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names differ."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Broken
    return found


def _no_number(word: str) -> Any:
    raise Broken


_decoder: Any = json.JSONDecoder(strict=False, object_pairs_hook=_once, parse_constant=_no_number)
scan: Callable[[str, int], tuple[Any, int]] = _decoder.scan_once
"""Reads the value that begins at an index, by the reader written in C, and says where it ends."""


def scalar(word: str) -> Any:
    """A number, or one of the words that stand for a value.

    Raises:
        Broken: it is neither.
    """
    if word in _WORDS:
        return _WORDS[word]
    if not _NUMBER(word):
        raise Broken
    try:
        return json.loads(word)
    except ValueError:
        # Python reads no integer of more than some thousand digits.
        raise Broken from None


def unescaped(text: str, quote: str) -> str:
    """What the inside of a text means.

    Raises:
        Broken: it is none.
    """
    if quote == "'":
        text = re.sub(r"""\\'|"|\\.""", lambda found: _IN_SINGLE.get(found[0], found[0]), text)
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        raise Broken from None


_IN_SINGLE: Final = {"\\'": "'", '"': '\\"'}


def may_escape(text: str) -> bool:
    """Whether a text may be the beginning of an escape, or of a pair of them."""
    return bool(_ESCAPE(text[:13]))


def halved(text: str) -> bool:
    """Whether a text holds half of a surrogate pair, which no answer may."""
    if text.isascii():
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
