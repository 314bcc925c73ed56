"""A function at hand gives the schema that the compiler makes of its source."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from aigen.runtime.errors import ConfigurationError
from aigen.tooling.docs import documented

HEAD = '''\
from __future__ import annotations
import dataclasses
import functools
import pathlib
from collections.abc import AsyncIterator, Generator, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, Flag, IntEnum, StrEnum, auto
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NamedTuple, NewType, Optional, TypeVar, Union
from uuid import UUID
from annotated_types import Ge, Len
from pydantic import AliasChoices, AnyUrl, BaseModel, ConfigDict, Field
from typing_extensions import NotRequired, TypedDict
from aigen.runtime import ToolContext

T = TypeVar("T")
UserId = NewType("UserId", int)
Names = list[str]

class Colour(Enum):
    """A colour.

    Used on labels.
    """
    RED = "red"  # as a rose
    BLUE = "blue"
    CRIMSON = "red"

class Level(IntEnum):
    LOW = 1
    HIGH = 2

class Tone(StrEnum):
    # polite
    KIND = "kind"
    SHORT = "short"

@dataclass
class Line:
    """One line.

    Attributes:
        sku: what
    """
    sku: str
    count: int = 1  # how many
    tags: list[str] = dataclasses.field(default_factory=list)

class Base(BaseModel):
    id: str = Field(pattern="^A")  # the key

class Order(Base):
    """An order."""
    lines: list[Line]
    """what was
    bought"""
    note: str | None = None
    colour: Colour = Colour.RED
    total: Annotated[int, Field(ge=0, description="in cents"), "cents"] = 0
    placed: date = Field(alias="placedOn", examples=["2024-01-01"])
    other: int = Field(1, validation_alias=AliasChoices("oth", "other"))
    extra: dict[str, Any] = Field(default_factory=dict)
    wrong: int = None

class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    x: int

class Node(BaseModel):
    value: int
    children: list[Node] = []

class Options(TypedDict, total=False):
    # how large
    size: int
    name: str

class Strict(TypedDict):
    a: int
    b: NotRequired[int]

class Point(NamedTuple):
    """A place."""
    x: int  # across
    y: int = 2

class Page(BaseModel, Generic[T]):
    """One page."""
    items: list[T]  # on it
    next: int | None = None

class Tree(BaseModel, Generic[T]):
    value: T
    children: list[Tree[T]] = []

class Sub(Page[str]):
    more: int = 0

@dataclass
class Pair(Generic[T]):
    left: T
    right: list[T]

class Access(Flag):
    READ = auto()
    WRITE = auto()
    ALL = READ | WRITE

class Cat(BaseModel):
    kind: Literal["cat"]

class Dog(BaseModel):
    kind: Literal["dog"]

'''

FUNCTIONS = {
    "scalars": "def f(a: int, b: str, c: float, d: bool): ...",
    "null": "def f(a: int | None, b: Optional[str] = None, c: Union[int, str] = 3): ...",
    "collections": """
def f(a: list[int], b: list[list[str]], c: dict[str, int], d: dict, e: list, g: dict[str, Any],
      h: tuple[int, str], i: tuple[int, ...], j: set[str], k: frozenset[int], m: tuple[()]): ...
""",
    "choices": """
def f(a: Literal["x"], b: Literal["x", "y"] = "y", c: Literal[1, 2] = 2, d: Literal["a", 1] = 1,
      e: Literal["a", None] = None): ...
""",
    "enums": "def f(a: Colour, b: Level = Level.HIGH, c: Tone | None = None): ...",
    "formats": """
def f(a: date, b: datetime, c: time, d: timedelta, e: Decimal, g: UUID, h: AnyUrl): ...
""",
    "models": """
def f(order: Order) -> Order:
    '''Change it.

    Returns:
        the new one
    '''
""",
    "records": "def f(line: Line, lines: list[Line], node: Node, open: Open | None = None): ...",
    "mappings": "def f(o: Options, s: Strict, p: Point) -> list[Point]: ...  # where",
    "discriminated": "def f(pet: Annotated[Cat | Dog, Field(discriminator='kind')]): ...",
    "aliases": "def f(a: UserId, b: Names, c: Any, d: object): ...",
    "constraints": """
def f(a: Annotated[int, Field(ge=1, le=9, description='of ten')], b: Annotated[str, Len(1, 3)],
      c: Annotated[int, Ge(2)] = 3, d: int = Field(4, gt=1, description='more')): ...
""",
    "guessed": "def f(a=1, b='x', c=2.5, d=True, e=('one', 'two')): ...",
    "passing": """
def f(a: int, /, b: int, *rest: int, c: int, ctx: ToolContext, **more: str) -> None:
    '''Many.

    Args:
        a: first
        rest: the rest
        more: others
    '''
""",
    "comments": """
def f(
    a: int,  # on the line
    # above,
    # twice
    b: str = '# none',
    c: int = 1, d: int = 2,  # both
) -> int:  # the sum
    '''Sum.'''
""",
    "async": """
async def f(a: int) -> str:
    '''Wait.

    :param a: seconds
    :returns: a word
    '''
""",
    "decorated": "@functools.cache\ndef f(a: int) -> int:  # cached\n    return a",
    "paths": "def f(a: Path, b: list[pathlib.PurePath], c: Path | None = None) -> Path: ...",
    "bytes": "def f(a: str | bytes, b: Union[bytes, str, None] = None, c: str | bytes = ''): ...",
    "generics": """
def f(a: Page[int], b: Pair[bool], c: Page[list[str]], d: Sub, e: Tree[Line]) -> Page[date]: ...
""",
    "one by one": "def f(a: int) -> Iterator[int]: ...",
    "generated": "def f(a: int) -> Generator[str, None, int]: ...",
    "async, one by one": "async def f(a: int) -> AsyncIterator[Order]:\n    yield Order()",
    "defaults": "def f(a: int = None, b: list[int] = [1], c: date | None = None): ...",
}


@pytest.mark.parametrize("source", FUNCTIONS.values(), ids=FUNCTIONS)
def test_both_readers_agree(app: Any, built: Any, source: str) -> None:
    module: ModuleType = app(f"{HEAD}{source}\n")
    wanted, made = dict(built(module, "f")), dict(documented(module.f))
    for definition in (wanted, made):
        for key in ("name", "function", "module"):
            definition.pop(key, None)
    assert made == wanted


def test_both_readers_know_a_flag(app: Any, built: Any) -> None:
    module = app(f"{HEAD}def f(a: Access, b: Access = Access.WRITE): ...\n")
    sums = {"type": "integer", "minimum": 0, "maximum": 3}
    words = "the sum of any of 1 (READ), 2 (WRITE)"
    one, two = built(module, "f")["inputs"]
    assert (one["shape"], one["desc"]) == ({**sums, "description": words}, words)
    assert two["shape"]["default"] == 2
    made = documented(module.f)
    assert made["$defs"]["Access"] == {**sums, "description": words}
    assert made["inputs"][1]["shape"] == {"$ref": "#/$defs/Access", "default": 2}


@pytest.mark.parametrize(("kind", "why"), [("Callable[[], int]", "a function"), ("bytes", "bytes")])
def test_what_has_no_form_says_why(app: Any, kind: str, why: str) -> None:
    module = app(f"from collections.abc import Callable\ndef f(a: {kind}): ...\n")
    with pytest.raises(ConfigurationError, match=f"the type of a of f has no JSON form: {why}"):
        documented(module.f)


DOCS = {
    "description": "Sum them.",
    "arguments": {"a": {"description": "the first"}},
    "return": {"description": "the sum"},
}


@pytest.mark.parametrize(
    "added",
    [
        "f = add_docs(f, {docs})",
        "add_docs(f, {docs})",
        "f.__aigen_docs__ = {docs}",
        "add_docs(f, {docs})\nf = tool(f)",
    ],
)
def test_both_readers_prefer_what_a_module_adds(app: Any, built: Any, added: str) -> None:
    source = (
        "from aigen.tooling import add_docs, tool\n"
        "def f(a: int,  # old\n      b: int = 1,  # more\n) -> int:\n    'Old.'\n    return a + b\n"
        + added.format(docs=DOCS)
    )
    module = app(source)
    wanted, made = built(module, "f"), documented(module.f)
    for key in ("description", "inputs", "output"):
        assert made[key] == wanted[key]
    assert made["description"] == "Sum them."
    assert [each["desc"] for each in made["inputs"]] == ["the first", "more"]
    assert made["output"]["desc"] == "the sum"


def test_a_class_without_source_keeps_its_docstring() -> None:
    space: dict[str, Any] = {}
    exec(
        "from pydantic import BaseModel\n"
        "class Order(BaseModel):\n"
        "    '''An order.\n\n    Attributes:\n        id: its number\n    '''\n"
        "    id: str\n"
        "def f(order: Order): ...\n",
        space,
    )
    order = documented(space["f"])["$defs"]["Order"]
    assert order["description"] == "An order."
    assert order["properties"]["id"] == {"type": "string", "description": "its number"}
