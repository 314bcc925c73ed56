"""How `auto` steps down, over real HTTP: only where an answer says so, and once for the process."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from aigen.runtime import AIFunction, calls
from aigen.runtime.errors import ProviderError, ReplyError
from aigen.runtime.wire.adapters import ladder
from aigen.runtime.wire.messages import Target
from servers import Seen, Server, Step, completion, status

Serve = Callable[..., Server]
Compile = Callable[[str], dict[str, AIFunction[Any, Any]]]
SPEC = """\
aigen: 1
functions:
  triage:
    formula: summary + urgent ~ message
    description: Read it.
    fields: {urgent: bool}
  shape:
    formula: anything ~ message
    fields: {anything: json}
  words: {formula: words ~ message}
"""
GOOD = {"summary": "s", "urgent": True}
JSON = completion(json.dumps(GOOD))


def called(values: Any, name: str = "answer") -> Step:
    function = {"name": name, "arguments": json.dumps(values)}
    calls = [{"id": "c", "type": "function", "function": function}]
    return completion(None, finish="tool_calls", tool_calls=calls)


def way(seen: Seen) -> str:
    """How a request that came holds its reply."""
    held = seen.body.get("response_format") or {}
    if held.get("type") == "json_schema":
        return "strict" if held["json_schema"].get("strict") else "schema"
    if held:
        return str(held["type"])
    tools = seen.body.get("tools")
    if tools:
        return "tool_strict" if tools[0]["function"].get("strict") else "tool"
    return "prompted"


def refusing(words: dict[str, tuple[int, str]]) -> Callable[[Seen], Step]:
    """A server that refuses some ways in some words, and answers the others."""

    def answer(seen: Seen) -> Step:
        found = way(seen)
        if found in words:
            return status(*words[found])
        return called(GOOD) if found.startswith("tool") else JSON

    return answer


@pytest.fixture
def functions(compiled: Compile) -> dict[str, AIFunction[Any, Any]]:
    return compiled(SPEC)


def at(server: Server, function: Any, **more: Any) -> Any:
    return function.with_options(
        **{"model": "m", "base_url": server.url, "api_key": "none", "api_retries": 0, **more}
    )


FORMAT = (400, "'response_format' of type 'json_schema' is not supported with this model.")
STEPS: list[tuple[dict[str, tuple[int, str]], list[str]]] = [
    ({}, ["strict"]),
    (
        {"strict": (400, "Unknown parameter: 'response_format.json_schema.strict'.")},
        ["strict", "schema"],
    ),
    ({"strict": FORMAT, "schema": FORMAT}, ["strict", "schema", "tool"]),
    (
        {
            "strict": FORMAT,
            "schema": (422, "response_format: Extra inputs are not permitted"),
            "tool": (404, "No endpoints found that support tool use"),
        },
        ["strict", "schema", "tool", "json_object"],
    ),
    (
        {
            "strict": (400, "This model does not support response format `json_schema`."),
            "schema": (400, "json_schema is unavailable now"),
            "tool": (400, "m does not support tools"),
            "json_object": (400, "'response_format.type' must be 'json_schema' or 'text'"),
        },
        ["strict", "schema", "tool", "json_object", "prompted"],
    ),
]


@pytest.mark.parametrize(("refused", "steps"), STEPS)
def test_it_goes_down_to_what_is_taken_and_stays_there(
    serve: Serve, functions: Any, refused: dict[str, tuple[int, str]], steps: list[str]
) -> None:
    server = serve(refusing(refused))
    function = at(server, functions["triage"])
    assert function(message="a") == GOOD
    assert [way(seen) for seen in server.requests] == steps
    assert function(message="b") == GOOD
    assert [way(seen) for seen in server.requests] == [*steps, steps[-1]]
    # Another model of the server is another target.
    assert at(server, functions["triage"], model="n")(message="a") == GOOD
    assert [way(seen) for seen in server.requests][len(steps) + 1 :] == steps


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (400, "The message is too long."),
        (400, "response_format was fine, your card was not"),
        (401, "response_format is not supported"),
        (404, "The model m does not exist"),
        (400, "Invalid value: temperature"),
    ],
)
def test_other_answers_are_errors(serve: Serve, functions: Any, code: int, words: str) -> None:
    server = serve(status(code, words))
    with pytest.raises(ProviderError) as caught:
        at(server, functions["triage"])(message="a")
    assert caught.value.status == code
    assert len(server.requests) == 1


def test_nothing_is_remembered_of_what_never_worked(serve: Serve, functions: Any) -> None:
    server = serve(lambda seen: status(400, f"tools, response_format: not supported {way(seen)}"))
    for _ in range(2):
        with pytest.raises(ProviderError):
            at(server, functions["triage"])(message="a")
    ways = ["strict", "schema", "tool", "json_object", "prompted"]
    assert [way(seen) for seen in server.requests] == ways * 2


def test_what_one_schema_does_is_not_the_servers_fault(serve: Serve, functions: Any) -> None:
    def answer(seen: Seen) -> Step:
        if way(seen) == "strict" and "urgent" in json.dumps(seen.body):
            return status(400, "Invalid schema for response_format 'triage': too deep")
        return JSON if "urgent" in json.dumps(seen.body) else completion('{"result": 5}')

    server = serve(answer)
    for _ in range(2):
        assert at(server, functions["triage"])(message="a") == GOOD
    assert [way(seen) for seen in server.requests] == ["strict", "schema", "schema"]
    target = Target("custom", "m", server.url)
    assert ladder.ways(functions["triage"].definition, target, "auto")[0] == "schema"
    other = {**functions["triage"].definition, "ids": {"interface": "", "version": "other"}}
    assert ladder.ways(other, target, "auto")[0] == "strict"


def test_a_schema_without_a_strict_form_begins_below(serve: Serve, functions: Any) -> None:
    server = serve(completion('{"result": {"a": 1}}'))
    assert at(server, functions["shape"])(message="a") == {"a": 1}
    assert at(server, functions["words"])(message="a") == '{"result": {"a": 1}}'
    assert [way(seen) for seen in server.requests] == ["schema", "prompted"]


@pytest.mark.parametrize(
    ("adapter", "ways"),
    [("json", ["strict", "schema"]), ("tool", ["tool_strict", "tool"]), ("xml", ["prompted"])],
)
def test_an_adapter_that_is_asked_for_stays_the_one(
    serve: Serve, functions: Any, adapter: str, ways: list[str]
) -> None:
    server = serve(status(400, "strict, response_format and tools are not supported"))
    with pytest.raises(ProviderError):
        at(server, functions["triage"], adapter=adapter)(message="a")
    assert [way(seen) for seen in server.requests] == ways


def test_the_responses_api_steps_down_too(serve: Serve, functions: Any) -> None:
    def answer(seen: Seen) -> Step:
        if "text" in seen.body:
            return status(400, "Unsupported parameter: 'text.format' is not supported")
        call = {
            "type": "function_call",
            "call_id": "c",
            "name": "answer",
            "arguments": json.dumps(GOOD),
        }
        return Step({"object": "response", "status": "completed", "output": [call]})

    server = serve(answer)
    assert at(server, functions["triage"], api="responses")(message="a") == GOOD
    last = server.requests[-1].body
    assert last["tool_choice"] == {"type": "function", "name": "answer"}
    assert last["tools"][0]["strict"] is False
    assert last["tools"][0]["parameters"]["required"] == ["summary", "urgent"]


@pytest.mark.parametrize("adapter", ["tool", "xml", "chat", "json", "prompted"])
def test_an_unreadable_reply_is_asked_again_in_its_layout(
    serve: Serve, functions: Any, adapter: str
) -> None:
    bad = called({"summary": "s"}) if adapter == "tool" else completion("I am not sure.")
    server = serve(bad)
    with pytest.raises(ReplyError) as caught:
        at(server, functions["triage"], adapter=adapter)(message="a")
    assert len(server.requests) == 2
    assert caught.value.reply == ('{"summary": "s"}' if adapter == "tool" else "I am not sure.")
    before, again = server.requests[1].body["messages"][-2:]
    assert before == {"role": "assistant", "content": caught.value.reply}
    assert "That cannot be used: " in again["content"]
    mark = {"tool": "by calling answer", "xml": "<urgent>", "chat": "[[ ## urgent ## ]]"}
    assert mark.get(adapter, '"urgent": true or false') in again["content"]
    assert "\nReply again " in again["content"]


def test_a_reply_is_judged_whatever_was_asked_of_the_server(serve: Serve, functions: Any) -> None:
    server = serve(completion('{"summary": "s", "urgent": "7"}'))
    with pytest.raises(ReplyError):
        at(server, functions["triage"], retries=0)(message="a")


PARAMETERS = [
    ("Unsupported value: 'temperature' does not support 0.5 with this model.", "temperature"),
    ("Unsupported parameter: 'top_p' is not supported with this model.", "top_p"),
]


@pytest.mark.parametrize(("words", "name"), PARAMETERS)
def test_sampling_that_is_refused_is_left_out(
    serve: Serve, functions: Any, words: str, name: str
) -> None:
    server = serve(lambda seen: status(400, words) if name in seen.body else JSON)
    function = at(server, functions["triage"], model=f"fixed-{name}", temperature=0.5, top_p=0.5)
    with pytest.warns(UserWarning, match=f"refuses {name}"):
        assert function(message="a") == GOOD
    assert function(message="a") == GOOD
    assert [name in seen.body for seen in server.requests] == [True, False, False]


def test_a_value_out_of_range_is_the_callers(serve: Serve, functions: Any) -> None:
    server = serve(status(400, "Invalid 'temperature': expected a value <= 2"))
    with pytest.raises(ProviderError, match="temperature"):
        at(server, functions["triage"], temperature=3)(message="a")
    assert len(server.requests) == 1


def test_the_limit_goes_by_the_name_that_is_taken(serve: Serve, functions: Any) -> None:
    words = (
        "Unsupported parameter: 'max_tokens' is not supported with this model. "
        "Use 'max_completion_tokens' instead."
    )
    server = serve(lambda seen: status(400, words) if "max_tokens" in seen.body else JSON)
    function = at(server, functions["triage"], max_output_tokens=50)
    for _ in range(2):
        assert function(message="a") == GOOD
    limits = [seen.body.get("max_completion_tokens") for seen in server.requests]
    assert limits == [None, 50, 50]


def test_a_parameter_that_is_refused_under_both_names_is_an_error(
    serve: Serve, functions: Any
) -> None:
    server = serve(
        lambda seen: status(400, f"unknown parameter {next(k for k in seen.body if 'max_' in k)}")
    )
    with pytest.raises(ProviderError):
        at(server, functions["triage"], max_output_tokens=50)(message="a")
    assert len(server.requests) == 3


def test_many_threads_learn_at_once(serve: Serve, functions: Any) -> None:
    barrier = threading.Barrier(8, timeout=300)
    server = serve(refusing({"strict": FORMAT, "schema": FORMAT}))
    function = at(server, functions["triage"])

    def run(_: int) -> Any:
        barrier.wait()
        return function(message="a")

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(run, range(8))) == [GOOD] * 8
    before = len(server.requests)
    assert function(message="a") == GOOD
    assert [way(seen) for seen in server.requests[before:]] == ["tool"]


def test_a_call_records_the_way_that_worked(serve: Serve, functions: Any) -> None:
    server = serve(refusing({"strict": FORMAT, "schema": FORMAT}))
    with calls() as seen:
        at(server, functions["triage"])(message="a")
    assert [exchange.request.adapter for exchange in seen[0].exchanges] == ["tool"]


def test_parse_reads_every_layout(functions: Any) -> None:
    function = functions["triage"]
    text = "<summary>s</summary><urgent>true</urgent>"
    assert function.with_options(adapter="xml").parse(text) == GOOD
    text = "[[ ## summary ## ]]\ns\n[[ ## urgent ## ]]\ntrue\n[[ ## completed ## ]]"
    assert function.with_options(adapter="chat").parse(text) == GOOD
    assert function.parse(called(GOOD).body) == GOOD
    assert function.with_options(adapter="tool").parse(json.dumps(GOOD)) == GOOD
    with pytest.raises(ReplyError):
        function.parse(text)
