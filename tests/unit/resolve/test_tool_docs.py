"""`docs` of a tool: below a key of the spec's own, above what the source says."""

from __future__ import annotations

from typing import Any

import pytest
from aigen.emit.definition import define_tool
from aigen.ir import Boolean, Default, Integer, List, Number, Text

SOURCE = '''\
from dataclasses import dataclass

@dataclass
class Order:
    id: str  # its number

def temperature(
    location=("Amsterdam", "Utrecht", "Enschede"),
    unit=("Celcius", "Fahrenheit"),
):
    return location, unit

def look(
    order: Order,  # what is looked up
    limit: int = 3,  # how many
    deep: bool = False,
) -> list[str]:  # what was found
    """Look it up."""
    return []

def untyped(x, y=None):
    return x

def anything(**more):
    return more
'''


@pytest.fixture
def tool(resolved: Any) -> Any:
    """The definition of a tool, and the codes of what was found."""

    def read(function: str, docs: str, more: str = "", source: str = SOURCE) -> Any:
        target = f"    python: 'app:{function}'\n" if function else "    description: D.\n"
        spec = f"tools:\n  t:\n{target}    docs: {docs}\n{more}"
        made = resolved({"spec.yaml": spec, "app.py": source})
        module = made.program.modules["spec"]
        return module.tools[0], define_tool(module.tools[0], module, made.program), made

    return read


def test_every_key(tool: Any) -> None:
    made, definition, found = tool(
        "temperature",
        "{name: weather, description: Get the temperature in a location, arguments: {"
        "unit: {description: Unit in which to return the temperature},"
        "location: {description: Location, type: match.arg, default_value: [Utrecht, Leiden]}},"
        "return: {description: the temperature}}",
    )
    assert found.found == []
    assert (definition["name"], definition["description"]) == (
        "weather",
        "Get the temperature in a location",
    )
    location, unit = definition["inputs"]
    assert location == {
        "name": "location",
        "shape": {"type": "string", "enum": ["Utrecht", "Leiden"], "default": "Utrecht"},
        "desc": "Location",
        "optional": True,
    }
    assert unit == {
        "name": "unit",
        "shape": {"type": "string", "enum": ["Celcius", "Fahrenheit"], "default": "Celcius"},
        "desc": "Unit in which to return the temperature",
        "optional": True,
    }
    assert made.returns is None  # of no type: nothing is judged, so there is nothing to describe


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("integer", Integer()),
        ("numeric", Number()),
        ("logical", Boolean()),
        ("string", Text()),
        ("vector integer", List(Integer())),
        ("vector numeric", List(Number())),
        ("vector logical", List(Boolean())),
        ("vector string", List(Text())),
        ("list[list[integer]]", List(List(Integer()))),
    ],
)
def test_every_type_of_the_documentation(tool: Any, kind: str, wanted: Any) -> None:
    made, _, found = tool("untyped", f"{{arguments: {{x: {{type: '{kind}'}}, y: {{type: json}}}}}}")
    assert (made.parameters[0].type, found.found) == (wanted, [])
    assert not made.parameters[0].optional


def test_a_mapping_of_types_is_a_record(tool: Any) -> None:
    _, definition, found = tool(
        "untyped",
        "{arguments: {x: {type: {name: string, age: integer, home: {street: string}},"
        " description: who}, y: {type: logical, default_value: true}}}",
    )
    assert found.found == []
    assert [each["shape"] for each in definition["inputs"]] == [
        {"$ref": "#/$defs/TX"},
        {"type": "boolean", "default": True},
    ]
    assert definition["$defs"]["TX"] == {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "age": {"type": "integer"},
            "home": {"$ref": "#/$defs/TXHome"},
        },
        "required": ["name", "age", "home"],
        "additionalProperties": False,
    }


def test_a_default(tool: Any) -> None:
    made, _, found = tool("look", "{arguments: {limit: {default_value: 7}}}")
    assert found.found == []
    limit = made.parameters[1]
    assert (limit.type, limit.default, limit.description) == (Integer(), Default(7), "how many")


def test_precedence_of_types_and_defaults(tool: Any) -> None:
    made, _, found = tool(
        "look",
        "{arguments: {limit: {type: string, default_value: '7', description: docs},"
        " deep: {type: integer, default_value: 4, description: docs}}}",
        "    parameters: {limit: {type: number, description: spec}, deep: {default: 5}}\n",
    )
    assert found.found == []
    _, limit, deep = made.parameters
    # The spec's own type wins, and a default of `docs` is one of the type that it says.
    assert (limit.type, limit.default, limit.description) == (Number(), Default(3), "spec")
    assert (deep.type, deep.default, deep.description) == (Integer(), Default(5), "docs")


def test_a_type_that_the_source_says_too_changes_nothing(tool: Any) -> None:
    plain, before, _ = tool("look", "{}")
    full = (
        "{arguments: {order: {type: {id: string}, description: docs}, limit: {type: integer,"
        " default_value: 3}, deep: {type: logical, default_value: false}}}"
    )
    made, after, found = tool("look", full)
    assert found.found == []
    assert [each.type for each in made.parameters] == [each.type for each in plain.parameters]
    assert made.parameters[0].description == "docs"
    assert after["$defs"] == before["$defs"]
    assert after["inputs"][1:] == before["inputs"][1:]
    changed, _, _ = tool("look", "{arguments: {order: {type: {id: integer}}}}")
    assert changed.parameters[0].type != plain.parameters[0].type


def test_docs_alone_describe_a_tool(tool: Any) -> None:
    made, _, found = tool("", "{arguments: {city: {type: string, description: which}}}")
    assert found.found == []
    assert [(each.name, each.type, each.description) for each in made.parameters] == [
        ("city", Text(), "which")
    ]
    made, _, found = tool("anything", "{arguments: {more: {type: 'dict[str, int]'}}}")
    assert [each.name for each in made.parameters] == ["more"]
    made, _, found = tool("anything", "{arguments: {n: {type: integer}}}")
    assert ([each.name for each in made.parameters], found.found) == (["n"], [])


@pytest.mark.parametrize(
    ("function", "docs", "more", "codes"),
    [
        ("untyped", "{arguments: {x: {type: integr}, y: {type: json}}}", "", ["AIG201"]),
        ("untyped", "{arguments: {x: {type: match.arg}, y: {type: json}}}", "", ["AIG121"]),
        (
            "untyped",
            "{arguments: {x: {type: match.arg, default_value: a}, y: {type: json}}}",
            "",
            ["AIG121"],
        ),
        ("look", "{arguments: {limit: {typ: integer}}}", "", ["AIG120"]),
        ("look", "{arguments: {limit: {default_value: many}}}", "", ["AIG203"]),
        ("look", "{arguments: {lmit: {description: how many}}}", "", ["AIG409"]),
        ("look", "{arguments: {limit: {type: {a: integr}}}}", "", ["AIG201"]),
        ("look", "{returns: {}}", "", ["AIG120"]),
        ("look", "{return: {type: integer}}", "", ["AIG120"]),
        ("look", "{name: 'a b'}", "", ["AIG401"]),
        ("look", "[a]", "", ["AIG121"]),
        (
            "look",
            "{arguments: {limit: {description: how many}}}",
            "    parameters: {json_shape: {type: object, properties: {limit: {type: integer}}}}\n",
            ["AIG409"],
        ),
    ],
)
def test_faults(tool: Any, function: str, docs: str, more: str, codes: list[str]) -> None:
    *_, found = tool(function, docs, more)
    assert found.codes == codes


ADDED = """
from aigen.tooling import add_docs

untyped = add_docs(untyped, {
    "description": "Say it.",
    "arguments": {
        "x": {"type": "match.arg", "default_value": ("a", "b"), "description": "which"},
        "y": {"type": "vector string", "default_value": ["c"]},
    },
})
"""


def test_what_a_module_adds_is_read_too(tool: Any) -> None:
    made, definition, found = tool(
        "untyped", "{arguments: {x: {description: spec}}}", "", SOURCE + ADDED
    )
    assert found.found == []
    assert definition["description"] == "Say it."
    assert [each["shape"] for each in definition["inputs"]] == [
        {"type": "string", "enum": ["a", "b"], "default": "a"},
        {"type": "array", "items": {"type": "string"}, "default": ["c"]},
    ]
    assert made.parameters[0].description == "spec"
    *_, found = tool("untyped", "{}", "", SOURCE + ADDED.replace("vector string", "vectr"))
    assert found.codes == ["AIG201"]
    *_, found = tool("untyped", "{}", "", SOURCE + ADDED.replace('"type"', '"typ"'))
    assert "AIG405" in found.codes


def test_examples_bind_to_what_the_source_says(tool: Any) -> None:
    *_, found = tool("look", "{}", "    examples: [{order: {id: a}}, {limit: 1}, {ordr: {}}]\n")
    assert found.codes == ["AIG408"] * 3
    *_, found = tool("look", "{}", "    inject: [ordr]\n")
    assert found.codes == ["AIG407"]
    shape = "{type: object, properties: {n: {type: integer}}, required: [n]}"
    more = f"    parameters: {{json_shape: {shape}}}\n    examples: [{{n: 1}}, {{n: x}}]\n"
    *_, found = tool("anything", "{}", more)
    assert found.codes == ["AIG408"]
