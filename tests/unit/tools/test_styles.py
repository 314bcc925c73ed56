"""Functions in the styles people write, as tools: read, built, and called with what models give."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from aigen.building import build
from aigen.diagnostics import Diagnostics
from aigen.importers.mcp import import_mcp
from aigen.project import Project
from aigen.runtime.errors import ToolError
from aigen.runtime.tools import gathered
from aigen.runtime.wire.messages import ToolCall
from desks import build_desk, imported
from runners import ran, runner

APP = '''
from __future__ import annotations

import asyncio
import enum
import functools
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NamedTuple, Optional, TypeVar, Unpack

from pydantic import BaseModel, Field
from typing_extensions import NotRequired, TypedDict

T = TypeVar("T")
K = TypeVar("K", bound=int)
Maybe = list[T] | None


class Page(BaseModel, Generic[T]):
    """One page of results."""

    items: list[T]
    next: int | None = None


class Box(BaseModel, Generic[T, K]):
    inner: Page[T]
    key: K
    more: Box[T, K] | None = None


class IntPage(Page[int]):
    total: int = 0


@dataclass
class Pair(Generic[T]):
    left: T
    right: T


class Access(enum.Flag):
    READ = enum.auto()
    WRITE = enum.auto()
    EXECUTE = 1 << 2
    ALL = READ | WRITE | EXECUTE


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Address:
    """Where somebody lives."""

    street: str  # with the number
    zip: str
    home: Path = Path("~")
    tags: list[str] = field(default_factory=list)


class Filter(TypedDict, total=False):
    colour: Colour
    after: date


class Options(TypedDict):
    limit: int
    verbose: NotRequired[bool]


class Point(NamedTuple):
    x: float
    y: float = 0.0


def google(city: str, days: int = 3, *, unit: Literal["C", "F"] = "C") -> dict[str, float]:
    """Forecast the weather.

    Args:
        city (str): Name of the city,
            on two lines.
        days: How many days.
        unit: Of the temperature.

    Raises:
        ValueError: if there is no such city.
    """
    if city == "Atlantis":
        raise ValueError("no such city")
    return {f"day {n}": 20.0 + n for n in range(days)}


def numpy(values: list[float], mode=("mean", "median")):
    """Average some values.

    Parameters
    ----------
    values : list of float
        The values.
    mode : {"mean", "median"}
        How.
    """
    return f"{mode} {sum(values) / len(values)}"


def rest(path: Path, access: Access = Access.READ, encoding: str | bytes = "utf-8") -> Path:
    """Open a file.

    :param path: where it is
    :param access: what is wanted
    """
    assert isinstance(path, Path) and isinstance(access, Access)
    return Path("/there") / path


def save(address: Address, where: Point | None = None) -> Address:
    """Keep an address."""
    assert isinstance(address, Address) and isinstance(where, Point | None)
    return address


def find(filter: Filter, **options: Unpack[Options]) -> list[Colour]:
    """Look for things."""
    return [filter.get("colour", Colour.RED)] * options["limit"]


def book(
    guests: Annotated[int, Field(ge=1, le=8, description="How many come")],
    name: Annotated[str, "Under which name"],
    note: Optional[str] = None,
) -> str:
    """Keep a table."""
    return f"{name}: {guests}"


def page(
    first: Page[int], box: Box[str, int] | None = None, names: Maybe[str] = None
) -> Page[str]:
    """Turn a page."""
    assert type(first).__name__ == "Page[int]"
    return Page[str](items=[str(n) for n in first.items], next=first.next)


def pair(given: Pair[date]) -> Pair[bool]:
    """Compare two days."""
    assert isinstance(given, Pair) and isinstance(given.left, date)
    return Pair(given.left < given.right, True)


def ints(given: IntPage) -> IntPage:
    """Give it back."""
    return given


async def wait(seconds: float = 0.01) -> str:
    """Wait a while."""
    await asyncio.sleep(seconds)
    return "done"


async def rows(count: int) -> AsyncIterator[int]:
    """Give rows one by one."""
    for n in range(count):
        await asyncio.sleep(0)
        yield n


def lines(count: int) -> Iterator[str]:
    """Give lines one by one."""
    for n in range(count):
        yield f"line {n}"


def timed(limit: float):
    def decorate(func):
        @functools.wraps(func)
        def inner(*args: Any, **kwargs: Any) -> Any:
            return func(*args, **kwargs)
        return inner
    return decorate


@timed(3.0)
@functools.lru_cache(maxsize=None)
def decorated(a: int, b: int = 2) -> int:
    """Add two numbers."""
    return a + b


class Desk:
    def __init__(self, name: str = "main") -> None:
        self.name = name

    def open(self, key: str) -> str:
        """Open a drawer.

        Args:
            key: its key
        """
        return f"{self.name} {key}"

    @classmethod
    def made(cls, name: str) -> str:
        """Make a desk."""
        return cls(name).name

    @staticmethod
    def size(width: float, height: float) -> float:
        """Say how large it is."""
        return width * height


desk = Desk("front")
'''

NAMES = {
    **{name: name for name in ("google", "numpy", "rest", "save", "find", "book", "page", "pair")},
    **{name: name for name in ("ints", "wait", "rows", "lines", "decorated")},
    "drawer": "desk.open",
    "made": "Desk.made",
    "size": "Desk.size",
}
SPEC = "tools:\n" + "".join(
    f"  {name}: {{python: own_app:{path}}}\n" for name, path in NAMES.items()
)


@pytest.fixture
def desk(module: Any) -> Any:
    return module(SPEC, APP)


BOX = {"inner": {"items": ["a"]}, "key": 1, "more": {"inner": {"items": []}, "key": 2}}
GOOD = [
    ("google", {"city": "Bonn", "days": 1}, {"day 0": 20.0}),
    ("google", {"city": "Bonn", "unit": "F", "days": 0}, {}),
    ("numpy", {"values": [1, 2]}, "mean 1.5"),
    ("rest", {"path": "a/b"}, "/there/a/b"),
    ("rest", {"path": "a", "access": 7, "encoding": "ascii"}, "/there/a"),
    (
        "save",
        {"address": {"street": "A 1", "zip": "1"}},
        {"street": "A 1", "zip": "1", "home": "~", "tags": []},
    ),
    (
        "save",
        {"address": {"street": "A", "zip": "1", "home": "/x", "tags": ["a"]}, "where": {"x": 1}},
        {"street": "A", "zip": "1", "home": "/x", "tags": ["a"]},
    ),
    (
        "find",
        {"filter": {"colour": "blue", "after": "2026-01-01"}, "options": {"limit": 2}},
        ["blue", "blue"],
    ),
    ("book", {"guests": 3, "name": "Li"}, "Li: 3"),
    ("page", {"first": {"items": [1], "next": 3}}, {"items": ["1"], "next": 3}),
    ("page", {"first": {"items": []}, "box": BOX, "names": ["x"]}, {"items": [], "next": None}),
    (
        "pair",
        {"given": {"left": "2026-01-01", "right": "2026-01-02"}},
        {"left": True, "right": True},
    ),
    ("ints", {"given": {"items": [1]}}, {"items": [1], "next": None, "total": 0}),
    ("wait", {}, "done"),
    ("rows", {"count": 3}, [0, 1, 2]),
    ("lines", {"count": 2}, ["line 0", "line 1"]),
    ("decorated", {"a": 1}, 3),
    ("drawer", {"key": "k"}, "front k"),
    ("made", {"name": "n"}, "n"),
    ("size", {"width": 2, "height": 3}, 6.0),
]


def test_good_arguments(desk: Any) -> None:
    for name, arguments, wanted in GOOD:
        run = runner(getattr(desk, name))
        calls = [ToolCall("c", name, json.dumps(arguments))]
        for [done] in (run.run(calls, 1, True), asyncio.run(run.arun(calls, 1, True))):
            assert not done.is_error, (name, done.text)
            assert (done.text if isinstance(wanted, str) else json.loads(done.text)) == wanted


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("google", {"city": "Atlantis"}, "google failed: ValueError: no such city"),
        ("google", {}, "the input city wants a value; it is required"),
        ("google", {"city": "B", "unit": "K"}, 'the input unit wants one of "C", "F"; got "K"'),
        ("google", {"city": "B", "dayz": 1}, "has no input dayz; it takes city, days, unit"),
        ("numpy", {"values": [1], "mode": "max"}, 'the input mode wants one of "mean", "median"'),
        ("rest", {"path": ["a"], "access": 8}, "the input access wants a number at least 0, at"),
        ("rest", {"path": "a", "access": "READ"}, 'the input access wants an integer; got "READ"'),
        ("save", {"address": {"street": "A"}}, 'wants a record with the member "zip"'),
        ("find", {"filter": {}, "options": {}}, 'options wants a record with the member "limit"'),
        ("find", {"filter": {"after": "soon"}, "options": {"limit": 1}}, "filter.after wants a"),
        ("book", {"guests": 9, "name": "x"}, "the input guests wants a number at least 1, at most"),
        ("page", {"first": {"items": ["a"]}}, "the input first.items[0] wants an integer"),
        (
            "page",
            {"first": {"items": [1]}, "box": {"inner": {"items": [1]}, "key": "k"}},
            "the input box.key wants an integer",
        ),
        ("pair", {"given": {"left": "2026-01-01", "right": "x"}}, "given.right wants a date"),
        ("decorated", {"a": "x"}, "the input a wants an integer"),
    ],
)
def test_bad_arguments(desk: Any, name: str, arguments: Any, says: str) -> None:
    done = ran(getattr(desk, name), name=name, arguments=json.dumps(arguments))
    assert done.is_error and says in done.text, done.text


def test_what_they_are_called_and_take(desk: Any) -> None:
    import own_app

    assert desk.page(own_app.Page[int](items=[1])).items == ["1"]
    assert desk.rest(Path("q"), 2) == "/there/q"
    assert asyncio.run(desk.rows.aio(2)) == desk.rows(2) == [0, 1]
    assert desk.save(own_app.Address("s", "z")).home == Path("~")
    words = {field["name"]: field.get("desc") for field in desk.rest.definition["inputs"]}
    assert words == {
        "path": "where it is",
        "access": "what is wanted; the sum of any of 1 (READ), 2 (WRITE), 4 (EXECUTE)",
        "encoding": None,
    }
    assert sorted(desk.page.definition["$defs"]) == ["BoxStrInt", "PageInt", "PageStr"]
    assert "PageInt" in desk.__all__ and not hasattr(desk, "Page")


def test_what_never_ends_is_cut_off(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathered, "MOST", 5)
    assert desk.lines(5) == [f"line {n}" for n in range(5)]
    for name in ("lines", "rows"):
        done = ran(getattr(desk, name), name=name, arguments='{"count": 100}')
        assert done.text == f"{name} failed: it gave more than 5 values, one by one"
    with pytest.raises(ToolError, match="more than 5"):
        desk.rows(6)


def inlined(schema: Any, defs: Any = None) -> Any:
    """A schema without names for its parts, which an import may choose."""
    if isinstance(schema, list):
        return [inlined(part, defs) for part in schema]
    if not isinstance(schema, dict):
        return schema
    defs = schema.get("$defs", defs) or {}
    ref = schema.get("$ref")
    if isinstance(ref, str):
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        name = ref.removeprefix("#/$defs/")
        left = {key: value for key, value in defs.items() if key != name}  # once, where it recurs
        return inlined({**defs.get(name, {}), **rest, "$defs": left})
    return {key: inlined(value, defs) for key, value in schema.items() if key != "$defs"}


def test_what_is_served_comes_back_the_same(desk: Any, tmp_path: Path) -> None:
    from aigen.serving.listing import served

    listed = {each.tool.name: each.body for each in served(getattr(desk, name) for name in NAMES)}
    (tmp_path / "far").mkdir()
    source = tmp_path / "far" / "tools.json"
    source.write_text(json.dumps({"tools": list(listed.values())}))
    diagnostics = Diagnostics()
    spec = import_mcp(source, diagnostics, server="far")
    assert spec is not None, [found.message for found in diagnostics]
    (tmp_path / "far" / "specs").mkdir()
    (tmp_path / "far" / "specs" / "far.yaml").write_text(spec)
    (tmp_path / "far" / "aigen.toml").write_text(
        'specs = ["specs"]\nout = "ai"\ndialects = ["mcp"]\n'
        "[mcp_servers.far]\ncommand = ['far']\n"
    )
    build(Project.load(tmp_path / "far", named=[]))
    text = (tmp_path / "far" / "ai" / "schemas" / "far.tools.mcp.json").read_text()
    back = {each["name"]: each for each in json.loads(text)["tools"]}
    assert back.keys() == listed.keys()
    for name, body in listed.items():
        for key in ("description", "inputSchema", "outputSchema"):
            assert inlined(back[name].get(key)) == inlined(body.get(key)), (name, key)


TEAM = '''
from pydantic import BaseModel

class Employee(BaseModel):
    name: str

class Team(BaseModel):
    lead: Employee

def hire(who: Employee) -> Team:
    """Take somebody on."""
    return Team(lead=who)
'''


@pytest.mark.parametrize(
    ("types", "called"),
    [("", "Employee"), ("types: {Person: {python: given_on:Employee}}", "Person")],
)
def test_one_class_has_one_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, types: str, called: str
) -> None:
    (tmp_path / "given_on.py").write_text("from own_app import Employee as Employee\n")
    (tmp_path / "specs").mkdir()
    other = "aigen: 1\ntypes: {Employee: {python: own_app:Employee}}\n"
    (tmp_path / "specs" / "other.yaml").write_text(other)
    build_desk(
        tmp_path,
        f"{types}\n"
        "functions: {f: {formula: t ~ w, description: D., fields: {w: other.Employee, t: str}}}\n"
        "tools: {hire: {python: own_app:hire}}\n",
        TEAM,
    )
    desk = imported(tmp_path, monkeypatch)
    import own_app

    assert getattr(desk, called) is own_app.Employee
    assert get_type_hints(desk.f)["w"] is own_app.Employee
    text = Path(str(desk.__file__)).read_text("utf-8")
    assert f"def __call__(self, who: {called}) -> Team:" in text
    assert "Employee_2" not in text and "Employee2" not in text
