from __future__ import annotations

import datetime
import decimal
import enum
import pathlib
import pickle
import uuid
from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import pytest
from aigen.runtime import errors
from aigen.runtime.values import (
    UNSET,
    Image,
    NotBound,
    bind,
    bind_inputs,
    canonical,
    fits,
    jsonable,
)
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

TEXT = {"type": "string"}
INTEGER = {"type": "integer"}
NUMBER = {"type": "number"}
RECORD = {
    "type": "object",
    "properties": {"sku": TEXT, "count": INTEGER},
    "required": ["sku"],
    "additionalProperties": False,
}


class Color(enum.Enum):
    RED = "red"


@dataclass
class Line:
    sku: str
    count: float = 1
    other: Any = None


class Model(BaseModel):
    sku: str
    count: int = 2


Pair = namedtuple("Pair", "sku count")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "a"),
        (42, "42"),
        (5.0, "5"),
        (1e21, "1e+21"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (1e-7, "1e-7"),
        (123456789012345680000.0, "123456789012345680000"),
        (True, "true"),
        ([1, [2.0]], "[\n  1,\n  [\n    2\n  ]\n]"),
        ([], "[]"),
        ({"b": 1, "a": None}, '{\n  "b": 1,\n  "a": null\n}'),
        (Line("x"), '{\n  "sku": "x",\n  "count": 1,\n  "other": null\n}'),
        (Model(sku="x"), '{\n  "sku": "x",\n  "count": 2\n}'),
        (Pair("x", 1), '{\n  "sku": "x",\n  "count": 1\n}'),
        (datetime.date(2026, 1, 2), "2026-01-02"),
        (decimal.Decimal("1.50"), "1.50"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (pathlib.PurePosixPath("a/b"), "a/b"),
        (Color.RED, "red"),
    ],
)
def test_text(value: Any, text: str) -> None:
    assert bind(value, TEXT) == text


@pytest.mark.parametrize(
    "value",
    [
        None,
        float("nan"),
        float("inf"),
        object(),
        Line,
        iter([1]),
        (each for each in ()),
        len,
        test_text,
        "\ud800",
        [object()],
    ],
)
def test_no_text(value: Any) -> None:
    with pytest.raises(NotBound):
        bind(value, TEXT)


@pytest.mark.parametrize(
    ("value", "bound"),
    [(5, 5), (5.0, 5), ("5", 5), (" 5\n", 5), ("5.0", 5), ("1e3", 1000), ("-0", 0)],
)
def test_integer(value: Any, bound: int) -> None:
    made = bind(value, INTEGER)
    assert made == bound and type(made) is int


@pytest.mark.parametrize(
    "value",
    [
        *(2.5, "2.5", "", "05", "+5", "5.", "1_000", True, float("inf"), decimal.Decimal(5)),
        *("1e999999999", "٥", "0x5", None, [5]),
    ],
)
def test_no_integer(value: Any) -> None:
    with pytest.raises(NotBound):
        bind(value, INTEGER)


@pytest.mark.parametrize(
    ("value", "bound"), [(2, 2), (2.5, 2.5), ("2.5", 2.5), (" 1e3 ", 1000.0), ("7", 7)]
)
def test_number(value: Any, bound: float) -> None:
    assert bind(value, NUMBER) == bound


@pytest.mark.parametrize("value", [True, "x", "NaN", "1e400", float("nan"), 10**400, "1" * 5000])
def test_no_number(value: Any) -> None:
    with pytest.raises(NotBound):
        bind(value, NUMBER)


def test_booleans_are_never_made() -> None:
    assert bind(True, {"type": "boolean"}) is True
    for value in (0, 1, "true", None):
        with pytest.raises(NotBound):
            bind(value, {"type": "boolean"})


@pytest.mark.parametrize(
    "value", [Line("x", 2.0), Model(sku="x"), Pair("x", "2"), {"count": 2.0, "sku": "x", "z": 1}]
)
def test_records(value: Any) -> None:
    assert bind(value, RECORD) == {"sku": "x", "count": 2}


def test_what_fits_is_passed_as_it_is() -> None:
    value = {"sku": "x", "count": 2}
    assert bind(value, RECORD) is value
    items = [value]
    assert bind(items, {"type": "array", "items": RECORD}) is items


def test_where_and_what() -> None:
    with pytest.raises(NotBound) as caught:
        bind([{"sku": "a"}, {"sku": "b", "count": "many"}], {"type": "array", "items": RECORD})
    assert caught.value.path == (1, "count")
    assert caught.value.expected == "an integer"
    assert caught.value.value == "many"


def test_lists_are_lists() -> None:
    shape = {"type": "array", "items": INTEGER}
    assert bind((1, "2"), shape) == [1, 2]
    for value in ("12", {"a": 1}, {1}):
        with pytest.raises(NotBound):
            bind(value, shape)
    assert bind({2, 1}, {**shape, "uniqueItems": True}) == [1, 2]


def test_unions_try_in_order() -> None:
    shape = {"anyOf": [INTEGER, TEXT, {"type": "null"}]}
    assert bind("5", shape) == 5
    assert bind("x", shape) == "x"
    assert bind(float("nan"), shape) is None


def test_choices() -> None:
    assert bind("2", {"enum": [1, 2], "type": "integer"}) == 2
    assert bind(Color.RED, {"enum": ["red"], "type": "string"}) == "red"
    for value in ("Red", 3, True, None):
        with pytest.raises(NotBound):
            bind(value, {"enum": ["red", 1]})


def test_formats() -> None:
    day = {"type": "string", "format": "date"}
    assert bind("2026-01-02", day) == datetime.date(2026, 1, 2)
    assert bind(datetime.datetime(2026, 1, 2), day) == datetime.date(2026, 1, 2)
    for value in (20260102, "2026-1-2", datetime.datetime(2026, 1, 2, 3), "2026-02-30"):
        with pytest.raises(NotBound):
            bind(value, day)
    made = bind(
        {"at": "2026-01-02T03:04:05+00:00"},
        {"type": "object", "properties": {"at": {"type": "string", "format": "date-time"}}},
    )
    assert jsonable(made) == {"at": "2026-01-02T03:04:05Z"}


def test_recursive_shapes_end() -> None:
    defs = {"N": {"anyOf": [INTEGER, {"type": "array", "items": {"$ref": "#/$defs/N"}}]}}
    value: Any = 1
    for _ in range(5000):
        value = [value]
    assert fits(value, {"$ref": "#/$defs/N"}, defs) is not None
    with pytest.raises(NotBound):
        bind(value, {"$ref": "#/$defs/N"}, defs)
    loop: list[Any] = []
    loop.append(loop)
    assert fits(loop, {"$ref": "#/$defs/N"}, defs) is not None
    assert fits([[1], [[2]]], {"$ref": "#/$defs/N"}, defs) is None


def test_options_are_not_tried_twice_at_every_depth() -> None:
    def option(mark: int) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {"x": {"$ref": "#/$defs/N"}, "y": {"enum": [mark]}},
            "required": ["y"],
        }

    defs = {"N": {"anyOf": [option(1), option(2), {"type": "null"}]}}
    value: Any = None
    for _ in range(60):
        value = {"x": value, "y": 2}
    assert fits(value, {"$ref": "#/$defs/N"}, defs) is None
    assert bind(value, {"$ref": "#/$defs/N"}, defs) == value


def test_table_rows() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"sku": ["a", "b"], "count": [1.0, None]})
    assert bind(frame.iloc[1], RECORD) == {"sku": "b"}
    assert bind(frame.iloc[:1], RECORD) == {"sku": "a", "count": 1}
    assert bind(frame["count"].iloc[0], INTEGER) == 1
    assert bind(pandas.Timestamp("2026-01-02"), {"type": "string", "format": "date"})
    assert bind(frame, TEXT) == str(frame)
    with pytest.raises(NotBound):
        bind(pandas.NA, TEXT)


def test_arrow_rows() -> None:
    arrow = pytest.importorskip("pyarrow")
    assert bind(arrow.scalar({"sku": "a", "count": None}), RECORD) == {"sku": "a"}
    assert bind(arrow.table({"sku": ["a"], "count": [2.0]}), RECORD) == {"sku": "a", "count": 2}


def test_keywords_of_another_engine() -> None:
    shape = {
        "x-aigen-shape": True,
        "properties": {"a": INTEGER},
        "unevaluatedProperties": False,
    }
    try:
        assert fits({"a": 1}, shape) is None
        assert fits({"b": 1}, shape) is not None
    except errors.ConfigurationError as error:
        assert error.code == "missing-extra" and "aigen[schema]" in str(error)
    with pytest.raises(errors.ConfigurationError):
        fits(1, {"x-aigen-shape": True, "$ref": "http://127.0.0.1:9/schema.json"})


DEFINITION: dict[str, Any] = {
    "name": "reply",
    "inputs": [
        {"name": "message", "shape": TEXT},
        {"name": "count", "shape": INTEGER, "optional": True},
        {"name": "tags", "shape": {"type": "array", "items": TEXT}, "optional": True},
    ],
    "outputs": [],
    "defaults": {"tags": {"value": ["a"]}, "count": {"call": "os:getpid"}},
}


def test_inputs() -> None:
    bound = bind_inputs(DEFINITION, {"message": 1, "count": None, "tags": UNSET})
    assert list(bound) == ["message", "count", "tags"]
    assert bound["tags"] == ["a"] and bound["count"] > 0
    bound["tags"].append("b")
    assert bind_inputs(DEFINITION, {"message": 1})["tags"] == ["a"]


async def later() -> int:
    return 1


def test_a_default_that_nothing_awaits() -> None:
    definition = {**DEFINITION, "defaults": {"count": {"call": f"{__name__}:later"}}}
    with pytest.raises(errors.ConfigurationError, match="later is async, and nothing awaits it"):
        bind_inputs(definition, {"message": 1})


def test_refusals_say_what_and_where() -> None:
    with pytest.raises(errors.InterfaceInputError) as caught:
        bind_inputs(DEFINITION, {"message": "x", "tags": ["a", None]})
    error = pickle.loads(pickle.dumps(caught.value))
    assert (error.code, error.field, error.path) == ("interface-input", "tags", (1,))
    assert str(error) == "reply: the input tags[1] wants text; got null."
    with pytest.raises(errors.InterfaceInputError) as caught:
        bind_inputs(DEFINITION, {"message": "x", "count": "s" * 200})
    assert "s" * 79 + "…" in str(caught.value) and "s" * 80 not in str(caught.value)
    with pytest.raises(errors.InterfaceInputError) as caught:
        bind_inputs(DEFINITION, {"message": "x", "count": "secret"}, quote=False)
    assert "secret" not in str(caught.value)


def test_media(tmp_path: pathlib.Path) -> None:
    data = b"\x89PNG\r\n\x1a\n..."
    path = tmp_path / "a.bin"
    path.write_bytes(data)
    shape = {"type": "string", "x-aigen-media": "image"}
    for source in (data, path, str(path), path.open("rb")):
        made = bind(source, shape)
        assert isinstance(made, Image) and made.data == data
        if hasattr(source, "close"):
            source.close()
    assert bind(data, shape).media_type == "image/png"
    assert bind("https://x.y/cat.jpg?s=1", shape).media_type == "image/jpeg"
    for wrong in (5, None, str(tmp_path / "none.png")):
        with pytest.raises(NotBound):
            bind(wrong, shape)


_JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(_JUNK)
def test_what_binds_fits_and_has_a_json_form(value: Any) -> None:
    for shape in (TEXT, INTEGER, NUMBER, RECORD, {}, {"type": "array"}, {"type": "object"}):
        try:
            bound = bind(value, shape)
        except NotBound:
            continue
        assert fits(bound, shape) is None
        canonical(jsonable(bound))


ORDER = {
    "type": "object",
    "properties": {"id": {"type": "string"}, "count": {"type": "integer"}},
    "required": ["id", "count"],
}
MAP = {"type": "object", "additionalProperties": {"type": "integer"}}


@pytest.mark.parametrize(
    ("options", "value", "wanted"),
    [
        (["shop_Order", "null"], {"id": "x"}, 'a record with the member "count"'),
        (["Chain", "null"], {"id": "x"}, 'a record with the member "count"'),
        (["shop_Order", "null"], {"id": "x", "count": "y"}, "an integer"),
        (["shop_Order", "null"], 3, "Order or null"),
        (["shop_Order", "Map"], {"id": "x"}, "an integer"),
        (["shop_Order", "Other"], {}, "Order or Other"),
        (["shop_Order", "my_shop_Tone"], {}, 'a record with the member "id"'),
        (["shop_Order", "my_shop_Tone"], "z", "Order or Tone"),
    ],
)
def test_what_a_union_of_one_record_lacks_is_named(
    options: list[str], value: object, wanted: str
) -> None:
    defs = {
        "shop_Order": ORDER,
        "Chain": {"$ref": "#/$defs/shop_Order"},
        "Other": ORDER,
        "Map": MAP,
        "my_shop_Tone": {"enum": ["kind", "brief"]},
    }
    shape = {
        "anyOf": [
            {"type": "null"} if name == "null" else {"$ref": f"#/$defs/{name}"} for name in options
        ]
    }
    with pytest.raises(NotBound) as caught:
        bind(value, shape, defs)
    assert caught.value.expected == wanted


def test_an_input_that_there_is_not() -> None:
    with pytest.raises(errors.InterfaceInputError) as caught:
        bind_inputs(DEFINITION, {"message": "x", "mesage": "y"})
    assert caught.value.message == "reply has no input mesage; it takes message, count, tags."
    assert caught.value.field == "mesage"
