"""The page of `tools_add_docs`: every element of the docs, and its two conversations."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from aigen.runtime.testing import scripted, tool_call
from aigen.tooling import add_docs, answer, function_schema, get_docs, tool

PAGE = """\
def temperature_in_location(
    location=("Amsterdam", "Utrecht", "Enschede"),
    unit=("Celcius", "Fahrenheit"),
):
    celcius = {"Amsterdam": 32.5, "Utrecht": 19.8, "Enschede": 22.7}[location]
    if unit == "Celcius":
        return celcius
    return celcius * 9/5 + 32
"""


@pytest.fixture
def temperature(app: Any) -> Any:
    """The page's function, with the page's docs added."""
    func = app(PAGE).temperature_in_location
    docs = get_docs(func)
    docs["description"] = "Get the temperature in a location"
    docs["arguments"]["unit"]["description"] = "Unit in which to return the temperature"
    docs["arguments"]["location"]["description"] = "Location for which to return the temperature"
    docs["return"]["description"] = "The temperature in the specified location and unit"
    return add_docs(func, docs)


QUESTION = "Hi, what is the weather in Enschede? Give me Celcius degrees"
ASKED = {"location": "Enschede", "unit": "Celcius"}


def test_the_conversation(temperature: Any) -> None:
    steps = [tool_call("temperature_in_location", ASKED), "It is 22.7 degrees."]
    with scripted(steps) as model:
        assert answer(QUESTION, [temperature]) == "It is 22.7 degrees."
    (sent,) = model.requests[0].body["tools"]
    location = sent["function"]["parameters"]["properties"]["location"]
    assert "Location for which to return the temperature" in location["description"]
    assert location["enum"][:3] == ["Amsterdam", "Utrecht", "Enschede"]
    assert model.requests[1].messages[-1]["content"] == "22.7"


def test_the_conversation_as_text(temperature: Any) -> None:
    written = '{"function": "temperature_in_location", "arguments": {"location": "Enschede"}}'
    with scripted([written, "It is 22.7 degrees."]) as model:
        assert answer(QUESTION, [temperature], tool_calling="text") == "It is 22.7 degrees."
    words = model.requests[0].messages[0]["content"]
    for said in (
        "temperature_in_location: Get the temperature in a location",
        "Location for which to return the temperature",
        "Unit in which to return the temperature",
        "Utrecht",
        'default: "Celcius"',
        "returns: any JSON; The temperature in the specified location and unit",
    ):
        assert said in words, words


def test_a_function_of_the_standard_library() -> None:
    docs = get_docs(os.listdir)
    assert docs["description"].startswith("Return a list containing the names of the files")
    docs["arguments"]["path"] |= {"type": "string | None", "description": "a folder"}
    listed = tool(os.listdir, docs=docs)
    steps = [tool_call("listdir", {"path": str(Path(__file__).parent)}), "This file."]
    with scripted(steps) as model:
        assert answer("What are the files in my current directory?", [listed]) == "This file."
    assert Path(__file__).name in model.requests[1].messages[-1]["content"]


TYPES = {
    "integer": {"type": "integer"},
    "numeric": {"type": "number"},
    "logical": {"type": "boolean"},
    "string": {"type": "string"},
    "vector integer": {"type": "array", "items": {"type": "integer"}},
    "vector numeric": {"type": "array", "items": {"type": "number"}},
    "vector logical": {"type": "array", "items": {"type": "boolean"}},
    "vector string": {"type": "array", "items": {"type": "string"}},
}


@pytest.mark.parametrize("kind", TYPES)
def test_every_type(app: Any, kind: str) -> None:
    func = app("def f(x):\n    return x\n").f
    add_docs(func, {"arguments": {"x": {"type": kind}}})
    found = function_schema(func)["function"]["parameters"]
    assert found["properties"]["x"] == TYPES[kind]
    assert found["required"] == ["x"]
    assert get_docs(func)["arguments"]["x"] == {"type": kind}


def test_a_named_list_of_types(app: Any) -> None:
    func = app("def f(who):\n    return who\n").f
    kinds = {"name": "string", "age": "integer", "home": {"street": "string"}}
    add_docs(func, {"arguments": {"who": {"type": kinds}}})
    home = {
        "type": "object",
        "properties": {"street": {"type": "string"}},
        "required": ["street"],
        "additionalProperties": False,
    }
    found = function_schema(func)["function"]["parameters"]["properties"]["who"]
    assert found["properties"] == {
        "name": {"type": "string"},
        "age": {"type": "integer"},
        "home": home,
    }
    assert get_docs(func)["arguments"]["who"]["type"] == kinds


def test_the_name_and_what_was_said_before_are_overwritten(app: Any) -> None:
    func = app("def f(x: int):  # old\n    '''Old.'''\n    return x\n").f
    add_docs(func, {"name": "count", "description": "Count.", "return": {"description": "it"}})
    docs = get_docs(func)
    assert (docs["name"], docs["description"], docs["return"]) == (
        "count",
        "Count.",
        {"description": "it"},
    )
    docs["arguments"]["x"]["description"] = "how many"
    add_docs(func, docs)
    assert tool(func).definition["name"] == "count"
    assert get_docs(func) == docs
    add_docs(func, {})
    assert get_docs(func)["description"] == "Old."


def test_a_default_that_is_no_choice(app: Any) -> None:
    func = app("def f(x):\n    return x\n").f
    add_docs(func, {"arguments": {"x": {"type": "integer", "default_value": 3}}})
    made = tool(func)
    assert made.definition["inputs"][0]["shape"] == {"type": "integer", "default": 3}
    assert made() == 3
