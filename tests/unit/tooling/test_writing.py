"""Words are written into source, and nothing else of it changes."""

from __future__ import annotations

import pytest
from aigen.source.writing import NotWritten, Words, rewritten

SOURCE = """\
import os  # kept


class Desk:
    def look(
        self,
        order: str,
        # the old
        # words
        deep: bool = False,
        limit: int = 3,  # how many
    ) -> str:
        return "  # no comment "


def f(a, b=1): return a
"""


def written(source: str, path: str, words: Words) -> str:
    return rewritten(source.encode(), path, words).decode()


def test_comments_of_parameters() -> None:
    made = written(
        SOURCE,
        "Desk.look",
        Words("Look it up.", {"order": "its number", "deep": "new", "limit": "at\nmost"}, "words"),
    )
    assert made == SOURCE.replace("order: str,\n", "order: str,  # its number\n").replace(
        "        # the old\n        # words\n", "        # new\n"
    ).replace("# how many", "# at most").replace(
        "-> str:\n", '-> str:  # words\n        """Look it up."""\n'
    )


@pytest.mark.parametrize("newline", ["\r\n", "\n"])
def test_line_ends_tabs_and_encodings(newline: str) -> None:
    lines = ["# -*- coding: latin-1 -*-", "def f(", "\ta: int,", "\tb='é',", "):", "\treturn a", ""]
    data = newline.join(lines).encode("latin-1")
    made = rewritten(data, "f", Words("Größe.\n\nMehr.", {"a": "größer"}))
    lines[2] += "  # größer"
    lines[5:5] = ['\t"""Größe.', "", "\tMehr.", '\t"""']
    assert made == newline.join(lines).encode("latin-1")


def test_a_mark_at_the_start_stays() -> None:
    data = b"\xef\xbb\xbfdef f(a):\n    return a\n"
    assert rewritten(data, "f", Words("One.")) == (
        b'\xef\xbb\xbfdef f(a):\n    """One."""\n    return a\n'
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            '"""Add."""',
            '"""Sum.\n\n    Args:\n        b: two\n\n    Returns:\n        both\n    """',
        ),
        (
            '"""Add.\n\n    Args:\n        a: one\n        b (int): old\n            more\n\n'
            '    Raises:\n        OSError: never\n    """',
            '"""Sum.\n\n    Args:\n        a: one\n        b (int): two\n\n'
            '    Raises:\n        OSError: never\n\n    Returns:\n        both\n    """',
        ),
        (
            '"""Add.\n\n    Args:\n        a: one\n\n    Returns:\n        int: old\n    """',
            '"""Sum.\n\n    Args:\n        a: one\n        b: two\n\n'
            '    Returns:\n        int: both\n    """',
        ),
        (
            '"""Add.\n\n    :param a: one\n    :returns: old\n    """',
            '"""Sum.\n\n    :param a: one\n    :param b: two\n    :returns: both\n    """',
        ),
        (
            '"""Add.\n\n    Parameters\n    ----------\n    a : int\n        one\n    b : int\n'
            '        old\n\n    Returns\n    -------\n    int\n        old\n    """',
            '"""Sum.\n\n    Parameters\n    ----------\n    a : int\n        one\n    b : int\n'
            '        two\n\n    Returns\n    -------\n    int\n        both\n    """',
        ),
    ],
    ids=["none", "google", "google-returns", "rest", "numpy"],
)
def test_docstrings(before: str, after: str) -> None:
    source = f"def f(a, b):\n    {before}  # a comment\n    return a\n"
    made = written(source, "f", Words("Sum.", {"b": "two"}, "both"))
    assert made == f"def f(a, b):\n    {after}  # a comment\n    return a\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a,  # noqa: E501", "a,  # noqa: E501  # one"),
        ("a,  # type: ignore[misc]  # old", "a,  # type: ignore[misc]  # one"),
        ("a,   # old  # noqa", "a,   # one  # noqa"),
        ("# fmt: off\n    # old\n    # words\n    a,", "# fmt: off\n    # one\n    a,"),
        ("# old\n    # -----\n    a,", "# one\n    # -----\n    a,"),
    ],
)
def test_what_comments_say_to_tools_stays(before: str, after: str) -> None:
    source = "def f(\n    {}\n    b,\n):\n    return a\n"
    made = written(source.format(before), "f", Words(None, {"a": "one"}))
    assert made == source.format(after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('r"""\n    Add \\d.\n\n    Args:\n      a: old"""', 'a: new \\d"""'),
        ("'''Add \\x41.  \n\n    Args:\n        a: old\n\n    '''  # kept", "a: new \\\\d"),
        ('u"""Add.\n\n\n    Args:\n        a (int): old\n        b: x\n    """', "new \\\\d"),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_lines_of_a_docstring_that_say_something_else_stay(
    before: str, after: str, newline: str
) -> None:
    source = f"def f(a, b):\n    {before}\n    return a\n".replace("\n", newline)
    made = written(source, "f", Words(None, {"a": "new \\d"}))
    lines = zip(source.split(newline), made.split(newline), strict=True)
    ((_, changed),) = [(old, new) for old, new in lines if old != new]
    assert after in changed


def test_what_a_literal_must_escape() -> None:
    text = 'A \\d, """three""", and "one"'
    made = written("def f(a):\n    return a\n", "f", Words(text))
    space: dict[str, object] = {}
    exec(made, space)
    assert space["f"].__doc__ == text


def test_the_last_definition_and_those_under_conditions() -> None:
    source = "def f(a):\n    pass\nif True:\n    def f(a):\n        pass\n"
    made = written(source, "f", Words("It."))
    assert made == source[: source.rindex("        pass")] + '        """It."""\n        pass\n'


@pytest.mark.parametrize(
    ("source", "path", "words", "said"),
    [
        ("def f(:\n", "f", Words("x"), "no Python that can be read"),
        (f"x = {'-' * 10_000}1\n", "f", Words("x"), "nested too deep"),
        (SOURCE, "g", Words("x"), "no function g"),
        (SOURCE, "Desk.no", Words("x"), "no function Desk.no"),
        (SOURCE, "No.look", Words("x"), "no function No.look"),
        (SOURCE, "f", Words("x"), "on the line of its def"),
        (SOURCE, "Desk.look", Words(None, {"order": "noqa: it"}), "the words of order"),
        (SOURCE, "Desk.look", Words("One.\n\nArgs:\n    x: y"), "a section begins in it"),
    ],
)
def test_what_cannot_be_written(source: str, path: str, words: Words, said: str) -> None:
    with pytest.raises(NotWritten, match=said):
        written(source, path, words)
