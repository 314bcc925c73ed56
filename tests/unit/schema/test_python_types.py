"""Classes of the user's own, read from their source."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from aigen.diagnostics import Diagnostics, Span
from aigen.ir import (
    Choice,
    Default,
    External,
    Field,
    Formatted,
    Integer,
    JsonAny,
    Level,
    List,
    Map,
    Null,
    Number,
    Ref,
    Set,
    Text,
    Tuple,
    Type,
    Union,
)
from aigen.resolve.python_modules import PythonModules
from aigen.resolve.python_types import ClassReader
from aigen.source.words import Comments, read_docstring
from hypothesis import given
from hypothesis import strategies as st

SPAN = Span("specs/spec.yaml", 3, 5, 3, 9)
HEAD = """\
from __future__ import annotations
import datetime as dt
import typing as t
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum, auto
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, NewType, Optional
from uuid import UUID
from typing_extensions import TypedDict
import annotated_types as at
from pydantic import AliasChoices, BaseModel, ConfigDict, EmailStr, Field, HttpUrl
from pydantic.alias_generators import to_camel
"""


def read(
    tmp_path: Path, source: str, target: str = "app.models:It", **files: str
) -> tuple[tuple[External, ...], list[str]]:
    """The types of a class, and the codes and words of what was found."""
    for name, text in {"app/models.py": HEAD + textwrap.dedent(source), **files}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    diagnostics = Diagnostics()
    reader = ClassReader("It", SPAN, "m", PythonModules([tmp_path]), diagnostics)
    found = reader.read_target(target)
    return found, [f"{each.code} {each.message} {each.hint or ''}" for each in diagnostics]


def members(tmp_path: Path, source: str, **files: str) -> dict[str, Field]:
    found, said = read(tmp_path, source, **files)
    assert not said
    return {member.name: member for member in found[0].members}


@pytest.mark.parametrize(
    ("annotation", "wanted"),
    [
        ("str", Text()),
        ("Optional[int]", Union((Integer(), Null()))),
        ("'float | None'", Union((Number(), Null()))),
        ("t.Union[bool, None, str]", None),
        ("Literal['a', 1, None]", Union((Choice((Level("a"), Level(1))), Null()))),
        ("list[dict[str, set[int]]]", List(Map(Set(Integer())))),
        ("Sequence[str]", List(Text())),
        ("Mapping[str, Any]", Map(JsonAny())),
        ("tuple[int, str]", Tuple((Integer(), Text()))),
        ("t.Tuple[int, ...]", Tuple((), Integer())),
        ("tuple[()]", Tuple(())),
        ("dt.datetime", Formatted("datetime")),
        ("Decimal", Formatted("Decimal")),
        ("UUID", Formatted("UUID")),
        ("EmailStr", Text(format="email")),
        ("HttpUrl", Text(format="uri")),
        ("Annotated[int, Field(gt=0), at.Le(9)]", Integer(gt=0, le=9)),
        ("Annotated[list[str], at.Len(1, 3)]", List(Text(), 1, 3)),
        ("Annotated[str, Field(pattern='^a')] | None", Union((Text(pattern="^a"), Null()))),
        ("Id", Integer()),
        ("Tags", List(Text())),
        ("Color", Ref("m", "Color")),
        ("It", Ref("m", "It")),
        ("t.Self", Ref("m", "It")),
        ("Nested", Ref("m", "Nested")),
        ("Outer.Deep", Ref("m", "Deep")),
    ],
)
def test_annotations(tmp_path: Path, annotation: str, wanted: Type | None) -> None:
    source = f"""
        Id = NewType("Id", int)
        Tags: t.TypeAlias = list[str]

        class Color(Enum):
            RED = "red"

        class Outer:
            @dataclass
            class Deep:
                x: int

        class It(BaseModel):
            class Nested(BaseModel):
                y: int

            value: {annotation}
    """
    found = members(tmp_path, source)["value"]
    assert found.type == wanted or wanted is None
    assert not found.optional


@pytest.mark.parametrize(
    ("annotation", "why"),
    [
        ("bytes", "bytes have no JSON form"),
        ("Missing", "Missing is defined nowhere in app/models.py"),
        ("t.Callable[[int], int]", "a function has no JSON form"),
        ("dict[int, str]", "the keys of dict[int, str] are not texts"),
        ("make(3)", "what make(3) gives is known only when it runs"),
        ("other.Thing", "other.Thing is not defined in app/models.py"),
        ("'not python('", "is no type"),
        ("Loop", "Loop is an alias of itself"),
        ("make", "make is a function"),
    ],
)
def test_annotations_that_cannot_be_known(tmp_path: Path, annotation: str, why: str) -> None:
    source = f"""
        Loop = "Loop"

        def make(n: int) -> type: ...

        @dataclass
        class It:
            value: {annotation}
    """
    _, said = read(tmp_path, source)
    assert len(said) == 1
    assert said[0].startswith("AIG504 app/models.py:") and why in said[0]


def test_a_model_with_all_that_models_have(tmp_path: Path) -> None:
    source = '''
        LIMIT = 5

        class Color(StrEnum):
            RED = auto()
            BLUE = "b"

        class Base(BaseModel):
            model_config = ConfigDict(alias_generator=to_camel)
            order_id: int  # its number
            kept: str = "x"

        class It(Base):
            """An order.

            As the shop sees it.

            Attributes:
                note: free
                    text
            """

            model_config = ConfigDict(extra="allow")
            kind: ClassVar[str] = "order"
            _cache: int = 0
            color: Color = Color.RED
            limit: int = LIMIT
            lines: list[int] = Field(default_factory=list, description="sold", min_length=0)
            note: str | None = None
            # the day
            # it came
            placed: Annotated[dt.date, "no words"] = Field(alias="day")
            either: str = Field(validation_alias=AliasChoices("one", "two"), examples=["a"])
            must: int = Field(..., deprecated="old")
            gone: str = None
            kept: str

            @property
            def total(self) -> int: ...
    '''
    (it, color), said = read(tmp_path, source)
    assert not said
    assert it.kind == "model" and not it.closed
    assert it.description == "An order.\n\nAs the shop sees it."
    assert color == External(
        "Color", "app.models:Color", "enum", SPAN, (), (Level("red"), Level("b"))
    )
    found = {member.name: member for member in it.members}
    assert list(found) == [
        *("orderId", "kept", "color", "limit", "lines", "note", "day", "one", "must", "gone"),
    ]
    assert found["orderId"].description == "its number"
    assert found["kept"].default is None and not found["kept"].optional
    assert found["color"].default == Default("red")
    assert found["limit"].default == Default(5)
    assert found["lines"].default == Default([]) and found["lines"].description == "sold"
    assert found["note"].default == Default(None) and found["note"].description == "free text"
    assert found["day"].description == "no words" and not found["day"].optional
    assert found["one"].examples == ("a",)
    assert not found["must"].optional and found["must"].deprecated == "old"
    assert found["gone"].optional and found["gone"].default is None


def test_other_kinds_of_classes(tmp_path: Path) -> None:
    source = """
        class Point(NamedTuple):
            x: float
            y: float = 0.5

        class Extra(TypedDict, total=False):
            a: t.Required[int]
            b: str

        class More(Extra):
            c: t.NotRequired[bool]
            d: str

        class Level(IntEnum):
            LOW = auto()  # not much
            TOP = 9
            BEST = 9

        @dataclass
        class It:
            point: Point
            _: KW_ONLY
            more: More
            level: Level = Level.LOW
            made: int = field(default=1, init=False)
    """
    (it, *others), said = read(tmp_path, source)
    by_name = {each.name: each for each in others}
    assert not said
    assert [member.name for member in it.members] == ["point", "more", "level"]
    assert it.members[2].default == Default(1)
    assert by_name["Point"].kind == "named_tuple"
    more = by_name["More"]
    assert more.kind == "typed_dict"
    assert [(m.name, m.optional) for m in more.members] == [
        *(("a", False), ("b", True), ("c", True), ("d", False)),
    ]
    assert by_name["Level"].levels == (Level(1, "not much"), Level(9))


def test_classes_of_other_modules(tmp_path: Path) -> None:
    files = {
        "app/__init__.py": "",
        "app/base.py": "from pydantic import BaseModel\nclass Base(BaseModel):\n    id: int\n",
        "app/inner/kinds.py": "from enum import Enum\nclass Kind(Enum):\n    A = 'a'\n",
        "app/public.py": "from .base import *\nfrom .inner import kinds as k\nfrom . import base\n",
    }
    source = """
        from app import public
        from .public import Base, k

        class It(Base):
            kind: k.Kind
            again: public.k.Kind
            base: public.base.Base
    """
    found, said = read(tmp_path, source, **files)
    assert not said
    assert [each.target for each in found] == [
        *("app.models:It", "app.inner.kinds:Kind", "app.base:Base"),
    ]
    assert [member.name for member in found[0].members] == ["id", "kind", "again", "base"]


@pytest.mark.parametrize(
    ("source", "target", "wanted"),
    [
        ("class Its(BaseModel): ...", "app.models:It", "AIG501 app/models.py defines no It"),
        ("class Its(BaseModel): ...", "app.models:Itss", "did you mean app.models:Its?"),
        ("", "elsewhere:It", "AIG501 elsewhere is not under python_path"),
        ("class It(:", "app.models:It", "AIG502 app/models.py:14: "),
        ("class It: ...", "app.models:It", "AIG503 app/models.py:14: It is a plain class"),
        ("def It(): ...", "app.models:It", "AIG503 app/models.py:14: It is a function"),
        ("It = int", "app.models:It", "AIG503 It of app/models.py is no class"),
        (
            "from x import B\nclass It(B): ...",
            "app.models:It",
            ":15: the base B of It is not under",
        ),
        ("class It(It2): ...\nclass It2(It): ...", "app.models:It", "inherits itself"),
        ("class It(Enum):\n    A = 0.5", "app.models:It", "AIG507 app/models.py:15: "),
        (
            "@dataclass\nclass It:\n    a: float = field(default_factory=dt.time)",
            "app.models:It",
            "AIG505 app/models.py:16: the default of It.a is known only when it runs",
        ),
        (
            '@dataclass\nclass It:\n    """X.\n\n    Args:\n        b: no\n    """\n    a: int',
            "app.models:It",
            "AIG508 app/models.py:15: the docstring of It documents b, which is no member",
        ),
    ],
)
def test_what_is_wrong(tmp_path: Path, source: str, target: str, wanted: str) -> None:
    _, said = read(tmp_path, source, target)
    assert len(said) == 1 and wanted in said[0], said


def test_nothing_is_run(tmp_path: Path) -> None:
    source = """
        raise SystemExit("run")

        class It(BaseModel):
            a: int = __import__("os").system("true")
    """
    found, said = read(tmp_path, source)
    assert found[0].members[0].optional and said[0].startswith("AIG505")


@pytest.mark.parametrize(
    "text",
    [
        "X.\n\nArgs:\n    a: one\n        more\n    b (int): two\n\nReturns:\n    c: no\n",
        "X.\n\nParameters\n----------\na : int\n    one\n    more\nb\n    two\n\nReturns\n-----\n",
        "X.\n\n:param a: one\n    more\n:param int b: two\n:returns: c\n",
    ],
)
def test_docstrings(text: str) -> None:
    found = read_docstring(text)
    assert found.text == "X."
    assert found.members == {"a": "one more", "b": "two"}


@given(st.text(alphabet=" \n#:abArgs-'\"\\", max_size=60))
def test_words_of_any_text(text: str) -> None:
    read_docstring(text)
    Comments(text).of(1, 3)
