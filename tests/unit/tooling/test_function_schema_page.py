"""The page of `function_schema`: what it prints, to the letter, and what is wrong there."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pytest
from aigen.runtime.testing import scripted, tool_call
from aigen.tooling import (
    complete,
    extract_parameter_comments,
    form_msgs,
    function_schema,
    param_converter,
    print_msgs,
)

PAGE = '''\
from typing import Optional

def get_weather_information(
    city: str,  # Name of the city
    zip_code: Optional[str] = None,  # Zip code of the city (optional)
):
    """Get weather information for a city or location based on zip code"""
    return {
        "city": city,
        "zip_code": zip_code,
        "temparature": 25,
        "humidity": 80,
    }
'''

SCHEMA = {
    "type": "function",
    "function": {
        "name": "get_weather_information",
        "description": "Get weather information for a city or location based on zip code",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "Name of the city"},
                "zip_code": {
                    "anyOf": [
                        {"type": "string", "description": "Zip code of the city (optional)"},
                        {
                            "type": "null",
                            "description": "A default value will be automatically used.",
                        },
                    ]
                },
            },
            "required": ["city"],
        },
        "metadata": {"module": "__main__", "service": "Weather Service"},
    },
}


def test_the_signatures() -> None:
    wanted = {
        function_schema: ["func", "service_name", "fixup", "kwargs"],
        extract_parameter_comments: ["func"],
        param_converter: ["param_type", "description"],
    }
    for function, names in wanted.items():
        found = inspect.signature(function).parameters
        assert [*found] == names
    found = inspect.signature(function_schema).parameters
    assert (found["service_name"].default, found["fixup"].default) == (None, None)
    assert found["kwargs"].kind is inspect.Parameter.VAR_KEYWORD


def test_a_script_prints_what_the_page_prints(tmp_path: Path) -> None:
    script = tmp_path / "page.py"
    script.write_text(
        PAGE + "\nfrom aigen.tooling import *\n"
        "print(extract_parameter_comments(get_weather_information))\n"
        'city_param = param_converter(str, "Name of the city")\n'
        'zip_param = param_converter(Optional[str], "Zip code of the city (optional)")\n'
        "print((city_param, zip_param))\n"
        'print(function_schema(get_weather_information, service_name="Weather Service"))\n'
    )
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=True, timeout=300
    )
    properties: Any = SCHEMA["function"]["parameters"]["properties"]  # type: ignore[index]
    assert done.stdout.splitlines() == [
        "{'city': 'Name of the city', 'zip_code': 'Zip code of the city (optional)'}",
        repr((properties["city"], properties["zip_code"])),
        repr(SCHEMA),
    ]


def test_the_simulated_conversation(app: Any, capsys: pytest.CaptureFixture[str]) -> None:
    func = app(PAGE).get_weather_information
    tools = [function_schema(func, service_name="Weather Service")]
    system = (
        "You can get weather information for a given location using the"
        " `get_weather_information` function"
    )
    messages = form_msgs([("system", system), ("user", "What is the weather in New York?")])
    said = "The current weather in New York is 25°C with 80% humidity."
    with scripted([tool_call("get_weather_information", {"city": "New York"}), said]) as model:
        complete(messages, tools=tools)
    print_msgs(messages)
    assert capsys.readouterr().out == (
        f">> System:\n{system}\n>> User:\nWhat is the weather in New York?\n>> Assistant:\n{said}\n"
    )
    (sent,) = model.requests[0].body["tools"]
    assert sent["function"].keys() == {"name", "description", "parameters", "strict"}
    assert '"temparature": 25' in model.requests[1].messages[-1]["content"]


class Point(NamedTuple):
    x: int
    y: int


WRONG_THERE: dict[str, tuple[Any, Any]] = {
    "an integer is no number": (int, {"type": "integer"}),
    "a union with None": (int | None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
    "a tuple": (
        tuple[int, ...],
        {"type": "array", "items": {"type": "integer"}},
    ),
    "a mapping": (
        dict[str, list[int]],
        {
            "type": "object",
            "additionalProperties": {"type": "array", "items": {"type": "integer"}},
        },
    ),
    "a choice": (Literal["a", "b"], {"enum": ["a", "b"], "type": "string"}),
    "lists in lists": (
        list[list[float]],
        {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
    ),
    "a record": (
        Point,
        {
            "type": "object",
            "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}},
            "required": ["x", "y"],
            "additionalProperties": False,
        },
    ),
}


@pytest.mark.parametrize("kind", WRONG_THERE)
def test_what_the_original_gets_wrong(kind: str) -> None:
    given, wanted = WRONG_THERE[kind]
    found = param_converter(given, None)
    if "anyOf" in found:
        found["anyOf"] = [{"type": each["type"]} for each in found["anyOf"]]
    assert found == wanted


def test_methods_and_async_functions(app: Any) -> None:
    module = app(
        "class Desk:\n"
        "    def look(self, order: int,  # its number\n    ) -> str:\n        'Look it up.'\n"
        "    async def wait(self, seconds: float = 1.5) -> None:\n        'Wait.'\n"
    )
    looked = function_schema(module.Desk().look)["function"]
    assert looked["parameters"]["properties"] == {
        "order": {"type": "integer", "description": "its number"}
    }
    waited = function_schema(module.Desk().wait)["function"]
    assert waited["parameters"] == {
        "type": "object",
        "properties": {"seconds": {"type": "number"}},
        "required": [],
    }


def test_a_failure_is_told_and_is_no_null(app: Any) -> None:
    func = app("def fail(x: int) -> int:\n    raise OSError('the disk is full')\n").fail
    messages = form_msgs([("user", "?")])
    with scripted([tool_call("fail", {"x": 1}), "It failed."]) as model:
        complete(messages, tools=[function_schema(func)])
    assert model.requests[1].messages[-1]["content"] == "fail failed: OSError: the disk is full"


def test_the_fixup_of_a_schema_answers_for_a_function_that_fails(app: Any) -> None:
    module = app(
        "def fail(x: int) -> int:\n    raise OSError('gone')\n"
        "def mend(name, **more):\n    return f'{name} is mended with {sorted(more.items())}'\n"
    )
    schema = function_schema(module.fail, "Desk", module.mend, desk=1)
    with scripted([tool_call("fail", {"x": 2}), "Well."]) as model:
        complete(form_msgs([("user", "?")]), tools=[schema])
    told = model.requests[1].messages[-1]["content"]
    module_name = module.__name__
    assert told == (
        f"fail is mended with [('desk', 1), ('module', '{module_name}'), ('service', 'Desk'),"
        " ('x', 2)]"
    )
