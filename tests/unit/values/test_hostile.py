"""Values whose own code fails when it is read."""

from __future__ import annotations

from typing import Any

import pytest
from aigen.runtime.errors import InterfaceInputError
from aigen.runtime.values import bind_inputs


class Raises:
    def __str__(self) -> str:
        raise ZeroDivisionError("mine")


class Anything:
    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: Anything()


class Rows(dict[str, Any]):
    def __iter__(self) -> Any:
        raise ZeroDivisionError

    items = keys = __iter__


class Listing(list[Any]):
    def __iter__(self) -> Any:
        raise ZeroDivisionError


class Classless:
    @property
    def __class__(self) -> Any:  # type: ignore[override]
        raise ZeroDivisionError


SHAPES = [
    {"type": "string"},
    {"type": "integer"},
    {"enum": ["a", "b"]},
    {"type": "array", "items": {"type": "string"}},
    {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
    {"anyOf": [{"type": "object", "properties": {"a": {"type": "integer"}}}, {"type": "null"}]},
]


@pytest.mark.parametrize(
    "make", [Raises, Anything, lambda: Rows(a=1), lambda: Listing("a"), Classless]
)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_hostile_value_is_refused_or_bound(make: Any, shape: Any) -> None:
    definition = {"name": "f", "inputs": [{"name": "x", "shape": shape}], "outputs": []}
    try:
        bind_inputs(definition, {"x": make()})
    except InterfaceInputError as refused:
        assert refused.field == "x"
        assert refused.message.startswith("f: the input x wants ")
