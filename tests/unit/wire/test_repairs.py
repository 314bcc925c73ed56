"""Each repair of a reply by name, what is ambiguous, and what is no repair at all."""

from __future__ import annotations

import json
from typing import Any

import pytest
from aigen.runtime.wire.reply import Reader, Unreadable

TEXT, INTEGER, NUMBER, BOOLEAN, NULL = (
    {"type": name} for name in ("string", "integer", "number", "boolean", "null")
)
PRIORITY = {
    "enum": ["low", "HIGH", "not_sure"],
    "type": "string",
    "description": "low: can wait\nHIGH: burns",
}


def record(*optional: str, **members: Any) -> dict[str, Any]:
    required = [name for name in members if name not in optional]
    return {
        "type": "object",
        "properties": members,
        "required": required,
        "additionalProperties": False,
    }


def listed(item: Any, **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": item, **more}


def one(schema: Any, **defs: Any) -> dict[str, Any]:
    """The schema of a function of one output."""
    return {**record(result=schema), **({"$defs": defs} if defs else {})}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"summary": "s", "urgent": tru}', "a word that is not true, false or null"),
        ('{"summary": "s" "urgent": true}', 'a "," or "}" is missing (line 1, column 17)'),
        ('{"summary": "s", "urgent": true', "it ends too early"),
        ('{"summary": "s",\n"summary": "t", "urgent": true}', 'the key "summary" is there twice'),
        ("Sorry.", "a value is missing, or begins with what no value does"),
    ],
)
def test_why_a_reply_is_no_json_is_said_in_plain_words(text: str, says: str) -> None:
    with pytest.raises(Unreadable) as caught:
        Reader(TRIAGE, text=False).read(text, repair=False)
    assert str(caught.value).startswith("the reply is not JSON: ")
    assert says in str(caught.value)


TRIAGE = record("note", summary=TEXT, urgent=BOOLEAN, note=TEXT)
GOOD = {"summary": "s", "urgent": True}


def read(schema: dict[str, Any], text: str, **more: Any) -> tuple[Any, tuple[str, ...]]:
    reader = Reader(schema, text=False, **more)
    found = reader.read(text)
    assert reader.judge.fits(found.outputs) is None
    clean = reader.clean(text, repair=True)
    if clean is not None and reader.judge.fits(clean[0]) is None:
        assert clean == found  # the quick way says what the slow one says
    return found.outputs, found.repairs


@pytest.mark.parametrize(
    ("text", "repairs"),
    [
        ('```json\n{"summary": "s", "urgent": true}\n```', ["code fence removed"]),
        ('Sure: {"summary": "s", "urgent": true}!', ["text around the JSON removed"]),
        (
            '<think>{"summary": "d", "urgent": false}</think>{"summary": "s", "urgent": true}',
            ["thoughts before the answer removed"],
        ),
        (
            'hm {"summary": "d", "urgent": false}\n</think>\n{"summary": "s", "urgent": true}',
            ["thoughts before the answer removed"],
        ),
        (
            '[1] says {"summary": "s", "urgent": true} [2]',
            ["text around the JSON removed"],
        ),
        ('{"summary": "s", // why\n "urgent": true /* so */}', ["comment removed"]),
        ('{"summary": "s", # why\n "urgent": true}', ["comment removed"]),
        ("{'summary': 's', 'urgent': true}", ["single quotes made double"]),
        ("{“summary”: “s”, „urgent“: true}", ["typographic quotes made plain"]),
        ('{summary: "s", urgent: true}', ["bare key quoted"]),
        ('{"summary": s, "urgent": true}', ["bare value quoted: summary"]),
        ('{"summary": "s", "urgent": true,}', ["trailing comma removed"]),
        ('{"summary": "s",, "urgent": true}', ["extra comma removed"]),
        ('{"summary": "s"\n"urgent": true}', ["missing comma added"]),
        ('{"summary": "s" "urgent": true}', ["missing comma added"]),
        ('{"summary": "s", "urgent": true', ["missing closers added"]),
        (
            '{"urgent": true, "summary": "s',
            ["missing quote added", "missing closers added"],
        ),
        ('{"summary": "s", "urgent": True}', ["literal of another language read: urgent"]),
        ('{"summary": "s", "urgent": "true"}', ["literal read from text: urgent"]),
        ('{"summary": """s""", "urgent": true}', ["triple quotes removed"]),
        ('{"summary": ```\ns\n```, "urgent": true}', ["backticks removed"]),
        ('{"summary": `s`, "urgent": true}', ["backticks removed"]),
        ('{"response": {"summary": "s", "urgent": true}}', ["taken out of 'response'"]),
        ('[{"summary": "s", "urgent": true}]', ["taken out of a list"]),
        ('{"Summary": "s", "urgent": true}', ["key matched by its letters ('Summary'): summary"]),
        ('{"summary": "s", "urgent": true, "why": [1]}', ["dropped why"]),
        ('{"summary": "s", "urgent": true, "note": null}', ["took null for absent note"]),
    ],
)
def test_a_repair_is_named(text: str, repairs: list[str]) -> None:
    assert read(TRIAGE, text) == (GOOD, tuple(repairs))
    clean = Reader(TRIAGE, text=False).clean(text, repair=False)
    assert clean is None or clean[0] != GOOD
    with pytest.raises(Unreadable):
        Reader(TRIAGE, text=False).read(text, repair=False)


@pytest.mark.parametrize(
    ("text", "repairs"),
    [
        ('{"summary": "s", "urgent": true}', ()),
        ('```json\n{"summary": "s", "urgent": true}\n```', ("code fence removed",)),
        (
            '<think>no {"a": 1}</think>\nSo:\n```\n{"summary": "s", "urgent": true}\n```\nBye.',
            (
                "thoughts before the answer removed",
                "code fence removed",
                "text around the JSON removed",
            ),
        ),
    ],
)
def test_clean_json_with_something_around_it_needs_no_judge(text: str, repairs: Any) -> None:
    reader = Reader(TRIAGE, text=False)
    assert reader.clean(text, repair=True) == (GOOD, {}, repairs) == reader.read(text)


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        (INTEGER, "1,200", 1200),
        (INTEGER, "The total is **1,200**.", 1200),
        (NUMBER, '{"result": "$1,200.50"}', 1200.5),
        (NUMBER, '{"result": "1.200,50"}', 1200.5),
        (NUMBER, '{"result": 1_000}', 1000),
        (TEXT, '{"result": 12.50}', "12.50"),
        (BOOLEAN, "Answer: **True**", True),
        (BOOLEAN, "False. The sum of 2 and 2 is not 5.", False),
        (PRIORITY, "HIGH", "HIGH"),
        (PRIORITY, '"HIGH"', "HIGH"),
        (PRIORITY, '{"result": "high!"}', "HIGH"),
        (PRIORITY, "Not sure", "not_sure"),
        (PRIORITY, "burns", "HIGH"),
        (PRIORITY, "HIGH: burns", "HIGH"),
        (PRIORITY, "I'd say the priority is HIGH here.", "HIGH"),
        (PRIORITY, '{"status": "HIGH"}', "HIGH"),
        (PRIORITY, '["HIGH"]', "HIGH"),
        ({"enum": ["señor", "señora"], "type": "string"}, "SENORA", "señora"),
        ({"enum": ["A", "B"], "type": "string"}, "The answer is A.", "A"),
        ({"enum": ["A", "B"], "type": "string"}, "(B)", "B"),
        ({"enum": [1, 2]}, "2", 2),
        (listed(INTEGER), '{"result": 5}', [5]),
        (listed(INTEGER), "5", [5]),
        (listed(record(a=INTEGER)), '{"a": 1}\n{"a": 2}', [{"a": 1}, {"a": 2}]),
        (record(a=INTEGER), "5", {"a": 5}),
        (listed(TEXT), "[hello, wide\n world, 5]", ["hello", "wide\n world", "5"]),
        ({"anyOf": [TEXT, NULL]}, "just words", "just words"),
        ({"anyOf": [NUMBER, TEXT]}, "1 cup of milk", "1 cup of milk"),
        ({"anyOf": [INTEGER, NULL]}, '{"result": None}', None),
        (TEXT, '{"result": "say "yes" now"}', 'say "yes" now'),
        (TEXT, '{"result": "print("a", "b")"}', 'print("a", "b")'),
        (TEXT, "{'result': 'it's so, isn't it'}", "it's so, isn't it"),
        (TEXT, '{"result": "two\nlines"}', "two\nlines"),
        (TEXT, '{"result": """\n    a\n      b\n"""}', "a\n  b"),
        (TEXT, '{"result": ```python\nprint("{")\n```}', 'print("{")'),
        (TEXT, '{"result": {title: string, tags: Tag[]}}', "{title: string, tags: Tag[]}"),
        (TEXT, r'{"result": "C:\dir \'x\' \u00e9 \ud83d\ude00"}', "C:\\dir 'x' é 😀"),
        ({"type": "string", "format": "date"}, '{"result": 2024-01-05}', "2024-01-05"),
        ({}, "{'result': {a: True, b: [1, None, x]}}", {"a": True, "b": [1, None, "x"]}),
        (
            {"type": "object", "additionalProperties": INTEGER},
            '{"result": {a: 1, "b c": "2"}}',
            {"a": 1, "b c": 2},
        ),
    ],
)
def test_what_is_read(schema: Any, text: str, value: Any) -> None:
    outputs, repairs = read(one(schema), text)
    assert outputs == {"result": value}
    assert repairs or text == '{"result": 5}'


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (PRIORITY, "It is not HIGH"),
        (PRIORITY, "It isn't HIGH."),
        (PRIORITY, "HIGH would be wrong"),
        (PRIORITY, "They said HIGH. That is wrong."),
        (PRIORITY, "Is it HIGH?"),
        (PRIORITY, "HIGH or low"),
        (PRIORITY, "Anything but HIGH."),
        (PRIORITY, "If it were HIGH, we would know."),
        (PRIORITY, "urgent"),
        ({"enum": ["A", "B"], "type": "string"}, "A customer complains"),
        ({"anyOf": [{"enum": ["a1"]}, {"enum": ["b1"]}]}, "It is a1. Saying b1 would be wrong."),
        (BOOLEAN, "true or false"),
        (BOOLEAN, '{"result": "yes"}'),
        (BOOLEAN, '{"result": 1}'),
        (INTEGER, "3/4"),
        (INTEGER, "not 5"),
        (INTEGER, "5 or 6"),
        (INTEGER, '{"result": "5 thousand"}'),
        (INTEGER, '{"result": 2.5}'),
        (INTEGER, '{"result": "50%"}'),
        (TEXT, '{"result": null}'),
        (TEXT, '{"result": true}'),
        (TEXT, '{"result": {"a": 1}}'),
        (TEXT, '{"result": '),
        ({"anyOf": [TEXT, NULL]}, "None"),
        ({"anyOf": [TEXT, NULL]}, '{"result": "a "b" c", "x}'),
        (listed(INTEGER), '{"result": null}'),
        (listed(INTEGER), '{"result": [1, "x"]}'),
        (listed(INTEGER), "[1] or [2]"),
        (listed(INTEGER, minItems=2), "5"),
        (record(a=TEXT), "just words"),
        (record(a=record(b=TEXT)), '{"a": "words"}'),
        (record("b", a=TEXT, b=TEXT), '{"a": "x, "b": "y"}'),
        (record(a=INTEGER), '<think>say {"a": 1}'),
        (record("a", a=TEXT), '{"b": "c"}'),
        (record(a=INTEGER), '{"a": 1} or {"a": 2,}'),
        (record(a=INTEGER, b=record("c", c=INTEGER)), '{"a": 1, "b": {"c":'),
        (record("b", a=TEXT, b=TEXT), '{"a": "say "x", "b": "y" now"}'),
        (record(a=TEXT), '{"a": "if (x == "a") { y = "b"} else"}'),
        (listed(TEXT), '["say "yes", "no" now", "z"]'),
        (listed(TEXT), '["she said "no", "yes" or "maybe"?", "b"]'),
        (record("a", a=TEXT), '{"a": "x", "a": "y",}'),
        (record("a", a=TEXT), '{"A": "x", "a": "y"}'),
        (record("a_b", a_b=TEXT), '{"ab": "x", "a-b": "y"}'),
    ],
)
def test_nothing_is_guessed(schema: Any, text: str) -> None:
    with pytest.raises(Unreadable):
        Reader(one(schema), text=False).read(text)


def test_the_fewest_changes_win() -> None:
    options = [record(a=INTEGER, b=INTEGER), record(a=INTEGER)]
    outputs, repairs = read(one({"anyOf": options}), '{"result": {"a": 1, "b": 2, "c": 3}}')
    assert outputs == {"result": {"a": 1, "b": 2}}
    assert repairs == ("dropped result.c",)
    outputs, _ = read(TRIAGE, '{"summary": "d"} then {"summary": "s", "urgent": true}')
    assert outputs == GOOD


def test_two_options_of_equal_cost_are_ambiguous() -> None:
    options = [record("b", a=INTEGER, b=INTEGER), record("c", a=INTEGER, c=INTEGER)]
    with pytest.raises(Unreadable, match="two ways"):
        Reader(one({"anyOf": options}), text=False).read('{"result": {"a": 1, "b": 2, "c": 3}}')


def test_different_answers_are_counted() -> None:
    text = " or ".join(json.dumps({"summary": word, "urgent": True}) for word in "aab")
    with pytest.raises(Unreadable, match="2 different answers"):
        Reader(TRIAGE, text=False).read(text)


def test_the_fence_whose_content_fits_is_taken() -> None:
    bash = 'Run this:\n```bash\necho "{}" | jq .\n```\n'
    good = f"```json\n{json.dumps(GOOD)}\n```\n"
    for text in (bash + good, good + bash):
        assert read(TRIAGE, text)[0] == GOOD
    other = good.replace('"s"', '"t"')
    with pytest.raises(Unreadable, match="2 different answers"):
        Reader(TRIAGE, text=False).read(good + bash + other)
    for text in (bash, bash + good):
        assert Reader(one(TEXT), text=True).read(text).outputs == {"result": text.strip()}


def test_places_of_repairs() -> None:
    schema = one({"$ref": "#/$defs/Order"}, Order=record(lines=listed(record(count=INTEGER))))
    text = '{"result": {"lines": [{"count": 1}, {"count": "2", "x": 0}]}}'
    assert read(schema, text)[1] == (
        "number read from text: result.lines.1.count",
        "dropped result.lines.1.x",
    )


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(Unreadable, match="urgent should be true or false") as caught:
        Reader(TRIAGE, text=False).read('Sure: {"summary": "s", "urgent": "maybe"}')
    assert (caught.value.path, caught.value.expected) == (("urgent",), "true or false")
    with pytest.raises(Unreadable, match='one of "low", "HIGH"'):
        Reader(one(PRIORITY), text=False).read("no idea")


def test_reasoning_beside_the_answer() -> None:
    reader = Reader(one(PRIORITY), text=False, added=("reasoning",))
    found = reader.read('{Reasoning: "it\'s hot", result: HIGH}')
    assert (found.outputs, found.added) == ({"result": "HIGH"}, {"reasoning": "it's hot"})


def test_a_plain_text_reply() -> None:
    reader = Reader(one(TEXT), text=True)
    assert reader.read(' {"a": 1} ').outputs == {"result": '{"a": 1}'}
    found = reader.read("<think>hm</think>\nYes.")
    assert (found.outputs["result"], len(found.repairs)) == ("Yes.", 1)
    assert reader.read("<analysis>a</analysis>b").repairs == ()
    for text in ("<think>hm</think>", "<think>hm", "  "):
        with pytest.raises(Unreadable):
            reader.read(text)


def test_a_schema_of_a_specs_own_is_judged_whole() -> None:
    own = {
        "x-aigen-shape": True,
        "type": "object",
        "properties": {"kind": {"const": "a"}, "size": {"type": "integer"}},
        "required": ["kind"],
        "if": {"required": ["size"]},
        "then": {"properties": {"size": {"minimum": 3}}},
    }
    assert read(one(own), "{result: {kind: a, size: 3}}")[0] == {"result": {"kind": "a", "size": 3}}
    with pytest.raises(Unreadable):
        Reader(one(own), text=False).read("{result: {kind: a, size: 2}}")


def test_a_recursive_schema() -> None:
    tree = {"anyOf": [INTEGER, listed({"$ref": "#/$defs/Tree"})]}
    text = "[[1, [2,]], 3"
    outputs, _ = read(one({"$ref": "#/$defs/Tree"}, Tree=tree), text)
    assert outputs == {"result": [[1, [2]], 3]}


def test_a_strict_text_is_the_reply_as_it_came() -> None:
    reader = Reader(one(TEXT), text=True)
    assert reader.read(" \n a \n", repair=False).outputs == {"result": " \n a \n"}
    assert reader.read(" \n a \n").outputs == {"result": "a"}


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_what_json_has_no_number_for_is_none(text: str) -> None:
    for schema in (NUMBER, {}):
        with pytest.raises(Unreadable):
            Reader(one(schema), text=False).read(f'{{"result": {text}}}', repair=False)
    with pytest.raises(Unreadable):
        Reader(one(NUMBER), text=False).read(f'{{"result": {text}}}')


def test_a_number_in_text_that_no_double_holds_is_none() -> None:
    for text in ("9" * 350, "1" + ",000" * 110):
        with pytest.raises(Unreadable):
            Reader(one(NUMBER), text=False).read(f'{{"result": "{text}"}}')


def test_a_key_as_it_is_comes_before_one_by_its_letters() -> None:
    text = '{"Summary": "a", "urgent": true} or {"summary": "b", "urgent": true}'
    assert read(TRIAGE, text)[0] == {"summary": "b", "urgent": True}
    text = '{"Summary": "a", "urgent": true} or {"SUMMARY": "b", "urgent": true}'
    with pytest.raises(Unreadable, match="2 different answers"):
        read(TRIAGE, text)


def test_a_raw_newline_in_quotes_of_another_kind_is_recorded() -> None:
    found, repairs = read(TRIAGE, "{'summary': 'a\nb', 'urgent': true}")
    assert found["summary"] == "a\nb"
    assert set(repairs) == {"single quotes made double", "raw newline escaped"}


@pytest.mark.parametrize(
    ("text", "repairs"),
    [
        ('{"result": [1, 2}', {"missing closers added"}),
        ('{"result": [1, 2', {"missing closers added"}),
        ('{"result": [1, 2,', {"missing closers added", "trailing comma removed"}),
    ],
)
def test_every_closer_and_comma_is_recorded(text: str, repairs: set[str]) -> None:
    found = read(one(listed(INTEGER)), text)
    assert (found[0], set(found[1])) == ({"result": [1, 2]}, repairs)


def test_a_wrapper_taken_off_costs_more_than_none() -> None:
    text = '{"answer": {"summary": "a", "urgent": true}} {"summary": "b", "urgent": true}'
    assert read(TRIAGE, text)[0]["summary"] == "b"


@pytest.mark.parametrize(
    "text", ["The total is 5 apples.", "It is not true that the total is 5.", "5 or so"]
)
def test_a_number_in_a_sentence_that_says_more_is_none(text: str) -> None:
    assert read(one(NUMBER), "The total is 5.")[0] == {"result": 5}
    with pytest.raises(Unreadable):
        read(one(NUMBER), text)
