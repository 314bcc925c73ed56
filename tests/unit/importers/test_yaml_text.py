"""YAML that people like to read, and that reads back as the same values."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from aigen.diagnostics import Diagnostics, Source
from aigen.importers.yaml_text import yaml_text
from aigen.spec.nodes import plain_value
from aigen.spec.yaml_reader import read_yaml
from hypothesis import given, settings
from hypothesis import strategies as st

TRAPS = [
    *("no", "on", "y", "N", "1.10", "0x1F", "0o17", "012", "1e3", "1_000", "null", "~", "", ".5"),
    *("2020-01-01", "12:30", "a: b", "a:", "a #b", "- x", "-", "? x", "? ", "!x", "*a", "&a", "%x"),
    *("'q'", '"q"', "a\\b", "---", "...", "<<", "=", "[x]", "{x}", "a,b", " x", "x ", "x\n", "\nx"),
    *("x\n\n", "x\n\ny", "x \ny", " a\nb", "a\n b\n", "a\n   \nb", "a\r\nb", "a\tb", "a\n\tb"),
    *("\ufeffx", "a\x7f\x85\u2028", "word " * 30 + "end", "two  blanks " * 12, "k" * 2000, "\x00"),
]
TEXTS = st.text(st.characters(exclude_categories=("Cs",))) | st.sampled_from(TRAPS)
VALUES = st.recursive(
    TEXTS | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.booleans(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def read(text: str) -> Any:
    found = Diagnostics()
    node = read_yaml(Source("x.yaml", text), found)
    assert node is not None, (text, [each.message for each in found])
    return plain_value(node)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(TEXTS, VALUES, min_size=1, max_size=4))
def test_it_reads_back_as_the_same(value: dict[str, Any]) -> None:
    assert read(yaml_text(value)) == value


@pytest.mark.parametrize("text", TRAPS)
def test_a_trap_reads_back(text: str) -> None:
    value = {"key": text, "list": [text], "nested": {text: [{text: text}]}}
    assert read(yaml_text(value)) == value


@pytest.mark.parametrize("text", ["no", "on", "1.10", "1e3", "0o17", "2020-01-01", "12:30", "y"])
def test_what_any_yaml_takes_for_something_else_is_quoted(text: str) -> None:
    written = yaml_text({"key": text})
    assert written == f'key: "{text}"\n'
    assert yaml.safe_load(written) == {"key": text}


def test_it_is_laid_out_for_people() -> None:
    words = (
        "Reads a file, or the part of it that is asked for, as text in any of the encodings known."
    )
    value = {
        "type": "list[str]",
        "pattern": r"^\d+$",
        "long": words,
        "lines": "One.\n\nTwo.\n",
        "levels": ["asc", "desc", "no"],
        "records": [{"name": "a", "of": []}, {"name": "b", "of": {}}],
    }
    assert yaml_text(value) == (
        "type: list[str]\n"
        "pattern: '^\\d+$'\n"
        "long: >-\n"
        "  Reads a file, or the part of it that is asked for, as text in any of the encodings\n"
        "  known.\n"
        "lines: |\n"
        "  One.\n"
        "\n"
        "  Two.\n"
        'levels: [asc, desc, "no"]\n'
        "records:\n"
        "  - name: a\n"
        "    of: []\n"
        "  - name: b\n"
        "    of: {}\n"
    )
