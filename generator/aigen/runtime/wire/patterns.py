"""A text that a regular expression matches, for sample values.

It understands what patterns of identifiers, codes and numbers are made of: literals, classes,
groups, alternatives, repetition and anchors. What it does not understand it leaves out, and the
caller judges the text.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]])*\]|\(\?[:P<!=][^)>]*>?|.", re.DOTALL)
_COUNT = re.compile(r"\{(\d+)(?:,\d*)?\}")
_CLASSES = {"d": "1", "w": "a", "s": " ", "D": "a", "W": "-", "S": "a", "n": "\n", "t": "\t"}
_EMPTY = frozenset("bBAZz")
_MOST = 1000


def matching(pattern: str) -> str:
    """The shortest way through a pattern, the first alternative of each group."""
    return _Walk(pattern).alternatives()


class _Walk:
    def __init__(self, pattern: str) -> None:
        self.pattern, self.at = pattern, 0

    def alternatives(self) -> str:
        first = self.sequence()
        while self.peek() == "|":
            self.at += 1
            self.sequence()
        return first

    def sequence(self) -> str:
        words: list[str] = []
        while self.at < len(self.pattern) and self.peek() not in "|)":
            words.append(self.repeated(self.atom()))
        return "".join(words)

    def atom(self) -> str:
        char = self.peek()
        if char == "(":
            return self.group()
        match = _TOKEN.match(self.pattern, self.at)
        token = match.group() if match else char
        self.at += len(token)
        if token in ("^", "$"):
            return ""
        if token == ".":
            return "x"
        if token[0] == "\\" and len(token) > 1:
            return "" if token[1] in _EMPTY else _CLASSES.get(token[1], token[1])
        if token[0] == "[" and len(token) > 1:
            return _member(token)
        return token

    def group(self) -> str:
        self.at += 1
        looks = self.pattern.startswith(("?=", "?!", "?<=", "?<!"), self.at)
        opened = re.compile(r"\?(?:[:=!]|<[=!]|P?<\w+>)").match(self.pattern, self.at)
        if opened:
            self.at = opened.end()
        inside = self.alternatives()
        self.at += 1
        return "" if looks else inside

    def repeated(self, word: str) -> str:
        mark = self.peek()
        if mark and mark in "*?":
            self.at += 1
            word = ""
        elif mark == "+":
            self.at += 1
        elif counted := _COUNT.match(self.pattern, self.at):
            self.at = counted.end()
            word *= min(int(counted[1]), _MOST)
        else:
            return word
        if self.peek() and self.peek() in "?+":
            self.at += 1
        return word

    def peek(self) -> str:
        return self.pattern[self.at : self.at + 1]


def _member(token: str) -> str:
    """One character of a class such as `[A-Z0-9]` or `[^/]`."""
    inside = token[1:-1]
    if inside.startswith("^"):
        return next((char for char in "x1 -." if char not in inside), "x")
    if inside.startswith("\\") and len(inside) > 1:
        return _CLASSES.get(inside[1], inside[1])
    return inside[:1]
