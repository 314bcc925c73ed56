from __future__ import annotations

import functools
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any, Literal, Optional, Union

import pytest
from aigen.runtime.errors import ConfigurationError
from aigen.tooling import extract_parameter_comments, function_schema, param_converter
from pydantic import BaseModel


class Colour(Enum):
    RED = "red"


class Line(BaseModel):
    sku: str
    count: int = 1


class Node(BaseModel):
    children: list[Node] = []


WORDS = {"description": "words"}
LINE = {
    "type": "object",
    "properties": {"sku": {"type": "string"}, "count": {"type": "integer", "default": 1}},
    "required": ["sku"],
    "additionalProperties": False,
}
NULL = {"type": "null", "description": "A default value will be automatically used."}


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        (int, {"type": "integer", **WORDS}),
        (float, {"type": "number", **WORDS}),
        (bool, {"type": "boolean", **WORDS}),
        (Optional[int], {"anyOf": [{"type": "integer", **WORDS}, NULL]}),  # noqa: UP045
        (int | None, {"anyOf": [{"type": "integer", **WORDS}, NULL]}),
        (
            Union[int, str],  # noqa: UP007
            {"anyOf": [{"type": "integer", **WORDS}, {"type": "string", **WORDS}]},
        ),
        (list[int], {"type": "array", "items": {"type": "integer"}, **WORDS}),
        (
            list[list[str]],
            {"type": "array", "items": {"type": "array", "items": {"type": "string"}}, **WORDS},
        ),
        (
            dict[str, int],
            {"type": "object", "additionalProperties": {"type": "integer"}, **WORDS},
        ),
        (
            tuple[int, str],
            {
                "type": "array",
                "prefixItems": [{"type": "integer"}, {"type": "string"}],
                "items": False,
                "minItems": 2,
                "maxItems": 2,
                **WORDS,
            },
        ),
        (Literal["a", "b"], {"enum": ["a", "b"], "type": "string", **WORDS}),
        (Colour, {"enum": ["red"], "type": "string", **WORDS}),
        (Line, {**LINE, **WORDS}),
        (list[Line], {"type": "array", "items": LINE, **WORDS}),
        (Any, WORDS),
        (Path, {"type": "string", **WORDS}),
        (Decimal, {"type": "string", "format": "decimal", **WORDS}),
    ],
)
def test_types(kind: Any, wanted: Any) -> None:
    assert param_converter(kind, "words") == wanted


def test_what_contains_itself_is_a_reference() -> None:
    made = param_converter(Node, "words")
    assert made["$ref"] == "#/$defs/Node"
    assert made["$defs"]["Node"]["properties"]["children"]["items"] == {"$ref": "#/$defs/Node"}

    def f(node: Node) -> None: ...

    assert [*function_schema(f)["function"]["parameters"]["$defs"]] == ["Node"]


def test_no_words_are_no_description() -> None:
    assert param_converter(int) == {"type": "integer"}


def test_a_null_that_is_no_default_does_not_promise_one() -> None:
    def f(
        a: int | None,  # a number
        b: int | None = None,  # another
        c: int | None = 3,  # a third
    ) -> None: ...

    found = function_schema(f)["function"]["parameters"]
    assert found["required"] == ["a"]
    nulls = {name: part["anyOf"][1] for name, part in found["properties"].items()}
    assert nulls == {
        "a": {"type": "null", "description": "a number"},
        "b": NULL,
        "c": {"type": "null", "description": "a third"},
    }


def test_metadata_and_fixup() -> None:
    def mend(name: str, **rest: Any) -> str:
        return name

    async def f(x: int) -> int:  # a result
        return x

    made = function_schema(f, "Desk", mend, version=2)["function"]
    assert made["metadata"] == {"module": __name__, "service": "Desk", "version": 2}
    assert made["fixup"] == f"{__name__}.test_metadata_and_fixup.<locals>.mend"
    assert function_schema(f)["function"]["metadata"]["service"] == __name__


class Desk:
    def look(
        self,
        order: str,  # its number
        *,
        deep: bool = False,
    ) -> str:
        """Look it up."""
        return order

    @classmethod
    def make(cls, name: str) -> None: ...

    @staticmethod
    def free(x: int) -> int:
        return x

    def __call__(self, x: int) -> int:
        """Count."""
        return x


@pytest.mark.parametrize(
    ("func", "name", "names"),
    [
        (Desk().look, "look", ["order", "deep"]),
        (Desk.look, "look", ["order", "deep"]),
        (Desk.make, "make", ["name"]),
        (Desk.free, "free", ["x"]),
        (functools.partial(Desk().look, deep=True), "look", ["order"]),
        (Desk(), "Desk", ["x"]),
    ],
)
def test_methods_partials_and_objects(func: Any, name: str, names: list[str]) -> None:
    made = function_schema(func)["function"]
    assert made["name"] == name
    assert [*made["parameters"]["properties"]] == names


def test_the_words_of_a_method() -> None:
    assert extract_parameter_comments(Desk().look) == {"order": "its number"}
    assert function_schema(Desk().look)["function"]["description"] == "Look it up."


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: param_converter(bytes, "w"), "bytes have no JSON form"),
        (lambda: param_converter(object(), "w"), "no JSON form"),
        (lambda: param_converter(complex, "w"), "complex numbers have no JSON form"),
        (lambda: param_converter(type[int], "w"), "a class has no JSON form"),
        (lambda: function_schema(len), "the type of obj of len is not written"),
        (lambda: function_schema(str.upper), "the type of self of upper is not written"),
        (lambda: function_schema(max), "the parameters of .* cannot be known"),
        (lambda: function_schema(untyped), "the type of x of untyped is not written"),
        (lambda: function_schema(Desk), "the class Desk is no function"),
        (lambda: function_schema(3), "3 is no function"),
        (lambda: function_schema(unread), "the type of x of unread has no JSON form"),
        (lambda: function_schema(unknown), "an annotation of unknown cannot be read"),
        (lambda: function_schema(misnamed), "an annotation of misnamed cannot be read"),
        (lambda: extract_parameter_comments(SOURCELESS["f"]), "the source of f cannot be read"),
    ],
)
def test_what_cannot_be_known_is_an_error(make: Any, words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        make()


def untyped(x): ...  # type: ignore[no-untyped-def]


def unread(x: Desk) -> None: ...


def unknown(x: Missing) -> None: ...  # type: ignore[name-defined]  # noqa: F821


def misnamed(x: Path.Missing) -> None: ...  # type: ignore[name-defined]


SOURCELESS: dict[str, Any] = {}
exec("def f(x: int): ...", SOURCELESS)


def test_a_function_without_source_keeps_its_types() -> None:
    found = function_schema(SOURCELESS["f"])["function"]["parameters"]
    assert found["properties"] == {"x": {"type": "integer"}}
