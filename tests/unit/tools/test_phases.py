"""Tools and a schema, where a server does not do both in one request."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from aigen.runtime import calls
from aigen.runtime.errors import ConfigurationError, ProviderError, ReplyError
from aigen.runtime.wire import learned
from servers import Seen, Server, Step, completion, message, serving, status, whole

APP = '''
SEEN = []

def lookup(order: str) -> dict[str, str]:
    """Look an order up."""
    SEEN.append(order)
    return {"id": order, "state": "sent"}
'''

SPEC = """
functions:
  answer:
    formula: words + urgent ~ message
    description: Answer the customer.
    fields: {urgent: bool}
    tools: [lookup]
  loosely:
    formula: words + urgent ~ message
    fields: {urgent: bool}
    tools: [loose, lookup]
  reply:
    formula: words ~ message
    tools: [lookup]
tools:
  lookup: {python: own_app:lookup}
  loose: {python: own_app:lookup, strict: false}
"""

DONE = {"words": "It is sent.", "urgent": False}
CALL = {
    "id": "c1",
    "type": "function",
    "function": {"name": "lookup", "arguments": '{"order": "7"}'},
}

Answering = Callable[[Seen], Step]


@pytest.fixture(autouse=True)
def nothing_learned() -> None:
    learned.forget()


@pytest.fixture
def desk(module: Any) -> Any:
    return module(SPEC, APP)


def is_held(seen: Seen) -> bool:
    return "response_format" in seen.body


def has_results(seen: Seen) -> bool:
    return any(said["role"] == "tool" for said in seen.body["messages"])


def asks(seen: Seen) -> bool:
    return bool(seen.body.get("tools")) and not has_results(seen)


def called() -> Step:
    return Step(message(None, finish="tool_calls", tool_calls=[CALL]))


def held_or_prose(seen: Seen) -> Step:
    """Holds its reply to a schema where it is given one, else talks."""
    return completion(json.dumps(DONE) if is_held(seen) else "It was sent yesterday.")


def ignores_tools(seen: Seen) -> Step:
    """As Ollama: a schema leaves no room for a call."""
    return called() if asks(seen) and not is_held(seen) else held_or_prose(seen)


def ignores_the_schema(seen: Seen) -> Step:
    """As some servers behind OpenRouter: with tools, nothing is held to the schema."""
    if seen.body.get("tools"):
        return called() if asks(seen) else completion("It was sent yesterday.")
    return held_or_prose(seen)


GEMINI = "Function calling with a response mime type: 'application/json' is unsupported"
LLAMA = "Cannot use custom grammar constraints with tools."
GROQ = "json mode cannot be combined with tool/function calling"


def refuses_both(words: str) -> Answering:
    def answering(seen: Seen) -> Step:
        if seen.body.get("tools") and is_held(seen):
            return status(400, words)
        return called() if asks(seen) else held_or_prose(seen)

    return answering


def options(server: Server, **more: Any) -> dict[str, Any]:
    return {"model": "m", "base_url": server.url, "api_key": "k", "retries": 0, **more}


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize("adapter", ["auto", "json"])
@pytest.mark.parametrize("answering", [ignores_tools, ignores_the_schema, refuses_both(GEMINI)])
def test_tools_first_and_the_schema_last(
    desk: Any, answering: Answering, adapter: str, awaited: bool
) -> None:
    with serving(answering) as server, calls() as seen:
        asked = desk.answer.with_options(**options(server, adapter=adapter))
        answer = asyncio.run(asked.aio("Where is 7?")) if awaited else asked("Where is 7?")
    assert (answer.words, answer.urgent) == ("It is sent.", False)
    assert desk.lookup.__name__ == "lookup" and len(seen[-1].tools) == 1
    offered, told, held = server.requests
    assert offered.body["tools"] and not is_held(offered)
    assert '"urgent": true or false' in offered.body["messages"][0]["content"]
    assert has_results(told) and not is_held(told)
    assert held.body["response_format"]["type"] == "json_schema"
    assert "tools" not in held.body
    assert held.body["messages"][-2] == {"role": "assistant", "content": "It was sent yesterday."}
    assert [each.request.adapter for each in seen[-1].exchanges] == [
        "prompted",
        "prompted",
        "strict",
    ]


def test_an_answer_needs_no_second_phase(desk: Any) -> None:
    with serving([called(), completion(json.dumps(DONE))]) as server:
        assert desk.answer.with_options(**options(server))("?").words == "It is sent."
    assert not any(map(is_held, server.requests))


def test_one_text_has_no_schema_and_no_second_phase(desk: Any) -> None:
    with serving([called(), completion("It was sent yesterday.")]) as server:
        assert desk.reply.with_options(**options(server))("?") == "It was sent yesterday."
    assert len(server.requests) == 2


@pytest.mark.parametrize("words", [GEMINI, LLAMA, GROQ])
def test_a_server_that_was_thought_to_do_both_says_no(desk: Any, words: str) -> None:
    own = {"both": {"takes": ["schema", "tool"], "schema_with_tools": True}}
    with serving(refuses_both(words)) as server:
        own["both"]["base_url"] = server.url  # type: ignore[assignment]
        asked = desk.answer.with_options(model="both:m", providers=own, api_key="k", retries=0)
        assert asked("?").words == "It is sent."
        assert asked("?").words == "It is sent."
    held = [is_held(seen) for seen in server.requests]
    assert held == [True, False, False, True, False, False, True]  # it is asked once
    assert all(bool(seen.body.get("tools")) or is_held(seen) for seen in server.requests)


def test_what_one_tool_is_refused_for_is_no_word_about_both(desk: Any) -> None:
    words = "Invalid schema for function 'lookup': 'pattern' is not permitted"
    own = {"both": {"schema_with_tools": True, "takes": ["schema", "tool"]}}
    with serving(lambda _: status(400, words)) as server:
        own["both"]["base_url"] = server.url  # type: ignore[assignment]
        asked = desk.answer.with_options(
            model="both:m", providers=own, api_key="k", tool_calling="native"
        )
        with pytest.raises(ProviderError, match="pattern"):
            asked("?")
    assert not learned.refused(learned.BOTH, (server.url, "m"))


def test_the_second_phase_steps_down(desk: Any) -> None:
    def answering(seen: Seen) -> Step:
        form = seen.body.get("response_format", {})
        if form.get("type") == "json_schema":
            return status(400, "response_format json_schema is not supported")
        return ignores_the_schema(seen)

    with serving(answering) as server:
        assert desk.answer.with_options(**options(server))("?").words == "It is sent."
    kinds = [seen.body.get("response_format", {}).get("type") for seen in server.requests]
    assert kinds == [None, None, "json_schema", "json_schema", "json_object"]


def test_where_nothing_holds_it_the_model_is_asked_again(desk: Any) -> None:
    def answering(seen: Seen) -> Step:
        if is_held(seen):
            return status(400, "response_format is not supported")
        return called() if asks(seen) else completion("It was sent yesterday.")

    with serving(answering) as server:
        with pytest.raises(ReplyError, match="none of 3 replies"):
            desk.answer.with_options(**options(server, retries=1))("?")
        held = sum(map(is_held, server.requests))
        assert held == 3  # strict, schema, json_object: each once
        with pytest.raises(ReplyError):
            desk.answer.with_options(**options(server, adapter="json"))("?")
    assert sum(map(is_held, server.requests)) == held + 1


@pytest.mark.parametrize("adapter", ["prompted", "xml", "chat"])
def test_an_adapter_that_only_tells_the_form_stays_it(desk: Any, adapter: str) -> None:
    with serving([completion("It was sent yesterday.")]) as server, pytest.raises(ReplyError):
        desk.answer.with_options(**options(server, adapter=adapter))("?")
    assert len(server.requests) == 1


def test_tools_as_text_have_a_second_phase_too(desk: Any) -> None:
    steps = [completion('{"function": "lookup", "arguments": {"order": "7"}}')]

    def answering(seen: Seen) -> Step:
        return steps.pop() if steps else held_or_prose(seen)

    with serving(answering) as server:
        asked = desk.answer.with_options(**options(server, tool_calling="text"))
        assert asked("?").words == "It is sent."
    assert [is_held(seen) for seen in server.requests] == [False, False, True]


def test_who_is_known_to_do_both_is_asked_for_both(desk: Any, monkeypatch: Any) -> None:
    for model in ("gpt-4.1", "gpt-5.1", "azure:deployed"):
        body = desk.answer.with_options(model=model).request("?").body
        assert body["tools"] and body["response_format"]
    for model in ("gemini:gemini-2.5-flash", "ollama:qwen3", "openrouter:a/b", "groq:x", "vllm:x"):
        body = desk.answer.with_options(model=model).request("?").body
        assert body["tools"] and "response_format" not in body
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    assert "response_format" not in desk.answer.with_options(model="gpt-4.1").request("?").body


def test_a_stream_has_both_phases(desk: Any) -> None:
    def answering(seen: Seen) -> Step:
        return called() if asks(seen) else whole(json.dumps(DONE) if is_held(seen) else "Prose.")

    with (
        serving(answering) as server,
        desk.answer.with_options(**options(server)).stream("?") as stream,
    ):
        shown = list(stream)
    assert stream.result().words == "It is sent."
    assert len(shown) > 2 and shown[-1].model_dump() == DONE
    assert [is_held(seen) for seen in server.requests] == [False, False, True]


def test_a_forced_call_of_the_answer_is_refused(desk: Any) -> None:
    with pytest.raises(ConfigurationError, match="take json"):
        desk.answer.with_options(model="m", adapter="tool").request("?")


def test_a_tool_that_is_not_strict_goes_with_a_strict_schema(desk: Any) -> None:
    with serving([called(), completion(json.dumps(DONE))]) as server:
        own = {"both": {"base_url": server.url, "schema_with_tools": True}}
        asked = desk.loosely.with_options(model="both:m", providers=own, api_key="k")
        assert asked("?").words == "It is sent."
    first = server.requests[0].body
    assert first["response_format"]["json_schema"]["strict"] is True
    assert [tool["function"]["strict"] for tool in first["tools"]] == [False, True]
