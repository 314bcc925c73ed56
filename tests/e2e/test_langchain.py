"""Generated functions and tools as langchain's tools."""

from __future__ import annotations

import asyncio
from types import ModuleType
from typing import Any

import pytest
from aigen.runtime import override
from aigen.runtime.testing import scripted
from desk_spec import ORDER
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import StructuredTool, tool
from langchain_core.utils.function_calling import convert_to_openai_tool


def made(function: Any) -> list[Any]:
    """The two ways to a tool that reads its words from the docstring."""
    by_class = StructuredTool.from_function(function, parse_docstring=True)
    return [by_class, tool(parse_docstring=True)(function)]


def test_a_tool_has_its_name_words_and_inputs(support: ModuleType) -> None:
    for found in made(support.triage):
        assert (found.name, found.description) == ("triage", "Read the support ticket.")
        (message,) = found.args.values()
        assert (message["type"], message["description"]) == ("string", "the customer's own words")
    plain = StructuredTool.from_function(support.triage)
    assert plain.description.startswith("Read the support ticket.")
    assert tool(support.triage).args == plain.args


def test_records_and_defaults_reach_the_schema(desk: ModuleType) -> None:
    for found in made(desk.answer):
        schema = found.args_schema.model_json_schema()
        assert schema["required"] == ["order"]
        assert schema["properties"]["tone"]["enum"] == ["kind", "brief"]
        assert schema["properties"]["tone"]["default"] == "kind"
        assert schema["properties"]["order"]["description"] == "what the customer bought"
        assert schema["$defs"]["Order"]["required"] == ["id", "lines", "placed", "note"]
        assert schema["$defs"]["Line"]["properties"]["quantity"]["minimum"] == 1


def test_it_becomes_a_providers_tool(desk: ModuleType) -> None:
    function = convert_to_openai_tool(desk.import_)["function"]
    assert (function["name"], function["description"]) == ("import_", "Take an order in.")
    assert function["parameters"]["required"] == ["id"]
    assert function["parameters"]["properties"]["id"]["description"] == "the order's number"


def test_invoked_it_calls_the_function(desk: ModuleType) -> None:
    answer = {"text": "It is late.", "copy": ORDER}
    for found in made(desk.answer):
        with scripted([answer]) as model:
            given = found.invoke({"order": ORDER, "tone": "brief"})
        assert given == desk.Answer.model_validate(answer)
        said = model.requests[0].messages[-1]["content"]
        assert "A-1001" in said and "brief" in said
    assert made(desk.import_)[0].invoke({"id": "A-7", "late": True}) == 4


def test_awaited_it_calls_the_coroutine(support: ModuleType) -> None:
    found = StructuredTool.from_function(support.triage, coroutine=support.triage.aio)
    with override(model="sample"):
        given = asyncio.run(found.ainvoke({"message": "It sparks."}))
    assert isinstance(given, support.Triage)


def test_it_is_a_step_of_a_chain(support: ModuleType) -> None:
    chain = RunnableLambda(support.triage) | (lambda ticket: ticket.summary) | support.mood
    with scripted([{"summary": "A kettle sparks.", "urgent": True}, "unhappy"]) as model:
        assert chain.invoke("It sparks.") == "unhappy"
    assert "A kettle sparks." in model.requests[1].messages[-1]["content"]
    assert repr(RunnableLambda(support.triage)) == "RunnableLambda(triage)"


def test_wrong_arguments_never_reach_it(support: ModuleType) -> None:
    with scripted([]) as model, pytest.raises(ValueError, match="message"):
        StructuredTool.from_function(support.triage).invoke({"note": "It sparks."})
    assert model.requests == []
