"""What a plain scalar is: YAML 1.2's core rules, without the surprises of 1.1.

`no`, `on`, `12:30`, `012` and dates are text; a type that wants a date reads the text itself.
"""

from __future__ import annotations

import re

_WORDS = {
    **dict.fromkeys(("~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)").fullmatch
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+").fullmatch
_FLOAT = re.compile(
    r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
).fullmatch
_LONGEST_NUMBER = 3500
"""Digits, hexadecimal ones too; Python writes and reads no integer of more than 4,300 decimals."""


def plain_scalar(text: str) -> str | int | float | bool | None:
    """The value of an unquoted scalar."""
    if not text or text[0] not in "0123456789+-.~nNtTfF":
        return text or None
    if text in _WORDS:
        return _WORDS[text]
    if text[0].isalpha() or len(text) > _LONGEST_NUMBER:
        return text
    if _INTEGER(text):
        return int(text)
    if _BASED(text):
        return int(text, 0)
    if _FLOAT(text):
        return float(text)
    return text
