"""A call of an AI function that uses tools, from the first request to the answer."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from aigen.runtime import calls
from aigen.runtime.errors import ConfigurationError, ProviderError, StepLimitError, ToolError
from aigen.runtime.testing import cut_off, http_error, scripted, tool_call
from aigen.runtime.wire import learned
from aigen.runtime.wire.messages import Reply, ToolCall
from servers import Step, completion, message, serving

APP = '''
from aigen.runtime import Image, ToolResult

SEEN = []

def lookup(order: str, deep: bool = False) -> dict[str, str]:
    """Look an order up.

    Args:
        order: its number
    """
    SEEN.append(order)
    return {"id": order, "state": "sent"}

def ship(order: str) -> str:
    """Ship it."""
    SEEN.append(order)
    return "shipped"

def fails(order: str) -> str:
    raise ValueError("no such order")

def photo(order: str) -> str:
    return ToolResult("a photo", images=[Image(b"\\x89PNG" * 999, media_type="image/png"), URL])

URL = "https://example.com/a.png"

def found(order: str) -> dict[str, object]:
    return {"id": order, "lines": []}
'''

SPEC = """
functions:
  answer:
    formula: words + urgent ~ message
    description: Answer the customer.
    fields: {urgent: bool}
    tools: [lookup, ship, sort]
  reply:
    formula: words ~ message
    tools: [lookup, fails, photo]
  trace:
    formula: words ~ message
    tools: [find]
  read: {formula: words ~ message, tools: [sort, state]}
  send: {formula: words ~ message, tools: [read, ship]}
  ask: {formula: words ~ message, tools: [read, send]}
  sort:
    formula: topic ~ message
    description: Sort a message.
    fields: {topic: {choice: [a, b]}}
tools:
  lookup: {python: own_app:lookup, snippet: finds orders, guidelines: [Never guess a number.]}
  ship: {python: own_app:ship, risk: dangerous}
  state: {python: own_app:lookup, risk: 0}
  fails: {python: own_app:fails}
  photo: {python: own_app:photo}
  find: {python: own_app:found, returns: Order}
types:
  Order: {record: {id: {type: str, description: its number}, lines: 'list[Line]'}}
  Line: {record: {sku: str}}
"""

DONE = {"words": "It is sent.", "urgent": False}


@pytest.fixture(autouse=True)
def nothing_learned() -> None:
    learned._refused.clear()


@pytest.fixture
def desk(module: Any) -> Any:
    return module(SPEC, APP)


@pytest.mark.parametrize("awaited", [False, True])
def test_what_tools_did_before_one_ended_the_call(desk: Any, awaited: bool) -> None:
    asked = [("a", "lookup"), ("b", "lookup"), ("c", "fails"), ("d", "lookup")]
    four = [ToolCall(id, name, '{"order": "1"}') for id, name in asked]
    reply = Reply(None, finish="tool_calls", tool_calls=tuple(four))
    function = desk.reply.with_options(model="gpt-4.1", tool_errors="raise")
    replies = [tool_call("lookup", {"order": 7}), reply]
    raising = pytest.raises(ToolError, match="no such order")
    with scripted(replies), calls() as seen, raising:
        both(function, "?", awaited=awaited)
    assert [each.call_id for each in seen[-1].tools] == ["call_1", "a", "b"]
    assert all(each.text for each in seen[-1].tools)


def test_images_of_a_tool(desk: Any, tmp_path: Path) -> None:
    function = desk.reply.with_options(model="gpt-4.1", log_calls=tmp_path)
    replies = [tool_call("photo", {"order": 7}), "It is red."]
    with scripted(replies) as model:
        function.with_options(api="responses")("?")
        (given,) = [each for each in model.requests[1].messages if "output" in each]
    said, photo, link = given["output"]
    assert said == {"type": "input_text", "text": "a photo"}
    assert photo["type"] == "input_image"
    assert photo["image_url"].startswith("data:image/png;base64,iVBOR")
    assert link == {"type": "input_image", "image_url": "https://example.com/a.png"}
    with scripted(replies) as model:
        function("?")
    assert model.requests[1].messages[-1]["content"] == "a photo"  # this API takes text alone
    logged = [line for path in tmp_path.glob("*/*.jsonl") for line in path.read_text().splitlines()]
    assert all(len(line) < 8000 for line in logged) and len(logged) == 2
    assert "data:image/png;base64,… (" in logged[0]


def test_text_says_what_the_members_of_a_result_are(desk: Any) -> None:
    with scripted(["fine"]) as model:
        desk.trace.with_options(model="gpt-4.1", tool_calling="text")("?")
    said = model.requests[0].body["messages"][0]["content"]
    assert "returns: Order" in said
    assert "where Order is {" in said and '"id": text,  // its number' in said
    assert "where Line is {" in said and '"sku": text' in said


def both(function: Any, *inputs: Any, awaited: bool) -> Any:
    return asyncio.run(function.aio(*inputs)) if awaited else function(*inputs)


@pytest.mark.parametrize("awaited", [False, True])
def test_a_tool_is_used(desk: Any, awaited: bool) -> None:
    with scripted([tool_call("lookup", {"order": 7}), DONE]) as model, calls() as seen:
        answer = both(desk.answer.with_options(model="gpt-4.1"), "Where is 7?", awaited=awaited)
    assert (answer.words, answer.urgent) == ("It is sent.", False)
    first, second = model.requests
    assert [tool["function"]["name"] for tool in first.body["tools"]] == ["lookup", "ship", "sort"]
    assert first.body["tools"][0]["function"]["strict"] is True
    assert first.body["response_format"]["type"] == "json_schema"
    assert "- lookup: finds orders" in first.messages[0]["content"]
    assert "- Never guess a number." in first.messages[0]["content"]
    asked, told = second.messages[-2:]
    assert asked["tool_calls"][0]["function"] == {"name": "lookup", "arguments": '{"order": 7}'}
    assert told == {
        "role": "tool",
        "tool_call_id": "call_1",
        "content": '{"id": "7", "state": "sent"}',
    }
    (outcome,) = seen[-1].tools
    assert (outcome.name, outcome.arguments) == ("lookup", {"order": "7", "deep": False})
    assert len(seen[-1].exchanges) == 2


def test_null_for_what_may_be_absent(desk: Any) -> None:
    with scripted([tool_call("lookup", {"order": "7", "deep": None}), DONE]), calls() as seen:
        desk.answer.with_options(model="gpt-4.1")("?")
    assert seen[-1].tools[0].arguments == {"order": "7", "deep": False}


def test_over_the_responses_api(desk: Any) -> None:
    reply = Reply(
        None,
        finish="tool_calls",
        tool_calls=(ToolCall("c1", "lookup", '{"order": "7"}'),),
        raw={
            "output": [
                {"type": "reasoning", "id": "r1", "summary": []},
                {
                    "type": "function_call",
                    "call_id": "c1",
                    "name": "lookup",
                    "arguments": '{"order": "7"}',
                },
            ]
        },
    )
    with scripted([reply, DONE]) as model:
        desk.answer.with_options(model="gpt-4.1", api="responses")("?")
    first, second = model.requests
    assert first.body["tools"][0]["type"] == "function"
    assert first.body["tools"][0]["name"] == "lookup"
    assert [item["type"] for item in second.body["input"][-3:]] == [
        "reasoning",
        "function_call",
        "function_call_output",
    ]
    assert second.body["input"][-1]["output"] == '{"id": "7", "state": "sent"}'


def test_failures_are_told_and_the_model_goes_on(desk: Any) -> None:
    steps = [
        tool_call("lokup", {}),
        tool_call("lookup", {}),
        tool_call("lookup", "{"),
        tool_call("ship", {"order": "7"}),
        DONE,
    ]
    with scripted(steps) as model, calls() as seen:
        desk.answer("?")
    assert [each.is_error for each in seen[-1].tools] == [True] * 4
    told = [request.messages[-1]["content"] for request in model.requests[1:]]
    assert "did you mean lookup?" in told[0]
    assert "order wants a value" in told[1]
    assert "not JSON" in told[2]
    assert "needs an approval" in told[3]
    import own_app

    assert own_app.SEEN == []


@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize("arguments", ['{"order": ', "[1]", ""])
def test_the_history_is_json_whatever_a_model_wrote(desk: Any, api: str, arguments: str) -> None:
    wrong = Reply("", tool_calls=(ToolCall("c1", "lookup", arguments),), finish="tool_calls")
    with scripted([wrong, DONE]) as model:
        assert desk.answer.with_options(api=api)("?").words == "It is sent."
    sent = model.requests[1].messages
    calls = [
        call
        for each in sent
        for call in ([each] if "arguments" in each else each.get("tool_calls", ()))
    ]
    assert [json.loads(call.get("function", call)["arguments"]) for call in calls] == [{}]
    told = sent[-1].get("content") or sent[-1]["output"]
    assert "lookup" in told and ("JSON" in told or "wants a value" in told)


def test_several_calls_in_one_reply(desk: Any) -> None:
    two = Reply(
        None,
        finish="tool_calls",
        tool_calls=(
            ToolCall("a", "lookup", '{"order": "1"}'),
            ToolCall("b", "lookup", '{"order": "2"}'),
        ),
    )
    with scripted([two, DONE]) as model:
        desk.answer("?")
    said = model.requests[1].messages[-3:]
    assert [each.get("tool_call_id") for each in said] == [None, "a", "b"]


def test_an_ai_function_is_a_tool(desk: Any) -> None:
    def model(request: Any) -> Any:
        if "Function: sort" in request.messages[0]["content"]:
            return "b"
        if request.messages[-1]["role"] == "tool":
            assert request.messages[-1]["content"] == "b"
            return DONE
        return tool_call("sort", {"message": "hm"})

    with calls() as seen, scripted(model):
        assert desk.answer("?").words == "It is sent."
    assert [call.function for call in seen] == ["sort", "answer"]


@pytest.mark.parametrize(("name", "risk"), [("read", 0), ("send", 2)])
def test_the_effects_of_an_ai_function_are_its_tools(desk: Any, name: str, risk: int) -> None:
    with calls() as seen, scripted([tool_call(name, {"message": "hm"}), "done", "done"]):
        desk.ask("?")
    assert seen[-1].tools[0].risk == risk
    with calls() as seen, scripted([tool_call(name, {"message": "hm"}), "done", "done"]):
        desk.ask.with_options(approve="changes")("?")
    assert ("needs an approval" in seen[-1].tools[0].text) is (risk > 0)


def test_the_limit_of_steps(desk: Any) -> None:
    with scripted(lambda request: tool_call("lookup", {"order": "7"})) as model:
        with pytest.raises(StepLimitError, match="within 3 requests") as caught:
            desk.answer.with_options(max_steps=3)("?")
        assert len(model.requests) == 3
    assert caught.value.code == "step-limit"


def test_a_call_that_was_cut_off(desk: Any) -> None:
    cut = Reply(None, finish="length", tool_calls=(ToolCall("a", "lookup", '{"order": "1'),))
    with scripted([cut, DONE]), calls() as seen:
        desk.answer("?")
    assert "cut off" in seen[-1].tools[0].text


def test_a_reply_after_tools_is_read_as_any(desk: Any) -> None:
    steps = [tool_call("lookup", {"order": "7"}), "{}", json.dumps(DONE)]
    with scripted(steps) as model:
        assert desk.answer("?").words == "It is sent."
    assert "cannot be used" in model.requests[2].messages[-1]["content"]
    with scripted([tool_call("lookup", {"order": "7"}), cut_off("half")]):
        from aigen.runtime.errors import TruncatedError

        with pytest.raises(TruncatedError):
            desk.answer("?")


# -------------------------------------------------------------------------------- as text


def test_tools_as_text(desk: Any) -> None:
    said = 'I look it up.\n{"function": "lookup", "arguments": {"order": "7"}}'
    with scripted([said, DONE]) as model:
        answer = desk.answer.with_options(tool_calling="text")("?")
    assert answer.words == "It is sent."
    first, second = model.requests
    assert "tools" not in first.body
    assert "response_format" not in first.body
    assert "- lookup: Look an order up." in first.messages[0]["content"]
    assert second.messages[-1]["content"] == 'Result of lookup:\n{"id": "7", "state": "sent"}'


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('{"function": "lookup", "arguments": {"order": "a } b"}}', ["lookup"]),
        ('{"function": "lookup", "arguments": {"order": "\\"}"}}', ["lookup"]),
        (
            '{"function": "lookup", "arguments": {"order": "1"}}\n'
            '{"function": "lookup", "arguments": {"order": "2"}}',
            ["lookup", "lookup"],
        ),
        ('{"function": "lookup", "arguments": {"order": }}', ["lookup"]),
        ('{"words": "{\\"function\\": 1}", "urgent": true}', []),
        ('{"function": "f", "words": "an answer"}', []),
        ("no call at all {", []),
        ("{" * 50_000, []),
        ('{"function": "f", "arguments": {' * 5_000, ["f"]),
        ('{"function": "lookup", "arguments": {"order": "7"}', ["lookup"]),
        ('{"function": "lookup", "arguments": {"order": "7}}', ["lookup"]),
        ('One of { these: {"function": "lookup", "arguments": {}}', ["lookup"]),
        ('{a, "b} and {"function": "lookup", "arguments": {}}', ["lookup"]),
        ('{"arguments": {"order": "7",}, "function": "lookup"}', ["lookup"]),
        ('{"arguments": {"order": "7"}, "function": "lookup"', ["lookup"]),
        ("{'function': 'lookup', 'arguments': {'order': '7'}}", ["lookup"]),
        ('{"function": "f", "arguments": {}} {"function": "g", "arguments": {}', ["f", "g"]),
        (
            '{"function": "f", "arguments": {}}, {so}: {"function": "g", "arguments": {}}',
            ["f", "g"],
        ),
        ('{"arguments": "a broken answer', []),
        ('{"arguments": ' * 20_000, []),
        ('{"words": "{\\"function\\": \\"f\\"', []),
    ],
)
def test_calls_in_a_text(text: str, names: list[str]) -> None:
    from aigen.runtime.tools.calling import _written_calls

    assert [call.name for call in _written_calls(text)] == names


@pytest.mark.parametrize("order", ['{"order": }}', '{"order": "7"}', '{"order": "7'])
def test_a_written_call_that_is_no_json_is_answered(desk: Any, order: str) -> None:
    with scripted([f'{{"function": "lookup", "arguments": {order}', DONE]) as model:
        desk.answer.with_options(tool_calling="text")("?")
    assert "not JSON" in model.requests[1].messages[-1]["content"]


# --------------------------------------------------------------------------- over HTTP


def asked(name: str, arguments: str) -> dict[str, Any]:
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return message(None, finish="tool_calls", tool_calls=[call])


@pytest.mark.parametrize("transport", ["raw", "sdk", "direct"])
@pytest.mark.parametrize("awaited", [False, True])
def test_over_a_server(desk: Any, transport: str, awaited: bool) -> None:
    steps = [Step(asked("lookup", '{"order": "7"}')), completion(json.dumps(DONE))]
    with serving(steps) as server:
        function = desk.answer.with_options(
            model="m", base_url=server.url, api_key="none", transport=transport
        )
        assert both(function, "?", awaited=awaited).words == "It is sent."
        assert server.requests[1].body["messages"][-1]["role"] == "tool"


def test_a_server_that_takes_no_tools(desk: Any) -> None:
    def model(request: Any) -> Any:
        if "tools" in request.body:
            return http_error(400, "`tools` is not supported by this model")
        if "Result of" in request.messages[-1]["content"]:
            return json.dumps(DONE)
        return '{"function": "lookup", "arguments": {"order": "7"}}'

    with scripted(model) as script:
        function = desk.answer.with_options(model="m", base_url="http://127.0.0.1:1/v1")
        assert function("?").words == "It is sent."
        before = len(script.requests)
        function("?")
    assert len(script.requests) == before + 2  # it is remembered
    with scripted(model), pytest.raises(ProviderError):
        function.with_options(tool_calling="native")("?")


def test_what_tools_did_is_not_done_again_by_a_fallback(desk: Any) -> None:
    steps = [tool_call("lookup", {"order": "7"}), http_error(503), http_error(503)]
    with scripted(steps) as model, pytest.raises(ProviderError):
        desk.answer.with_options(model="a", fallback=["b"], api_retries=0)("?")
    assert len(model.requests) == 2


def test_a_request_shows_the_tools(desk: Any) -> None:
    request = desk.reply.with_options(model="gpt-4.1").request("?")
    assert request.body["tools"][0]["function"]["name"] == "lookup"


def test_what_is_not_done_with_tools(desk: Any) -> None:
    with scripted([DONE]), pytest.raises(ConfigurationError, match="adapter: tool"):
        desk.answer.with_options(adapter="tool")("?")


def test_a_deferred_tool_is_found_first(module: Any) -> None:
    desk = module(
        "functions: {f: {formula: words ~ message, tools: [lookup, ship]}}\n"
        "tools:\n"
        "  lookup: {python: own_app:lookup}\n"
        "  ship: {python: own_app:ship, exposure: deferred}\n",
        APP,
    )
    steps = [
        tool_call("search_tools", {"words": "ship an order"}),
        tool_call("ship", {"order": "7"}),
        "done",
    ]
    for calling in ("native", "text"):
        if calling == "text":
            steps = [
                '{"function": "search_tools", "arguments": {"words": "ship"}}',
                '{"function": "search_tools", "arguments": {"words": "ship it"}}',
                '{"function": "ship", "arguments": {"order": "7"}}',
                "done",
            ]
        with scripted(steps) as model:
            assert desk.f.with_options(tool_calling=calling)("?") == "done"
        if calling == "text":
            assert model.requests[-1].messages[0]["content"].count("- ship: Ship it.") == 1
        if calling == "native":
            offered = [
                [tool["function"]["name"] for tool in request.body["tools"]]
                for request in model.requests
            ]
            assert offered[0] == ["lookup", "search_tools"]
            assert offered[1] == offered[2] == ["lookup", "search_tools", "ship"]
        told = model.requests[1].messages[-1]["content"]
        assert "ship(order: str)" in told
    import own_app

    assert own_app.SEEN == ["7", "7"]


STRICT_SPEC = """
functions:
  f: {formula: words ~ message, tools: [lookup, loose, free]}
  g: {formula: words ~ message, tools: [must]}
  h: {formula: words ~ message, tools: [cannot]}
tools:
  lookup: {python: own_app:lookup}
  loose: {python: own_app:lookup, strict: false}
  free: {parameters: {json_shape: {type: object}}, execute: own_app:given}
  must: {python: own_app:lookup, strict: true}
  cannot: {parameters: {facts: 'dict[str, str]'}, execute: own_app:given, strict: true}
"""


def test_which_tools_a_request_has_strict(module: Any) -> None:
    desk = module(STRICT_SPEC, APP + "\ndef given(input, ctx):\n    return 'fine'\n")

    def asked(function: Any, model: str) -> dict[str, bool]:
        request = function.with_options(model=model).request("?")
        return {
            each["function"]["name"]: each["function"]["strict"] for each in request.body["tools"]
        }

    assert asked(desk.f, "gpt-4.1") == {"lookup": True, "loose": False, "free": False}
    # A server that is not known to take it is not sent it, unless the spec says so.
    assert asked(desk.f, "ollama:llama3.1")["lookup"] is False
    assert asked(desk.g, "ollama:llama3.1") == {"must": True}
    with pytest.raises(ConfigurationError, match="cannot cannot be strict: facts: an object with"):
        desk.h.with_options(model="gpt-4.1").request("?")


NOTED = """
functions:
  f: {formula: words ~ message, tools: [note, loose]}
types:
  Note: {record: {text: str, tag: {type: str, required: false}}}
tools:
  note: {parameters: {note: Note}, execute: own_app:given}
  loose: {parameters: {note: Note}, execute: own_app:given, strict: false}
"""


@pytest.mark.parametrize("awaited", [False, True])
def test_only_in_a_strict_call_null_stands_for_absent(module: Any, awaited: bool) -> None:
    desk = module(NOTED, "def given(input, ctx):\n    return sorted(input['note'])\n")
    note = {"note": {"text": "a", "tag": None}}
    steps = [tool_call("note", note), tool_call("loose", note), "fine"]
    with scripted(steps), calls() as seen:
        assert both(desk.f.with_options(model="gpt-4.1"), "?", awaited=awaited) == "fine"
    strict, loose = seen[-1].tools
    assert (strict.text, strict.arguments) == ('["text"]', {"note": {"text": "a"}})
    assert loose.is_error and "note.tag wants" in loose.text
