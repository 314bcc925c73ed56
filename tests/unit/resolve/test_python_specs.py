"""Specs written in Python: the same program as YAML gives, and what cannot be known is said."""

from __future__ import annotations

import ast
import json

import pytest
from aigen.diagnostics import Rule, all_rules
from aigen.emit.render import RenderOptions, render
from aigen.ir import (
    Boolean,
    Choice,
    Default,
    Enumeration,
    External,
    Integer,
    JsonAny,
    Level,
    List,
    Media,
    Null,
    Record,
    Ref,
    Text,
    Union,
)

HEAD = "from aigen.declare import ai, answer, tool\n"
ASK = "def ask({}) -> str:\n    return answer()\n"


def module(found, name="spec"):
    assert not found.codes, [one.message for one in found.found]
    return found.program.modules[name]


def only(found):
    (function,) = module(found).functions
    return function


def inputs(found):
    return {field.name: field for field in only(found).inputs}


def ids(found):
    """The ids of every function and tool, by name."""
    text = render(found.program, RenderOptions())["spec.py"]
    made = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Call):
            definition = json.loads(ast.literal_eval(node.value.args[0]))
            made[definition["name"]] = definition.get("ids") or definition["inputs"]
    return made


ORDERS = 'def lookup_order(order_id: str) -> str:  # its state\n    """Looks an order up."""\n'
YAML = """
functions:
  mood:
    formula: result ~ review
    description: How does the customer feel about what they bought?
    fields: {result: {choice: [happy, unhappy, mixed]}}
    demos: [{review: "Great!", result: happy}]
    settings: {temperature: 0}
  reply:
    formula: result ~ message + tone + orders + limit
    description: Answer the customer.
    fields:
      message: the customer's own words
      tone: {choice: [kind, brief], default: kind}
      orders: list[str] | None
      limit: {type: int, ge: 1, default: 3, description: at most so many}
      result: {type: str, description: one sentence}
    tools: [lookup_order]
    tags: [desk]
tools:
  lookup_order: {python: 'app.orders:lookup_order'}
"""
PYTHON = f"""{HEAD}
from typing import Annotated, Literal
from pydantic import Field
from app.orders import lookup_order

@ai(temperature=0, demos=[{{"review": "Great!", "result": "happy"}}])
def mood(review: str) -> Literal["happy", "unhappy", "mixed"]:
    '''How does the customer feel about what they bought?'''
    return answer()

@ai(tools=[lookup_order], tags=["desk"])
def reply(
    message: str,  # the customer's own words
    *,
    tone: Literal["kind", "brief"] = "kind",
    orders: list[str] | None,
    limit: Annotated[int, Field(ge=1, description="at most so many")] = 3,  # not these words
) -> str:  # one sentence
    '''Answer the customer.'''
    ...
"""


def test_yaml_and_python_mean_the_same(resolved) -> None:
    app = {"app/orders.py": ORDERS + "    return order_id\n"}
    yaml = resolved({"spec.yaml": YAML, **app})
    assert not yaml.codes
    written = resolved({"spec.py": PYTHON, **app})
    assert not written.codes
    assert ids(written) == ids(yaml)
    assert ids(yaml).keys() == {"mood", "reply", "lookup_order"}


@pytest.mark.parametrize(
    "body", ["...", "return answer()", "answer()", "raise NotImplementedError", "'''Doc.'''; ..."]
)
def test_bodies_that_leave_the_work_to_a_model(resolved, body: str) -> None:
    found = resolved({"spec.py": f"{HEAD}def ask(x: str) -> str: {body}\n"})
    assert only(found).description == ("Doc." if "Doc" in body else None)
    assert module(found).tools == ()


def test_any_other_body_is_a_tool_that_implements_itself(resolved) -> None:
    found = resolved(
        {
            "shop/spec.py": f"{HEAD}@tool(risk='read', name='halve')\n"
            "def half(\n    x: int,  # the whole\n    *, down=True,\n) -> int:\n"
            "    '''Halves.'''\n    return x // 2\n"
            "def _helper(x):\n    return x\n"
            "@ai(tools=[half])\ndef ask(x: str) -> str: ...\n"
        }
    )
    made = module(found, "shop.spec")
    (tool,) = made.tools
    assert (tool.key, tool.name, tool.python) == ("half", "halve", "shop.spec:half")
    assert (tool.description, tool.options) == ("Halves.", {"risk": 0})
    assert [(each.name, each.type, each.description) for each in tool.parameters] == [
        ("x", Integer(), "the whole"),
        ("down", Boolean(), None),
    ]
    assert tool.returns is not None and tool.returns.type == Integer()
    assert made.functions[0].tools == ("shop.spec.half",)
    assert made.callables == ("shop.spec:half",)


@pytest.mark.parametrize(
    ("imported", "named"),
    [
        ("from app.orders import find", "find"),
        ("from app.orders import find as search", "search"),
        ("from app import orders", "orders.find"),
        ("import app.orders", "app.orders.find"),
        ("import app.orders as o", "o.find"),
        ("from .app.orders import find", "find"),
    ],
)
def test_imported_tools(resolved, imported: str, named: str) -> None:
    folder = "shop/" if imported.startswith("from .") else ""
    name, app = f"{folder}spec.py", f"{folder}app/orders.py"
    found = resolved(
        {
            app: "def find(x: str) -> str:\n    return x\n",
            name: f"{imported}\n{HEAD}@ai(tools=[{named}])\n{ASK.format('x: str')}",
        }
    )
    made = module(found, name[:-3].replace("/", "."))
    target = app[:-3].replace("/", ".")
    assert [tool.python for tool in made.tools] == [f"{target}:find"]
    assert made.functions[0].tools == (f"{made.name}.find",)


def test_a_tool_of_another_spec_is_that_specs_own(resolved) -> None:
    found = resolved(
        {
            "base.py": f"{HEAD}def find(x: str) -> str:\n    return x\n"
            "def judge(x: str) -> str: ...\n",
            "spec.py": f"{HEAD}from base import find, judge\n"
            f"@ai(tools=[find, judge])\n{ASK.format('x: str')}",
        }
    )
    assert only(found).tools == ("base.find", "base.judge")
    assert module(found).tools == ()


def test_words_come_from_the_nearest_place(resolved) -> None:
    found = resolved(
        {
            "spec.py": f"""{HEAD}
from typing import Annotated
from pydantic import Field

@ai(fields={{"a": "in so many words", "result": {{"description": "the answer"}}}})
def ask(
    a: Annotated[str, "marked"],  # beside
    b: Annotated[str, Field(description="field")],  # beside
    c: str,  # beside
    # above
    d: str,
    e: str,
) -> str:  # returned
    '''Asks.

    Args:
        a: documented
        c: documented
        e: documented
    '''
    ...
"""
        }
    )
    words = {name: field.description for name, field in inputs(found).items()}
    assert words == {
        "a": "in so many words",
        "b": "field",
        "c": "beside",
        "d": "above",
        "e": "documented",
    }
    assert only(found).outputs[0].description == "the answer"
    assert only(found).description == "Asks."


def test_defaults(resolved) -> None:
    found = resolved(
        {
            "spec.py": f"""{HEAD}
from enum import Enum
LIMIT = 3
class Tone(Enum):
    KIND = "kind"
def ask(
    a: int = -1, b: str | None = None, c: list[str] = ["x"], d: Tone = Tone.KIND, e: int = LIMIT,
    f=True, g=2, h="x", i=("a", "b"),
) -> str: ...
"""
        }
    )
    fields = inputs(found)
    assert all(field.optional for field in fields.values())
    values = {name: field.default for name, field in fields.items()}
    wanted = {"a": -1, "b": None, "c": ["x"], "d": "kind", "e": 3, "f": True, "g": 2, "h": "x"}
    assert values == {name: Default(value) for name, value in {**wanted, "i": "a"}.items()}
    assert fields["f"].type == Boolean()
    assert fields["i"].type == Choice((Level("a"), Level("b")))
    assert fields["b"].type == Union((Text(), Null()))


def test_a_computed_default_may_be_left_out(resolved) -> None:
    found = resolved({"spec.py": f"import os\n{HEAD}{ASK.format('x: str = os.getcwd()')}"})
    (warning,) = found.found
    assert (warning.code, found.at(warning)) == ("AIG505", "os.getcwd()")
    (function,) = found.program.modules["spec"].functions
    assert (function.inputs[0].optional, function.inputs[0].default) == (True, None)


def test_a_default_that_does_not_fit_is_an_error_at_its_place(resolved) -> None:
    found = resolved({"spec.py": HEAD + ASK.format("x: int = 'a'")})
    (error,) = found.found
    assert (error.code, found.at(error)) == ("AIG203", "'a'")


def test_types_of_the_module_and_of_others(resolved) -> None:
    found = resolved(
        {
            "app/models.py": "from pydantic import BaseModel\nclass Line(BaseModel):\n    n: int\n",
            "spec.py": f"""from __future__ import annotations
{HEAD}
from dataclasses import dataclass
from enum import StrEnum
from typing import NewType, TypedDict, Literal
from aigen.runtime import Image
from app import models

class Color(StrEnum):
    RED = "red"

@dataclass
class Order:
    lines: list[models.Line]
    color: Color

Id = NewType("Id", int)
Many = list[Order]
def ask(a: Many, b: Id, c: models.Line, d: Image, e: "Color") -> Order: ...
""",
        }
    )
    types = {name: field.type for name, field in inputs(found).items()}
    assert types == {
        "a": List(Ref("spec", "Order")),
        "b": Integer(),
        "c": Ref("spec", "Line"),
        "d": Media("image"),
        "e": Ref("spec", "Color"),
    }
    targets = {each.name: each.target for each in module(found).types if isinstance(each, External)}
    assert targets == {"Order": "spec:Order", "Line": "app.models:Line", "Color": "spec:Color"}
    assert not any(isinstance(each, Enumeration) for each in module(found).types)


@pytest.mark.parametrize(
    "returns", ["Image", "list[Image]", "dict[str, Image]", "tuple[Image, str]", "Image | None"]
)
def test_media_are_inputs_only(resolved, returns) -> None:
    text = f"{HEAD}from aigen.runtime import Image\ndef ask(x: str) -> {returns}: ...\n"
    found = resolved({"spec.py": text})
    assert found.codes == ["AIG215"]


@pytest.mark.parametrize(
    ("parameters", "returns", "place"),
    [
        ("x", "str", "x"),
        ("x=None", "str", "x"),
        ("x: Order", "str", "Order"),
        ("x: 'list['", "str", "'list['"),
        ("x: make()", "str", "make()"),
        ("x: str", "Order", "Order"),
        ("x: str", "None", "None"),
    ],
)
def test_types_that_cannot_be_known(resolved, parameters: str, returns: str, place: str) -> None:
    found = resolved({"spec.py": f"{HEAD}def ask({parameters}) -> {returns}: ...\n"})
    (error,) = found.found
    assert (error.code, found.at(error)) == ("AIG512", place)
    assert error.span is not None and error.span.path == "spec.py"


def test_fields_may_give_the_types(resolved) -> None:
    fields = "{'x': {'type': 'int', 'ge': 0}, 'result': {'choice': {'a': 'first', 'b': 'last'}}}"
    found = resolved({"spec.py": f"{HEAD}@ai(fields={fields})\ndef ask(x): return answer()\n"})
    assert inputs(found)["x"].type == Integer(ge=0)
    assert only(found).answer.type == Choice((Level("a", "first"), Level("b", "last")))


def test_a_field_that_is_no_parameter(resolved) -> None:
    found = resolved({"spec.py": f"{HEAD}@ai(fields={{'y': 'words'}})\n{ASK.format('x: str')}"})
    (error,) = found.found
    assert (error.code, found.at(error)) == ("AIG301", "'y'")


def test_an_input_called_result(resolved) -> None:
    assert resolved({"spec.py": HEAD + ASK.format("result: str")}).codes == ["AIG303"]


def test_nothing_is_run(resolved, tmp_path) -> None:
    mark = tmp_path / "ran"
    text = f"{HEAD}open({str(mark)!r}, 'w').close()\n{ASK.format('x: str')}"
    assert only(resolved({"spec.py": text})).name == "ask"
    assert not mark.exists()


def test_the_rule_of_unknown_types(resolved) -> None:
    rule: Rule = all_rules()["AIG512"]
    assert isinstance(rule.example, dict)
    found = resolved({"spec.py": rule.example["specs/spec.py"]})
    assert found.codes == ["AIG512"]
    (function,) = found.program.modules["spec"].functions
    assert function.inputs[1].type == JsonAny()


STUB = f"""{HEAD}
from enum import Enum
from pydantic import BaseModel, Field

class Tone(Enum):
    KIND = "kind"  # warm
    BRIEF = "brief"

class Order(BaseModel):
    '''An order.'''
    id: str = Field(pattern="^A")
    tone: Tone = Tone.KIND
    parts: list["Order"] = []

class Alone(BaseModel):
    n: int

def ask(order: Order, tone: Tone = Tone.BRIEF) -> Order: ...
"""


@pytest.mark.parametrize("name", ["stub.pyi", "desk/stub.pyi"])
def test_classes_of_a_stub_are_generated(resolved, name: str) -> None:
    found = resolved({name: STUB})
    made = module(found, name[:-4].replace("/", "."))
    types = {each.name: each for each in made.types}
    assert types.keys() == {"Tone", "Order", "Alone"}
    assert isinstance(types["Tone"], Enumeration)
    assert types["Tone"].levels == (Level("kind", "warm"), Level("brief"))
    order = types["Order"]
    assert isinstance(order, Record)
    assert (order.description, order.additional) == ("An order.", None)
    assert [(each.name, each.type, each.default) for each in order.members] == [
        ("id", Text(pattern="^A"), None),
        ("tone", Ref(made.name, "Tone"), Default("kind")),
        ("parts", List(Ref(made.name, "Order")), Default([])),
    ]
    assert made.callables == ()
    text = render(found.program, RenderOptions())[f"{made.name.replace('.', '/')}.py"]
    assert "class Order(BaseModel):" in text and "class Tone(StrEnum):" in text


def test_other_specs_name_the_generated_classes_of_a_stub(resolved) -> None:
    yaml = "functions:\n  f: {formula: a ~ b, fields: {b: stub.Order}}\n"
    found = resolved({"stub.pyi": STUB, "spec.yaml": yaml})
    assert only(found).inputs[0].type == Ref("stub", "Order")
    yaml = "types:\n  Order: {python: 'stub:Order'}\n"
    found = resolved({"stub.pyi": STUB, "spec.yaml": yaml})
    assert [(one.code, one.hint) for one in found.found] == [
        ("AIG516", "name the type that is generated from it: stub.Order")
    ]
