"""Spans of OpenTelemetry: one a call, with a child for each exchange.

There are spans where the program has set a tracer provider, and none otherwise. Names follow the
semantic conventions for generative AI (open-telemetry/semantic-conventions-genai, *Invoke agent
internal span* and *Inference*). What was said is in them only where
`OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` asks for it on spans, and no layer of
`log_content` drops any of it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from opentelemetry import context, trace
from opentelemetry.trace import SpanKind, Status, StatusCode

from aigen import __version__
from aigen.runtime.record.call import Call, Exchange, logger
from aigen.runtime.record.entry import body_of, omitted_of
from aigen.runtime.wire.messages import Reply, Request

CAPTURE: Final = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_CAPTURED: Final = frozenset(("true", "1", "span_only", "span_and_event"))

_PROVIDERS: Final = {"azure": "azure.ai.openai", "gemini": "gcp.gemini", "mistral": "mistral_ai"}
_REQUEST: Final = {
    "temperature": "temperature",
    "top_p": "top_p",
    "seed": "seed",
    "max_tokens": "max_tokens",
    "max_completion_tokens": "max_tokens",
    "max_output_tokens": "max_tokens",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
}


class CallSpan:
    """The span of a call that runs."""

    def __init__(self, tracer: trace.Tracer, span: trace.Span) -> None:
        self._tracer = tracer
        self._span = span
        self._token: Any = None

    def enter(self) -> None:
        """Makes it the current span: calls, requests and tools inside the call are its children."""
        self._token = context.attach(trace.set_span_in_context(self._span))

    def leave(self) -> None:
        """Makes the span current that was so before."""
        if self._token is not None:
            context.detach(self._token)
            self._token = None

    def end(self, call: Call) -> None:
        """Ends it with what the call came to; a tracer that fails fails no call."""
        try:
            if self._span.is_recording():
                self._describe(call)
            self._span.end()
        except Exception:
            logger.exception("a span of %s could not be ended", call.function)

    def _describe(self, call: Call) -> None:
        captured = os.environ.get(CAPTURE, "").strip().lower() in _CAPTURED
        content = captured and omitted_of(call) is None
        inside = trace.set_span_in_context(self._span)
        for exchange in call.exchanges:
            self._child(exchange, inside, content)
        found = {"aigen.repairs": len(call.repairs), **_usage(call)}
        if call.model is not None:
            found["gen_ai.response.model"] = call.model
        if call.exchanges:
            found["gen_ai.request.model"] = call.exchanges[-1].request.target.model
            found["gen_ai.provider.name"] = _provider(call.exchanges[-1].request)
        self._span.set_attributes(found)
        if call.error is not None:
            # No message: it can quote a reply.
            kind = _error_type(call.error)
            self._span.set_attribute("error.type", kind)
            self._span.set_status(Status(StatusCode.ERROR, kind))

    def _child(self, exchange: Exchange, inside: context.Context, content: bool) -> None:
        request, reply = exchange.request, exchange.reply
        attributes = {**_asked(request), **_answered(reply)}
        if content:
            attributes |= _said(request, reply)
        span = self._tracer.start_span(
            f"chat {request.target.model}",
            inside,
            SpanKind.CLIENT,
            attributes,
            start_time=_nanoseconds(exchange.at - reply.seconds),
        )
        span.end(_nanoseconds(exchange.at))


_tracers: dict[int, tuple[trace.TracerProvider, trace.Tracer]] = {}
"""The last provider's tracer."""


def begun(call: Call) -> CallSpan | None:
    """Begins the span of a call, where the program has set a tracer provider."""
    try:
        provider = trace.get_tracer_provider()
        if isinstance(provider, (trace.ProxyTracerProvider, trace.NoOpTracerProvider)):
            return None
        tracer = _tracer(provider)
        attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": call.function,
            "aigen.call.id": call.id,
            "aigen.function.module": call.module,
        }
        if call.definition:
            attributes["gen_ai.agent.version"] = call.definition["ids"]["version"]
            attributes["aigen.function.interface"] = call.definition["ids"]["interface"]
        started = _nanoseconds(call.started)
        span = tracer.start_span(
            f"invoke_agent {call.function}",
            kind=SpanKind.INTERNAL,
            attributes=attributes,
            start_time=started,
        )
        return CallSpan(tracer, span)
    except Exception:
        logger.exception("a span of %s could not be begun", call.function)
        return None


def _tracer(provider: trace.TracerProvider) -> trace.Tracer:
    kept = _tracers.get(0)
    if kept is None or kept[0] is not provider:
        kept = _tracers[0] = provider, provider.get_tracer("aigen", __version__)
    return kept[1]


def _nanoseconds(seconds: float) -> int:
    return int(seconds * 1_000_000_000)


def _usage(counted: Call | Reply) -> dict[str, Any]:
    usage = counted.usage
    if usage is None:
        return {}
    found = {
        "gen_ai.usage.input_tokens": usage.input_tokens,
        "gen_ai.usage.output_tokens": usage.output_tokens,
    }
    if usage.cached_tokens:
        found["gen_ai.usage.cache_read.input_tokens"] = usage.cached_tokens
    return found


def _provider(request: Request) -> str:
    name = request.target.provider
    return _PROVIDERS.get(name, name)


def _asked(request: Request) -> dict[str, Any]:
    found: dict[str, Any] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": _provider(request),
        "gen_ai.request.model": request.target.model,
        "gen_ai.output.type": "text" if request.reply_schema is None else "json",
    }
    for name, known in _REQUEST.items():
        value = request.body.get(name)
        if isinstance(value, (int, float)):
            found[f"gen_ai.request.{known}"] = value
    stop = request.body.get("stop")
    if stop:
        found["gen_ai.request.stop_sequences"] = [stop] if isinstance(stop, str) else list(stop)
    if request.target.base_url:
        place = urlsplit(request.target.base_url)
        if place.hostname:
            found["server.address"] = place.hostname
            found["server.port"] = place.port or (80 if place.scheme == "http" else 443)
    return found


def _answered(reply: Reply) -> dict[str, Any]:
    found: dict[str, Any] = {"gen_ai.response.finish_reasons": [reply.finish], **_usage(reply)}
    if reply.model is not None:
        found["gen_ai.response.model"] = reply.model
    if isinstance(reply.raw, Mapping) and isinstance(reply.raw.get("id"), str):
        found["gen_ai.response.id"] = reply.raw["id"]
    return found


def _said(request: Request, reply: Reply) -> dict[str, Any]:
    """Messages as the conventions write them, each as one JSON text."""
    body = body_of(request.body)
    messages = body.get("messages") or body.get("input") or []
    system = [each for each in messages if each.get("role") in ("system", "developer")]
    others = [each for each in messages if each not in system]
    parts = _parts(reply.text or reply.refusal)
    parts += [
        {"type": "tool_call", "id": each.id, "name": each.name, "arguments": each.arguments}
        for each in reply.tool_calls
    ]
    found = {
        "gen_ai.input.messages": [
            {"role": each.get("role", "user"), "parts": _parts(each.get("content"))}
            for each in others
        ],
        "gen_ai.output.messages": [
            {"role": "assistant", "parts": parts, "finish_reason": reply.finish}
        ],
    }
    if system:
        found["gen_ai.system_instructions"] = [
            part for each in system for part in _parts(each.get("content"))
        ]
    return {name: json.dumps(value, ensure_ascii=False) for name, value in found.items()}


def _parts(content: Any) -> list[dict[str, Any]]:
    if not content:
        return []
    if isinstance(content, str):
        return [{"type": "text", "content": content}]
    return [
        {"type": "text", "content": part["text"]} if "text" in part else dict(part)
        for part in content
    ]


def _error_type(error: BaseException) -> str:
    status = getattr(error, "status", None)
    return str(status or getattr(error, "code", None) or type(error).__name__)
