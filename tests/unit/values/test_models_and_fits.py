"""Models built with `aigen.runtime.types` judge exactly as `fits` judges."""

from __future__ import annotations

import datetime
import json
from typing import Annotated, Any, Literal, NamedTuple

import pytest
from aigen.runtime.types import (
    UUID,
    Bool,
    Date,
    DateTime,
    Decimal,
    Email,
    Exact,
    Float,
    InOrder,
    Int,
    JsonValue,
    Limits,
    MayBeAbsent,
    MultipleOf,
    Pattern,
    SetOf,
    ShapeOf,
    Time,
    TimeDelta,
    TupleOf,
    Url,
    Whole,
    absent,
)
from aigen.runtime.values import bind, fits, jsonable
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model

_CONFIG = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
_ODD = {"type": "integer", "minimum": 0, "not": {"const": 4}}

PAIRS: list[tuple[Any, dict[str, Any]]] = [
    (str, {"type": "string"}),
    (
        Annotated[str, Field(min_length=1, max_length=2)],
        {"type": "string", "minLength": 1, "maxLength": 2},
    ),
    (Annotated[str, Pattern("^a$")], {"type": "string", "pattern": "^a$"}),
    (Annotated[str, Pattern("^(?!a)")], {"type": "string", "pattern": "^(?!a)"}),
    (Int, {"type": "integer"}),
    (
        Annotated[int, Field(ge=0, lt=6), Whole()],
        {"type": "integer", "minimum": 0, "exclusiveMaximum": 6},
    ),
    (Float, {"type": "number"}),
    (Annotated[Float, MultipleOf(0.01)], {"type": "number", "multipleOf": 0.01}),
    (bool, {"type": "boolean"}),
    (Date, {"type": "string", "format": "date"}),
    (DateTime, {"type": "string", "format": "date-time"}),
    (Time, {"type": "string", "format": "time"}),
    (TimeDelta, {"type": "string", "format": "duration"}),
    (Decimal, {"type": "string", "format": "decimal"}),
    (
        Annotated[Decimal, Limits(ge=0.1, lt=9)],
        {"type": "string", "format": "decimal", "minimum": 0.1, "exclusiveMaximum": 9},
    ),
    (
        Annotated[Decimal, Limits(gt=-1, le=1)],
        {"type": "string", "format": "decimal", "exclusiveMinimum": -1, "maximum": 1},
    ),
    (UUID, {"type": "string", "format": "uuid"}),
    (Url, {"type": "string", "format": "uri"}),
    (Email, {"type": "string", "format": "email"}),
    (JsonValue, {}),
    (list[Int], {"type": "array", "items": {"type": "integer"}}),
    (
        Annotated[set[Int], Field(min_length=1), SetOf()],
        {"type": "array", "items": {"type": "integer"}, "uniqueItems": True, "minItems": 1},
    ),
    (Annotated[list[JsonValue], SetOf()], {"type": "array", "items": {}, "uniqueItems": True}),
    (
        Annotated[tuple[Int, str], TupleOf()],
        {
            "type": "array",
            "prefixItems": [{"type": "integer"}, {"type": "string"}],
            "items": False,
            "minItems": 2,
            "maxItems": 2,
        },
    ),
    (Annotated[tuple[Float, ...], TupleOf()], {"type": "array", "items": {"type": "number"}}),
    (
        Annotated[dict[str, Int], Field(max_length=1)],
        {"type": "object", "additionalProperties": {"type": "integer"}, "maxProperties": 1},
    ),
    (Literal["a", "b"], {"enum": ["a", "b"], "type": "string"}),
    (Annotated[Literal[1, 2], Exact()], {"enum": [1, 2], "type": "integer"}),
    (Annotated[Literal[True, 1, "x"], Exact()], {"enum": [True, 1, "x"]}),
    (Annotated[Literal[0], Exact()], {"enum": [0]}),
    (
        Annotated[Date | Int | None, InOrder()],
        {"anyOf": [{"type": "string", "format": "date"}, {"type": "integer"}, {"type": "null"}]},
    ),
    (Annotated[Int, ShapeOf(json.dumps(_ODD))], {**_ODD, "x-aigen-shape": True}),
]
_OTHERWISE = {
    str({"enum": [0]}): {"const": 0, "type": "integer"},
    str({"type": "array", "items": {}, "uniqueItems": True}): {
        "type": "array",
        "items": {"$ref": "#/$defs/JsonValue"},
        "uniqueItems": True,
        "$defs": {"JsonValue": {}},
    },
}
"""What pydantic writes otherwise and means the same by."""
SHOWN = [
    (kind, _OTHERWISE.get(str(shape), shape))
    for kind, shape in PAIRS
    if "x-aigen-shape" not in shape
]
MODELS = [create_model("M", __config__=_CONFIG, x=(kind, ...)) for kind, _ in PAIRS]

_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 9)
    | st.sampled_from([0.0, 1.0, 5.0, -0.0, 2.5, 0.07, 0.075, 1e21, 10**30])
    | st.text("ab\n🙂", max_size=3)
    | st.sampled_from(
        [
            *("2026-01-01", "2026-02-30", "20260101", "2026-01-01T10:00:00Z", "2026-01-01 10:00"),
            *("10:00", "24:00", "P1D", "P1Y", "PT", "PT1.5S", "1.50", "1e3", "NaN", "1", "true"),
            *("0.1", "0.09999", "-1", "9", "8.9"),
            *("7d9f5b4c-3b1e-4c43-9a2a-1f9f4a1d2c3b", "https://x.y/z", "https://", "mailto:a@b.c"),
            *("a@b.c", "a@", "1767225600", "é", "x"),
        ]
    )
)
_JSON = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=1), inner, max_size=2)
    ),
    max_leaves=6,
)


def _takes(model: Any, value: Any, *, as_json: bool) -> bool:
    try:
        if as_json:
            model.model_validate_json(json.dumps({"x": value}))
        else:
            model.model_validate({"x": value})
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize(("kind", "shape"), SHOWN, ids=[str(shape) for _, shape in SHOWN])
def test_models_show_the_schema_they_judge_by(kind: Any, shape: dict[str, Any]) -> None:
    for mode in ("validation", "serialization"):
        shown = TypeAdapter(kind, config=_CONFIG).json_schema(mode=mode)
        # Where `maxItems` closes a tuple, nothing comes after its items.
        assert shown == {key: part for key, part in shape.items() if part is not False}


@settings(max_examples=400, deadline=None)
@given(_JSON)
def test_models_judge_as_fits_does(value: Any) -> None:
    for (kind, shape), model in zip(PAIRS, MODELS, strict=True):
        fit = fits(value, shape) is None
        assert _takes(model, value, as_json=False) == fit, (kind, value, fits(value, shape))
        assert _takes(model, value, as_json=True) == fit, (kind, value, fits(value, shape))


def test_whole_floats_become_integers() -> None:
    model = create_model("M", __config__=_CONFIG, x=(Int, ...))
    for made in (model(x=5.0), model.model_validate_json('{"x": 5.0}')):
        assert made.x == 5 and type(made.x) is int  # type: ignore[attr-defined]


@pytest.mark.parametrize("number", ["1e400", "-1e400", "NaN", "Infinity"])
def test_numbers_are_finite(number: str) -> None:
    for kind in (Float, Int, JsonValue):
        model = create_model("M", __config__=_CONFIG, x=(kind, ...))
        with pytest.raises(ValidationError):
            model.model_validate_json(f'{{"x": {number}}}')
        with pytest.raises(ValidationError):
            model(x=float(number))


def test_absent_is_left_out_and_null_refused() -> None:
    note = Annotated[str | None, MayBeAbsent()]
    field = Field(default=None, exclude_if=absent)
    model = create_model("M", __config__=_CONFIG, x=(note, field))
    assert model().model_dump() == {}
    assert model(x="a").model_dump() == {"x": "a"}
    with pytest.raises(ValidationError):
        model(x=None)
    with pytest.raises(ValidationError):
        model.model_validate_json('{"x": null}')


class _Day(NamedTuple):
    on: datetime.date


class _Place(NamedTuple):
    lat: float
    lon: float = 0.5
    day: _Day | None = None


_PLACE = {
    "type": "object",
    "properties": {
        "lat": {"type": "number"},
        "lon": {"type": "number", "default": 0.5},
        "day": {"anyOf": [{"type": "object"}, {"type": "null"}], "default": None},
    },
    "required": ["lat"],
    "additionalProperties": False,
}


def test_a_named_tuple_is_dumped_as_it_is_read() -> None:
    kind = Annotated[_Place, ShapeOf(json.dumps(_PLACE))]
    model = create_model("Model", __config__=_CONFIG, one=(kind, ...), more=(list[kind], ...))
    day = _Day(datetime.date(2024, 1, 2))
    made = model(one={"lat": 1.0, "day": {"on": "2024-01-02"}}, more=[_Place(2.0)])
    assert made.one == _Place(1.0, 0.5, day)
    dumped = '{"lat":1.0,"lon":0.5,"day":{"on":"2024-01-02"}}'
    assert (
        made.model_dump_json() == f'{{"one":{dumped},"more":[{{"lat":2.0,"lon":0.5,"day":null}}]}}'
    )
    assert model.model_validate_json(made.model_dump_json()) == made
    assert model(**made.model_dump()) == made
    shown = model.model_json_schema(mode="serialization")["properties"]["one"]
    assert shown["type"] == "object" and list(shown["properties"]) == ["lat", "lon", "day"]
    assert shown["required"] == ["lat"] and shown["properties"]["lat"]["type"] == "number"


class _Inner(BaseModel):
    places: list[_Place]


class _Shop(BaseModel):
    name: str = Field(alias="Name")
    place: _Place
    inner: _Inner
    by_key: dict[str, tuple[_Place, int]]


def test_an_instance_of_a_model_with_named_tuples_fits_its_own_schema() -> None:
    shop = _Shop(
        Name="a",
        place=_Place(1.0, day=_Day(datetime.date(2024, 1, 2))),
        inner=_Inner(places=[_Place(2.0)]),
        by_key={"k": (_Place(3.0), 1)},
    )
    plain = {"lat": 2.0, "lon": 0.5, "day": None}
    data = {
        "Name": "a",
        "place": {"lat": 1.0, "lon": 0.5, "day": {"on": "2024-01-02"}},
        "inner": {"places": [plain]},
        "by_key": {"k": [{**plain, "lat": 3.0}, 1]},
    }
    assert jsonable(shop) == data
    schema = {
        "type": "object",
        "properties": {
            "Name": {"type": "string"},
            "place": _PLACE,
            "inner": {"properties": {"places": {"type": "array", "items": _PLACE}}},
            "by_key": {"type": "object"},
        },
        "required": ["Name", "place", "inner"],
    }
    kind = Annotated[_Shop, ShapeOf(json.dumps(schema))]
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    assert adapter.validate_python(shop) is shop
    model = create_model("Model", __config__=_CONFIG, shop=(kind, ...), none=(kind | None, None))
    made = model(shop=shop)
    assert made.model_dump(mode="json", by_alias=True) == {"shop": data, "none": None}
    assert model.model_validate_json(made.model_dump_json(by_alias=True)) == made
    some = made.model_dump(mode="json", include={"shop": {"name", "inner"}})
    assert some == {"shop": {"name": "a", "inner": {"places": [plain]}}}
    assert made.model_dump()["shop"]["place"] == shop.place
    places = {"type": "object", "properties": {"places": {"type": "array", "items": _PLACE}}}
    assert bind(shop.inner, places) == {"places": [plain]}


_BOUNDED = Annotated[int, Field(ge=1), Whole()]


@pytest.mark.parametrize("kind", [Int, Float, list[Int], Int | str, _BOUNDED], ids=str)
def test_types_of_numbers_judge_alone_as_in_a_model(kind: Any) -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    listed = kind == list[Int]
    for text, taken in (("5", True), ("5.0", True), ("true", False), ("1e999", False)):
        value = f"[{text}]" if listed else text
        try:
            adapter.validate_json(value)
        except ValidationError:
            assert not taken, text
        else:
            assert taken, text


def test_named_booleans_judge_alone_as_in_a_model() -> None:
    for kind, value in [(Bool, 1), (Bool, "yes"), (list[Bool], [0]), (Bool | str, 1)]:
        adapter: TypeAdapter[Any] = TypeAdapter(kind)
        with pytest.raises(ValidationError):
            adapter.validate_python(value)
        with pytest.raises(ValidationError):
            adapter.validate_json(json.dumps(value).replace('"yes"', "1"))
    assert TypeAdapter(Bool).validate_json("true") is True


BOUNDED = Annotated[int, Field(ge=1, le=9), Whole()]


@pytest.mark.parametrize(
    ("kind", "plain"), [(Int, int), (BOUNDED, Annotated[int, Field(ge=1, le=9)])]
)
def test_an_integer_is_pydantics_but_for_floats_that_are_whole(kind: Any, plain: Any) -> None:
    ours, theirs = TypeAdapter(kind), TypeAdapter(plain, config=ConfigDict(strict=True))
    assert ours.json_schema() == theirs.json_schema()
    for whole in (5, 5.0):
        assert (found := ours.validate_python(whole)) == 5
        assert type(found) is int
        assert ours.dump_json(found) == b"5"
    for value in (2.5, float("inf"), float("nan"), True, "5", None, [], 0, 10, 10.0):
        assert problems(ours, value) == problems(theirs, int(value) if value == 10.0 else value)


def problems(adapter: TypeAdapter[Any], value: Any) -> list[tuple[Any, ...]]:
    """What is wrong with a value: kinds, places and words."""
    try:
        adapter.validate_python(value)
    except ValidationError as problem:
        return [(each["type"], each["loc"], each["msg"]) for each in problem.errors()]
    return []


def test_an_integer_beside_a_number_stays_what_it_is() -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(Int | Float | None)
    assert [type(adapter.validate_python(value)) for value in (5, 2.5, None)] == [
        int,
        float,
        type(None),
    ]
