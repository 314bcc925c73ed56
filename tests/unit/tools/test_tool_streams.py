"""Streams of calls that use tools: what is shown, what is told, and how they end."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from aigen.runtime import calls, events, on_call
from aigen.runtime.errors import (
    ConfigurationError,
    DeadlineError,
    ProviderError,
    ReplyError,
    StepLimitError,
    StreamError,
    ToolError,
)
from aigen.runtime.testing import broken, chunked, cut_off, http_error, scripted, tool_call
from aigen.runtime.wire import learned
from aigen.runtime.wire.arrival import has_grown
from aigen.runtime.wire.messages import Reply, ToolCall
from desks import build_desk, imported
from servers import (
    CUT,
    DONE,
    RESET,
    USED,
    Server,
    Step,
    chunk,
    event,
    message,
    response,
    streamed,
    whole,
    whole_response,
)

Serve = Callable[..., Server]

APP = '''
import asyncio
import threading
import time

SEEN = []
ENDS = []
RELEASED = threading.Event()

def lookup(order: str, deep: bool = False) -> dict[str, str]:
    """Look an order up."""
    SEEN.append(order)
    return {"id": order, "state": "sent"}

def ship(order: str) -> str:
    """Ship it."""
    SEEN.append(order)
    return "shipped"

def fails(order: str) -> str:
    """Fail."""
    raise LookupError("no such order")

def slow(order: str) -> str:
    """Take long."""
    RELEASED.wait(20)
    return "slow"

async def waits(order: str) -> str:
    """Wait on a loop."""
    SEEN.append(order)
    if order == "quick":
        while "long" not in SEEN:
            await asyncio.sleep(0.005)
        return "quick"
    try:
        await asyncio.sleep(20)
    except asyncio.CancelledError:
        ENDS.append(order)
        raise
    return "late"

def loud(words: str) -> bool | str:
    """A check that calls a function itself."""
    from own_tools import desk
    return desk.sort(words) == "b"
'''

SPEC = """
functions:
  answer:
    formula: words + urgent ~ message
    description: Answer the customer.
    fields: {urgent: bool}
    tools: [lookup, ship, sort, fails, slow, waits]
  reply:
    formula: words ~ message
    tools: [lookup]
  named:
    formula: function + words ~ message
    tools: [lookup]
  sort:
    formula: topic ~ message
    description: Sort a message.
    fields: {topic: {choice: [a, b]}}
  later:
    formula: words + urgent ~ message
    fields: {urgent: bool}
    tools: [lookup, found]
  checked:
    formula: words ~ message
    fields: {words: {check: "own_app:loud"}}
tools:
  lookup: {python: "own_app:lookup", annotations: {read_only: true}, execution: concurrent}
  ship: {python: "own_app:ship", risk: dangerous}
  fails: {python: "own_app:fails"}
  slow: {python: "own_app:slow", timeout: 0.2}
  waits: {python: "own_app:waits", execution: concurrent}
  found: {python: "own_app:ship", exposure: deferred}
"""

VALUE = {"words": "It is sent.", "urgent": False}
TEXT = json.dumps(VALUE)


@pytest.fixture(autouse=True)
def nothing_learned() -> None:
    learned._refused.clear()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("desk")
    build_desk(found, SPEC, APP)
    return found


@pytest.fixture
def desk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    yield imported(folder, monkeypatch)
    import own_app

    own_app.RELEASED.set()


class Streaming:
    """Streams a function to its end, sync or awaited.

    Attributes:
        seen: the events that came.
    """

    def __init__(self, awaited: bool) -> None:
        self.awaited = awaited
        self.seen: list[Any] = []

    def __call__(self, function: Any, **settings: Any) -> Any:
        function = function.with_options(**settings)
        self.seen = []
        return asyncio.run(self._awaited(function)) if self.awaited else self._sync(function)

    def _sync(self, function: Any) -> Any:
        with function.stream("Where is 7?") as stream:
            self.seen.extend(stream.events())
            return stream.result()

    async def _awaited(self, function: Any) -> Any:
        async with function.astream("Where is 7?") as stream:
            async for found in stream.events():
                self.seen.append(found)
            return await stream.result()

    def of(self, kind: type) -> list[Any]:
        return [found for found in self.seen if isinstance(found, kind)]

    @property
    def partials(self) -> list[Any]:
        return [found.value for found in self.of(events.Partial)]


@pytest.fixture(params=[False, True], ids=["sync", "awaited"])
def stream(request: pytest.FixtureRequest) -> Streaming:
    return Streaming(request.param)


def at(server: Server, **more: Any) -> dict[str, Any]:
    return {
        "model": "fake-1",
        "base_url": server.url,
        "api_key": "none",
        "api_retries": 0,
        "retries": 0,
        **more,
    }


def begun(index: int, name: str, id: str) -> bytes:
    head = {"index": index, "id": id, "type": "function"}
    return chunk({"tool_calls": [{**head, "function": {"name": name, "arguments": ""}}]})


def more(index: int, text: str) -> bytes:
    return chunk({"tool_calls": [{"index": index, "function": {"arguments": text}}]})


ASKED = (
    begun(0, "lookup", "c1"),
    more(0, '{"ord'),
    begun(1, "lookup", "c2"),
    more(1, '{"order": "8"'),
    more(0, 'er": "7"}'),
    more(1, "}"),
    chunk({}, "tool_calls"),
    USED,
    DONE,
)
"""Two calls whose deltas come in turns."""


# ------------------------------------------------------------------------------ what is shown


@pytest.mark.parametrize("transport", ["raw", "sdk"])
def test_native_calls_over_chat(
    desk: Any, stream: Streaming, serve: Serve, transport: str, tmp_path: Path
) -> None:
    server = serve(streamed(*ASKED), whole(TEXT))
    with calls() as seen:
        answer = stream(desk.answer, **at(server, transport=transport, log_calls=str(tmp_path)))
    assert (answer.words, answer.urgent) == ("It is sent.", False)
    assert [partial.words for partial in stream.partials][:2] == ["I", "It is"]
    started = [found.call for found in stream.of(events.ToolStarted)]
    assert started == [
        ToolCall("c1", "lookup", '{"order": "7"}'),
        ToolCall("c2", "lookup", '{"order": "8"}'),
    ]
    outcomes = [found.outcome for found in stream.of(events.ToolFinished)]
    assert {each.call_id: each.text for each in outcomes} == {
        "c1": '{"id": "7", "state": "sent"}',
        "c2": '{"id": "8", "state": "sent"}',
    }
    kinds = [type(found) for found in stream.seen]
    assert kinds.index(events.ToolCallDelta) < kinds.index(events.Finished)
    assert kinds.index(events.Used) < kinds.index(events.ToolStarted)
    assert kinds.index(events.ToolFinished) < kinds.index(events.Partial)
    assert events.AskedAgain not in kinds
    said = server.requests[1].body["messages"][-3:]
    assert [call["function"]["arguments"] for call in said[0]["tool_calls"]] == [
        '{"order": "7"}',
        '{"order": "8"}',
    ]
    assert [each["tool_call_id"] for each in said[1:]] == ["c1", "c2"]
    assert [each.call_id for each in seen[-1].tools] == ["c1", "c2"]
    assert seen[-1].usage.output_tokens == 6
    (file,) = tmp_path.rglob("*.jsonl")
    line = json.loads(file.read_bytes())
    assert [each["input"]["order"] for each in line["outputs"]["calls"]] == ["7", "8"]
    assert [each["finish"] for each in line["exchanges"]] == ["tool_calls", "stop"]


@pytest.mark.parametrize("complete", [True, False])
def test_native_calls_over_responses(
    desk: Any, stream: Streaming, serve: Serve, complete: bool
) -> None:
    item = {"type": "function_call", "id": "f1", "call_id": "c1", "name": "lookup"}
    place = {"item_id": "f1", "output_index": 1}
    thought = {"type": "reasoning", "id": "r1", "summary": []}
    output = [thought, {**item, "arguments": '{"order": "7"}'}] if complete else []
    server = serve(
        streamed(
            event({"type": "response.created", "response": response(status="in_progress")}),
            event(
                {
                    "type": "response.output_item.added",
                    "output_index": 1,
                    "item": {**item, "arguments": ""},
                }
            ),
            *(
                event({"type": "response.function_call_arguments.delta", "delta": piece, **place})
                for piece in ('{"order"', ': "7"}')
            ),
            event({"type": "response.completed", "response": response(*output)}),
        ),
        whole_response(TEXT),
    )
    answer = stream(desk.answer, **at(server, api="responses"))
    assert answer.words == "It is sent."
    assert stream.partials[0].words == "I"
    assert stream.of(events.ToolStarted)[0].call == ToolCall("c1", "lookup", '{"order": "7"}')
    kept = [each["type"] for each in server.requests[1].body["input"][2 if complete else 1 :]]
    assert kept[-2:] == ["function_call", "function_call_output"]
    assert ("reasoning" in kept) is complete


def test_calls_as_text(desk: Any, stream: Streaming, serve: Serve) -> None:
    said = 'I look it up.\n{"function": "lookup", "arguments": {"order": "7"}}'
    server = serve(whole(said), whole(TEXT))
    answer = stream(desk.answer, **at(server, tool_calling="text"))
    assert answer.words == "It is sent."
    assert stream.partials[0].words == "I"
    assert [found.call.name for found in stream.of(events.ToolStarted)] == ["lookup"]
    assert "".join(found.text for found in stream.of(events.TextDelta)) == said + TEXT
    assert "tools" not in server.requests[0].body
    assert server.requests[1].body["messages"][-1]["content"].startswith("Result of lookup:")


@pytest.mark.parametrize("adapter", ["xml", "chat", "prompted"])
def test_calls_as_text_under_any_adapter(desk: Any, stream: Streaming, adapter: str) -> None:
    said = '{"function": "lookup", "arguments": {"order": "7"}}'
    with scripted([said, VALUE]):
        answer = stream(desk.answer, model="m", tool_calling="text", adapter=adapter)
    assert answer.words == "It is sent."
    assert stream.partials[-1].words == "It is sent."


@pytest.mark.parametrize("calling", ["native", "text"])
def test_what_a_model_says_before_a_call_is_no_answer(
    desk: Any, stream: Streaming, calling: str
) -> None:
    asked: Any = Reply(
        "Let me look. ",
        finish="tool_calls",
        tool_calls=(ToolCall("c1", "lookup", '{"order": "7"}'),),
    )
    if calling == "text":
        asked = 'Let me look. {"function": "lookup", "arguments": {"order": "7"}}'
    with scripted([asked, "It is sent."]):
        assert stream(desk.reply, model="m", tool_calling=calling) == "It is sent."
    assert stream.partials == ["It is sent."]
    told = "".join(found.text for found in stream.of(events.TextDelta))
    assert told.startswith("Let me look. ")


def test_an_output_named_as_a_member_of_a_call(desk: Any, stream: Streaming) -> None:
    answer = {"function": "f", "words": "Sent."}
    with scripted(['{"function": "lookup", "arguments": {"order": "7"}}', json.dumps(answer)]):
        assert stream(desk.named, model="m", tool_calling="text").words == "Sent."
    assert [partial.words for partial in stream.partials] == ["Sent."]
    with scripted([tool_call("lookup", {"order": "7"}), answer]):
        assert stream(desk.named, model="m", tool_calling="native").words == "Sent."
    assert stream.partials[0].words is None


def test_a_call_behind_a_part_of_the_answer(desk: Any, stream: Streaming) -> None:
    both = Reply(TEXT, finish="tool_calls", tool_calls=(ToolCall("c", "lookup", '{"order": "7"}'),))
    with scripted([both]) as model, pytest.raises(StreamError, match="asked for lookup") as caught:
        stream(desk.answer, model="m")
    assert caught.value.partial.words == "It is sent."
    assert len(model.requests) == 1
    import own_app

    assert own_app.SEEN == []


def test_partials_only_grow(desk: Any, stream: Streaming) -> None:
    long = {"words": "word " * 200, "urgent": True}
    steps = [tool_call("lookup", {"order": "7"}), tool_call("fails", {"order": "7"}), long]
    with scripted([chunked(step, 3) for step in steps]):
        stream(desk.answer, model="m")
    assert len(stream.partials) > 20
    assert all(map(has_grown, stream.partials, stream.partials[1:]))


def test_a_deferred_tool_is_found_first(desk: Any, stream: Streaming) -> None:
    steps = [
        tool_call("search_tools", {"words": "ship an order"}),
        tool_call("found", {"order": "7"}),
        VALUE,
    ]
    with scripted(steps) as model:
        assert stream(desk.later, model="m").words == "It is sent."
    names = [[tool["function"]["name"] for tool in each.body["tools"]] for each in model.requests]
    assert names == [["lookup", "search_tools"], *[["lookup", "search_tools", "found"]] * 2]


def test_an_ai_function_is_a_tool(desk: Any, stream: Streaming) -> None:
    def model(request: Any) -> Any:
        if "Function: sort" in request.messages[0]["content"]:
            return "b"
        if request.messages[-1]["role"] == "tool":
            assert request.messages[-1]["content"] == "b"
            return VALUE
        return tool_call("sort", {"message": "hm"})

    seen: list[Any] = []
    remove = on_call(seen.append)
    try:
        with scripted(model):
            assert stream(desk.answer, model="m").words == "It is sent."
    finally:
        remove()
    inner, outer = seen
    assert (inner.function, outer.function) == ("sort", "answer")
    assert (inner.parent, inner.root) == (outer.id, outer.id)
    assert outer.parent is None


def test_a_call_in_a_check_is_inside_the_stream(desk: Any, stream: Streaming) -> None:
    def model(request: Any) -> Any:
        return "b" if "Function: sort" in request.messages[0]["content"] else "Sent."

    with scripted(model), calls() as seen:
        assert stream(desk.checked, model="m") == "Sent."
    assert seen[0].parent == seen[1].id


# ---------------------------------------------------------------------------- what goes wrong


def test_failures_are_told_and_the_model_goes_on(desk: Any, stream: Streaming) -> None:
    steps = [
        tool_call("lokup", {}),
        tool_call("lookup", {}),
        tool_call("lookup", "{"),
        tool_call("ship", {"order": "7"}),
        tool_call("fails", {"order": "7"}),
        tool_call("slow", {"order": "7"}),
        Reply(None, finish="length", tool_calls=(ToolCall("a", "lookup", '{"order": "1'),)),
        VALUE,
    ]
    with scripted(steps):
        assert stream(desk.answer, model="m").words == "It is sent."
    told = [found.outcome.text for found in stream.of(events.ToolFinished)]
    wanted = [
        "did you mean lookup?",
        "order wants a value",
        "not JSON",
        "needs an approval",
        "LookupError",
        "took longer than 0.2 s",
        "cut off",
    ]
    assert all(words in text for words, text in zip(wanted, told, strict=True))
    assert all(found.outcome.is_error for found in stream.of(events.ToolFinished))


def test_what_is_asked_for_an_approval(desk: Any, stream: Streaming) -> None:
    asked = []

    def approve(call: Any) -> bool:
        asked.append((call.name, call.arguments))
        return True

    with scripted([tool_call("ship", {"order": "7"}), VALUE]):
        stream(desk.answer, model="m", approve=approve)
    assert asked == [("ship", {"order": "7"})]
    assert stream.of(events.ToolFinished)[0].outcome.text == "shipped"


def test_tool_errors_that_raise(desk: Any, stream: Streaming) -> None:
    two = Reply(
        None,
        finish="tool_calls",
        tool_calls=(
            ToolCall("a", "lookup", '{"order": "1"}'),
            ToolCall("b", "fails", '{"order": "2"}'),
        ),
    )
    with scripted([two]), calls() as seen, pytest.raises(ToolError, match="no such order"):
        stream(desk.answer, model="m", tool_errors="raise")
    assert [each.call_id for each in seen[-1].tools] == ["a"]
    assert isinstance(seen[-1].error, ToolError)


def test_the_limit_of_steps(desk: Any, stream: Streaming) -> None:
    with scripted(lambda request: tool_call("lookup", {"order": "7"})) as model:
        with pytest.raises(StepLimitError, match="within 3 requests"):
            stream(desk.answer, model="m", max_steps=3)
        assert len(model.requests) == 3
    assert len(stream.of(events.ToolFinished)) == 2


def test_the_deadline_of_the_call_holds_for_tools(desk: Any, stream: Streaming) -> None:
    began = time.monotonic()
    with scripted([tool_call("waits", {"order": "7"})]), pytest.raises(DeadlineError):
        stream(desk.answer, model="m", timeout=0.4)
    assert time.monotonic() - began < 5
    import own_app

    deadline = time.monotonic() + 5
    while own_app.ENDS != ["7"] and time.monotonic() < deadline:
        time.sleep(0.01)
    assert own_app.ENDS == ["7"]


def test_the_time_that_a_caller_takes_between_tools_does_not_count(desk: Any) -> None:
    function = desk.answer.with_options(model="m", timeout=0.5)
    with (
        scripted([tool_call("lookup", {"order": "7"}), VALUE]),
        function.stream("?") as stream,
    ):
        for found in stream.events():
            if isinstance(found, (events.ToolStarted, events.ToolFinished)):
                time.sleep(0.4)
        assert stream.result().words == "It is sent."


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param((*ASKED[:2], RESET), id="reset"),
        pytest.param((*ASKED[:3], CUT), id="cut"),
        pytest.param((*ASKED[:4], event(b'{"choices": [{"del'), *ASKED[4:]), id="corrupt"),
        pytest.param((*ASKED[:3], event({"error": {"message": "no", "code": 503}})), id="error"),
        pytest.param((*ASKED[:6], DONE), id="no end"),
        pytest.param((*ASKED[:3], 3.0, *ASKED[3:]), id="stall"),
    ],
)
@pytest.mark.parametrize("transport", ["raw", "sdk"])
def test_a_stream_that_breaks_among_calls_is_tried_again(
    desk: Any, stream: Streaming, serve: Serve, transport: str, pieces: tuple[Any, ...]
) -> None:
    server = serve(streamed(*pieces), streamed(*ASKED), whole(TEXT))
    given = at(server, api_retries=1, request_timeout=1.0, transport=transport)
    with calls() as seen:
        assert stream(desk.answer, **given).words == "It is sent."
    assert len(server.requests) == 3
    assert len(stream.of(events.AskedAgain)) == 1
    assert [each.call_id for each in seen[-1].tools] == ["c1", "c2"]
    import own_app

    assert sorted(own_app.SEEN) == ["7", "8"]


def test_a_break_after_tools_repeats_no_tool(desk: Any, stream: Streaming, serve: Serve) -> None:
    server = serve(streamed(*ASKED), streamed(RESET), whole(TEXT))
    assert stream(desk.answer, **at(server, api_retries=1)).words == "It is sent."
    assert server.requests[1].body == server.requests[2].body
    import own_app

    assert sorted(own_app.SEEN) == ["7", "8"]


def test_a_break_in_the_answer_after_tools_is_said(desk: Any, stream: Streaming) -> None:
    steps = [tool_call("lookup", {"order": "7"}), broken(VALUE, 20)]
    with scripted(steps), calls() as seen, pytest.raises(StreamError) as caught:
        stream(desk.answer, model="m")
    assert caught.value.partial.words.startswith("It")
    assert len(seen[-1].tools) == 1


def test_what_tools_did_is_not_done_again_by_a_fallback(desk: Any, stream: Streaming) -> None:
    steps = [tool_call("lookup", {"order": "7"}), http_error(503), http_error(503)]
    with scripted(steps) as model, pytest.raises(ProviderError):
        stream(desk.answer, model="a", fallback=["b"], api_retries=0)
    assert len(model.requests) == 2


def test_a_server_that_takes_no_tools(desk: Any, stream: Streaming, serve: Serve) -> None:
    def answered(seen: Any) -> Step:
        if "tools" in seen.body:
            words = "`tools` is not supported by this model"
            return Step({"error": {"message": words}}, 400)
        if "Result of" in seen.body["messages"][-1]["content"]:
            return whole(TEXT)
        return whole('{"function": "lookup", "arguments": {"order": "7"}}')

    server = serve(answered)
    assert stream(desk.answer, **at(server)).words == "It is sent."
    assert len(server.requests) == 3


def test_an_unreadable_reply_after_tools_is_asked_for_again(desk: Any, stream: Streaming) -> None:
    steps = [tool_call("lookup", {"order": "7"}), "hm", VALUE]
    with scripted(steps) as model:
        assert stream(desk.answer, model="m").words == "It is sent."
    assert "cannot be used" in model.requests[2].messages[-1]["content"]
    assert [found.reason for found in stream.of(events.AskedAgain)] == ["the reply cannot be used"]
    with (
        scripted([tool_call("lookup", {"order": "7"}), cut_off('{"wor')]),
        pytest.raises(ReplyError),
    ):
        stream(desk.answer, model="m")


def test_an_adapter_that_cannot_have_tools(desk: Any, stream: Streaming) -> None:
    with scripted([VALUE]), pytest.raises(ConfigurationError, match="adapter: tool"):
        stream(desk.answer, model="m", adapter="tool")


# --------------------------------------------------------------------- what servers make of it


@pytest.mark.parametrize(
    "deltas",
    [
        pytest.param(
            [
                {
                    "index": 0,
                    "id": "c1",
                    "function": {"name": "lookup", "arguments": '{"order": "7"}'},
                },
                {
                    "index": 0,
                    "id": "c2",
                    "function": {"name": "lookup", "arguments": '{"order": "8"}'},
                },
            ],
            id="all are the first",
        ),
        pytest.param(
            [
                {"id": "c1", "function": {"name": "lookup", "arguments": {"order": "7"}}},
                {"id": "c2", "function": {"name": "lookup", "arguments": {"order": "8"}}},
            ],
            id="no number, arguments as data",
        ),
        pytest.param(
            [
                {"index": 0, "id": "c1", "function": {"name": "lookup", "arguments": '{"order":'}},
                {"index": 0, "id": "c1", "function": {"name": "lookup", "arguments": ' "7"}'}},
                {"index": 1, "id": "c2", "function": {"name": "lookup", "arguments": '{"order"'}},
                {"index": 1, "id": None, "function": {"name": None, "arguments": ': "8"}'}},
            ],
            id="id and name again",
        ),
    ],
)
def test_how_servers_number_calls(
    desk: Any, stream: Streaming, serve: Serve, deltas: list[Any]
) -> None:
    asked = streamed(*(chunk({"tool_calls": [each]}) for each in deltas), chunk({}, "stop"), DONE)
    with calls() as seen:
        stream(desk.answer, **at(serve(asked, whole(TEXT)), transport="raw"))
    assert [(each.call_id, each.arguments["order"]) for each in seen[-1].tools] == [
        ("c1", "7"),
        ("c2", "8"),
    ]


def test_a_server_that_does_not_stream(desk: Any, stream: Streaming, serve: Serve) -> None:
    call = {"id": "c1", "type": "function"}
    call["function"] = {"name": "lookup", "arguments": '{"order": "7"}'}  # type: ignore[assignment]
    asked = Step(message(None, finish="tool_calls", tool_calls=[call]))
    server = serve(asked, Step(message(TEXT)))
    assert stream(desk.answer, **at(server)).words == "It is sent."
    assert stream.of(events.ToolCallDelta)[0].name == "lookup"


def test_kept_replies_that_ask_for_tools(desk: Any, stream: Streaming, serve: Serve) -> None:
    server = serve(streamed(*ASKED), whole(TEXT))
    given = at(server, cache_replies="memory")
    first = stream(desk.answer, **given)
    deltas = {found.name for found in stream.of(events.ToolCallDelta) if found.name}
    assert stream(desk.answer, **given) == first
    assert len(server.requests) == 2
    assert {found.name for found in stream.of(events.ToolCallDelta)} == deltas
    assert len(stream.of(events.ToolFinished)) == 2
    kinds = [type(found) for found in stream.seen]
    assert kinds.index(events.ToolCallDelta) < kinds.index(events.ToolStarted)


def test_long_arguments_take_time_in_proportion(desk: Any) -> None:
    from aigen.runtime.wire.assembling import Assembling

    def seconds(count: int) -> float:
        assembling, began = Assembling(), time.perf_counter()
        payload = {"choices": [{"delta": {"tool_calls": [{"function": {"arguments": "abcd"}}]}}]}
        for _ in range(count):
            assembling.take(payload)
        assembling.take({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]})
        reply = assembling.reply()
        assert len(reply.tool_calls[0].arguments) == 4 * count
        return time.perf_counter() - began

    assert seconds(200_000) < 30 * max(seconds(20_000), 0.01)


# ------------------------------------------------------------------------------ leaving early

PAIR = Reply(
    None,
    finish="tool_calls",
    tool_calls=(
        ToolCall("a", "waits", '{"order": "quick"}'),
        ToolCall("b", "waits", '{"order": "long"}'),
    ),
)


def _cancelled() -> None:
    import own_app

    deadline = time.monotonic() + 5
    while own_app.ENDS != ["long"] and time.monotonic() < deadline:
        time.sleep(0.01)
    assert own_app.ENDS == ["long"]


def test_leaving_cancels_tools_that_run(desk: Any) -> None:
    with scripted([PAIR]) as model, calls() as seen:
        with desk.answer.with_options(model="m").stream("?") as stream:
            for found in stream.events():
                if isinstance(found, events.ToolFinished):
                    assert found.outcome.text == "quick"
                    break
        _cancelled()
        assert len(model.requests) == 1
    assert [each.call_id for each in seen[-1].tools] == ["a"]
    assert (type(seen[-1].error), seen[-1].error.code) == (StreamError, "left")


def test_leaving_cancels_awaited_tools_that_run(desk: Any) -> None:
    async def left() -> None:
        async with desk.answer.with_options(model="m").astream("?") as stream:
            async for found in stream.events():
                if isinstance(found, events.ToolFinished):
                    assert found.outcome.text == "quick"
                    break
        _cancelled()

    with scripted([PAIR]), calls() as seen:
        asyncio.run(left())
    assert [each.call_id for each in seen[-1].tools] == ["a"]


def test_a_task_that_is_cancelled_cancels_its_tool(desk: Any) -> None:
    async def cancelled() -> None:
        async def read() -> None:
            await desk.answer.with_options(model="m").astream("?").result()

        task = asyncio.create_task(read())
        import own_app

        while "long" not in own_app.SEEN:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        _cancelled()

    with scripted([tool_call("waits", {"order": "long"})]):
        asyncio.run(cancelled())


@pytest.mark.parametrize("transport", ["raw", "sdk"])
def test_leaving_in_a_later_request_closes_its_connection(
    desk: Any, serve: Serve, transport: str
) -> None:
    answer = streamed(chunk({"content": '{"words": "It is'}), 20.0)
    server = serve(streamed(*ASKED), answer)
    with desk.answer.with_options(**at(server, transport=transport)).stream("?") as stream:
        assert next(stream).words == "It is"
    assert server.left.wait(5)


def test_a_function_that_nobody_waits_for_asks_no_more(desk: Any) -> None:
    """The stream is over by its time while an AI function that is its tool is being answered."""
    inside, release = threading.Event(), threading.Event()

    def model(request: Any) -> Any:
        if "Function: sort" in request.messages[0]["content"]:
            inside.set()
            release.wait(10)
            return "neither of them"
        return tool_call("sort", {"message": "hm"})

    done: list[Any] = []
    remove = on_call(done.append)
    try:
        with scripted(model) as script:
            with pytest.raises(DeadlineError):
                list(desk.answer.with_options(model="m", timeout=0.3).stream("?"))
            assert inside.is_set()
        with scripted(["a step of a later script"]) as later:
            release.set()
            deadline = time.monotonic() + 5
            while len(done) < 2 and time.monotonic() < deadline:
                time.sleep(0.01)
            assert later.requests == []
        assert len(script.requests) == 2
    finally:
        remove()
    assert [call.function for call in done] == ["answer", "sort"]
    assert done[1].error.code == "left"
