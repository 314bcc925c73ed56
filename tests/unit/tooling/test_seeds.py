"""The examples of the interfaces that this one takes the place of, to the letter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aigen.tooling import (
    add_docs,
    extract_parameter_comments,
    form_msgs,
    function_schema,
    get_docs,
    param_converter,
    print_msgs,
    tool,
)

WEATHER = '''\
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


def test_comments(app: Callable[[str], Any]) -> None:
    assert extract_parameter_comments(app(WEATHER).get_weather_information) == {
        "city": "Name of the city",
        "zip_code": "Zip code of the city (optional)",
    }


def test_parameters() -> None:
    city = param_converter(str, "Name of the city")
    code = param_converter(str | None, "Zip code of the city (optional)")
    assert repr((city, code)) == (
        "({'type': 'string', 'description': 'Name of the city'}, "
        "{'anyOf': [{'type': 'string', 'description': 'Zip code of the city (optional)'}, "
        "{'type': 'null', 'description': 'A default value will be automatically used.'}]})"
    )


def test_a_schema(app: Callable[[str], Any]) -> None:
    module = app(WEATHER)
    made = function_schema(module.get_weather_information, service_name="Weather Service")
    assert repr(made) == (
        "{'type': 'function', 'function': {'name': 'get_weather_information', "
        "'description': 'Get weather information for a city or location based on zip code', "
        "'parameters': {'type': 'object', 'properties': "
        "{'city': {'type': 'string', 'description': 'Name of the city'}, "
        "'zip_code': {'anyOf': [{'type': 'string', "
        "'description': 'Zip code of the city (optional)'}, {'type': 'null', "
        "'description': 'A default value will be automatically used.'}]}}, "
        "'required': ['city']}, "
        f"'metadata': {{'module': '{module.__name__}', 'service': 'Weather Service'}}}}}}"
    )


def test_messages(capsys: Any) -> None:
    messages = form_msgs(
        [
            ("system", "You can get weather information."),
            ("user", "What is the weather in New York?"),
        ]
    )
    assert messages[0] == {"role": "system", "content": "You can get weather information."}
    asked = {"id": "1", "type": "function", "function": {"name": "get", "arguments": "{}"}}
    messages += [
        {"role": "assistant", "content": None, "tool_calls": [asked]},
        {"role": "tool", "tool_call_id": "1", "content": "25"},
        {"role": "assistant", "content": "It is 25°C."},
    ]
    print_msgs(messages)
    assert capsys.readouterr().out == (
        ">> System:\nYou can get weather information.\n"
        ">> User:\nWhat is the weather in New York?\n"
        ">> Assistant:\nIt is 25°C.\n"
    )


TEMPERATURE = """\
def temperature_in_location(
    location=("Amsterdam", "Utrecht", "Enschede"),
    unit=("Celcius", "Fahrenheit"),
):
    return location, unit
"""


def test_docs_of_a_function_and_added_to_it(app: Callable[[str], Any]) -> None:
    func = app(TEMPERATURE).temperature_in_location
    docs = get_docs(func)
    assert docs == {
        "name": "temperature_in_location",
        "description": "",
        "arguments": {
            "location": {
                "type": "match.arg",
                "default_value": ["Amsterdam", "Utrecht", "Enschede"],
            },
            "unit": {"type": "match.arg", "default_value": ["Celcius", "Fahrenheit"]},
        },
        "return": {},
    }
    docs["description"] = "Get the temperature in a location"
    docs["arguments"]["unit"]["description"] = "Unit in which to return the temperature"
    docs["return"]["description"] = "The temperature in the specified location and unit"
    assert add_docs(func, docs) is func
    assert func.__aigen_docs__ == docs == get_docs(func)
    made = function_schema(func)["function"]
    assert made["description"] == "Get the temperature in a location"
    assert made["parameters"] == {
        "type": "object",
        "properties": {
            "location": {"type": "string", "enum": ["Amsterdam", "Utrecht", "Enschede"]},
            "unit": {
                "type": "string",
                "enum": ["Celcius", "Fahrenheit"],
                "description": "Unit in which to return the temperature",
            },
        },
        "required": [],
    }
    assert tool(func)() == ("Amsterdam", "Celcius")


def test_the_lines_of_a_tool(app: Callable[[str], Any]) -> None:
    module = app("def nrow_of(name: str):\n    return 3\n")
    made = tool(
        module.nrow_of,
        description="Number of rows of a data frame in the session",
        exposure="code",
        namespace="demo",
    )
    assert repr(made).split("\n") == [
        "<tool nrow_of>",
        "  description: Number of rows of a data frame in the session",
        "  parameters: <dict of 4>",
        f"  python: {module.__name__}:nrow_of",
        "  exposure: code",
        "  namespace: demo",
        "  execution: sequential",
        "  record: True",
        "  annotations: <dict of 0>",
        "  format: 1",
    ]
