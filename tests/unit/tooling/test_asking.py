"""One question with functions at hand."""

from __future__ import annotations

import sys
from typing import Any, Optional

import pytest
from aigen.runtime.errors import ConfigurationError, RefusalError, StepLimitError
from aigen.runtime.testing import refusal, scripted, tool_call
from aigen.tooling import answer, complete, form_msgs, function_schema, print_msgs


def get_weather_information(
    city: str,  # Name of the city
    zip_code: Optional[str] = None,  # noqa: UP045  # Zip code of the city (optional)
) -> dict[str, Any]:
    """Get weather information for a city or location based on zip code"""
    return {"city": city, "temperature": 25, "humidity": 80}


CALL = tool_call("get_weather_information", {"city": "New York"})
SAID = "The current weather in New York is 25°C with 80% humidity."


def test_a_simulated_conversation(capsys: pytest.CaptureFixture[str]) -> None:
    tools = [function_schema(get_weather_information, service_name="Weather Service")]
    messages = form_msgs([("system", "You can get the weather."), ("user", "In New York?")])
    with scripted([CALL, SAID]) as model:
        assert complete(messages, tools=tools) == SAID
    assert [each["role"] for each in messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert '"temperature": 25' in messages[3]["content"]
    assert model.requests[0].body["tools"][0]["function"]["name"] == "get_weather_information"
    print_msgs(messages)
    assert capsys.readouterr().out == (
        f">> System:\nYou can get the weather.\n>> User:\nIn New York?\n>> Assistant:\n{SAID}\n"
    )


def test_one_question() -> None:
    with scripted([CALL, SAID]) as model:
        assert answer("In New York?", [get_weather_information], temperature=0) == SAID
    assert model.requests[0].body["temperature"] == 0
    with scripted(["just so"]) as model:
        assert answer("Hello?") == "just so"
    assert "tools" not in model.requests[0].body


def test_what_goes_wrong() -> None:
    with scripted([refusal("no")]), pytest.raises(RefusalError):
        answer("?")
    with scripted(lambda request: CALL), pytest.raises(StepLimitError):
        answer("?", [get_weather_information], max_steps=2)
    schema = function_schema(get_weather_information)
    schema["function"]["name"] = "gone"
    with pytest.raises(ConfigurationError, match="give the function itself"):
        answer("?", [schema], model="sample")
    with pytest.raises(ConfigurationError, match="temprature"):
        answer("?", temprature=1)  # type: ignore[call-arg]
    assert __name__ in sys.modules
