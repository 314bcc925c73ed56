"""A function's own messages: what its segments write, and that values are never read as any."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from aigen.runtime import AIFunction, Image
from aigen.runtime.errors import ConfigurationError
from aigen.runtime.testing import scripted
from aigen.runtime.wire.adapters.prompt import rendered
from aigen.spec.prompts import _Lowering, _parse
from hypothesis import given, settings
from hypothesis import strategies as st

Compile = Callable[[str], dict[str, AIFunction[Any, Any]]]


@dataclass
class Line:
    sku: str
    quantity: int


VALUES: dict[str, Any] = {
    "text": "a <b> {{ text }}",
    "count": 3,
    "zero": 0,
    "share": 5.0,
    "yes": True,
    "no": False,
    "null": None,
    "empty": "",
    "day": date(2026, 1, 31),
    "price": Decimal("1.50"),
    "order": {"id": "A-1", "lines": [{"sku": "k", "quantity": 2}, {"sku": "l", "quantity": 1}]},
    "line": Line("k", 2),
    "words": ["x", "y"],
    "bag": {"b", "a"},
    "places": {"Paris": 1, "Rome": 2},
}


def lowered(source: str) -> Any:
    """A template as the compiler lowers it."""
    from aigen.diagnostics import Span

    return list(_Lowering(lambda at: Span("a", 1, 1, 1, 1)).body(_parse(source), {}, 0))


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("{{ text }}", "a <b> {{ text }}"),
        ("{{ count }} {{ share }} {{ yes }} {{ zero }}", "3 5 true 0"),
        ("[{{ null }}{{ absent }}{{ order.nothing }}{{ count.of }}]", "[]"),
        ("{{ day }} {{ price }}", "2026-01-31 1.50"),
        ("{{ order.id }} {{ line.sku }} {{ order['id'] }}", "A-1 k A-1"),
        ("{{ words }}", '[\n  "x",\n  "y"\n]'),
        ("{{ words | join(', ') }} {{ words | join }} {{ bag | length }}", "x, y xy 2"),
        ("{{ words | tojson }} {{ text | tojson }}", '["x", "y"] "a <b> {{ text }}"'),
        ("{{ null | tojson }} {{ day | tojson }}", 'null "2026-01-31"'),
        ("{{ text | upper }} {{ order.id | lower | upper }}", "A <B> {{ TEXT }} A-1"),
        ("[{{ empty | default('none') }}]", "[]"),
        ("{{ null | default('none') }} {{ absent | default(0) }}", "none 0"),
        ("{{ text | length }} {{ words | length }} {{ null | length }}", "16 2 0"),
        ("{{ order | length }} {{ line | length }} {{ count | length }}", "2 2 1"),
        (
            "{{ count | join('-') }} {{ text | join('-') }} [{{ null | join('-') }}]",
            "3 a <b> {{ text }} []",
        ),
        ("{% for name in line %}{{ name }} {% endfor %}", "sku quantity "),
        ("{% for word in words %}<{{ word }}>{% endfor %}", "<x><y>"),
        ("{% for l in order.lines %}{{ l.sku }}:{{ l.quantity }} {% endfor %}", "k:2 l:1 "),
        ("{% for word in bag %}{{ word }}{% endfor %}", "ab"),
        ("{% for place in places %}{{ place }} {% endfor %}", "Paris Rome "),
        ("{% for word in null %}{{ word }}{% endfor %}", ""),
        (
            "{% for a in words %}{% for b in words %}{{ a }}{{ b }} {% endfor %}{% endfor %}",
            "xx xy yx yy ",
        ),
        ("{% for text in words %}{{ text }}{% endfor %}{{ count }}", "xy3"),
        ("{% if text %}1{% endif %}{% if empty or zero or no or null %}2{% endif %}", "1"),
        ("{% if not empty and yes %}1{% else %}2{% endif %}", "1"),
        ("{% if absent %}1{% elif count == 3 %}2{% else %}3{% endif %}", "2"),
        ("{% if yes == 1 %}1{% endif %}{% if yes == true %}2{% endif %}", "2"),
        ("{% if day == '2026-01-31' %}1{% endif %}{% if text != 'a' %}2{% endif %}", "12"),
        ("{% if text | length == 16 %}1{% endif %}", "1"),
        ("{{ instruction }}!", "Function: f!"),
        ("{# a comment #}{{ count }}", "3"),
    ],
)
def test_what_segments_write(source: str, text: str) -> None:
    assert rendered(lowered(source), VALUES, "Function: f") == text


def test_an_input_called_instruction_is_the_input() -> None:
    assert rendered(lowered("{{ instruction }}"), {"instruction": "mine"}, "ours") == "mine"


@pytest.mark.parametrize(
    "source", ["{% for x in text %}{% endfor %}", "{% for x in count %}{% endfor %}"]
)
def test_a_loop_wants_a_list(source: str) -> None:
    with pytest.raises(ConfigurationError, match="no list") as caught:
        rendered(lowered(source), VALUES, "")
    assert caught.value.code == "prompt"


@given(text=st.text(max_size=30))
@settings(max_examples=200)
def test_a_value_is_never_read_as_a_segment(text: str) -> None:
    hostile = f"{{{{ order.id }}}}{text}{{% if yes %}}"
    said = rendered(
        lowered("<{{ text }}|{{ words | join('-') }}>"),
        {"text": hostile, "words": [hostile, text]},
        "",
    )
    assert said == f"<{hostile}|{hostile}-{text}>"


def test_media_stand_where_they_are_written() -> None:
    picture = Image(b"\x89PNG\r\n\x1a\n")
    body = lowered("See {{ picture }}{% if picture %} and{% endif %} {{ more }}!{{ absent }}")
    said = rendered(body, {"picture": picture, "more": [picture, picture], "none": None}, "")
    assert said == ["See ", picture, " and ", picture, picture, "!"]
    with pytest.raises(ConfigurationError, match="filter upper takes no image"):
        rendered(lowered("{{ picture | upper }}"), {"picture": picture}, "")


SPEC = """\
aigen: 1
functions:
  triage:
    formula: summary + urgent ~ message
    description: Read it.
    fields: {urgent: bool}
    demos:
      - {message: one, summary: s, urgent: true}
    prompt:
"""
OWN = '      - system: "{{ instruction }}"\n      - demos\n      - user: "Say: {{ message }}"\n'


def said(function: Any, adapter: str, **more: Any) -> list[tuple[str, Any]]:
    request = function.with_options(adapter=adapter, model="m", **more).request(message="two")
    return [(each["role"], each.get("content")) for each in request.messages]


def test_the_adapter_says_what_the_reply_is_held_to(compiled: Compile) -> None:
    function = compiled(SPEC + OWN)["triage"]
    instruction = "Function: triage\n\nRead it."
    demo = ("user", "Say: one")
    last = ("user", "Say: two")
    answer = '{"summary": "s", "urgent": true}'
    for adapter in ("auto", "prompt", "json"):
        assert said(function, adapter) == [
            ("system", instruction),
            demo,
            ("assistant", answer),
            last,
        ]
    assert said(function, "tool") == [
        ("system", instruction),
        demo,
        ("assistant", None),
        ("tool", "Taken."),
        ("assistant", "Done."),
        last,
    ]
    for adapter in ("prompted", "xml", "chat"):
        system, first, _, again = said(function, adapter)
        assert system[1].startswith(f"{instruction}\n\nReply with ")
        assert (first, again) == (demo, last)
    with scripted([{"summary": "s", "urgent": False}]) as model:
        assert function(message="two")["urgent"] is False
    assert model.requests[0].body["response_format"]["json_schema"]["strict"] is True


def test_messages_around_demos(compiled: Compile) -> None:
    function = compiled(
        SPEC + '      - user: "{{ message }}?"\n      - assistant: "Go on."\n      - demos\n'
    )["triage"]
    assert said(function, "json") == [
        ("user", "two?"),
        ("assistant", "Go on."),
        ("user", "<message>\none\n</message>"),
        ("assistant", '{"summary": "s", "urgent": true}'),
    ]
    # Where there is no system message, the form is one.
    assert said(function, "xml")[0][0] == "system"
    without = compiled(SPEC + '      - user: "{{ message }}?"\n')["triage"]
    assert said(without, "json") == [("user", "two?")]


def test_one_text_is_the_whole_reply(compiled: Compile) -> None:
    text = "aigen: 1\nfunctions:\n  f:\n    formula: b ~ a\n    prompt:\n      - user: '{{ a }}'\n"
    function = compiled(text)["f"]
    with scripted(["  so it is "]) as model:
        assert function(a="x") == "so it is"
    body = model.requests[0].body
    assert body["messages"] == [{"role": "user", "content": "x"}]
    assert "response_format" not in body


def test_prompt_wants_a_prompt(compiled: Compile) -> None:
    function = compiled("aigen: 1\nfunctions:\n  f: {formula: b ~ a}\n")["f"]
    with scripted([]), pytest.raises(ConfigurationError, match="leave it at auto"):
        function.with_options(adapter="prompt")(a="x")


def test_the_version_is_of_the_text_and_not_of_the_adapter(compiled: Compile) -> None:
    plain = compiled(SPEC.replace("    prompt:\n", ""))["triage"]
    own = compiled(SPEC + OWN)["triage"]
    adapted = compiled(SPEC.replace("    prompt:\n", "    settings: {adapter: xml}\n"))["triage"]
    assert plain.ids == adapted.ids
    assert plain.ids["interface"] == own.ids["interface"]
    assert plain.ids["version"] != own.ids["version"]
