"""Partial answers: what is shown of a reply while it arrives, and that nothing is taken back."""

from __future__ import annotations

import importlib.util
import json
import sys
import time
from datetime import date
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from aigen.runtime.wire.arrival import has_grown
from aigen.runtime.wire.partial import Growing
from aigen.runtime.wire.partial_text import GrowingText
from aigen.runtime.wire.places import ABSENT, Place, Places
from aigen.runtime.wire.sse import Decoder
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

GOLDEN = Path(__file__).parents[2] / "golden" / "types" / "expected" / "types.py"


def _golden() -> ModuleType:
    spec = importlib.util.spec_from_file_location("golden_types", GOLDEN)
    assert spec is not None and spec.loader is not None
    module = sys.modules["golden_types"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


golden = _golden()


def place(shape: dict[str, Any], annotation: Any = Any, **defs: Any) -> Place:
    return Places(defs).of(shape, annotation)


def record(**members: Any) -> dict[str, Any]:
    return {"type": "object", "properties": members, "additionalProperties": False}


def of_function(function: Any, annotation: Any) -> Place:
    definition = function.definition
    return Places(definition["$defs"]).of(definition["outputs"][0]["shape"], annotation)


EVERYTHING = of_function(golden.fill, golden.EverythingPartial)
NODE = of_function(golden.grow, golden.NodePartial)
TEXT, NUMBER = {"type": "string"}, {"type": "number"}
INTEGER, TRUTH = {"type": "integer"}, {"type": "boolean"}


def shown(root: Place, text: str, sizes: list[int] | int = 1) -> list[Any]:
    """Every partial of a text that arrives in pieces."""
    growing, found, at, turn = Growing(root), [], 0, 0
    while at < len(text):
        size = sizes if isinstance(sizes, int) else sizes[turn % len(sizes)]
        if growing.feed(text[at : at + size]):
            found.append(growing.shown())
        at, turn = at + size, turn + 1
    if growing.flush():
        found.append(growing.shown())
    return found


def last(root: Place, text: str, sizes: list[int] | int = 1) -> Any:
    found = shown(root, text, sizes)
    return found[-1] if found else ABSENT


# ------------------------------------------------------------------------ what is shown when


def test_text_grows_and_all_else_is_whole() -> None:
    root = place(record(a=TEXT, b={"enum": ["pay", "pay_later"]}, c=INTEGER, d=TRUTH, e=NUMBER))
    text = '{"a": "hi", "b": "pay_later", "c": 12, "d": true, "e": 1.5}'
    assert shown(root, text) == [
        {"a": ""},
        {"a": "h"},
        {"a": "hi"},
        {"a": "hi", "b": "pay_later"},
        {"a": "hi", "b": "pay_later", "c": 12},
        {"a": "hi", "b": "pay_later", "c": 12, "d": True},
        {"a": "hi", "b": "pay_later", "c": 12, "d": True, "e": 1.5},
    ]


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        (INTEGER, "12"),
        (NUMBER, "1.5"),
        (NUMBER, "-1e5"),
        (TRUTH, "true"),
        ({"enum": ["a", "ab"]}, '"a'),
        ({"type": "string", "format": "date"}, '"2024-01-3'),
        ({"anyOf": [{"enum": ["a"]}, TEXT]}, '"a'),
        ({"type": ["string", "null"], "enum": ["nu"]}, "nu"),
    ],
)
def test_what_is_not_whole_is_not_shown(shape: dict[str, Any], text: str) -> None:
    assert last(place(record(x=shape)), f'{{"x": {text}') is ABSENT


@pytest.mark.parametrize(
    ("shape", "text"),
    [(INTEGER, '"7"'), (TRUTH, "1"), (TEXT, "5"), ({"enum": ["a"]}, '"b"'), (NUMBER, "null")],
)
def test_what_does_not_fit_is_not_shown(shape: dict[str, Any], text: str) -> None:
    assert last(place(record(x=shape)), f'{{"x": {text}, "y": 1}}') is ABSENT


def test_lists_and_records_are_there_when_they_begin() -> None:
    assert [str(found) for found in shown(NODE, '{"value": 1, "kids": [{"value": 2}]}')] == [
        "value=1 kids=None",
        "value=1 kids=[]",
        "value=1 kids=[NodePartial(value=None, kids=None)]",
        "value=1 kids=[NodePartial(value=2, kids=None)]",
    ]


def test_an_item_that_cannot_be_shown_hides_those_behind_it() -> None:
    root = place(record(x={"type": "array", "items": INTEGER}))
    for sizes in (1, 1000):
        assert last(root, '{"x": [1, "two", 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]}', sizes) == {
            "x": [1]
        }


def test_a_partial_is_kept_as_it_was() -> None:
    found = shown(NODE, '{"value": 1, "kids": [{"value": 2, "kids": []}, {"value": 3}]}')
    assert [len(one.kids or ()) for one in found] == [0, 0, 1, 1, 1, 2, 2]
    assert isinstance(found[-1].kids[0], golden.NodePartial)
    assert found[-1].model_dump(exclude_unset=True) == {
        "value": 1,
        "kids": [{"value": 2, "kids": []}, {"value": 3}],
    }


def test_an_option_is_shown_when_it_is_the_only_one_left() -> None:
    kinds = {
        "Cat": record(kind={"enum": ["cat"]}, name=TEXT),
        "Dog": record(kind={"enum": ["dog"]}, name=TEXT, tail=INTEGER),
    }
    pets = {"anyOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}]}
    root = place(record(x={"type": "array", "items": pets}), **kinds)
    found = shown(root, '{"x": [{"name": "Rex", "kind": "dog"}, {"tail": 3, "name": "Bo"}]}')
    assert found == [
        {"x": []},
        {"x": [{"name": "Rex", "kind": "dog"}]},
        {"x": [{"name": "Rex", "kind": "dog"}, {}]},
        {"x": [{"name": "Rex", "kind": "dog"}, {"tail": 3}]},
        {"x": [{"name": "Rex", "kind": "dog"}, {"tail": 3, "name": ""}]},
        {"x": [{"name": "Rex", "kind": "dog"}, {"tail": 3, "name": "B"}]},
        {"x": [{"name": "Rex", "kind": "dog"}, {"tail": 3, "name": "Bo"}]},
    ]


def test_classes_are_made_of_what_is_whole() -> None:
    class Money(BaseModel):
        amount: int

    class Part(BaseModel):
        day: date | None = None
        price: Money | None = None

    root = place(
        record(day={"type": "string", "format": "date"}, price=record(amount=INTEGER)), Part
    )
    found = shown(root, '{"day": "2024-01-31", "price": {"amount": 5}}')
    assert found == [
        Part(day=date(2024, 1, 31)),
        Part(day=date(2024, 1, 31), price=Money(amount=5)),
    ]


def test_a_schema_of_its_own_is_open() -> None:
    own = {"type": "object", "properties": {"a": TEXT}, "x-aigen-shape": True}
    assert last(place(record(x=own)), '{"x": {"b": 1, "a": "t') == {"x": {"a": "t"}}


# ------------------------------------------------------------------------ what models write


@pytest.mark.parametrize(
    "text",
    [
        'Here it is: {"a": "x", "n": 1}. Good luck!',
        '```json\n{"a": "x", "n": 1}\n```',
        "{a: 'x', n: 1}",
        '{"a": "x", "n": 1,}',
        '{"a": "x", // words\n "n": /* one */ 1}',
        'Use {braces} or {"other": {"a": "no"}}: {"a": "x", "n": 1}',
        '<think>{"a": "no", "n": 2}</think>{"a": "x", "n": 1}',
        '{"more": [1, {"a": "no"}], "a": "x", "n": 1}',
        '{} {"a": "x", "n": 1}',
    ],
)
def test_the_answer_is_found_in_a_text(text: str) -> None:
    root = place(record(a=TEXT, n=INTEGER))
    for sizes in (1, 3, 1000):
        assert last(root, text, sizes) == {"a": "x", "n": 1}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "x", "a": "y"}', {"a": "x"}),
        ('{"a": "he said "no"", "n": 1}', {"a": "he said "}),
        ('{"a": "x\\q", "n": 1}', {"a": "x"}),
        ('{"a": "x" "n": 1}', {"a": "x"}),
        ('{"a": "x", "n": 01}', {"a": "x"}),
        ('{"a": "x", "n": NaN}', {"a": "x"}),
        ('{"a": "\\ud83d', {"a": ""}),
        ('{"a": "x\\ude00", "n": 1}', {"a": "x"}),
        ('{"a": "x\\ud83d y", "n": 1}', {"a": "x"}),
        ("{" * 5000, ABSENT),
        ('{"a":' * 500, ABSENT),
        ("plain words", ABSENT),
        ("", ABSENT),
    ],
)
def test_where_it_cannot_go_on_it_stops(text: str, value: Any) -> None:
    assert last(place(record(a=TEXT, n=INTEGER)), text) == value


@pytest.mark.parametrize("size", [1, 3, 7, 100])
@pytest.mark.parametrize("half", ["\\ude00", "\\ud83d", "\\ud83d\\ud83d"])
def test_half_a_pair_takes_nothing_back(half: str, size: int) -> None:
    open_map = place({"type": "object", "additionalProperties": TEXT})
    for root in (open_map, place(record(a=TEXT, b=TEXT))):
        found = shown(root, f'{{"a": "x", "b": "y{half} z", "c": "d"}}', size)
        for earlier, later in pairwise(found):
            assert has_grown(earlier, later), (earlier, later)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 11, 100])
def test_escapes_are_read_wherever_they_are_cut(size: int) -> None:
    value = {"a": 'quote " back \\ line \n pair 😀 é \u2028 tab \t'}
    for ascii_only in (True, False):
        text = json.dumps(value, ensure_ascii=ascii_only)
        found = shown(place(record(a=TEXT)), text, size)
        assert found[-1] == value
        assert all(value["a"].startswith(one["a"]) for one in found)


def test_text_alone_has_no_white_space_round_it() -> None:
    for trimmed, wanted in ((True, "a \n b"), (False, "  a \n b \n")):
        growing = GrowingText(trimmed)
        found = [growing.shown() for piece in "  a \n b \n" if growing.feed(piece)]
        assert found[-1] == wanted
        assert all(wanted.startswith(one) for one in found)


def test_thoughts_before_a_text_are_not_shown() -> None:
    growing = GrowingText(True)
    assert not any(growing.feed(piece) for piece in "<think>well</think>")
    growing = GrowingText(True)
    assert [growing.feed(piece) for piece in "<b>"] == [False, True, True]


# ------------------------------------------------------------------------ never taken back

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def shape_of(value: Any) -> dict[str, Any]:
    """A shape that a value fits, as exact as such values allow."""
    match value:
        case dict():
            return record() | {
                "properties": {name: shape_of(inner) for name, inner in value.items()}
            }
        case list():
            shapes = [shape_of(item) for item in value]
            same = all(shape == shapes[0] for shape in shapes)
            return {"type": "array", "items": shapes[0] if shapes and same else {}}
        case bool():
            return TRUTH
        case int():
            return INTEGER
        case float():
            return NUMBER
        case str():
            return {"enum": [value, value + "x"]} if len(value) % 3 == 2 else TEXT
    return {"type": "null"}


@settings(max_examples=300, deadline=None)
@given(
    st.dictionaries(st.text(max_size=5), json_values, min_size=1, max_size=5),
    st.lists(st.integers(1, 9), min_size=1, max_size=5),
    st.booleans(),
    st.sampled_from([(",", ":"), (", ", ": "), (" ,\n", " :\t")]),
    st.sampled_from(["", "```json\n", "Here: "]),
)
def test_any_reply_in_any_pieces_only_grows(
    value: dict[str, Any], sizes: list[int], ascii_only: bool, marks: Any, before: str
) -> None:
    text = before + json.dumps(value, ensure_ascii=ascii_only, separators=marks)
    found = shown(place(shape_of(value)), text, sizes)
    for earlier, later in pairwise(found):
        assert has_grown(earlier, later), (earlier, later)
    assert found[-1] == value


pets = st.fixed_dictionaries({"kind": st.just("cat"), "lives": st.integers()}) | st.just(
    {"kind": "dog"}
)
everything = st.fixed_dictionaries(
    {},
    optional={
        "text": st.text(min_size=1, max_size=80),
        "number": st.integers(-9, 9).map(lambda number: number / 2),
        "day": st.dates().map(str),
        "amount": st.decimals(allow_nan=False, allow_infinity=False, places=2).map(str),
        "key": st.uuids().map(str),
        "any": json_values,
        "tags": st.lists(st.text(), min_size=1, max_size=3, unique=True),
        "pair": st.tuples(st.integers(), st.text()),
        "many": st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=4),
        "table": st.dictionaries(st.text(), st.integers(), max_size=3),
        "pet": pets,
        "unit": st.sampled_from(["c", "f", "title"]),
        "priority": st.sampled_from([1, 2, 3]),
        "absent": st.none() | st.integers(),
        "levels": st.lists(st.text(), max_size=3),
        "flag": st.sampled_from([1, "one", True]),
    },
)


@settings(max_examples=200, deadline=None)
@given(everything.filter(bool), st.lists(st.integers(1, 30), min_size=1, max_size=5))
def test_a_model_only_grows(value: dict[str, Any], sizes: list[int]) -> None:
    text = json.dumps(value)
    found = shown(EVERYTHING, text, sizes)
    for earlier, later in pairwise(found):
        assert has_grown(earlier, later), (earlier, later)
    whole = EVERYTHING.whole(json.loads(text))
    if found:
        assert has_grown(found[-1], whole) and has_grown(whole, found[-1])
    else:
        # Nothing but null, and what has no class of its own.
        assert not whole.model_dump(exclude_none=True)
    again = golden.EverythingPartial.model_validate_json(text)
    assert whole.model_dump() == again.model_dump()


def test_growth_is_told_from_change() -> None:
    Node = golden.NodePartial
    grown = [(None, 1), ("a", "ab"), ([1], [1, 2]), ({"a": "x"}, {"a": "xy", "b": 1})]
    grown += [(Node(value=1), Node(value=1, kids=[])), ([None], [Node()])]
    changed = [(1, 2), ("a", "b"), ([1, 2], [1]), ([1], [2]), ({"a": 1}, {}), (1, "1")]
    changed += [(Node(value=1), Node(value=2)), (Node(kids=[]), Node())]
    assert all(has_grown(*pair) for pair in grown)
    assert not any(has_grown(*pair) for pair in changed)


# ------------------------------------------------------------------------ what it costs


class _Counting(Growing):
    """Counts the characters that are read."""

    def flush(self) -> bool:
        looked = super().flush()
        self.count = getattr(self, "count", 0) + 1
        return looked


@pytest.mark.parametrize("marks", [(",", ":"), (", ", ": ")])
def test_a_long_reply_is_looked_at_a_bounded_number_of_times(marks: Any) -> None:
    value = {"a": "word " * 60_000, "n": 1}
    text = json.dumps(value, separators=marks)
    growing = _Counting(place(record(a=TEXT, n=INTEGER)))
    partials = 0
    for start in range(0, len(text), 4):
        partials += growing.feed(text[start : start + 4])
    growing.flush()
    assert growing.shown() == value
    assert 100 < partials <= growing.count < 3000


def test_the_work_is_linear() -> None:
    def seconds(items: int) -> float:
        text = json.dumps({"x": [{"a": "word", "n": number} for number in range(items)]})
        root = place(record(x={"type": "array", "items": record(a=TEXT, n=INTEGER)}))
        began = time.process_time()
        assert len(last(root, text, 4)["x"]) == items
        return time.process_time() - began

    seconds(500)
    # Reading all of it at each piece would take 64 times as long.
    assert seconds(16_000) < 30 * max(seconds(2_000), 0.02)


def test_the_work_is_linear_where_many_items_hold_one_that_is_damaged() -> None:
    def seconds(items: int) -> float:
        good = json.dumps([{"a": "word", "n": number} for number in range(items)])
        text = f"""{{"x": {good[:-1]}, {{'a': 'word'}}]}}"""
        root = place(record(x={"type": "array", "items": record(a=TEXT, n=INTEGER)}))
        began = time.process_time()
        assert len(last(root, text, len(text))["x"]) == items + 1
        return time.process_time() - began

    seconds(500)
    assert seconds(16_000) < 30 * max(seconds(2_000), 0.02)


def test_a_long_text_is_looked_at_a_bounded_number_of_times() -> None:
    text, growing = "word, " * 60_000, GrowingText(True)
    partials = sum(growing.feed(text[at : at + 4]) for at in range(0, len(text), 4))
    growing.flush()
    assert growing.shown() == text.rstrip()
    assert 100 < partials < 3000


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_an_answer_inside_what_was_none_is_found_however_it_comes(size: int) -> None:
    root = place(record(a=TEXT, n=INTEGER))
    for text in ('{"other": {"a": "x", "n": 1} oops', '{"other": [{"a": "x", "n": 1}, oops }'):
        assert last(root, text, size) == {"a": "x", "n": 1}


@pytest.mark.parametrize(
    ("before", "after", "grown"),
    [
        ({"a": None}, {}, False),
        ({"a": None}, {"a": 1}, True),
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ([1, 2], [1], False),
        ([1], [1, 2], True),
        ("ab", "abc", True),
        ("ab", "a", False),
        ("1", 1, False),
        (1, 2, False),
        ([{"a": "x"}], [{"a": "y"}], False),
    ],
)
def test_what_has_grown(before: Any, after: Any, grown: bool) -> None:
    assert has_grown(before, after) is grown


# ------------------------------------------------------------------------ events of a stream


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.text(st.characters(exclude_characters="\r\n", codec="utf-8")), max_size=5),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.lists(st.integers(1, 9), min_size=1, max_size=4),
)
def test_events_are_split_wherever_they_are_cut(
    texts: list[str], end: str, sizes: list[int]
) -> None:
    data = f": comment{end}{end}".join(f"id: 1{end}data: {text}{end}{end}" for text in texts)
    raw, decoder, found, at, turn = data.encode(), Decoder(), [], 0, 0
    while at < len(raw):
        size = sizes[turn % len(sizes)]
        found += decoder.feed(raw[at : at + size])
        at, turn = at + size, turn + 1
    assert [one.decode() for one in found + decoder.end()] == texts


def test_a_line_that_is_cut_inside_its_end_is_one_line() -> None:
    decoder = Decoder()
    assert decoder.feed(b"data: a\r") == []
    assert decoder.feed(b"\ndata: b\r\n\r\n") == [b"a\nb"]


def test_an_event_of_several_lines_is_one() -> None:
    decoder = Decoder()
    assert decoder.feed(b"data: a\ndata:b\nevent: x\n\ndata: c") == [b"a\nb"]
    assert decoder.end() == [b"c"]
