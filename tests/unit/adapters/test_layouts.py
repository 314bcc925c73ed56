"""Replies as models write them, in each layout: what is read, what is mended, what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from aigen.runtime.wire.adapters import ways
from aigen.runtime.wire.form import form_of
from aigen.runtime.wire.messages import Reply, ToolCall
from aigen.runtime.wire.reply import Unreadable


def definition(*outputs: tuple[str, Any]) -> Any:
    return {
        "format": 1,
        "layout": 1,
        "name": "f",
        "module": "m",
        "description": "",
        "inputs": [{"name": "message", "shape": {"type": "string"}}],
        "outputs": [{"name": name, "shape": shape} for name, shape in outputs],
        "ids": {"interface": "", "version": ""},
    }


TEXT, TRUTH = {"type": "string"}, {"type": "boolean"}
TWO = form_of(definition(("summary", TEXT), ("urgent", TRUTH)), False, ())
ONE = form_of(definition(("result", {"enum": ["happy", "sad"]})), False, ())
NOTE = form_of(definition(("result", {"anyOf": [{"type": "string"}, {"type": "null"}]})), False, ())
COUNT = form_of(
    definition(("result", {"anyOf": [{"type": "integer"}, {"type": "null"}]})), False, ()
)
GOOD = {"summary": "s", "urgent": True}


def reading(way: str, form: Any, text: str, repair: bool = True) -> Any:
    return ways.read(way, form, Reply(text), repair, None)


@pytest.mark.parametrize(
    ("text", "repairs"),
    [
        ("<summary>s</summary><urgent>true</urgent>", ()),
        ("<summary>\ns\n</summary>\n<urgent>\ntrue\n</urgent>\n", ()),
        ("<urgent> true </urgent>\n\n<summary> s </summary>", ()),
        ("<summary lang=\"en\" note='a > b'>s</summary><urgent >true</urgent >", ()),
        ("<summary><![CDATA[s]]></summary><urgent>true</urgent>", ()),
        ("<summary>&#115;</summary><urgent>true</urgent>", ()),
        ("<summary>&#x73;</summary><urgent>true</urgent>", ()),
        ("<summary>s</summary><summary>s</summary><urgent>true</urgent>", ()),
        ("Sure!\n<summary>s</summary><urgent>true</urgent>", ("text around the tags removed",)),
        (
            "```xml\n<reply><summary>s</summary><urgent>true</urgent></reply>\n```",
            ("text around the tags removed",),
        ),
        ("<summary>s</summary>\n<urgent>true\n", ("<urgent> closed",)),
        (
            "<think><summary>t</summary></think><summary>s</summary><urgent>true</urgent>",
            ("thoughts before the answer removed",),
        ),
    ],
)
def test_tags(text: str, repairs: tuple[str, ...]) -> None:
    found = reading("xml", TWO, text)
    assert (found.outputs, found.repairs) == (GOOD, repairs)
    if repairs:
        with pytest.raises(Unreadable, match="not in its form"):
            reading("xml", TWO, text, repair=False)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "holds no <summary>"),
        ("summary: s", "holds no <summary>"),
        ("<summary>s<urgent>true</urgent>", "<summary> is not closed"),
        ("<summary>a <summary> b</summary><urgent>true</urgent>", "<summary> is not closed"),
        ("<summary>s</summary>", "urgent"),
        ("<summary>s</summary><summary>t</summary><urgent>true</urgent>", "stands twice"),
        ("<summary>s</summary><urgent>perhaps</urgent>", "urgent should be true or false"),
        ("<summary>s</summary><urgent></urgent>", "urgent should be true or false"),
    ],
)
def test_tags_that_cannot_be_read(text: str, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        reading("xml", TWO, text)


def test_what_is_inside_a_tag_stays() -> None:
    inside = "if a<b && c: <p class='x'>Tom & Jerry</p> <urgent>no</urgent> ]]> <!-- x -->"
    text = f"<summary>{inside}</summary><urgent>true</urgent>"
    assert reading("xml", TWO, text).outputs["summary"] == inside
    nested = "<summary>a <summary>b</summary> c</summary><urgent>true</urgent>"
    assert reading("xml", TWO, nested).outputs["summary"] == "a <summary>b</summary> c"
    hidden = "<summary><![CDATA[</summary> &lt;]]> &lt;</summary><urgent>true</urgent>"
    assert reading("xml", TWO, hidden).outputs["summary"] == "</summary> &lt; <"
    surrogate = "<summary>&#55357; &#9999999;</summary><urgent>true</urgent>"
    assert reading("xml", TWO, surrogate).outputs["summary"] == "&#55357; &#9999999;"


@pytest.mark.parametrize(
    ("form", "text", "value"),
    [
        (NOTE, "<result>null</result>", None),
        (NOTE, '<result>"null"</result>', "null"),
        (NOTE, "<result>5</result>", "5"),
        (NOTE, "<result>so it is</result>", "so it is"),
        (NOTE, "<result/>", ""),
        (COUNT, "<result>5</result>", 5),
        (COUNT, "<result>null</result>", None),
        (ONE, '<result>"happy"</result>', "happy"),
        (ONE, "<result>\n  happy\n</result>", "happy"),
    ],
)
def test_values_by_their_type(form: Any, text: str, value: Any) -> None:
    assert reading("xml", form, text, repair=False).outputs == {"result": value}
    heading = text.replace("<result>", "[[ ## result ## ]]\n").replace("</result>", "\n\n")
    if "<" not in heading:
        whole = heading + "[[ ## completed ## ]]"
        assert reading("chat", form, whole, repair=False).outputs == {"result": value}


@pytest.mark.parametrize("way", ["xml", "chat"])
def test_the_one_output_may_stand_alone(way: str) -> None:
    found = reading(way, ONE, " happy\n")
    assert found.outputs == {"result": "happy"}
    assert found.repairs[0].startswith("read without ")
    with pytest.raises(Unreadable):
        reading(way, ONE, "happy, or sad</result>\n[[ ## result ## ")
    with pytest.raises(Unreadable):
        reading(way, ONE, "happy", repair=False)


HEAD = "[[ ## summary ## ]]\ns\n\n[[ ## urgent ## ]]\ntrue\n\n"


@pytest.mark.parametrize(
    ("text", "repairs"),
    [
        (f"{HEAD}[[ ## completed ## ]]", ()),
        ("[[##summary##]] s\n[[ ## urgent ## ]] true\n[[ ## completed ## ]]\n", ()),
        (HEAD, ("completed added",)),
        (
            f"Sure!\n{HEAD}[[ ## completed ## ]]\nI hope this helps.",
            ("text around the sections removed",),
        ),
        (f"[[ ## message ## ]]\nm\n\n{HEAD}[[ ## completed ## ]]", ("dropped message",)),
        (
            f"<think>[[ ## summary ## ]]</think>\n{HEAD}[[ ## completed ## ]]",
            ("thoughts before the answer removed",),
        ),
        (
            f"{HEAD}[[ ## completed ## ]]\n[[ ## summary ## ]]\nanother",
            (),
        ),
    ],
)
def test_sections(text: str, repairs: tuple[str, ...]) -> None:
    found = reading("chat", TWO, text)
    assert (found.outputs, found.repairs) == (GOOD, repairs)
    if repairs:
        with pytest.raises(Unreadable, match="not in its form"):
            reading("chat", TWO, text, repair=False)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", r"holds no \[\[ ## summary ## \]\]"),
        ("[[ ## summary ## ]]\ns", "urgent"),
        (f"{HEAD}[[ ## summary ## ]]\nt", "stands twice"),
        (HEAD.replace("true", "perhaps"), "urgent should be true or false"),
    ],
)
def test_sections_that_cannot_be_read(text: str, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        reading("chat", TWO, text)


def test_headings_of_no_field_are_text() -> None:
    text = "[[ ## summary ## ]]\na\n[[ ## else ## ]]\nb\n\n[[ ## urgent ## ]]\ntrue\n\n"
    found = reading("chat", TWO, f"{text}[[ ## completed ## ]]")
    assert found.outputs["summary"] == "a\n[[ ## else ## ]]\nb"


def called(*arguments: str, name: str = "answer", text: str | None = None) -> Reply:
    calls = tuple(ToolCall(f"c{place}", name, each) for place, each in enumerate(arguments))
    return Reply(text, finish="tool_calls", tool_calls=calls)


def test_a_call_of_the_tool() -> None:
    arguments = '{"summary": "s", "urgent": true}'
    found = ways.read("tool", TWO, called(arguments), False, None)
    assert (found.outputs, found.repairs) == (GOOD, ())
    assert ways.read("tool", TWO, called(arguments, arguments), False, None).outputs == GOOD
    spoken = ways.read("tool", TWO, Reply(arguments), True, None)
    assert (spoken.outputs, spoken.repairs) == (GOOD, ("read without a call of answer",))


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (called('{"summary": "s"}'), "urgent"),
        (called("{"), "summary"),
        (called("sorry"), "not JSON|summary|record"),
        (called(""), "empty"),
        (called('{"summary": "s"}', '{"summary": "t"}'), "2 different calls"),
        (called("{}", name="other"), "does not call answer"),
        (Reply(None), "does not call answer"),
    ],
)
def test_calls_that_cannot_be_read(reply: Reply, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        ways.read("tool", TWO, reply, True, None)


@pytest.mark.parametrize("way", ["xml", "chat"])
def test_reading_is_linear_in_the_text(way: str) -> None:
    """Texts that make a careless pattern run for hours are read, or refused, at once."""
    for piece in (
        "<summary ",
        '<summary "',
        "<summary>",
        "<![CDATA[",
        "[[ ## summary ## ]]\n",
        "[[ ",
        "\\",
        "&#1",
        "<summary a='",
        "</summary>",
        "\n\n",
        " ",
    ):
        text = piece * (400_000 // len(piece))
        for whole in (text, f"<summary>{text}", f"[[ ## summary ## ]]{text}"):
            try:
                reading(way, TWO, whole)
            except Unreadable:
                continue


@pytest.mark.parametrize("way", ["strict", "tool_strict"])
def test_null_for_absent_in_the_strict_form(way: str) -> None:
    from aigen.runtime.setting_kinds import Settings
    from aigen.runtime.wire.messages import Target

    line = {
        "type": "object",
        "properties": {"sku": TEXT, "note": TEXT},
        "required": ["sku"],
        "additionalProperties": False,
    }
    form = form_of(definition(("line", line), ("more", TRUTH)), False, ())
    target = Target("custom", "m", "http://127.0.0.1:1/v1")
    request = ways.lay_out(way, form.asked, {"message": "m"}, target, Settings())
    values = {"line": {"sku": "k", "note": None}, "more": True}
    found = ways.read(way, form, ways.as_reply(request, values), False, request.decode)
    assert found.outputs == {"line": {"sku": "k"}, "more": True}
