"""Where the comments of Python source stand.

`tokenize` of Python 3.11 is written in Python, and took most of the time of reading a function.
"""

from __future__ import annotations

import io
import re
import sys
import tokenize
from collections.abc import Iterator
from typing import Final, NamedTuple

_TEXT_OR_COMMENT: Final = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"""'
    r"|'''(?:[^'\\]|\\.|'(?!''))*'''"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'(?:[^'\\\n]|\\.)*'"
    r"|\#[^\n]*",
    re.DOTALL,
)
_NESTED: Final = re.compile(r"""\b(?:[rR]?[fFtT]|[fFtT][rR])["']""")
"""The beginning of a text that may hold others in braces."""


class Comment(NamedTuple):
    """A comment: its row, from 1, its column, from 0, and its text with the `#`."""

    row: int
    column: int
    text: str


def comments_of(text: str) -> Iterator[Comment]:
    """The comments of a text that Python can parse, in order; of any other, those before its fault.

    Args:
        text: of a module, or a part of one.
    """
    if "#" not in text:
        return iter(())
    # From 3.12 a text in braces may have the quotes of the one around it.
    nested = sys.version_info >= (3, 12) and _NESTED.search(text) is not None
    return _tokenized(text) if nested else _matched(text)


def _matched(text: str) -> Iterator[Comment]:
    row, start = 1, 0  # of the line that was reached
    for found in _TEXT_OR_COMMENT.finditer(text):
        if found[0][0] != "#":
            continue
        at = found.start()
        row += text.count("\n", start, at)
        start = text.rfind("\n", 0, at) + 1
        yield Comment(row, at - start, found[0])


def _tokenized(text: str) -> Iterator[Comment]:
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield Comment(*token.start, token.string)
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return
