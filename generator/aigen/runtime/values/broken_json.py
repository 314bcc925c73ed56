"""What is wrong with a text that should be JSON, in words for those who never wrote a parser."""

from __future__ import annotations

import re
from typing import Final

_PLACE: Final = re.compile(r":? (?:at )?line (\d+) column (\d+)(?: \(char \d+\))?$")
_KEY: Final = re.compile(r"Detected duplicate key (\".*\")$", re.DOTALL)

_WORDS: Final = {
    "it ends inside a text": ("EOF while parsing a string", "Unterminated string"),
    "it ends too early": ("EOF while parsing",),
    'a ":" is missing behind a key': ("expected `:`", "Expecting ':' delimiter"),
    'a "," or "]" is missing': ("expected `,` or `]`",),
    'a "," or "}" is missing': ("expected `,` or `}`",),
    'a "," or the end of the list or object is missing': ("Expecting ',' delimiter",),
    "a word that is not true, false or null": ("expected ident",),
    "a value is missing, or begins with what no value does": ("expected value", "Expecting value"),
    "a key is not in double quotes": ("key must be a string", "Expecting property name"),
    "nothing follows a comma": ("trailing comma", "Illegal trailing comma"),
    "more text follows the value": ("trailing characters", "Extra data"),
    "a line break or another control character stands in a text as it is": (
        "control character",
        "Invalid control character",
    ),
    "a \\ in a text begins no escape that JSON has": ("invalid escape", "Invalid \\escape"),
    "a \\u in a text is half of a pair": ("lone leading surrogate",),
    "a \\u in a text is cut off, or half of a pair": (
        "unexpected end of hex escape",
        "Invalid \\uXXXX escape",
    ),
    "a number is not written as JSON writes it": ("invalid number",),
    "a number is too large": ("number out of range",),
    "it is nested too deeply": ("recursion limit exceeded",),
    "a character is not UTF-8": ("invalid unicode code point", "'utf-8' codec"),
}
"""Plain words, and how the messages of jiter and of the standard library begin that mean them."""


def fault_of(problem: Exception) -> str:
    """What a JSON parser means, and where: `a key is not in double quotes (line 1, column 2)`.

    Args:
        problem: of `jiter` or of the standard library's `json`.
    """
    said = str(problem)
    place = _PLACE.search(said)
    words = said[: place.start()] if place else said
    where = f" (line {place[1]}, column {place[2]})" if place else ""
    if isinstance(problem, RecursionError):
        return "it is nested too deeply"
    twice = _KEY.match(words)
    if twice:
        return f"the key {twice[1]} is there twice{where}"
    meant = next((plain for plain, starts in _WORDS.items() if words.startswith(starts)), None)
    return f"{meant or 'it is broken'}{where}"
