"""Replies cut while they stream, from a public suite: what is shown of each.

A type of the suite becomes a shape. Its values name every member: here those that have not arrived
are absent from a mapping, so they are filled in as the suite does before both are compared.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aigen.runtime.wire.partial import Growing
from aigen.runtime.wire.places import ABSENT, Places

CASES = Path(__file__).resolve().parents[2].parent / "shared" / "cases" / "baml" / "jsonish.jsonl"

LEFT_OUT = re.compile(r"@@?stream\.(done|not_null|with_state)|@check|@assert")
"""Attributes that say when something is shown; specs have none."""

DIFFERENT = {
    "test_mal_formed_json_sequence": "what stands behind a broken place is read when all is there",
    "test_array_with_unescaped_quotes": "a text ends at an inner quote until all is there",
    "test_string_in_object_with_unescaped_quotes_3": "a text ends at an inner quote, as above",
}

TOKEN = re.compile(
    r"""\s*(?:(//[^\n]*)|(@{1,2}[\w.]+)|(\#"(?:.|\n)*?"\#)|("(?:[^"\\]|\\.)*")|([\w.-]+)|(.))""",
    re.DOTALL,
)


class Types:
    """Reads types of the suite as shapes."""

    def __init__(self, text: str) -> None:
        self.defs: dict[str, Any] = {}
        self.aliases: dict[str, str] = {}
        self.tokens = list(self._tokens(text))
        self.at = 0
        while self.at < len(self.tokens):
            word = self.next()
            if word == "class":
                self._class(self.next())
            elif word == "enum":
                self._enum(self.next())
            elif word == "type":
                name = self.next()
                self.next()
                self.defs[name] = self.type()
            else:
                break

    @staticmethod
    def _tokens(text: str) -> Iterator[str]:
        for found in TOKEN.finditer(text):
            if not found[1] and found[0].strip():
                yield found[0].strip()

    def next(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def _attributes(self) -> dict[str, str]:
        found = {}
        while self.peek().startswith("@"):
            name = self.next()
            if self.peek() == "(":
                start, depth = self.at, 0
                while True:
                    depth += {"(": 1, ")": -1}.get(self.next(), 0)
                    if not depth:
                        break
                found[name] = " ".join(self.tokens[start + 1 : self.at - 1]).strip('"')
        return found

    def _class(self, name: str) -> None:
        members: dict[str, Any] = {}
        self.next()
        while self.peek() != "}":
            if self.peek().startswith("@@"):
                self._attributes()
                continue
            field = self.next()
            shape = self.type()
            alias = self._attributes().get("@alias", field)
            self.aliases[alias] = field
            members[alias] = shape
        self.next()
        self.defs[name] = {"type": "object", "properties": members, "additionalProperties": False}

    def _enum(self, name: str) -> None:
        levels = []
        self.next()
        while self.peek() != "}":
            level = self.next()
            levels.append(self._attributes().get("@alias", level))
        self.next()
        self.defs[name] = {"enum": levels}

    def type(self) -> dict[str, Any]:
        options = [self._postfix()]
        while self.peek() == "|":
            self.next()
            options.append(self._postfix())
        return options[0] if len(options) == 1 else {"anyOf": options}

    def _postfix(self) -> dict[str, Any]:
        shape = self._one()
        while self.peek() in ("[", "?"):
            if self.next() == "[":
                self.next()
                shape = {"type": "array", "items": shape}
            else:
                shape = {"anyOf": [shape, {"type": "null"}]}
        return shape

    def _one(self) -> dict[str, Any]:
        word = self.next()
        plain = {"string": "string", "int": "integer", "float": "number", "bool": "boolean"}
        if word in plain:
            return {"type": plain[word]}
        if word == "null":
            return {"type": "null"}
        if word == "(":
            shape = self.type()
            self._attributes()
            self.next()
            return shape
        if word == "map":
            self.next()
            self.type()
            self.next()
            inner = self.type()
            self.next()
            return {"type": "object", "additionalProperties": inner}
        if word.startswith('"'):
            return {"enum": [json.loads(word)]}
        return {"$ref": f"#/$defs/{word}"}


def cases() -> list[dict[str, Any]]:
    if not CASES.is_file():
        return []
    with CASES.open(encoding="utf-8") as lines:
        return [case for case in map(json.loads, lines) if case["partial"]]


def filled(value: Any, shape: Any, types: Types) -> Any:
    """A value with every member that its shape names."""
    while "$ref" in shape:
        shape = types.defs[shape["$ref"].rpartition("/")[2]]
    options = shape.get("anyOf", [shape])
    if value is ABSENT or value is None:
        empty = {"array": [], "object": {}}
        plain = len(options) == 1 and "properties" not in options[0]
        return empty.get(options[0].get("type")) if plain else None
    if isinstance(value, list):
        items = next(one["items"] for one in options if "items" in one)
        return [filled(item, items, types) for item in value]
    if isinstance(value, dict):
        for option in options:
            while "$ref" in option:
                option = types.defs[option["$ref"].rpartition("/")[2]]
            if value.keys() <= option.get("properties", {}).keys():
                return {
                    types.aliases[name]: filled(value.get(name), inner, types)
                    for name, inner in option["properties"].items()
                }
    return value


@pytest.mark.skipif(not CASES.is_file(), reason="the public cases are not here")
def test_there_are_cases() -> None:
    names = [case["name"] for case in cases()]
    used = [
        case for case in cases() if not LEFT_OUT.search(case["baml_types"] + case["target_type"])
    ]
    assert len(used) >= 20
    assert set(DIFFERENT) <= set(names)


@pytest.mark.parametrize("size", [1, 7, 1_000_000])
@pytest.mark.parametrize("case", cases(), ids=lambda case: case["name"])
def test_what_is_shown_of_a_reply(case: dict[str, Any], size: int) -> None:
    if LEFT_OUT.search(case["baml_types"] + case["target_type"]):
        pytest.skip("it says when a member is shown")
    if case["name"] in DIFFERENT:
        pytest.skip(DIFFERENT[case["name"]])
    types = Types(case["baml_types"])
    shape = Types(f"type Target = {case['target_type']}").defs["Target"]
    growing = Growing(Places(types.defs).of(shape, Any))
    text = case["input"]
    for start in range(0, len(text), size):
        growing.feed(text[start : start + size])
    growing.flush()
    found = growing.shown()
    if case["expected"] == {"fails": True}:
        assert found is ABSENT
    else:
        # An object without a member has not been shown yet.
        assert filled(_or_empty(found, case), shape, types) == case["expected"]


def _or_empty(found: Any, case: dict[str, Any]) -> Any:
    return {} if found is ABSENT and isinstance(case["expected"], dict) else found
