"""Class names made of names of a spec."""

from __future__ import annotations

from aigen.resolve.names import camel, class_key
from hypothesis import example, given
from hypothesis import strategies as st


@given(st.text())
@example("\u0390")  # its capital is a letter and two marks, which no name keeps
@example("\u01f0x_\u00dfy")
def test_a_class_name_is_its_own(text: str) -> None:
    name = camel(text)
    assert camel(name) == class_key(name) == name
    assert name.isidentifier()
