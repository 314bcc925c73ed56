"""Comments are found without a tokenizer, exactly where one finds them."""

from __future__ import annotations

import io
import tokenize
from pathlib import Path

import aigen
import pytest
from aigen.source import comments
from aigen.source.comments import comments_of
from aigen.source.words import Comments

SOURCES = sorted(Path(aigen.__file__).parent.rglob("*.py"))
HARD = r'''
a = "#" # one
b = '#\'#' # two
c = """ # " ""\" # """ # three
d = r"\"#" # four
e = ("#"  # five
     '#')  # six
f = """
# no
"""  # seven
g = 'a\
# no'  # eight
h = b"#" + rb'#' if False else f"{1:#x} # {2!r}"  # nine
#!ten'''


def tokenized(text: str) -> list[tuple[int, int, str]]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [(*each.start, each.string) for each in tokens if each.type == tokenize.COMMENT]


@pytest.mark.parametrize(
    "text", [HARD, "", "x = 1", "#", "x = '''\n#\n'''\n", "# größe #\ny = 'ü' # ß"]
)
def test_hard_texts(text: str) -> None:
    assert list(comments_of(text)) == tokenized(text)


def test_the_words_are_numbered() -> None:
    found = [each.text.strip("#! ") for each in comments_of(HARD)]
    assert found == ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


@pytest.mark.parametrize(
    ("comment", "words"),
    [
        ("# the city  # noqa: E501", "the city"),
        ("# type: ignore[arg-type]  # the city", "the city"),
        ("# noqa # fmt: skip", None),
        ("# the city # pragma: no cover", "the city"),
        ("# the # of cities", "the # of cities"),
        ("# the type: a text # and a # in it", "the type: a text # and a # in it"),
        ("# city # 3  # noqa", "city # 3"),
        ("# TODO: say it", None),
        ("#: the city", "the city"),
        ("# -----", None),
    ],
)
def test_what_is_said_to_tools_is_none_of_the_words(comment: str, words: str | None) -> None:
    assert Comments(f"x = 1  {comment}\n").beside(1, 1) == words


def test_our_own_sources() -> None:
    wrong = []
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        if list(comments_of(text)) != tokenized(text):
            wrong.append(path.name)
    assert not wrong
    assert len(SOURCES) > 200


def test_texts_in_braces_are_left_to_the_tokenizer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comments.sys, "version_info", (3, 12))
    text = "x = f'{1}'  # one\n"
    monkeypatch.setattr(comments, "_matched", lambda given: iter(()))
    assert [each.text for each in comments_of(text)] == ["# one"]
    assert list(comments_of("x = 'g'  # one")) == []  # no such text: matched
