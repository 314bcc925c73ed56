"""How a definition stands in the code: a changed word is a changed line."""

from __future__ import annotations

from typing import Any

import pytest
from aigen.emit.definition import compact, in_parts
from hypothesis import given
from hypothesis import strategies as st

_KEYS = ["format", "name", "inputs", "outputs", "$defs", "demos", "ids", "description", "tools"]
_PLAIN = st.none() | st.booleans() | st.integers() | st.text(max_size=9)
_VALUES = st.recursive(
    _PLAIN,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)
_CONTAINERS = st.lists(_VALUES, max_size=3) | st.dictionaries(st.text(max_size=4), _VALUES)
_DEFINITIONS = st.dictionaries(st.sampled_from(_KEYS), _CONTAINERS)


@given(_DEFINITIONS)
def test_the_parts_are_the_definition(definition: dict[str, Any]) -> None:
    assert "".join(in_parts(definition)) == compact(definition)


@pytest.mark.parametrize("name", ["description", "inputs", "demos"])
def test_a_changed_word_is_in_one_part(name: str) -> None:
    definition: dict[str, Any] = {
        "format": 1,
        "name": "triage",
        "description": "Read it.",
        "inputs": [{"name": "message"}, {"name": "lang"}],
        "demos": [{"message": "a"}, {"message": "b"}],
        "ids": {"interface": "sha256:0", "version": "sha256:1"},
    }
    before = in_parts(definition)
    changed = (
        "Read all of it." if name == "description" else [{"longer": "word"}, definition[name][1]]
    )
    after = in_parts({**definition, name: changed})
    assert len(after) == len(before)
    assert sum(a != b for a, b in zip(after, before, strict=True)) == 1
