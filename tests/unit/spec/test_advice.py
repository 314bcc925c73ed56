"""Slips of those who know other formats: each is told what to write here."""

from __future__ import annotations

import pytest
from aigen.spec.tree import RecordOf

from .reading import HEAD, read


def advice(text: str) -> tuple[str, str, str]:
    """The code, message and hint of the one finding."""
    _, (one,) = read(text)
    return one.code, one.message, one.hint or ""


@pytest.mark.parametrize(
    ("field", "hint"),
    [
        ("{type: int, min: 1}", 'write "ge"'),
        ("{type: int, maximum: 5}", 'write "le"'),
        ("{type: int, exclusiveMinimum: 5}", 'write "gt"'),
        ("{type: str, regex: x}", 'write "pattern"'),
        ("{type: str, desc: words}", 'write "description"'),
        ("{items: int}", 'write "list"'),
        ("{properties: {c: int}}", 'write "record"'),
        ("{options: [x, y]}", 'write "choice"'),
        ("{type: int, defualt: 1}", 'did you mean "default"?'),
        ("{type: str, description: net, VAT}", "a comma ends a text inside { }: quote"),
        ("{type: str, description: one, or two}", "a comma ends a text inside { }: quote"),
        ("{type: str, odd: }", "known here: type"),
    ],
)
def test_a_key_of_a_field(field: str, hint: str) -> None:
    code, _, said = advice(f"{HEAD}    fields:\n      b: {field}\n")
    assert code == "AIG120"
    assert said.startswith(hint)


def test_a_setting_among_the_keys_of_a_function() -> None:
    assert advice(f"{HEAD}    model: gpt-4.1\n") == (
        "AIG120",
        'the function "f" has no key "model"',
        "it is a setting: write settings: {model: …}",
    )


def test_a_setting_among_the_keys_of_a_tool() -> None:
    _, _, hint = advice("aigen: 1\ntools:\n  t:\n    python: app:run\n    policies: [app:rule]\n")
    assert hint == (
        "it is a setting of calls: write settings: {policies: …} at a function that has it"
    )


def test_types_where_names_are_listed() -> None:
    text = "aigen: 1\nfunctions:\n  f:\n    inputs: [a]\n    outputs: {b: str, c: int}\n"
    assert advice(text) == (
        "AIG121",
        "outputs is a list of names, not a mapping",
        "write outputs: [b, c], and the types under fields",
    )


def test_a_function_beside_functions() -> None:
    _, _, hint = advice("aigen: 1\ntriage:\n  formula: a ~ b\n")
    assert hint == 'indent "triage" under functions'


def test_what_a_tool_runs() -> None:
    _, _, hint = advice("aigen: 1\ntools:\n  t:\n    parameters: {}\n    function: app:run\n")
    assert hint == 'write "python"'


def test_members_among_the_keys_of_a_type_are_told_once_and_read() -> None:
    text = (
        "aigen: 1\ntypes:\n  Order:\n    description: A sale.\n    id: str\n    lines: list[str]\n"
    )
    file, (one,) = read(text)
    assert one.code == "AIG120"
    assert one.message == '"id", "lines" are no keys of "Order"'
    assert one.hint == "if they are members, indent them under record"
    assert file is not None
    (order,) = file.types
    assert isinstance(order.type, RecordOf)
    assert [member.name.value for member in order.type.members] == ["id", "lines"]


def test_a_misspelt_key_of_a_type_is_no_member() -> None:
    _, _, hint = advice("aigen: 1\ntypes:\n  Order:\n    recrod: {id: str}\n")
    assert hint == 'did you mean "record"?'


@pytest.mark.parametrize(
    "text", ["functions:\n  - f: 1\n", "types:\n  T:\n    record:\n      - a\n"]
)
def test_a_list_where_a_mapping_is_wanted(text: str) -> None:
    code, _, hint = advice(f"aigen: 1\n{text}")
    assert (code, hint) == ("AIG121", "write key: … for each, without dashes")


def test_levels_under_enum() -> None:
    code, message, hint = advice(f"{HEAD}    fields:\n      a: {{enum: [x, y]}}\n")
    assert (code, message) == ("AIG134", "enum is true or false, and stands beside a choice")
    assert hint.startswith("write the levels as choice:")


def test_a_type_and_words_in_one_text() -> None:
    code, _, hint = advice(f"{HEAD}    fields:\n      a: int, the number of words\n")
    assert code == "AIG128"
    assert hint.startswith('write {type: int, description: "the number of words"}')
    assert read(f"{HEAD}    fields:\n      a: number, as it is printed\n")[1] == []


@pytest.mark.parametrize(
    ("formula", "hint"),
    [
        ("b + c -> a", "write a ~ b + c"),
        ("f(b) -> a", "write outputs ~ inputs"),
        ("a:int ~ b", "write a, and a:int there"),
        ("a ~ b: list[str]", "write b, and b: list[str] there"),
        ("a ~ b: tuple[image, str]", "write b, and b: tuple[image, str] there"),
        ("a ~ b: image | None", "write b, and b: image | None there"),
    ],
)
def test_a_formula_in_another_writing(formula: str, hint: str) -> None:
    code, _, said = advice(f"aigen: 1\nfunctions:\n  f:\n    formula: '{formula}'\n")
    assert (code, said) == ("AIG131", hint)


def test_a_quote_that_is_not_closed() -> None:
    code, _, hint = advice(f'{HEAD}    description: "Sum it up.\n')
    assert (code, hint) == ("AIG105", "close the quote that is opened at 5:18")


def test_a_text_that_begins_with_a_star() -> None:
    code, _, hint = advice(f"{HEAD}    description: *Important\n")
    assert (code, hint) == ("AIG110", "quote a text that begins with *")
