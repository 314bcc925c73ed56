"""Spans of calls and exchanges, as an exporter of OpenTelemetry's own SDK gets them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("opentelemetry.sdk")

from aigen.runtime import settings
from aigen.runtime.errors import AigenError
from aigen.runtime.record import telemetry
from aigen.runtime.testing import http_error, scripted
from aigen.runtime.wire import faking
from aigen.runtime.wire.messages import Reply, Usage
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode
from shop_ai import support

GOOD = {"summary": "A kettle sparks.", "urgent": True}
SECRET = "zyx-secret-zyx"
CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"


@pytest.fixture
def exporter(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    found = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(found))
    # It can be set only once a process.
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)
    yield found
    provider.shutdown()


def named(exporter: InMemorySpanExporter, start: str) -> list[ReadableSpan]:
    return [span for span in exporter.get_finished_spans() if span.name.startswith(start)]


def test_a_span_a_call_and_one_an_exchange(exporter: InMemorySpanExporter) -> None:
    reply = Reply(
        json.dumps(GOOD),
        model="m-2026",
        usage=Usage(12, 5, 3),
        raw={"id": "chatcmpl-1"},
        seconds=0.5,
    )
    with (
        scripted(["unreadable", reply]),
        settings(
            model="mistral:m",
            adapter="json",
            base_url="http://127.0.0.1:8080/v1",
            seed=7,
            stop="END",
        ),
    ):
        support.triage(SECRET)
    (call,), (first, second) = named(exporter, "invoke_agent"), named(exporter, "chat")
    assert (call.name, call.kind) == ("invoke_agent triage", SpanKind.INTERNAL)
    attributes = dict(call.attributes or {})
    assert len(attributes.pop("aigen.call.id")) == 36
    assert attributes.pop("gen_ai.usage.input_tokens") > 12
    assert attributes.pop("gen_ai.usage.output_tokens") > 5
    assert attributes.pop("gen_ai.usage.cache_read.input_tokens") == 3
    assert attributes == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "triage",
        "gen_ai.agent.version": support.triage.ids["version"],
        "gen_ai.provider.name": "mistral_ai",
        "gen_ai.request.model": "m",
        "gen_ai.response.model": "m-2026",
        "aigen.function.module": "support",
        "aigen.function.interface": support.triage.ids["interface"],
        "aigen.repairs": 0,
    }
    for child in (first, second):
        assert (child.name, child.kind) == ("chat m", SpanKind.CLIENT)
        assert child.parent.span_id == call.context.span_id
        assert call.start_time <= child.end_time <= call.end_time
    assert second.end_time - second.start_time == pytest.approx(500_000_000, abs=2000)
    temperature = (second.attributes or {}).get("gen_ai.request.temperature")
    assert temperature == 0
    assert dict(second.attributes or {}) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "mistral_ai",
        "gen_ai.request.model": "m",
        "gen_ai.request.seed": 7,
        "gen_ai.request.temperature": 0,
        "gen_ai.request.stop_sequences": ("END",),
        "gen_ai.output.type": "json",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.response.id": "chatcmpl-1",
        "gen_ai.response.model": "m-2026",
        "gen_ai.usage.input_tokens": 12,
        "gen_ai.usage.output_tokens": 5,
        "gen_ai.usage.cache_read.input_tokens": 3,
        "server.address": "127.0.0.1",
        "server.port": 8080,
    }
    assert SECRET not in "".join(span.to_json() for span in exporter.get_finished_spans())


@pytest.mark.parametrize(
    ("word", "content", "captured"),
    [
        ("span_only", True, True),
        ("TRUE", True, True),
        ("event_only", True, False),
        ("", True, False),
        ("span_only", {"urgent": False}, False),
    ],
)
def test_content_is_captured_where_it_is_asked_for(
    word: str,
    content: Any,
    captured: bool,
    exporter: InMemorySpanExporter,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(CAPTURE, word)
    with scripted([GOOD]), settings(log_content=content):
        support.triage(SECRET)
    (span,) = named(exporter, "chat")
    attributes = dict(span.attributes or {})
    if not captured:
        assert SECRET not in span.to_json()
        return
    messages = json.loads(attributes["gen_ai.input.messages"])
    assert SECRET in messages[-1]["parts"][0]["content"]
    assert messages[-1]["role"] == "user"
    assert "system" not in {message["role"] for message in messages}
    assert "Function: triage" in attributes["gen_ai.system_instructions"]
    (output,) = json.loads(attributes["gen_ai.output.messages"])
    assert json.loads(output["parts"][0]["content"]) == GOOD
    assert output["finish_reason"] == "stop"


def test_a_failed_call(exporter: InMemorySpanExporter) -> None:
    for step in (http_error(400, SECRET), {"summary": SECRET}):
        with scripted([step, step]), pytest.raises(AigenError):
            support.triage("a")
    failed, unread = named(exporter, "invoke_agent")
    assert (failed.attributes or {})["error.type"] == "400"
    assert (unread.attributes or {})["error.type"] == "reply"
    assert failed.status.status_code is StatusCode.ERROR
    assert SECRET not in failed.to_json() + unread.to_json()


def test_calls_inside_a_call_and_inside_a_span(
    exporter: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    def model(request: Any) -> faking.Answer:
        if "Read the support ticket" not in str(request):
            return faking.Answer(Reply('{"result": "mixed"}'))
        support.mood("inside")
        return faking.Answer(Reply(json.dumps(GOOD)))

    monkeypatch.setattr(faking, "scripts", [model])
    with trace.get_tracer("test").start_as_current_span("request") as around:
        support.triage("outside")
        assert trace.get_current_span() is around
    spans = {span.name: span for span in exporter.get_finished_spans()}
    inner, outer = spans["invoke_agent mood"], spans["invoke_agent triage"]
    assert inner.parent.span_id == outer.context.span_id
    assert outer.parent.span_id == around.get_span_context().span_id


def test_tasks_have_spans_of_their_own(exporter: InMemorySpanExporter) -> None:
    async def both() -> None:
        await asyncio.gather(*(support.triage.aio(f"{number}") for number in range(5)))

    with scripted(lambda request: GOOD):
        asyncio.run(both())
    assert [span.parent for span in named(exporter, "invoke_agent")] == [None] * 5
    assert len(named(exporter, "chat")) == 5


def test_a_tracer_that_fails_fails_no_call(
    exporter: InMemorySpanExporter,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(*args: Any, **rest: Any) -> Any:
        raise RuntimeError("no tracer")

    with scripted([GOOD, GOOD]):
        with monkeypatch.context() as patched:
            patched.setattr(trace, "get_tracer_provider", broken)
            assert support.triage("a").urgent
        assert "could not be begun" in caplog.text
        monkeypatch.setattr(telemetry.CallSpan, "_describe", broken)
        assert support.triage("a").urgent
        assert "could not be ended" in caplog.text


@pytest.mark.parametrize(
    ("url", "port"),
    [("https://models.example/v1", 443), ("http://models.example/v1", 80)],
)
def test_a_servers_port_is_that_of_its_scheme(
    url: str, port: int, exporter: InMemorySpanExporter
) -> None:
    with scripted([GOOD]), settings(model="openai:gpt-4.1", base_url=url, max_output_tokens=50):
        support.triage("a")
    (child,) = named(exporter, "chat")
    attributes = child.attributes or {}
    assert attributes["gen_ai.request.max_tokens"] == 50
    assert (attributes["server.address"], attributes["server.port"]) == ("models.example", port)


def test_without_a_provider_there_is_no_span(monkeypatch: pytest.MonkeyPatch) -> None:
    from aigen.runtime.record.calls import begun

    monkeypatch.setattr(trace, "_TRACER_PROVIDER", None)
    assert begun(support.triage.definition).span is None
    assert isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", trace.NoOpTracerProvider())
    assert begun(support.triage.definition).span is None
    assert telemetry.CAPTURE == CAPTURE
