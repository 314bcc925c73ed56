"""Namespaces as typed modules: what code that a model writes is checked against."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from aigen.runtime.errors import ConfigurationError
from aigen.runtime.tools.sandbox import Ended, Sandbox
from aigen.runtime.tools.stubs import (
    PythonTool,
    module_name,
    modules_of,
    python_name,
    python_tool,
    records_of,
)

NODE = {
    "type": "object",
    "properties": {
        "value": {"type": "integer"},
        "class": {"enum": ["a", None]},
        "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
    },
    "required": ["value"],
}


def made(name: str, properties: Any, *, namespace: str = "box", **more: Any) -> PythonTool:
    definition = {"name": name, "module": "m", "description": "", "inputs": [], **more}
    schema = {"type": "object", "properties": properties, "required": more.get("required", [])}
    return python_tool(name, definition, schema, namespace)


def checked(code: str, *tools: PythonTool) -> str:
    """What is wrong with code that uses some tools; empty where nothing is."""
    pytest.importorskip("pydantic_monty")
    sandbox = Sandbox(modules_of(tools), 20)
    try:
        state = sandbox.start(code)
        return state.problem if isinstance(state, Ended) and not state.ran else ""
    finally:
        sandbox.close()


@pytest.mark.parametrize(
    ("name", "spelled"),
    [
        ("get_issue", "get_issue"),
        ("get-issue", "get_issue"),
        ("class", "class_"),
        ("_own", "own"),
        ("2nd", "n2nd"),
        ("größe", "gr__e"),
        ("__", "it"),
    ],
)
def test_names(name: str, spelled: str) -> None:
    assert python_name(name) == spelled
    assert spelled.isidentifier()


def test_modules_of_python_are_not_taken() -> None:
    assert module_name("email.drafts") == "email_.drafts"
    assert module_name("toolbox") == "toolbox_"
    assert module_name("shop.json") == "shop.json"
    assert module_name("a..b") == "a.it.b"


def test_parameters_that_are_spelled_alike() -> None:
    tool = made("f", {"a-b": {"type": "string"}, "a_b": {"type": "string"}}, required=["a_b"])
    assert dict(tool.parameters) == {"a_b": "a_b", "a_b_": "a-b"}


def test_what_is_called_alike() -> None:
    with pytest.raises(ConfigurationError, match=r"box\.get_it in Python"):
        modules_of([made("get-it", {}), made("get_it", {})])
    with pytest.raises(ConfigurationError, match=r"box\.inner in Python"):
        modules_of([made("inner", {}), made("f", {}, namespace="box.inner")])
    assert set(modules_of([made("f", {}, namespace=name) for name in ("a", "b")])) == {"a", "b"}


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (True, "Any"),
        ({}, "Any"),
        ({"type": "string", "format": "uuid"}, "str"),
        ({"type": "string", "format": "date"}, "date | str"),
        ({"type": "array", "items": {"type": "string", "format": "date"}}, "list[date | str]"),
        ({"enum": [1.5, 2]}, "float"),
        ({"enum": []}, "Any"),
        ({"enum": [[1]]}, "Any"),
        ({"enum": ["list", 3, True, None]}, "Literal['list', 3, True, None]"),
        ({"type": ["integer", "null"]}, "int | None"),
        ({"allOf": [{"type": "integer"}]}, "int"),
        ({"allOf": [{"type": "integer"}, {"minimum": 1}]}, "Any"),
        ({"oneOf": [{"type": "integer"}, {"type": "array"}]}, "int | list[Any]"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "dict[str, int]"),
        ({"type": "object"}, "dict[str, Any]"),
        ({"type": "object", "properties": {"a": {}}, "additionalProperties": True}, "dict[str, A"),
        ({"$ref": "#/$defs/loop"}, "list[Any]"),
        ({"$ref": "#/$defs/gone"}, "Any"),
        ({"$ref": "#/$defs/node"}, "Node"),
        ({"type": "array", "prefixItems": [{"type": "integer"}, NODE]}, "tuple[int, FXItem2]"),
    ],
)
def test_types(schema: Any, text: str) -> None:
    defs = {"node": NODE, "loop": {"type": "array", "items": {"$ref": "#/$defs/loop"}}}
    tool = made("f", {"x": schema}, **{"$defs": defs})
    stub = modules_of([tool])["box"].stub
    for home in ("builtins", "typing", "datetime"):
        stub = stub.replace(f"_{home}.", "")
    assert f"def f(x: {text}" in stub


def test_a_stub_is_what_code_is_checked_against() -> None:
    defs = {"$defs": {"node": NODE}}
    output = {"output": {"name": "result", "shape": {"$ref": "#/$defs/node"}}}
    give = made("give", {}, **defs, **output)
    take = made("take", {"n": {"$ref": "#/$defs/node"}}, **defs, required=["n"])
    good = "import box\nbox.take(box.give())\nbox.take({'value': 1, 'class': 'a', 'children': []})"
    assert checked(good, give, take) == ""
    assert "unresolved-attribute" in checked("import box\nbox.gone()", give, take)
    wrong = "import box\nbox.take({'value': 1, 'children': [{'value': 'x'}]})"
    assert "Invalid argument to key" in checked(wrong, give, take)
    assert records_of(give) == (
        "Node = TypedDict('Node', {'value': int,"
        " 'class': NotRequired[Literal[\"a\", None]], 'children': NotRequired[list[Node]]})"
    )


def test_tools_that_are_called_like_types() -> None:
    item = {"type": "array", "items": {"type": "string"}}
    tools = [
        made(name, {"x": item, "y": {"type": "string", "format": "date"}}, required=["x"])
        for name in ("list", "str", "Any", "date", "Literal")
    ]
    assert checked("import box\nbox.list(['a'])\nbox.date(['a'], '2024-01-01')", *tools) == ""
    assert "invalid-argument-type" in checked("import box\nbox.list([1])", *tools)


def test_an_ai_functions_outputs_are_a_record() -> None:
    outputs = [{"name": "topic", "shape": {"type": "string"}}, {"name": "n", "shape": {}}]
    stub = modules_of([made("sort", {}, outputs=outputs)])["box"].stub
    ast.parse(stub)
    assert "def sort() -> SortResult: ..." in stub.replace(":\n    ...", ": ...")
    assert "class SortResult(_typing.TypedDict):\n    topic: _builtins.str" in stub
