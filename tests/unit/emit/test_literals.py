from __future__ import annotations

import ast

from aigen.emit.literals import comment, docstring, pieces, quote, value
from aigen.emit.widths import width
from hypothesis import given
from hypothesis import strategies as st

HOSTILE = st.lists(
    st.text(max_size=5)
    | st.sampled_from(["\\", '"', "'", '"""', "\n", "\r", "\0", "\u202e", "\ud800", "\u2028"])
).map("".join)


@given(HOSTILE)
def test_a_literal_is_one_string_and_hides_nothing(text: str) -> None:
    literal = quote(text)
    assert ast.literal_eval(literal) == text
    assert "\n" not in literal
    assert not any(char in literal for char in "\0\u202e\u2066\u200b\ud800\u2028\ufeff\xa0")


@given(HOSTILE, st.integers(20, 90))
def test_pieces_are_the_text_within_their_columns(text: str, columns: int) -> None:
    found = pieces(text, columns)
    assert ast.literal_eval("(" + " ".join(found) + ")") == text
    assert all(width(piece) <= columns for piece in found)


@given(st.lists(st.text(st.characters(exclude_characters="\n")), min_size=1))
def test_a_docstring_is_one_string(lines: list[str]) -> None:
    lines = [lines[0].strip() or "X.", *(line.rstrip() for line in lines[1:])]
    tree = ast.parse(f"def f():\n    {docstring(lines, '    ')}\n")
    (made,) = tree.body
    assert isinstance(made, ast.FunctionDef)
    (statement,) = made.body
    assert isinstance(statement, ast.Expr)
    assert isinstance(statement.value, ast.Constant)


def test_a_docstring_is_raw_where_it_reads_better() -> None:
    assert docstring([r"Match \d+."], "") == r'r"""Match \d+."""'
    assert docstring(["Ends in \\"], "") == '"""Ends in \\u005c"""'
    assert docstring(['Say "hi"'], "") == '"""Say "hi\\u0022"""'


@given(HOSTILE)
def test_a_comment_stays_on_its_line(text: str) -> None:
    assert len(f"x = 1  # {comment(text)}".splitlines()) == 1


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | HOSTILE,
    lambda inner: st.lists(inner) | st.dictionaries(HOSTILE, inner),
    max_leaves=8,
)


@given(json_values)
def test_values_come_back(data: object) -> None:
    assert ast.literal_eval(value(data)) == data


def test_a_huge_integer_is_one_that_python_reads() -> None:
    assert ast.literal_eval(value(7**20000)) == 7**20000
