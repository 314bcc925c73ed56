"""A damaged reply that arrives in pieces: what was shown only grows, and the end is the call's."""

from __future__ import annotations

import copy
import json
from itertools import pairwise
from typing import Any

from aigen.runtime import AIFunction
from aigen.runtime.errors import AigenError, ReplyError, StreamError
from aigen.runtime.testing import chunked, scripted
from aigen.runtime.wire.arrival import has_grown
from hypothesis import given, settings
from hypothesis import strategies as st

TEXT, WHOLE = {"type": "string"}, {"type": "integer"}
LEVEL = {"type": "string", "enum": ["low", "very high"]}
PLACE = {
    "type": "object",
    "properties": {"street": TEXT, "floor": WHOLE},
    "required": ["street"],
    "additionalProperties": False,
}
TEXTS = st.sampled_from(["", "it's", 'a "b" \\ c\n', "é😀", "null", "12, {a: 1}]", "```", "// x"])
PLACES = st.fixed_dictionaries({"street": TEXTS}, optional={"floor": st.integers()})
PARTS: list[tuple[dict[str, Any], st.SearchStrategy[Any]]] = [
    (TEXT, TEXTS),
    (WHOLE, st.integers(-(10**20), 10**20)),
    ({"type": "boolean"}, st.booleans()),
    (LEVEL, st.sampled_from(["low", "very high"])),
    (PLACE, PLACES),
    ({"type": "array", "items": TEXT}, st.lists(TEXTS, max_size=3)),
    ({"type": "array", "items": PLACE}, st.lists(PLACES, max_size=3)),
    ({"anyOf": [TEXT, {"type": "null"}]}, TEXTS | st.none()),
    (
        {"type": "object", "additionalProperties": TEXT},
        st.dictionaries(st.sampled_from("ab"), TEXTS),
    ),
    ({}, st.sampled_from([1, "x", None, [1, {"a": 2}]])),
]


def function(shapes: dict[str, Any]) -> AIFunction[Any, Any]:
    definition = {
        "format": 1,
        "name": "read",
        "module": "m",
        "description": "Read it.",
        "inputs": [{"name": "text", "shape": TEXT}],
        "outputs": [{"name": name, "shape": shape} for name, shape in shapes.items()],
        "layout": 1,
        "ids": {"interface": "", "version": ""},
    }
    made = AIFunction[Any, Any](json.dumps(definition), Any, Any)
    return made.with_options(adapter="json", retries=0)


@st.composite
def _replies(draw: st.DrawFn) -> tuple[AIFunction[Any, Any], str]:
    """A function of one to three outputs, and its reply, which may be damaged."""
    parts = draw(st.lists(st.sampled_from(PARTS), min_size=1, max_size=3))
    names = ["result"] if len(parts) == 1 else ["first", "second", "third"][: len(parts)]
    shapes = {name: shape for name, (shape, _) in zip(names, parts, strict=True)}
    values = {name: draw(value) for name, (_, value) in zip(names, parts, strict=True)}
    text = json.dumps(
        values, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 2]))
    )
    at = draw(st.integers(0, len(text)))
    damage = draw(
        st.sampled_from(
            [
                text,
                text[:at] + text[at + 1 :],
                text[:at] + draw(st.sampled_from('{}[]",:\\ a1')) + text[at:],
                text[:at],
                text.replace('"', "'"),
                f"Here it is: {text} Good luck.",
                f"<think>{{}}</think>```json\n{text}\n```",
            ]
        )
    )
    return function(shapes), damage


@settings(max_examples=400, deadline=None)
@given(_replies(), st.sampled_from([1, 3, 50]))
def test_a_damaged_reply_ends_as_in_a_call(
    reply: tuple[AIFunction[Any, Any], str], size: int
) -> None:
    read, text = reply
    wanted: Any = None
    unread = False
    try:
        with scripted([text]):
            wanted = read.apply({"text": "a"})
    except ReplyError:
        unread = True
    found: list[Any] = []
    try:
        with scripted([chunked(text, size)]), read._stream({"text": "a"}) as stream:
            found += (copy.deepcopy(partial) for partial in stream)
            answer = stream.result()
    except AigenError as problem:
        # What was shown already cannot be read in another way.
        assert isinstance(problem, ReplyError) if unread else (isinstance(problem, StreamError))
    else:
        assert not unread
        assert (answer, found[-1]) == (wanted, wanted)
    for earlier, later in pairwise(found):
        assert has_grown(earlier, later), (earlier, later)
