"""Every sample, run as its page runs it, against a scripted model."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from aigen.runtime import AIFunction, AITool, calls, events
from aigen.runtime.testing import no_network, scripted, tool_call
from aigen.runtime.values import jsonable
from test_golden import SAMPLES, importing

MODULES = ("support", "orders", "weather", "research.trials")


@pytest.fixture(scope="module")
def samples() -> Iterator[dict[str, ModuleType]]:
    """The generated modules of the samples, by name."""
    with pytest.MonkeyPatch.context() as patch:
        importing(SAMPLES, patch)
        yield {name: importlib.import_module(f"shop_ai.{name}") for name in MODULES}


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    with no_network():
        yield


def told(model: Any, request: int) -> list[str]:
    """What tools told the model before one of its requests."""
    messages = model.requests[request].messages
    return [str(each["content"]) for each in messages if each["role"] == "tool"]


def test_a_choice(samples: dict[str, ModuleType]) -> None:
    mood = samples["support"].mood
    assert str(mood) == (
        "<ai function> mood ~ review\n"
        "  How does the customer feel about what they bought?\n"
        "  review  text\n"
        "  mood    one of happy, unhappy, mixed\n"
        "  model: (the default)"
    )
    with scripted(["unhappy"]) as model:
        assert mood("It broke after one day.") == "unhappy"
    assert "It broke after one day." in model.requests[0].messages[-1]["content"]


def test_several_outputs_on_a_column(samples: dict[str, ModuleType]) -> None:
    support = samples["support"]
    rows = [
        {"summary": "A kettle sparks.", "urgent": True},
        {"summary": "Thanks.", "urgent": False},
    ]
    by_message = dict(zip(["It sparks.", "Thank you!"], rows, strict=True))

    def reply(request: Any) -> Any:
        said = request.messages[-1]["content"]
        return next(row for message, row in by_message.items() if message in said)

    with scripted(reply):
        answers = support.triage.map([*by_message])
    assert [each.model_dump() for each in answers] == rows
    assert all(isinstance(each, support.Triage) for each in answers)


def test_types_of_a_tables_columns(samples: dict[str, ModuleType]) -> None:
    refund = samples["support"].refund
    shapes = {
        each["name"]: each["shape"]
        for each in (*refund.interface["inputs"], *refund.interface["outputs"])
    }
    assert shapes["price"] == {"type": "number"}
    assert shapes["final_sale"] == {"type": "boolean"}
    decision = shapes["result"]["enum"][0]
    with scripted([decision]):
        assert refund("It broke.", 12.5, False) == decision


def test_an_input_that_may_be_left_out(samples: dict[str, ModuleType]) -> None:
    support = samples["support"]
    assert inspect.signature(support.reply).parameters["tone"].default == "kind"
    call = tool_call("lookup_order", {"order_id": "A-1001"})
    with scripted([call, "It is on its way."]) as model:
        assert support.reply("Where is it?", None) == "It is on its way."
    assert "kind" in model.requests[0].messages[-1]["content"]
    assert '"sku": "KETTLE-2"' in told(model, 1)[0]


def test_a_tool_of_a_function(samples: dict[str, ModuleType]) -> None:
    orders = samples["orders"]
    offered = orders.lookup_order.schema("openai-chat")["function"]
    assert (offered["name"], offered["description"]) == ("lookup_order", "Look up an order.")
    assert offered["parameters"]["properties"] == {"order": {"type": "string"}}
    call = tool_call("lookup_order", {"order": "A-1001"})
    nothing = tool_call("lookup_order", {"order": "A-9"})
    with scripted([call, nothing, "One kettle; the other is none of ours."]) as model:
        assert orders.helper("What did I buy?") == "One kettle; the other is none of ours."
    found, none = told(model, 2)
    assert '"placed": "2026-09-28"' in found
    assert none == "(no output)"
    order = orders.lookup_order("A-1001")
    assert (type(order), order.lines[0].quantity) == (orders.Order, 1)


def test_the_weather(samples: dict[str, ModuleType]) -> None:
    weather = samples["weather"]
    first = tool_call("get_weather_information", {"city": "New York", "zip_code": None})
    second = tool_call("temperature_in_location", {"location": "Enschede", "unit": "Celcius"})
    with scripted([first, second, "Take a light coat."]) as model:
        assert weather.advise("What shall I wear?") == "Take a light coat."
    assert '"temparature": 25' in told(model, 1)[0]
    assert told(model, 2)[1] == "22.7"
    assert weather.temperature_in_location("Utrecht", unit="Fahrenheit") == pytest.approx(67.64)
    assert weather.get_weather_information("Berlin")["zip_code"] is None


def test_a_tool_in_a_namespace(samples: dict[str, ModuleType]) -> None:
    trials = samples["research.trials"]
    assert repr(trials.nrow_of).split("\n") == [
        "<tool nrow_of>",
        "  description: Number of rows of a data frame in the session",
        "  parameters: <dict of 4>",
        "  python: app.frames:nrow_of",
        "  exposure: code",
        "  namespace: demo",
        "  execution: sequential",
        "  record: True",
        "  annotations: <dict of 1>",
        "  format: 1",
    ]
    assert trials.nrow_of("orders") == 2
    (found,) = trials.search("migraine", phase="3")
    assert found == trials.Trial(id="NCT00000202", title="Sleep and migraine", phase="3")


CODE = """\
import demo, trials

found = [each for word in ("stroke", "migraine") for each in trials.search(word)]
print(found[0]["title"], len(found), demo.nrow_of("orders"))
"""


@pytest.mark.parametrize("streams", [False, True])
def test_a_model_calls_tools_through_code(samples: dict[str, ModuleType], streams: bool) -> None:
    pytest.importorskip("pydantic_monty")
    advise = samples["research.trials"].advise
    said = "There is one: Walking after a stroke."
    with scripted([tool_call("run_python", {"code": CODE}), said]) as model, calls() as seen:
        if streams:
            with advise.stream("What is there on strokes?") as stream:
                found = [each for each in stream.events() if isinstance(each, events.ToolFinished)]
                assert stream.result() == said
            names = [each.outcome.name for each in found]
            assert names == ["search", "search", "nrow_of", "run_python"]
        else:
            assert advise("What is there on strokes?") == said
    prompt = model.requests[0].messages[0]["content"]
    assert "trials.search(condition: str, phase: Literal" in prompt
    assert "demo.nrow_of(name: str) -> int" in prompt
    assert [tool["function"]["name"] for tool in model.requests[0].body["tools"]] == ["run_python"]
    assert told(model, 1) == ["Walking after a stroke 1 2"]
    assert [each.call_id for each in seen[-1].tools] == [
        "call_1", "call_1.1", "call_1.2", "call_1.3"
    ]  # fmt: skip


LOOKUP = tool_call("lookup_order", {"order": "A-1001"})
WEATHER = {"city": "Berlin", "zip_code": None, "temparature": 25, "humidity": 80}
RUNS: dict[str, tuple[dict[str, Any], list[Any], Any]] = {
    "support.mood": ({"review": "It broke."}, ["unhappy"], "unhappy"),
    "support.triage": (
        {"message": "It sparks."},
        [{"summary": "A kettle sparks.", "urgent": True}],
        {"summary": "A kettle sparks.", "urgent": True},
    ),
    "support.refund": (
        {"message": "It broke.", "price": 9.5, "final_sale": True},
        ["decline"],
        "decline",
    ),
    "support.reply": ({"message": "Hello", "order": None}, ["Hello!"], "Hello!"),
    "support.lookup_order": ({"order_id": "A-9"}, [], None),
    "orders.helper": ({"question": "What did I buy?"}, [LOOKUP, "A kettle."], "A kettle."),
    "orders.lookup_order": ({"order": "A-9"}, [], None),
    "weather.advise": ({"question": "What shall I wear?"}, ["A coat."], "A coat."),
    "weather.get_weather_information": ({"city": "Berlin"}, [], WEATHER),
    "weather.temperature_in_location": ({"location": "Enschede"}, [], 22.7),
    "research.trials.advise": ({"question": "Any?"}, ["None."], "None."),
    "research.trials.search": ({"condition": "asthma"}, [], []),
    "research.trials.nrow_of": ({"name": "orders"}, [], 2),
}
"""Inputs, what the model says, and the answer."""


@pytest.mark.parametrize("name", RUNS)
def test_a_sample_runs(samples: dict[str, ModuleType], name: str) -> None:
    module, _, own = name.rpartition(".")
    inputs, steps, wanted = RUNS[name]
    with scripted(steps) as model:
        answer = getattr(samples[module], own)(**inputs)
    assert jsonable(answer) == wanted
    assert len(model.requests) == len(steps)


def test_every_sample_is_run(samples: dict[str, ModuleType]) -> None:
    made = {
        f"{module}.{name}"
        for module, found in samples.items()
        for name, value in vars(found).items()
        if isinstance(value, AIFunction | AITool)
    }
    assert made == RUNS.keys()
    specs = (SAMPLES / "specs").rglob("*.yaml")
    assert {path.stem for path in specs} == {name.rpartition(".")[2] for name in MODULES}
