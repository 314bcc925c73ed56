"""What is wrong with broken JSON is said in plain words, whichever parser found it."""

from __future__ import annotations

import json

import jiter
import pytest
from aigen.runtime.values.broken_json import fault_of

BROKEN = {
    "": "ends too early",
    "{": "ends too early",
    '{"a":': "ends too early",
    '["ab': "inside a text",
    '{"a" 1}': '":" is missing',
    "[1 2]": '"," or "]" is missing',
    '{"a": 1 "b": 2}': '"," or "}" is missing',
    '{"a": tru}': "not true, false or null",
    "hello": "begins with what no value does",
    "{a: 1}": "not in double quotes",
    "{1: 2}": "not in double quotes",
    "[1,]": "nothing follows a comma",
    '{"a": 1,}': "nothing follows a comma",
    '{"a": 1} and more': "more text follows",
    '["a\nb"]': "stands in a text as it is",
    '["\\x"]': "no escape",
    '["\\u12"]': "no escape",
    '["\\ud800"]': "half of a pair",
    "[01]": "not written as JSON",
    '{"a": 1, "a": 2}': 'the key "a" is there twice',
    "[" * 300: "nested too deeply",
}
PARSERS = ("EOF", "ident", "trailing", "Expecting", "Extra data", "char ", "delimiter", "serde")


@pytest.mark.parametrize("text", BROKEN)
def test_jiters_words(text: str) -> None:
    with pytest.raises(ValueError) as found:
        jiter.from_json(text.encode(), allow_inf_nan=False, catch_duplicate_keys=True)
    said = fault_of(found.value)
    assert BROKEN[text] in said
    assert "(line " in said
    assert not any(word in said for word in PARSERS)


TAKEN = {'["\\ud800"]', '{"a": 1, "a": 2}'}
"""What the standard library takes."""


@pytest.mark.parametrize("text", [text for text in BROKEN if text not in TAKEN])
def test_the_standard_librarys_words(text: str) -> None:
    with pytest.raises(ValueError) as found:
        json.loads(text)
    said = fault_of(found.value)
    assert "(line " in said and "broken" not in said
    assert not any(word in said for word in PARSERS)


def test_deep_nesting_in_the_standard_library() -> None:
    assert fault_of(RecursionError("maximum recursion depth exceeded")) == "it is nested too deeply"


def test_a_message_that_nobody_knows_is_not_shown() -> None:
    assert (
        fault_of(ValueError("frobnicated at line 3 column 4")) == "it is broken (line 3, column 4)"
    )
