"""How many tokens a text is, about; 4-tools, *Exposure*."""

from __future__ import annotations

import math
import re
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal["prose", "code", "json", "error"]

_CHARACTERS: Final[dict[Kind, float]] = {"prose": 4.36, "code": 3.24, "json": 2.9, "error": 2.98}
"""ASCII characters of one token."""

DESCRIPTION: Final = 400
"""What the description of a tool that is in every request stays under."""

EXAMPLES: Final = 4000
"""What all of a tool's examples together stay under."""

_CJK: Final = "[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"


def tokens(text: str, kind: Kind = "prose") -> int:
    """An estimate of the tokens of a text.

    Args:
        text: the text.
        kind: what it is made of; a token of code is shorter than one of prose.
    """
    ascii_ = len(text.encode("ascii", "ignore"))
    cjk = 0 if text.isascii() else len(re.findall(_CJK, text))
    other = len(text) - ascii_ - cjk
    return math.ceil(ascii_ / _CHARACTERS[kind] + 0.848 * cjk + 0.35 * other)


def cut(text: str, budget: int, kind: Kind = "prose") -> str:
    """A text within a budget of tokens: the first 40 % and the last 60 %, and a word between.

    Args:
        text: the text.
        budget: tokens.
        kind: what it is made of.
    """
    whole = tokens(text, kind)
    if whole <= budget:
        return text
    kept = max(int(len(text) * budget / whole), 1)
    head = kept * 2 // 5
    tail = kept - head
    notice = f"\n[… {len(text) - kept:,} of {len(text):,} characters left out …]\n"
    return text[:head] + notice + text[-tail:]
