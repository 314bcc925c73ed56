"""Literals and comments, whatever they say, say nothing in texts that are made wordless."""

from __future__ import annotations

from aigen.emit.literals import comment, docstring, pieces, quote
from aigen.emit.wordless import wordless, wrong_code
from hypothesis import given
from hypothesis import strategies as st

HARD = st.text(st.sampled_from("\"'\\#\nrRabc{} \t\u202e"), max_size=30)
TEXTS = st.one_of(HARD, st.text(max_size=30))


@given(TEXTS, TEXTS)
def test_a_literal_says_nothing(first: str, second: str) -> None:
    assert wordless(quote(first)) == '"-"'
    assert wordless(f"f({quote(first)}, {quote(second)})") == 'f("-", "-")'
    assert set(wordless("\n".join(pieces(first, 20))).split("\n")) == {'"-"'}


@given(st.lists(TEXTS.map(lambda text: text.replace("\n", "")), min_size=1, max_size=4), TEXTS)
def test_a_docstring_says_nothing(lines: list[str], after: str) -> None:
    text = docstring(lines, "    ") + f"\n    x = {quote(after)}"
    assert wordless(text) == '"-"\n    x = "-"'


@given(TEXTS, TEXTS)
def test_a_comment_says_nothing(first: str, second: str) -> None:
    line = comment(first)
    assert wordless(f"x = {quote(second)}  # {line}\ny") == 'x = "-"  #\ny'


@given(TEXTS)
def test_words_alone_are_no_fault(text: str) -> None:
    def module(said: str) -> str:
        return f"__all__ = ['x']\nx = {said}\n"

    said = quote(text)
    assert wrong_code(module(said), module(wordless(said)), exports=True) is None


@given(TEXTS.filter(lambda text: text.strip(" \t\n#") != ""))
def test_words_outside_of_a_literal_are_found(text: str) -> None:
    """Whether they are code or not, they make another module than the words of nobody."""
    inner = quote(text)[1:-1]
    found = wrong_code(f"x = [{inner}]\n", f"x = [{wordless(quote(text))[1:-1]}]\n", exports=False)
    assert found is not None or _same(inner)


def _same(text: str) -> bool:
    """Whether a text is in a list what `-` is: nothing, for that does not parse."""
    return text.partition("#")[0].strip(" \t\n") == ""
