"""What a tool's spec leaves unsaid comes from the source of its function, which is never run."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import Any

import pytest
from aigen.ir import (
    Boolean,
    Choice,
    Default,
    Described,
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
    Union,
)
from aigen.resolve.python_annotations import Annotations

HEAD = """\
from __future__ import annotations
import functools
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Literal, NamedTuple, NewType, Optional, TypedDict, overload
from pydantic import BaseModel, Field
from aigen.runtime import ToolContext

raise SystemExit("it was run")

"""


@pytest.fixture
def tool(resolved: Any) -> Any:
    """The tool of a function `f`, and the codes of what was found."""

    def read(source: str, target: str = "f", more: str = "") -> Any:
        spec = f"tools:\n  t:\n    python: 'app:{target}'\n{more}"
        made = resolved({"spec.yaml": spec, "app.py": HEAD + source})
        return made.program.modules["spec"].tools[0], [one.code for one in made.found]

    return read


def words(tool: Any) -> dict[str, str | None]:
    return {field.name: field.description for field in tool.parameters}


@pytest.mark.parametrize(
    ("annotation", "wanted"),
    [
        ("int", Integer()),
        ("'int'", Integer()),
        ("Optional[str]", Union((Text(), Null()))),
        ("int | None", Union((Integer(), Null()))),
        ("list[dict[str, float]]", List(Map(Number()))),
        ("set[int]", Set(Integer())),
        ("tuple[int, str]", Tuple((Integer(), Text()))),
        ("Literal['a', 1]", Choice((Level("a"), Level(1)))),
        ("Annotated[int, Field(ge=1)]", Integer(ge=1)),
        ("UserId", Integer()),
        ("Names", List(Text())),
        ("Colour", Ref("spec", "Colour")),
        ("list[Line]", List(Ref("spec", "Line"))),
        ("Order", Ref("spec", "Order")),
        ("Point", Ref("spec", "Point")),
        ("bool", Boolean()),
        ("object", JsonAny()),
    ],
)
def test_types(tool: Any, annotation: str, wanted: Any) -> None:
    source = (
        "class Colour(Enum):\n    RED = 'red'\n"
        "class Order(BaseModel):\n    lines: list[Line]\n"
        "@dataclass\nclass Line:\n    sku: str\n"
        "class Point(NamedTuple):\n    x: int\n"
        "UserId = NewType('UserId', int)\nNames = list[str]\n"
        f"def f(x: {annotation}): ...\n"
    )
    made, found = tool(source)
    assert (made.parameters[0].type, found) == (wanted, [])


def test_inline_comments(tool: Any) -> None:
    made, found = tool(
        "def f(a: int,  # on the line\n"
        "      # above,\n"
        "      # in two lines\n"
        "      b: str = '# no comment',\n"
        "      c: int = 1, d: int = 2,  # both\n"
        "      e: list[int] = [\n"
        "          1,  # inside\n"
        "      ],\n"
        "      g: int = 3  # type: ignore\n"
        "     ) -> int:  # what comes back\n"
        "    ...\n"
    )
    assert found == []
    assert words(made) == {
        "a": "on the line",
        "b": "above, in two lines",
        "c": "both",
        "d": "both",
        "e": "inside",
        "g": None,
    }
    assert made.returns.description == "what comes back"
    assert made.parameters[1].default == Default("# no comment")


def test_a_comment_before_the_def_is_no_parameters(tool: Any) -> None:
    made, _ = tool("# all of it\ndef f(a: int):\n    ...\n")
    assert words(made) == {"a": None}


def test_a_comment_on_the_line_of_the_arrow_is_the_returns(tool: Any) -> None:
    made, _ = tool("def f(a: int) -> str:  # the answer\n    ...\n")
    assert words(made) == {"a": None}
    assert made.returns.description == "the answer"


@pytest.mark.parametrize(
    "docstring",
    [
        "Args:\n        a: first\n            and more\n        b (int): second\n\n"
        "    Returns:\n        int: the sum\n",
        "Parameters\n    ----------\n    a : int\n        first\n        and more\n    b : int\n"
        "        second\n\n    Returns\n    -------\n    int\n        the sum\n",
        ":param a: first\n        and more\n    :param int b: second\n    :returns: the sum\n",
    ],
    ids=["google", "numpy", "rest"],
)
def test_docstrings(tool: Any, docstring: str) -> None:
    made, found = tool(
        f'def f(a: int, b: int):\n    """Add.\n\n    Well.\n\n    {docstring}    """\n'
    )
    assert found == []
    assert made.description == "Add.\n\nWell."
    assert words(made) == {"a": "first and more", "b": "second"}
    assert made.returns.description == "the sum"


def test_precedence_of_words(tool: Any) -> None:
    source = (
        "def f(\n"
        "    a: int,  # comment\n"
        "    b: Annotated[int, Field(description='annotated')],  # comment\n"
        "    c: int,  # comment\n"
        "    d: int,\n"
        "    e: int,  # comment\n"
        '):\n    """F.\n\n    Args:\n        a: doc\n        b: doc\n        d: doc\n    """\n'
    )
    made, found = tool(
        source,
        more="    parameters: {e: {description: spec}}\n"
        "    docs: {arguments: {c: {description: docs}, e: {description: docs}}}\n",
    )
    assert found == []
    assert words(made) == {
        "a": "comment",
        "b": "annotated",
        "c": "docs",
        "d": "doc",
        "e": "spec",
    }


def test_defaults(tool: Any) -> None:
    made, found = tool(
        "LIMIT = 5\nclass Colour(Enum):\n    RED = 'red'\n"
        "def f(a=1, b=2.5, c=True, d='x', e=('p', 'q'), g: int = LIMIT, h: Colour = Colour.RED,\n"
        "      i: int = None, j: list[int] = [], k: int = Field(3, ge=1)): ...\n"
    )
    assert found == []
    by = {each.name: each for each in made.parameters}
    assert [by[n].type for n in "abcd"] == [Integer(), Number(), Boolean(), Text()]
    assert by["e"].type == Choice((Level("p"), Level("q")))
    assert [by[n].default for n in "aeghjk"] == [
        Default(1),
        Default("p"),
        Default(5),
        Default("red"),
        Default([]),
        Default(3),
    ]
    assert (by["i"].optional, by["i"].default) == (True, None)
    assert by["k"].type == Integer(ge=1)


def test_a_computed_default(tool: Any) -> None:
    made, found = tool("import time\ndef f(at: float = time.time()): ...\n")
    assert found == ["AIG505"]
    assert (made.parameters[0].optional, made.parameters[0].default) == (True, None)


def test_how_arguments_are_passed(tool: Any) -> None:
    made, found = tool("def f(a: int, /, b: int, *c: str, d: bool, **e: float): ...\n")
    assert found == []
    assert [(f.name, f.type, f.optional) for f in made.parameters] == [
        ("a", Integer(), False),
        ("b", Integer(), False),
        ("c", List(Text()), True),
        ("d", Boolean(), False),
        ("e", Map(Number()), True),
    ]
    assert made.passing == {"a": "position", "b": "position", "c": "rest", "e": "others"}


SHOP = (
    "class Base:\n    def inherited(self, a: int): ...\n"
    "class Shop(Base):\n"
    "    def method(self, a: int): ...\n"
    "    @staticmethod\n    def free(a: int): ...\n"
    "    @classmethod\n    async def made(cls, a: int): ...\n"
    "    def __call__(self, a: int): ...\n"
    "def two(z: str, a: int, c: str): ...\n"
    "shop = Shop()\npart = functools.partial(two, 'z', c='c')\nalias = two\n"
    "@overload\ndef over(a: str) -> str: ...\n@overload\ndef over(a: int) -> int: ...\n"
    "def over(a): ...\n"
)


@pytest.mark.parametrize(
    ("target", "bound"),
    [
        ("Shop.method", True),
        ("Shop.free", False),
        ("Shop.made", False),
        ("shop", False),
        ("part", False),
    ],
)
def test_what_can_be_called(tool: Any, target: str, bound: bool) -> None:
    made, found = tool(SHOP, target)
    assert (found, [f.name for f in made.parameters], made.bound) == ([], ["a"], bound)
    assert made.parameters[0].type == Integer()


MADE = {
    "TypedDict('X', {'a': int,  # one\n 'b': 'list[str]'}, total=False)": (
        "class X(TypedDict, total=False):\n    a: int  # one\n    b: list[str]\n"
    ),
    "TypedDict('X', {'a': 'X | None'})": "class X(TypedDict):\n    a: X | None\n",
    "NamedTuple('X', [('a', int), ('b', str)])": "class X(NamedTuple):\n    a: int\n    b: str\n",
    "Enum('X', 'RED GREEN')": "class X(Enum):\n    RED = 1\n    GREEN = 2\n",
    "Enum('X', ['RED', 'GREEN'], module=__name__)": "class X(Enum):\n    RED = 1\n    GREEN = 2\n",
    "enum.StrEnum('X', 'RED, GREEN')": "class X(Enum):\n    RED = 'red'\n    GREEN = 'green'\n",
    "Enum('X', {'RED': 'r', 'GREEN': 'g'})": "class X(Enum):\n    RED = 'r'\n    GREEN = 'g'\n",
    "Enum('X', [('RED', 'r')])": "class X(Enum):\n    RED = 'r'\n",
}


@pytest.mark.parametrize("call", MADE)
def test_a_class_that_a_call_makes(resolved: Any, call: str) -> None:
    spec = "tools:\n  t:\n    python: 'app:f'\n"
    head = HEAD.replace("TypedDict", "TypedDictOfOld") + "import enum\n"
    head += "from typing_extensions import TypedDict\n"
    types = []
    for written in (f"X = {call}\n", MADE[call]):
        source = f"{head}{written}def f(x: X, *more: X) -> X: ...\n"
        made = resolved({"spec.yaml": spec, "app.py": source})
        assert [one.code for one in made.found] == []
        types.append(made.program.modules["spec"].types)
    of_call, of_statement = types
    assert of_call == of_statement
    assert of_call


@pytest.mark.parametrize(
    "call",
    [
        "TypedDict('X', members)",
        "TypedDict('X', {**members})",
        "Enum('X', 'A', start=5)",
        "Enum('X', names)",
        "X('X', {'a': int})",
        "make()",
    ],
)
def test_a_class_whose_members_are_computed(tool: Any, call: str) -> None:
    _, found = tool(f"X = {call}\ndef f(x: X): ...\n")
    assert found == ["AIG411"]


def test_an_alias(tool: Any) -> None:
    made, found = tool(SHOP, "alias")
    assert (found, [f.name for f in made.parameters]) == ([], ["z", "a", "c"])


@pytest.mark.parametrize(
    ("source", "code", "says"),
    [
        ("def f(a): ...\n", "AIG411", "parameter a is not written"),
        ("def f(a: make()): ...\n", "AIG411", "cannot be known"),
        ("f = 5\n", "AIG413", "is no function"),
        ("def g(): ...\n", "AIG218", "defines no f"),
        (
            'def f():\n    """F.\n\n    Args:\n        a: none\n    """\n',
            "AIG412",
            "documents a",
        ),
    ],
)
def test_what_cannot_be_known(resolved: Any, source: str, code: str, says: str) -> None:
    spec = "tools: {t: {python: 'app:f'}}"
    made = resolved({"spec.yaml": spec, "app.py": source})
    assert [one.code for one in made.found] == [code]
    assert says in made.found[0].message


@pytest.mark.parametrize(
    "annotation",
    [
        "ToolContext",
        "'ToolContext'",
        "ToolContext | None",
        "Optional[ToolContext]",
        "'Optional[ToolContext]'",
        "Annotated[ToolContext, 'who asks']",
        "runtime.ToolContext",
        "Own",
        "Context",
        "context.ToolContext",
    ],
)
def test_what_takes_the_context(tool: Any, annotation: str) -> None:
    source = "from aigen import runtime\nfrom aigen.runtime.tools import context\n"
    source += "from aigen.runtime.tools.context import ToolContext as Own\n"
    source += "Context = 'ToolContext | None'\nRound = Round\n"
    source += f"def f(a: int, ctx: {annotation} = None): ...\n"
    made, found = tool(source)
    assert (found, [f.name for f in made.parameters], made.context) == ([], ["a"], ("ctx",))


def test_the_context_and_what_is_injected_are_not_the_models(tool: Any) -> None:
    made, found = tool(
        "def f(ctx: ToolContext, db: Session, a: int): ...\n", more="    inject: [db]\n"
    )
    assert found == []
    assert [f.name for f in made.parameters] == ["a"]
    assert made.context == ("ctx",)


def test_the_standard_library(resolved: Any) -> None:
    spec = "tools: {t: {python: 'textwrap:shorten'}}"
    made = resolved({"spec.yaml": spec}, trust=("textwrap",))
    (found,) = made.program.modules["spec"].tools
    assert [one.code for one in made.found] == []
    assert [field.name for field in found.parameters][:2] == ["text", "width"]


INSTALLED = """\
from __future__ import annotations
import collections.abc
import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Any, NamedTuple, Optional
from uuid import UUID
from pydantic import BaseModel, Field

class Kind(Enum):
    small = "small"

class Model(BaseModel):
    size: int = Field(ge=1)

@dataclass
class Data:
    size: int

class Pair(NamedTuple):
    first: int
    second: int

"""


@pytest.mark.parametrize(
    ("annotation", "wanted"),
    [
        ("Any", JsonAny()),
        ("Optional[str]", Union((Text(), Null()))),
        ("Sequence[str]", List(Text())),
        ("collections.abc.Sequence[str]", List(Text())),
        ("Decimal", Formatted("Decimal")),
        ("UUID", Formatted("UUID")),
        ("dt.date", Formatted("date")),
        ("Kind", Ref("spec", "Kind")),
        ("Model", Ref("spec", "Model")),
        ("Data", Ref("spec", "Data")),
        ("Pair", Ref("spec", "Pair")),
    ],
)
def test_an_installed_function_is_read_as_one_s_own(
    resolved: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, annotation: str, wanted: Any
) -> None:
    site = tmp_path / "site-packages"
    site.mkdir()
    monkeypatch.setattr(sys, "path", [*sys.path, str(site)])
    source = f"{INSTALLED}def f(given: {annotation}) -> str:\n    ...\n"
    (site / "parcels.py").write_text(source, encoding="utf-8")
    made = resolved("tools: {t: {python: 'parcels:f'}}", trust=("parcels",))
    module = made.program.modules["spec"]
    assert (module.tools[0].parameters[0].type, [one.code for one in made.found]) == (wanted, [])


GENERIC = (
    "import enum\nfrom pathlib import Path, PurePath\nfrom typing import Generic, TypeVar\n"
    "from collections.abc import Callable, Iterator\n"
    "T = TypeVar('T')\nK = TypeVar('K', bound=int)\n"
    "class Page(BaseModel, Generic[T]):\n    items: list[T]\n"
    "class Sub(Page[K], Generic[T, K]):\n    more: T\n"
    "class Plain(BaseModel):\n    n: int\n"
    "class Ever(BaseModel, Generic[T]):\n    more: 'Ever[list[T]] | None' = None\n"
    "class Access(enum.IntFlag):\n    READ = 1\n    WRITE = 2\n"
    "class Gap(enum.Flag):\n    ONE = 1\n    ALL = 7\n    NEXT = enum.auto()\n"
    "class Odd(enum.Flag):\n    READ = compute()\n"
    "Maybe = Optional[T]\n"
)


@pytest.mark.parametrize(
    ("annotation", "wanted"),
    [
        ("Path", Text()),
        ("list[PurePath]", List(Text())),
        ("str | bytes", Text()),
        ("bytes | None | str", Union((Null(), Text()))),
        ("Optional[typing.Union[bytes, str]]", Union((Text(), Null()))),
        ("Maybe[int]", Union((Integer(), Null()))),
        ("Iterator[int]", List(Integer())),
        ("Access", Described(Integer(ge=0, le=3), "the sum of any of 1 (READ), 2 (WRITE)")),
        ("Gap", Described(Integer(ge=0, le=9), "the sum of any of 1 (ONE), 8 (NEXT)")),
        ("Page[int]", Ref("spec", "PageInt")),
        ("Page[list[str]]", Ref("spec", "PageListStr")),
        ("Page[Page[bool]]", Ref("spec", "PagePageBool")),
        ("Page", Ref("spec", "Page")),
        ("Page[object]", Ref("spec", "Page")),
    ],
)
def test_types_of_values_that_are_known(tool: Any, annotation: str, wanted: Any) -> None:
    made, found = tool(f"import typing\n{GENERIC}def f(x: {annotation}): ...\n")
    assert (made.parameters[0].type, found) == (wanted, [])


def test_unions_inside_one_another_are_read_once(tool: Any, monkeypatch: Any) -> None:
    read: list[ast.expr] = []
    one = Annotations._type

    def counted(self: Annotations, node: ast.expr, *rest: Any) -> Any:
        read.append(node)
        return one(self, node, *rest)

    monkeypatch.setattr(Annotations, "_type", counted)
    _, found = tool(f"def f(x: {'list[' * 12}int{' | None]' * 12}): ...\n")
    assert (found, len(read) < 100) == ([], True)


def test_the_names_of_forms_stay_short(resolved: Any) -> None:
    source = f"{GENERIC}def f(x: {'Page[' * 30}int{']' * 30}): ...\n"
    spec = "tools:\n  t:\n    python: 'app:f'\n"
    made = resolved({"spec.yaml": spec, "app.py": HEAD + source}).program.modules["spec"]
    names = [each.name for each in made.types]
    assert len(names) == len({*names}) == 30
    assert max(map(len, names)) <= 64


def test_the_members_of_a_form(resolved: Any) -> None:
    source = f"{GENERIC}def f(x: Sub[str, int], y: Page[str], z: Page[str]): ...\n"
    spec = "tools:\n  t:\n    python: 'app:f'\n"
    made = resolved({"spec.yaml": spec, "app.py": HEAD + source}).program.modules["spec"]
    members = {each.name: {field.name: field.type for field in each.members} for each in made.types}
    assert members == {
        "SubStrInt": {"items": List(Integer()), "more": Text()},
        "PageStr": {"items": List(Text())},
    }


@pytest.mark.parametrize(
    ("annotation", "why", "hint"),
    [
        ("Callable[[int], str]", "a function has no JSON form", "list the parameters that a model"),
        ("Callable", "a function has no JSON form", "or name it under inject"),
        ("bytes", "bytes have no JSON form", "take a str and encode it"),
        ("bytes | None", "bytes have no JSON form", "take a str and encode it"),
        ("Plain[int]", "Plain is not generic, so it takes no types", "annotate it"),
        ("Page[int, str]", "Page takes fewer than 2 types", "annotate it"),
        ("Odd", "the values of Odd are known only when it runs", "annotate it"),
        ("Ever[int]", None, None),
    ],
)
def test_types_of_values_that_are_not(
    resolved: Any, annotation: str, why: str | None, hint: str | None
) -> None:
    source = f"{GENERIC}def f(x: {annotation} = None): ...\n"
    spec = "tools:\n  t:\n    python: 'app:f'\n"
    found = resolved({"spec.yaml": spec, "app.py": HEAD + source}).found
    line = (HEAD + source).count("\n")
    if why is None:
        [one] = found
        assert one.code == "AIG504" and "names ever larger forms of itself" in one.message
        return
    errors = [one for one in found if one.code == "AIG411"]
    assert [one.message for one in errors] == [
        f"app.py:{line}: the type of the parameter x cannot be known: {why}"
    ]
    assert hint in errors[0].hint


def test_defaults_that_are_known(tool: Any) -> None:
    made, found = tool(
        f"{GENERIC}import elsewhere\nclass Base(elsewhere.Thing):\n    ONE = 1\n"
        "def f(a: Access = Access.WRITE, b: Path = Path('~/x'), c: int = Base.ONE): ...\n"
    )
    assert [field.default for field in made.parameters] == [Default(2), Default("~/x"), None]
    assert found == ["AIG505"]  # what Base inherits is not known
