"""Generated functions and tools as pydantic-ai's tools."""

from __future__ import annotations

import asyncio
from types import ModuleType
from typing import Any

import pytest
from aigen.runtime import override
from aigen.runtime.testing import scripted
from desk_spec import ORDER
from pydantic_ai import Agent, Tool
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel


def test_a_tool_has_its_name_words_and_inputs(support: ModuleType) -> None:
    tool = Tool(support.triage)
    assert tool.name == "triage"
    assert "Read the support ticket." in (tool.description or "")
    assert tool.function_schema.json_schema == {
        "type": "object",
        "properties": {"message": {"type": "string", "description": "the customer's own words"}},
        "required": ["message"],
        "additionalProperties": False,
    }
    assert not tool.takes_ctx


def test_records_and_defaults_reach_the_schema(desk: ModuleType) -> None:
    schema = Tool(desk.answer).function_schema.json_schema
    assert schema["required"] == ["order"]
    assert schema["properties"]["tone"]["enum"] == ["kind", "brief"]
    assert schema["properties"]["tone"]["default"] == "kind"
    assert schema["properties"]["order"]["description"] == "what the customer bought"
    assert schema["$defs"]["Order"]["required"] == ["id", "lines", "placed", "note"]
    assert schema["$defs"]["Line"]["properties"]["quantity"]["minimum"] == 1
    tool = Tool(desk.import_)
    assert tool.name == "import_"
    words = tool.function_schema.json_schema["properties"]["id"]["description"]
    assert words == "the order's number"


def test_an_agent_calls_them(support: ModuleType, desk: ModuleType) -> None:
    agent = Agent(TestModel(), tools=[support.triage, support.mood, desk.import_])
    with override(model="sample"):
        found = returned(asyncio.run(agent.run("Go on.")).all_messages())
    assert isinstance(found["triage"], support.Triage)
    assert found["mood"] in ("happy", "unhappy", "mixed")
    assert found["import_"] == len("a")  # the text that this test model makes up


@pytest.mark.parametrize("form", ["call", "aio"])
def test_the_arguments_of_a_model_reach_the_function(desk: ModuleType, form: str) -> None:
    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) > 1:
            return ModelResponse([TextPart("Done.")])
        (tool,) = info.function_tools
        return ModelResponse([ToolCallPart(tool.name, {"order": ORDER, "tone": "brief"})])

    function = {"call": desk.answer, "aio": desk.answer.aio}[form]
    agent = Agent(FunctionModel(answer), tools=[Tool(function, name="answer")])
    with scripted([{"text": "It is late.", "copy": ORDER}]) as model:
        run = asyncio.run(agent.run("Where is A-1001?"))
    found = returned(run.all_messages())["answer"]
    assert (run.output, found.text, found.copy_) == (
        "Done.",
        "It is late.",
        desk.Order.model_validate(ORDER),
    )
    said = model.requests[0].messages[-1]["content"]
    assert "A-1001" in said and "brief" in said


def returned(messages: list[ModelMessage]) -> dict[str, Any]:
    """What each tool gave, by its name."""
    parts = [part for message in messages for part in message.parts]
    return {part.tool_name: part.content for part in parts if isinstance(part, ToolReturnPart)}
