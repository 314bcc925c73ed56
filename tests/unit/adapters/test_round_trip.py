"""What a layout writes it reads back, whatever the values are."""

from __future__ import annotations

import json
import string
from collections.abc import Callable
from typing import Any

import pytest
from aigen.runtime import AIFunction
from aigen.runtime.testing import scripted
from aigen.runtime.wire.adapters import chat, ways, xml
from aigen.runtime.wire.adapters.text import as_text, from_text, only_text
from aigen.runtime.wire.form import form_of
from aigen.runtime.wire.messages import Reply
from aigen.runtime.wire.reply import Unreadable
from hypothesis import given, settings
from hypothesis import strategies as st

SHAPES: dict[str, Any] = {
    "words": {"type": "string"},
    "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    "either": {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "boolean"}]},
    "count": {"type": "integer"},
    "share": {"type": "number"},
    "urgent": {"type": "boolean"},
    "level": {"enum": ["high", "low", '"odd"', "null", "</level>", "[[ ## level ## ]]"]},
    "mixed": {"enum": ["1", 1, "null", None, True]},
    "tags": {"type": "array", "items": {"type": "string"}},
    "lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}},
    "anything": {},
    "completed": {"type": "string"},
}
DEFS = {
    "Line": {
        "type": "object",
        "properties": {"sku": {"type": "string"}, "more": {"type": "string"}},
        "required": ["sku"],
        "additionalProperties": False,
    }
}
DEFINITION: Any = {
    "format": 1,
    "layout": 1,
    "name": "all",
    "module": "m",
    "description": "",
    "inputs": [{"name": "text", "shape": {"type": "string"}}],
    "outputs": [{"name": name, "shape": shape} for name, shape in SHAPES.items()],
    "$defs": DEFS,
    "ids": {"interface": "", "version": ""},
}
FORM = form_of(DEFINITION, False, ())
REASONED = form_of(DEFINITION, True, ())

# Pieces that layouts are made of, so that chance puts them together.
PIECES = st.sampled_from(
    [
        *(f"<{name}>" for name in ("words", "note", "text", "lines")),
        *("</words>", "</note>", "<words/>", '<words lang="en">', "<words", "</words "),
        *("<![CDATA[", "]]>", "&lt;", "&amp;", "&amp;lt;", "&#60;", "&#x3c;", "&", "<", ">"),
        *("[[ ## words ## ]]", "[[ ## completed ## ]]", "\\[[ ## words ## ]]", "[[##", "\\"),
        *("\n", "\n\n", "\r\n", "\r", " ", "\t", "```", "```json\n", "{", "}", '"', "'", "null"),
        *(
            "true",
            "5",
            "<think>",
            "</think>",
            "é",
            "\u2028",
            "😀",
            "\x00",
            "{{ text }}",
            "{% if %}",
        ),
    ]
)
TEXTS = st.one_of(
    st.lists(PIECES, max_size=8).map("".join),
    st.text(max_size=20),
    st.text(string.printable, max_size=20),
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
LINES = st.lists(st.fixed_dictionaries({"sku": TEXTS}, optional={"more": TEXTS}), max_size=3)
VALUES = st.fixed_dictionaries(
    {
        "words": TEXTS,
        "note": TEXTS | st.none(),
        "either": TEXTS | st.integers() | st.booleans(),
        "count": st.integers(),
        "share": st.floats(allow_nan=False, allow_infinity=False),
        "urgent": st.booleans(),
        "level": st.sampled_from(SHAPES["level"]["enum"]),
        "mixed": st.sampled_from(SHAPES["mixed"]["enum"]),
        "tags": st.lists(TEXTS, max_size=3),
        "lines": LINES,
        "anything": JSON,
        "completed": TEXTS,
    }
)


def same(one: Any, other: Any) -> bool:
    """Equal as JSON: true is no 1."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


@pytest.mark.parametrize("way", ways.WAYS)
@given(values=VALUES)
@settings(max_examples=150, deadline=None)
def test_any_answer_is_read_as_it_was_written(way: str, values: dict[str, Any]) -> None:
    request = request_of(way, DEFINITION)
    reply = ways.as_reply(request, values)
    found = ways.read(way, FORM, reply, False, None)
    assert same(found.outputs, values)
    assert found.repairs == ()


@pytest.mark.parametrize("way", ways.WAYS)
@given(values=VALUES, reasoning=TEXTS)
@settings(max_examples=30, deadline=None)
def test_reasoning_is_read_beside_the_answer(
    way: str, values: dict[str, Any], reasoning: str
) -> None:
    request = request_of(way, REASONED.asked)
    reply = ways.as_reply(request, {"reasoning": reasoning, **values})
    found = ways.read(way, REASONED, reply, False, None)
    assert same(found.outputs, values)
    assert found.added == {"reasoning": reasoning}


@pytest.mark.parametrize("way", ["tool", "xml", "chat"])
@given(text=TEXTS)
@settings(max_examples=150, deadline=None)
def test_one_text_is_read_as_it_was_written(way: str, text: str) -> None:
    one: Any = {**DEFINITION, "outputs": [{"name": "result", "shape": {"type": "string"}}]}
    reply = ways.as_reply(request_of(way, one), {"result": text})
    assert ways.read(way, form_of(one, False, ()), reply, False, None).outputs == {"result": text}


@given(text=TEXTS, way=st.sampled_from(list(ways.WAYS)))
@settings(max_examples=200, deadline=None)
def test_an_input_stands_in_its_message_alone(text: str, way: str) -> None:
    lay_out = ways.WAYS[way].lay_out
    laid, other = lay_out(DEFINITION, {"text": text}), lay_out(DEFINITION, {"text": "t"})
    assert laid.messages[:-1] == other.messages[:-1]
    assert (laid.held, laid.tool) == (other.held, other.tool)
    if way not in ("xml", "chat"):
        assert laid.messages[-1].content == f"<text>\n{text}\n</text>"


@given(text=TEXTS)
@settings(max_examples=300, deadline=None)
def test_an_input_cannot_end_its_label(text: str) -> None:
    two: Any = {**DEFINITION, "inputs": [*DEFINITION["inputs"], {"name": "words", "shape": {}}]}
    for way, parts in (("xml", xml_parts), ("chat", chat_parts)):
        (_, user) = ways.WAYS[way].lay_out(two, {"text": text, "words": "w"}).messages
        assert parts(user.content) == {"text": text, "words": "w"}


def xml_parts(content: Any) -> Any:
    return dict(xml.tags_in(content, ["text", "words"]).texts)


def chat_parts(content: Any) -> Any:
    # What an input's last section lacks is the heading that ends a reply.
    whole = f"{content}\n\n[[ ## completed ## ]]"
    return dict(chat.sections_in(whole, ["text", "words"], []).texts)


@given(text=TEXTS, way=st.sampled_from(list(ways.WAYS)))
@settings(max_examples=500, deadline=None)
def test_any_text_is_an_answer_or_unreadable(text: str, way: str) -> None:
    """Whatever a model writes: outputs that fit, or the one error that says why not."""
    try:
        found = ways.read(way, FORM, Reply(text), True, None)
    except Unreadable as problem:
        assert problem.reason
    else:
        assert FORM.reader.judge.fits(found.outputs) is None


@given(value=JSON, name=st.sampled_from(list(SHAPES)))
@settings(max_examples=500, deadline=None)
def test_one_value_as_text(value: Any, name: str) -> None:
    from aigen.runtime.values import fits

    shape = SHAPES[name]
    if fits(value, shape, DEFS) is None:
        assert same(from_text(as_text(value, shape, DEFS), shape, DEFS), value)


@pytest.mark.parametrize(
    ("shape", "only"),
    [
        ({"type": "string"}, True),
        ({"type": "string", "format": "date"}, True),
        ({"$ref": "#/$defs/Word"}, True),
        ({"$ref": "#/$defs/Again"}, False),
        ({"enum": ["a", "b"]}, True),
        ({"enum": ["a", 1]}, False),
        ({"const": "a"}, True),
        ({"anyOf": [{"type": "string"}, {"enum": ["a"]}]}, True),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, False),
        ({"type": ["string", "null"]}, False),
        ({}, False),
        (True, False),
    ],
)
def test_which_types_are_only_texts(shape: Any, only: bool) -> None:
    defs: Any = {"Word": {"type": "string"}, "Again": {"$ref": "#/$defs/Again"}}
    assert only_text(shape, defs) is only


def request_of(way: str, definition: Any) -> Any:
    from aigen.runtime.setting_kinds import Settings
    from aigen.runtime.wire.messages import Target

    target = Target("custom", "m", "http://127.0.0.1:1/v1")
    return ways.lay_out(way, definition, {"text": "t"}, target, Settings())


@pytest.mark.parametrize("adapter", ["json", "tool", "prompted", "xml", "chat", "auto"])
@pytest.mark.parametrize("reasoning", [None, "cot", "low"])
def test_a_call_with_every_adapter(
    compiled: Callable[[str], dict[str, AIFunction[Any, Any]]], adapter: str, reasoning: Any
) -> None:
    text = "aigen: 1\nfunctions:\n  f: {formula: a + b ~ x, fields: {b: 'list[int]'}}\n"
    function = compiled(text)["f"].with_options(adapter=adapter, reasoning=reasoning)
    values = {"a": "<a>\n&lt;", "b": [1, 2]}
    said = {"reasoning": "so", **values} if reasoning == "cot" else values
    with scripted([said]) as model:
        assert function(x="1") == values
    effort = model.requests[0].body.get("reasoning_effort")
    assert effort == ("low" if reasoning == "low" else None)
