"""Whatever a value, noise around it and damage to it: read exactly, or fitting, or refused."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from typing import Any

import pytest
from aigen.runtime.wire.reply import Reader, Unreadable
from hypothesis import given, settings
from hypothesis import strategies as st

_NAMES = st.sampled_from(["id", "unit price", "größe", "tags", "note", "état", "x1", "and so on"])
_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_SCALARS: list[tuple[dict[str, Any], st.SearchStrategy[Any]]] = [
    ({"type": "string"}, _TEXTS),
    ({"type": "integer"}, st.integers(-(10**20), 10**20)),
    ({"type": "number"}, st.floats(allow_nan=False, allow_infinity=False)),
    ({"type": "boolean"}, st.booleans()),
    ({"enum": ["low", "high", "not sure"], "type": "string"}, st.sampled_from(["low", "high"])),
    ({"anyOf": [{"type": "string"}, {"type": "null"}]}, st.none() | _TEXTS),
    ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, st.integers() | _TEXTS),
]


@st.composite
def _typed(draw: st.DrawFn, depth: int = 2) -> tuple[dict[str, Any], Any]:
    """A schema and a value of it."""
    kind = draw(st.sampled_from(["scalar", "list", "map", "record"] if depth else ["scalar"]))
    if kind == "scalar":
        schema, values = draw(st.sampled_from(_SCALARS))
        return schema, draw(values)
    if kind == "record":
        members = draw(st.dictionaries(_NAMES, _typed(depth - 1), min_size=1, max_size=4))
        left_out = draw(st.sets(st.sampled_from(sorted(members)))) if len(members) > 1 else set()
        kept = {name: value for name, (_, value) in members.items() if name not in left_out}
        return _record(members, left_out), kept
    schema, values = draw(st.sampled_from(_SCALARS))
    if kind == "list":
        return {"type": "array", "items": schema}, draw(st.lists(values, max_size=4))
    found = draw(st.dictionaries(_TEXTS, values, max_size=4))
    return {"type": "object", "additionalProperties": schema}, found


def _record(members: dict[str, tuple[Any, Any]], optional: set[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: schema for name, (schema, _) in members.items()},
        "required": [name for name in members if name not in optional],
        "additionalProperties": False,
    }


@st.composite
def _answers(draw: st.DrawFn) -> tuple[Reader, dict[str, Any]]:
    """A reader of two outputs, and outputs."""
    members = {"first": draw(_typed()), "second": draw(_typed())}
    reader = Reader(_record(members, set()), text=False)
    return reader, {name: value for name, (_, value) in members.items()}


def _exactly(reader: Reader, text: str, outputs: dict[str, Any]) -> tuple[str, ...]:
    found = reader.read(text)
    assert json.dumps(found.outputs) == json.dumps(outputs)
    return found.repairs


@given(_answers(), st.sampled_from([None, 2]), st.booleans())
@settings(max_examples=200, deadline=None)
def test_clean_values_never_change(
    answer: tuple[Reader, dict[str, Any]], indent: int | None, ascii_only: bool
) -> None:
    reader, outputs = answer
    text = json.dumps(outputs, indent=indent, ensure_ascii=ascii_only)
    assert _exactly(reader, text, outputs) == ()


_BEFORE = ["Here you are:\n", "<think>is it {this}? </think>", "As in [1], I'd say\n", "} ] "]
_AFTER = ["\nHope it's what you need!", " }", "\n\nSee [2] for more."]


@given(_answers(), st.sampled_from(_BEFORE), st.sampled_from(_AFTER), st.booleans())
@settings(max_examples=200, deadline=None)
def test_words_and_fences_around_change_nothing(
    answer: tuple[Reader, dict[str, Any]], before: str, after: str, fenced: bool
) -> None:
    reader, outputs = answer
    text = json.dumps(outputs, indent=1, ensure_ascii=False)
    text = f"```json\n{text}\n```" if fenced else text
    assert _exactly(reader, before + text + after, outputs)


@given(_answers())
@settings(max_examples=200, deadline=None)
def test_python_is_read_as_the_json_it_means(answer: tuple[Reader, dict[str, Any]]) -> None:
    reader, outputs = answer
    assert _exactly(reader, repr(outputs), outputs)


def _loosely(value: Any, draw: Any) -> str:
    """JSON with comments, trailing commas and bare keys here and there."""
    pad = draw(st.sampled_from(["", " ", "\n  ", " /* so */ ", " // so\n"]))
    end = draw(st.sampled_from(["", ",", " ,\n"]))
    if isinstance(value, dict) and value:
        members = [f"{_key(name, draw)}:{pad}{_loosely(one, draw)}" for name, one in value.items()]
        return "{" + pad + ("," + pad).join(members) + end + pad + "}"
    if isinstance(value, list) and value:
        return "[" + pad + ("," + pad).join(_loosely(one, draw) for one in value) + end + pad + "]"
    return json.dumps(value, ensure_ascii=False)


def _key(name: str, draw: Any) -> str:
    bare = name.isascii() and name.isidentifier() and draw(st.booleans())
    return name if bare else json.dumps(name, ensure_ascii=False)


@given(_answers(), st.data())
@settings(max_examples=200, deadline=None)
def test_loose_syntax_is_read_as_the_json_it_means(
    answer: tuple[Reader, dict[str, Any]], data: st.DataObject
) -> None:
    reader, outputs = answer
    _exactly(reader, _loosely(outputs, data.draw), outputs)


_DAMAGE = st.sampled_from([*"{}[]\",:'`\\\n*/#“”", "", "```", '"""', "null", "True", "//", " x "])


@given(_answers(), st.lists(st.tuples(st.integers(0, 10**4), _DAMAGE), min_size=1, max_size=6))
@settings(max_examples=400, deadline=None)
def test_whatever_is_read_of_damage_fits(
    answer: tuple[Reader, dict[str, Any]], damage: list[tuple[int, str]]
) -> None:
    reader, outputs = answer
    text = json.dumps(outputs, ensure_ascii=False)
    for place, what in damage:
        at = place % (len(text) + 1)
        text = text[:at] + what + text[at + 1 :]
    try:
        found = reader.read(text)
    except Unreadable:
        return
    assert reader.judge.fits(found.outputs) is None


# ------------------------------------------------------------------ the work is linear

_LINE = {"sku": "SKU-1", "title": "A kettle", "count": 3, "gift": False, "note": None}
_SCHEMAS: dict[str, tuple[Any, Any]] = {
    "sku": ({"type": "string"}, None),
    "title": ({"type": "string"}, None),
    "count": ({"type": "integer"}, None),
    "gift": ({"type": "boolean"}, None),
    "note": ({"anyOf": [{"type": "string"}, {"type": "null"}]}, None),
}
_ORDER = Reader(
    _record({"lines": ({"type": "array", "items": _record(_SCHEMAS, set())}, None)}, set()),
    text=False,
)
_BROKEN = {
    "fenced": lambda text: f"Here:\n```json\n{text}\n```\n",
    "trailing commas": lambda text: text.replace("}", ",}"),
    "python": lambda text: repr(json.loads(text)),
    "inner quotes": lambda text: text.replace("A kettle", 'A "big" kettle'),
    "odd inner quotes": lambda text: text.replace("A kettle", 'A 5" kettle'),
    "bare": lambda text: text.replace('"A kettle"', "A kettle").replace('"sku"', "sku"),
    "more members": lambda text: text.replace('"count"', '"why": [1], "count"'),
    "unclosed": lambda text: text[:-2],
}


def _seconds(text: str) -> float:
    best = 60.0
    for _ in range(3):
        began = time.process_time()
        with suppress(Unreadable):
            _ORDER.read(text)
        best = min(best, time.process_time() - began)
    return best


@pytest.mark.parametrize("kind", _BROKEN)
def test_time_grows_with_the_text(kind: str) -> None:
    small, large = (
        _seconds(_BROKEN[kind](json.dumps({"lines": [_LINE] * count}))) for count in (300, 3000)
    )
    assert large < 30 * small


_MANY = 100_000
_LETTERS = Reader(_record({"result": ({"enum": ["A", "B", "high"]}, None)}, set()), text=False)


@pytest.mark.parametrize(
    "text",
    [
        "high not low " * _MANY,
        "A " * _MANY,
        "A\n" * _MANY,
        "B? " * _MANY,
        "x" + "\n" * 10 * _MANY + "y",
        "```\n" + " " * 10 * _MANY + "x",
        "1," * _MANY,
        '"' + "\\" * _MANY,
    ],
    ids=lambda text: text[:8],
)
def test_hostile_sentences_are_bounded(text: str) -> None:
    began = time.process_time()
    with pytest.raises(Unreadable):
        _LETTERS.read(text)
    assert time.process_time() - began < 15


@pytest.mark.parametrize(
    "text",
    [
        "[" * _MANY,
        '{"' * _MANY,
        '"' * 10 * _MANY,
        '["' + '"' * 10 * _MANY,
        '{"a": "' + '"' * 10 * _MANY,
        '{"a":' * _MANY,
        "{a:" * _MANY,
        "[]" * _MANY,
        '["a","' * _MANY,
        '["' + 'a" b", "' * _MANY,
        '["' + '"/*' * _MANY,
        '{"a": b' + "\n" * 10 * _MANY,
        '{"a": "x" ' + " " * 10 * _MANY + "y",
        '{"a":"' + "\\" * _MANY,
        '{"a": """' * _MANY,
        "```" * _MANY,
        "<think>" * _MANY,
        "[" + "1" * 10 * _MANY,
        "[" + "," * 10 * _MANY,
        '{"lines": ' + "[" * 190 + "x" + "]" * 190 + "}",
    ],
    ids=lambda text: text[:12],
)
def test_hostile_texts_are_bounded(text: str) -> None:
    began = time.process_time()
    with pytest.raises(Unreadable):
        _ORDER.read(text)
    assert time.process_time() - began < 15
