"""`AIGEN_*` variables as YAML 1.2 reads them: scalars, quoted texts, and flow collections.

Running a generated function must need no YAML package, and a variable is one line.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from aigen.runtime.values.scalars import plain_scalar

_TOKEN: Final = re.compile(
    r"""\s*(?:(?P<double>"(?:[^"\\]|\\.)*")|(?P<single>'(?:[^']|'')*')"""
    r"""|(?P<mark>[\[\]{},]|:(?=[\s,\[\]{}]|$|(?<=["']:)))"""
    r"""|(?P<plain>(?:[^\s,\[\]{}:]|:(?=[^\s,\[\]{}])|[ \t]+(?=[^\s,\[\]{}:]))+))\s*"""
)
_DEEPEST: Final = 20


class _NoFlow(Exception):
    """The text is no flow collection and no quoted text."""


def flow_value(text: str) -> Any:
    """The value of a variable; a text that is nothing else is itself.

    Args:
        text: of one line, such as `0.2`, `gpt-4.1-mini`, `[a, b]` or `{stop: "x", "n": 1}`.
    """
    text = text.strip()
    if text[:1] not in ("[", "{", '"', "'"):
        return plain_scalar(text)
    try:
        return _Flow(text).whole()
    except _NoFlow:
        return text


class _Flow:
    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str]] = []
        at = 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None or match.lastgroup is None:
                raise _NoFlow
            self.tokens.append((match.lastgroup, match[match.lastgroup]))
            at = match.end()
        self.tokens.append(("end", ""))
        self.at = 0

    def whole(self) -> Any:
        value = self.value(0)
        if self.tokens[self.at][0] != "end":
            raise _NoFlow
        return value

    def value(self, depth: int) -> Any:
        if depth > _DEEPEST:
            raise _NoFlow
        kind, text = self.tokens[self.at]
        self.at += 1
        match kind, text:
            case "double", _:
                return _unquoted(text)
            case "single", _:
                return text[1:-1].replace("''", "'")
            case "plain", _:
                return plain_scalar(text.strip())
            case "mark", "[":
                return [self.value(depth + 1) for _ in self.members("]")]
            case "mark", "{":
                return dict(self.member(depth + 1) for _ in self.members("}"))
        raise _NoFlow

    def members(self, closer: str) -> Any:
        """Stops at every member of a collection, and steps over commas and the closer."""
        while self.tokens[self.at] != ("mark", closer):
            yield
            if self.tokens[self.at] == ("mark", ","):
                self.at += 1
            elif self.tokens[self.at] != ("mark", closer):
                raise _NoFlow
        self.at += 1

    def member(self, depth: int) -> tuple[str, Any]:
        kind, text = self.tokens[self.at]
        key = text.strip() if kind == "plain" else self.value(depth)
        if not isinstance(key, str):
            raise _NoFlow
        if self.tokens[self.at + (kind == "plain")] != ("mark", ":"):
            raise _NoFlow
        self.at += 1 + (kind == "plain")
        if self.tokens[self.at] in (("mark", ","), ("mark", "}")):
            return key, None
        return key, self.value(depth)


def _unquoted(text: str) -> str:
    # YAML's escapes are JSON's and a few more; what JSON does not know is left as it is written.
    try:
        return str(json.loads(text, strict=False))
    except ValueError:
        return text[1:-1]
