"""Callables that are read: methods, objects, partials, overloads, decorators, installed code."""

from __future__ import annotations

from typing import Any

import pytest
from aigen.ir import (
    Boolean,
    Choice,
    Default,
    External,
    Integer,
    Level,
    List,
    Map,
    Null,
    Ref,
    Text,
    Union,
)

HEAD = """\
from __future__ import annotations
import functools
from functools import cached_property, wraps
from typing import Any, Callable, Generic, TypeVar, overload
from pydantic import Field

raise SystemExit("it was run")

"""
AFTER = HEAD.count("\n")
SPEC = f"{HEAD}from aigen.declare import ai, answer\n"
DESK = """\
class Base:
    def look(self, order: int) -> str:  # its state
        "Look an order up."
        return ""
    @classmethod
    def make(cls, name: str): ...
class Desk(Base):
    def __call__(self, x: int) -> int: ...
    @staticmethod
    def free(x: float): ...
    @property
    def total(self) -> int: ...
    @cached_property
    def most(self) -> int: ...
desk = Desk()
again = desk
def two(a: int, b: str): ...
part = functools.partial(two, 1)
inner = functools.partial(functools.partial(two, 1), b="x")
"""


@pytest.fixture
def tool(resolved: Any) -> Any:
    """The tool of a function, and the codes and words of what was found."""

    def read(source: str, target: str = "f", more: str = "") -> Any:
        spec = f"tools:\n  t:\n    python: 'app:{target}'\n{more}"
        made = resolved({"spec.yaml": spec, "app.py": HEAD + source})
        return made.program.modules["spec"].tools[0], [f"{x.code} {x.message}" for x in made.found]

    return read


@pytest.mark.parametrize(
    ("target", "name", "bound"),
    [
        ("Desk.look", "order", True),
        ("Desk.make", "name", False),
        ("Desk.free", "x", False),
        ("desk", "x", False),
        ("desk.look", "order", False),
        ("desk.make", "name", False),
        ("desk.free", "x", False),
        ("again.look", "order", False),
        ("part", "b", False),
        ("again.make", "name", False),
    ],
)
def test_methods_of_classes_and_objects(tool: Any, target: str, name: str, bound: bool) -> None:
    made, found = tool(DESK, target)
    assert (found, [each.name for each in made.parameters], made.bound) == ([], [name], bound)


def test_a_partial_of_a_partial(tool: Any) -> None:
    made, found = tool(DESK, "inner")
    assert (found, made.parameters) == ([], ())


@pytest.mark.parametrize(
    "parameter", ["**k: Unpack[int]", "*k: Unpack[tuple[int, str]]", "k: Unpack[Options]"]
)
def test_what_cannot_be_unpacked(tool: Any, parameter: str) -> None:
    source = "from typing import TypedDict, Unpack\nclass Options(TypedDict):\n    a: int\n"
    _, (said, *_) = tool(f"{source}def f({parameter}): ...\n")
    assert said.startswith("AIG411") and "Unpack takes a TypedDict, and stands behind **" in said


def test_an_inherited_method_has_its_words(tool: Any) -> None:
    made, _ = tool(DESK, "desk.look")
    assert (made.description, made.returns.description) == ("Look an order up.", "its state")


@pytest.mark.parametrize("target", ["Desk.total", "Desk.most", "desk.total", "desk.missing"])
def test_what_is_no_method(tool: Any, target: str) -> None:
    _, found = tool(DESK, target)
    assert found == [f"AIG413 app.py: {target} is no function that can be read"]


def test_a_hint_is_never_the_name_itself(resolved: Any) -> None:
    made = resolved({"spec.yaml": "tools: {t: {python: 'app:f'}}", "app.py": "f = lambda x: x\n"})
    assert [each.hint for each in made.found] == ["list its parameters in the spec"]


# --------------------------------------------------------------------- overloads, decorators

OVERLOADS = "@overload\ndef f(x: int) -> int: ...\n@overload\ndef f(x: str) -> str: ...\n"


def test_the_signature_of_an_overloaded_function_is_its_definitions(tool: Any) -> None:
    made, found = tool(f"{OVERLOADS}def f(x: int | str) -> int | str: ...\n")
    assert (found, made.parameters[0].type) == ([], Union((Integer(), Text())))


def test_overloads_alone_say_nothing(tool: Any) -> None:
    _, found = tool(OVERLOADS)
    (said,) = found
    assert said.startswith(f"AIG413 app.py:{AFTER + 4}: f has several signatures")


@pytest.mark.parametrize(
    "inner",
    [
        "def inner(*args, **kwargs): ...",
        "def inner(a, b='x'): ...",
        "def inner(*, a, b, c=3): ...",
        "async def inner(a, **more): ...",
    ],
)
@pytest.mark.parametrize("asked", [True, False])
def test_decorators_that_keep_the_signature(tool: Any, inner: str, asked: bool) -> None:
    made, found = tool(_decorated(inner, asked))
    assert (found, [each.name for each in made.parameters]) == ([], ["a", "b"])


@pytest.mark.parametrize(
    "inner",
    [
        "def inner(): ...",
        "def inner(a): ...",
        "def inner(x, *args, **kwargs): ...",
        "def inner(a, b, *, more): ...",
    ],
)
@pytest.mark.parametrize("asked", [True, False])
def test_a_decorator_that_changes_the_signature(tool: Any, inner: str, asked: bool) -> None:
    _, found = tool(_decorated(inner, asked))
    line = AFTER + (6 if asked else 4)
    assert found == [f"AIG413 app.py:{line}: the decorator given changes what f takes"]


def test_what_the_spec_lists_stands_beside_any_decorator(tool: Any) -> None:
    more = "    parameters: {a: int, b: str}\n"
    made, found = tool(_decorated("def inner(): ...", False), "f", more)
    assert (found, [each.type for each in made.parameters]) == ([], [Integer(), Text()])


def _decorated(inner: str, asked: bool) -> str:
    lines = ["def given(func):", f"    {inner}", "    return inner"]
    if asked:
        made = [f"    {line}" for line in lines]
        lines = ["def given(times):", *made, "    return given"]
        lines[1] = lines[1].replace("given", "outer")
        lines[-1] = "    return outer"
    call = "@given(3)" if asked else "@given"
    return "\n".join([*lines, call, "def f(a: int, b: str = 'x') -> int: ...", ""])


def test_a_decorator_of_another_package_is_taken_to_keep_it(tool: Any) -> None:
    made, found = tool("@functools.lru_cache(maxsize=3)\ndef f(a: int): ...\n")
    assert (found, [each.name for each in made.parameters]) == ([], ["a"])


# ------------------------------------------------------------------------- in Python specs


def test_callables_of_the_file_are_tools_by_name(resolved: Any) -> None:
    names = "part, desk, Desk.free, desk.look"
    asks = f"@ai(tools=[{names}])\ndef ask(x: str) -> str:\n    return answer()\n"
    source = DESK.replace("def two", "def _two").replace("(two", "(_two")
    found = resolved({"spec.py": SPEC + source + asks})
    made = found.program.modules["spec"]
    assert found.codes == []
    assert [each.python for each in made.tools] == [
        *("spec:part", "spec:desk", "spec:Desk.free", "spec:desk.look"),
    ]
    (ask,) = made.functions
    assert ask.tools == ("spec.part", "spec.desk", "spec.free", "spec.look")


def test_an_overloaded_function_is_read_once(resolved: Any) -> None:
    source = OVERLOADS + "def f(x: int | str) -> str:\n    return answer()\n"
    source += OVERLOADS.replace(" f(", " g(") + "def g(x: int | str) -> str:\n    return str(x)\n"
    found = resolved({"spec.py": SPEC + source})
    made = found.program.modules["spec"]
    assert found.codes == []
    assert made.functions[0].inputs[0].type == Union((Integer(), Text()))
    assert made.tools[0].parameters[0].type == Union((Integer(), Text()))


def test_a_field_as_the_default_of_an_input(resolved: Any) -> None:
    source = (
        "def ask(\n"
        "    a: int = Field(3, ge=1, description='how many'),  # not these\n"
        "    b: str = Field(max_length=3),  # words\n"
        "    c: list[int] = Field(default_factory=list),\n"
        ") -> str:\n    return answer()\n"
    )
    found = resolved({"spec.py": SPEC + source})
    assert found.codes == []
    a, b, c = found.program.modules["spec"].functions[0].inputs
    assert (a.type, a.default, a.description) == (Integer(ge=1), Default(3), "how many")
    assert (b.type, b.optional, b.description) == (Text(max_length=3), False, "words")
    assert (c.type, c.default) == (List(Integer()), Default([]))


def test_a_default_that_a_stub_does_not_say(resolved: Any) -> None:
    text = "from aigen.declare import ai\ndef ask(a: str, b: int = ...) -> str: ...\n"
    found = resolved({"spec.pyi": text})
    a, b = found.program.modules["spec"].functions[0].inputs
    assert [(found.at(one), one.code) for one in found.found] == [("...", "AIG505")]
    assert (a.optional, b.optional, b.default) == (False, True, None)


def test_all_names_of_a_module(resolved: Any) -> None:
    source = (
        "from typing import *\nfrom aigen.declare import *\nfrom datetime import *\n"
        f"{OVERLOADS}"
        "@ai(temperature=0)\n"
        "def f(x: Annotated[date, 'the day'], y: Optional[Literal['a']] = None) -> str:\n"
        "    return answer()\n"
    )
    found = resolved({"spec.py": source})
    assert found.codes == []
    (function,) = found.program.modules["spec"].functions
    assert function.settings == {"temperature": 0}
    assert function.inputs[0].description == "the day"
    assert function.inputs[1].type == Union((Choice((Level("a"),)), Null()))


def test_classes_beneath_all_names_of_a_module(resolved: Any) -> None:
    source = (
        "from typing import *\nfrom enum import *\nfrom pydantic import *\n"
        "from dataclasses import *\nfrom aigen.declare import *\n"
        "class A(BaseModel):\n    x: int = Field(ge=1)\n"
        "class B(NamedTuple):\n    x: int\n"
        "class C(StrEnum):\n    X = auto()\n"
        "@dataclass\nclass D:\n    x: int\n"
        "def f(a: A, b: B, c: C, d: D) -> str: ...\n"
    )
    found = resolved({"spec.pyi": source})
    assert found.codes == []
    kinds = {each.name: type(each).__name__ for each in found.program.modules["spec"].types}
    assert kinds == {"A": "Record", "B": "Record", "C": "Enumeration", "D": "Record"}


def test_source_in_an_encoding_of_its_own(resolved: Any, tmp_path: Any) -> None:
    text = "# -*- coding: latin-1 -*-\ndef f(a: int):  # gr\u00f6\u00dfe\n    'Z\u00e4hle.'\n"
    (tmp_path / "latin.py").write_bytes(text.encode("latin-1"))
    found = resolved("tools: {t: {python: 'latin:f'}}")
    (tool,) = found.program.modules["spec"].tools
    assert (found.codes, tool.description) == ([], "Z\u00e4hle.")


@pytest.mark.parametrize("name", ["Annotated[int, 'x']", "Optional[int]", "Sequence[int]", "Final"])
def test_a_name_that_is_not_imported(resolved: Any, name: str) -> None:
    found = resolved({"spec.py": f"from aigen.declare import ai\ndef f(x: {name}) -> str: ...\n"})
    wanted = f"{name.partition('[')[0]} is defined nowhere in spec.py"
    assert [(one.code, wanted in one.message) for one in found.found] == [("AIG512", True)]


# ------------------------------------------------------------- what the spec lays over the source


def test_bounds_narrow_the_type_of_the_source(tool: Any) -> None:
    made, found = tool(
        "def f(a: int, b: list[str] = ['x', 'y'], c: int = 1): ...\n",
        more="    parameters: {a: {ge: 1}, b: {max_length: 1}, c: {optional: true}}\n",
    )
    assert found == []
    a, b, c = made.parameters
    assert (a.type, a.optional) == (Integer(ge=1), False)
    # A default of the source that the spec's bounds refuse is none.
    assert (b.type, b.optional, b.default) == (List(Text(), max_length=1), True, None)
    assert (c.type, c.default) == (Union((Integer(), Null())), Default(1))


def test_bounds_that_the_type_of_the_source_does_not_take(tool: Any) -> None:
    _, found = tool("def f(a: int): ...\n", more="    parameters: {a: {max_length: 1}}\n")
    assert found == ["AIG206 max_length applies to str, list, set and dict, not to int"]


def test_what_a_list_leaves_out_is_still_known_or_said(tool: Any) -> None:
    source = "def f(a, b, c: int, d=3): ...\n"
    made, found = tool(source, more="    parameters: {a: int}\n")
    assert found == [f"AIG411 app.py:{AFTER + 1}: the type of the parameter b is not written"]
    assert [each.name for each in made.parameters] == ["a", "b", "c", "d"]


def test_what_has_no_form_and_a_default_is_left_to_it_beside_a_list(tool: Any) -> None:
    source = "def f(a: int, key: Callable[[int], int] | None = None): ...\n"
    _, found = tool(source)
    assert len(found) == 1 and "key cannot be known: a function has no JSON form" in found[0]
    made, found = tool(source, more="    parameters: {a: {ge: 1}}\n")
    assert (found, [each.name for each in made.parameters]) == ([], ["a"])


# --------------------------------------------------------------------------- installed code


@pytest.mark.parametrize(
    ("target", "types"),
    [
        ("html:escape", {"s": Text(), "quote": Boolean()}),
        ("calendar:monthrange", {"year": Integer(), "month": Integer()}),
        ("math:gcd", {"integers": List(Integer())}),
        ("fnmatch:translate", {"pat": Text()}),
    ],
)
def test_functions_of_the_standard_library(resolved: Any, target: str, types: Any) -> None:
    spec = f"tools: {{t: {{python: '{target}'}}}}"
    made = resolved(spec, trust=(target.partition(":")[0],))
    found = {each.name: each.type for each in made.program.modules["spec"].tools[0].parameters}
    assert made.codes == []
    assert {name: found[name] for name in types} == types


def test_bounds_over_a_function_of_the_standard_library(resolved: Any) -> None:
    spec = "tools: {t: {python: 'textwrap:indent', parameters: {text: {min_length: 1}}}}"
    made = resolved(spec, trust=("textwrap",))
    text, prefix = made.program.modules["spec"].tools[0].parameters
    assert (made.codes, text.type, prefix.type) == ([], Text(min_length=1), Text())


def test_a_default_of_the_standard_library_that_its_stub_does_not_say(resolved: Any) -> None:
    source = "def f(a: str, b: int = ...) -> str: ...\n"
    made = resolved({"spec.yaml": "tools: {t: {python: 'app:f'}}", "app.pyi": source})
    a, b = made.program.modules["spec"].tools[0].parameters
    assert (made.codes, a.optional, b.optional, b.default) == ([], False, True, None)


USES = """\
import http
from http import HTTPStatus
class Mine(http.HTTPStatus): ...
def f(a: HTTPStatus, b: dict[str, http.HTTPStatus]): ...
"""


def test_classes_of_modules_that_are_trusted(resolved: Any) -> None:
    files = {"spec.yaml": "tools: {t: {python: 'app:f'}}", "app.py": USES}
    made = resolved(files, trust=("http",))
    module = made.program.modules["spec"]
    assert made.codes == []
    assert [each.type for each in module.tools[0].parameters] == [
        Ref("spec", "HTTPStatus"),
        Map(Ref("spec", "HTTPStatus")),
    ]
    (status,) = module.types
    assert isinstance(status, External) and status.target == "http:HTTPStatus"
    assert {200, 404} < {each.value for each in status.levels}
    spec = (
        "types: {S: {python: 'http:HTTPStatus'}}\nfunctions: {f: {formula: a ~ b, fields: {b: S}}}"
    )
    assert resolved(spec, trust=("http",)).codes == []


@pytest.mark.parametrize("trust", [(), ("http.client",)])
def test_classes_of_modules_that_are_not(resolved: Any, trust: tuple[str, ...]) -> None:
    files = {"spec.yaml": "tools: {t: {python: 'app:f'}}", "app.py": USES}
    made = resolved(files, trust=trust)
    assert made.codes == ["AIG411", "AIG411"]
    assert made.found[0].message.startswith("app.py:4: the type of the parameter a cannot be known")
    assert "http.HTTPStatus" in made.found[0].message


def test_a_class_of_a_trusted_module_that_is_no_type_of_values(resolved: Any) -> None:
    source = "from logging import Logger\ndef f(a: Logger): ...\n"
    files = {"spec.yaml": "tools: {t: {python: 'app:f'}}", "app.py": source}
    (said,) = resolved(files, trust=("logging",)).found
    assert said.message == (
        "app.py:2: the type of the parameter a cannot be known: logging.Logger is a plain class, no"
        " type of values"
    )


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        ("TypeVar('T', str, int)", Union((Text(), Integer()))),
        ("TypeVar('T', bound=int)", Integer()),
    ],
)
def test_type_variables(tool: Any, made: str, wanted: Any) -> None:
    found, said = tool(f"T = {made}\ndef f(a: T) -> T: ...\n")
    assert (found.parameters[0].type, said) == (wanted, [])
