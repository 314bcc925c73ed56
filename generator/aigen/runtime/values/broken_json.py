"""What is wrong with a text that should be JSON, in words for those who never wrote a parser."""

from __future__ import annotations

import re
from typing import Final

_PLACE: Final = re.compile(r":? (?:at )?line (\d+) column (\d+)(?: \(char \d+\))?$")
_KEY: Final = re.compile(r"Detected duplicate key (\".*\")$", re.DOTALL)

_WORDS: Final = (
    ("EOF while parsing a string", "it ends inside a text"),
    ("EOF while parsing", "it ends too early"),
    ("expected `:`", 'a ":" is missing behind a key'),
    ("expected `,` or `]`", 'a "," or "]" is missing'),
    ("expected `,` or `}`", 'a "," or "}" is missing'),
    ("expected ident", "a word that is not true, false or null"),
    ("expected value", "a value is missing, or begins with what no value does"),
    ("key must be a string", "a key is not in double quotes"),
    ("trailing comma", "nothing follows a comma"),
    ("trailing characters", "more text follows the value"),
    ("control character", "a line break or another control character stands in a text as it is"),
    ("invalid escape", "a \\ in a text begins no escape that JSON has"),
    ("invalid number", "a number is not written as JSON writes it"),
    ("number out of range", "a number is too large"),
    ("recursion limit exceeded", "it is nested too deeply"),
    ("lone leading surrogate", "a \\u in a text is half of a pair"),
    ("invalid unicode code point", "a character is not UTF-8"),
    ("unexpected end of hex escape", "a \\u in a text is cut off, or half of a pair"),
    ("Expecting ':' delimiter", 'a ":" is missing behind a key'),
    ("Expecting ',' delimiter", 'a "," or the end of the list or object is missing'),
    ("Expecting property name", "a key is not in double quotes"),
    ("Expecting value", "a value is missing, or begins with what no value does"),
    ("Extra data", "more text follows the value"),
    ("Illegal trailing comma", "nothing follows a comma"),
    ("Unterminated string", "it ends inside a text"),
    (
        "Invalid control character",
        "a line break or another control character stands in a text as it is",
    ),
    ("Invalid \\uXXXX escape", "a \\u in a text is cut off, or half of a pair"),
    ("Invalid \\escape", "a \\ in a text begins no escape that JSON has"),
)
"""How jiter's and the standard library's messages begin, and what they mean."""


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
    meant = next((plain for start, plain in _WORDS if words.startswith(start)), "it is broken")
    return meant + where
