"""A reply put together from the pieces in which a server streams it.

Chunks of a chat completion and events of the Responses API tell what they are by themselves, and a
server that does not stream answers with a whole body; the reply is then read as that of a plain
call is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from aigen.runtime.errors import ProviderError
from aigen.runtime.wire.events import (
    Event,
    Finished,
    ReasoningDelta,
    RefusalDelta,
    TextDelta,
    ToolCallDelta,
)
from aigen.runtime.wire.messages import Reply
from aigen.runtime.wire.reading import arguments_of, read_body, refuse_endless, text_of

_ENDS: Final = frozenset(("response.completed", "response.incomplete", "response.failed"))
_DELTAS: Final[Mapping[str, Callable[[str], Event]]] = {
    "response.output_text.delta": TextDelta,
    "response.refusal.delta": RefusalDelta,
    "response.reasoning_text.delta": ReasoningDelta,
    "response.reasoning_summary_text.delta": ReasoningDelta,
}


@dataclass(slots=True)
class _Call:
    """A tool call that arrives."""

    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


class Assembling:
    """One reply that arrives."""

    def __init__(self) -> None:
        self._texts: dict[type, list[str]] = {
            TextDelta: [],
            ReasoningDelta: [],
            RefusalDelta: [],
        }
        self._size = 0
        self._calls: dict[int, _Call] = {}
        self._finish: str | None = None
        self._model: str | None = None
        self._usage: Any = None
        self._body: Mapping[str, Any] | None = None

    @property
    def complete(self) -> bool:
        """Whether all of the reply has arrived, but for its usage perhaps."""
        return self._body is not None or self._finish is not None

    @property
    def text(self) -> str:
        """The text that has arrived."""
        return "".join(self._texts[TextDelta])

    def take(self, payload: Any) -> list[Event]:
        """What a payload brings.

        Raises:
            ProviderError: it is an error.
            ValueError: it is no JSON object.
        """
        if not isinstance(payload, Mapping):
            raise ValueError("a payload that is no object")
        kind = payload.get("type")
        if payload.get("error") or kind == "error":
            # Read as the error in a body is; the Responses API puts its words beside the type.
            read_body({"error": payload.get("error") or payload})
        if payload.get("object") == "response" or _has_message(payload):
            return list(self._whole(payload))
        if isinstance(kind, str) and kind.startswith("response."):
            events = self._of_response(kind, payload)
        else:
            events = self._of_chunk(payload)
        return [self._kept(event) for event in events]

    def _kept(self, event: Event) -> Event:
        if isinstance(event, (TextDelta, ReasoningDelta, RefusalDelta)):
            self._texts[type(event)].append(event.text)
            self._size += len(event.text)
            refuse_endless(self._size)
        elif isinstance(event, ToolCallDelta):
            call = self._calls.setdefault(event.index, _Call())
            call.id = call.id or event.id
            call.name = call.name or event.name
            call.arguments.append(event.arguments)
            self._size += len(event.arguments)
            refuse_endless(self._size)
        elif isinstance(event, Finished):
            self._finish = event.reason
        return event

    # ------------------------------------------------------------------ chat completions

    def _of_chunk(self, chunk: Mapping[str, Any]) -> Iterator[Event]:
        if isinstance(chunk.get("model"), str):
            self._model = chunk["model"] or self._model
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if isinstance(choice, Mapping) and not choice.get("index"):
            delta = choice.get("delta")
            if isinstance(delta, Mapping):
                yield from self._of_delta(delta)
            if choice.get("finish_reason"):
                yield Finished(str(choice["finish_reason"]))
        if isinstance(chunk.get("usage"), Mapping):
            self._usage = chunk["usage"]

    def _of_delta(self, delta: Mapping[str, Any]) -> Iterator[Event]:
        reasoning = text_of(delta.get("reasoning_content") or delta.get("reasoning"))
        if reasoning:
            yield ReasoningDelta(reasoning)
        text = text_of(delta.get("content"))
        if text:
            yield TextDelta(text)
        refusal = text_of(delta.get("refusal"))
        if refusal:
            yield RefusalDelta(refusal)
        calls = delta.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, Mapping):
                yield self._of_call(call)

    def _of_call(self, call: Mapping[str, Any]) -> ToolCallDelta:
        function = call.get("function")
        held = function if isinstance(function, Mapping) else {}
        id_, name = str(call.get("id") or ""), str(held.get("name") or "")
        index = call.get("index")
        if not isinstance(index, int):
            # Servers that do not count send each call whole, or go on with the last.
            index = len(self._calls) if id_ or name else max(len(self._calls) - 1, 0)
        elif self._is_another(index, id_, name):
            index = max(self._calls) + 1
        return ToolCallDelta(index, id_, name, arguments_of(held))

    def _is_another(self, index: int, id_: str, name: str) -> bool:
        """Whether a call begins under the number of one before it: some servers number all 0."""
        before = self._calls.get(index)
        return before is not None and bool(id_ and name and before.id) and id_ != before.id

    # ------------------------------------------------------------------ the Responses API

    def _of_response(self, kind: str, event: Mapping[str, Any]) -> Iterator[Event]:
        delta, index = event.get("delta"), event.get("output_index")
        number = index if isinstance(index, int) else 0
        if kind in _DELTAS and isinstance(delta, str):
            yield _DELTAS[kind](delta)
        elif kind == "response.function_call_arguments.delta" and isinstance(delta, str):
            yield ToolCallDelta(number, "", "", delta)
        elif kind == "response.output_item.added":
            item = event.get("item")
            if isinstance(item, Mapping) and item.get("type") == "function_call":
                id_ = str(item.get("call_id") or item.get("id") or "")
                yield ToolCallDelta(number, id_, str(item.get("name") or ""), "")
        elif kind in _ENDS and isinstance(event.get("response"), Mapping):
            body = self._filled(event["response"])
            # Of one that failed this raises, and it is no reply.
            finish = read_body(body).finish
            self._body = body
            yield Finished(finish)

    def _filled(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """The body of the last event; some servers leave out what they have sent already."""
        filled = {"object": "response", **body}
        if filled.get("output"):
            return filled
        output: list[dict[str, Any]] = []
        if self.text:
            part = {"type": "output_text", "text": self.text}
            output.append({"type": "message", "content": [part]})
        for _, call in sorted(self._calls.items()):
            said = {"call_id": call.id, "name": call.name, "arguments": "".join(call.arguments)}
            output.append({"type": "function_call", **said})
        return {**filled, "output": output}

    # ------------------------------------------------------------------ the reply

    def _whole(self, body: Mapping[str, Any]) -> Iterator[Event]:
        """A body that was not streamed."""
        reply = read_body(body)
        self._body = body
        for kind, text in (
            (ReasoningDelta, reply.reasoning),
            (TextDelta, reply.text),
            (RefusalDelta, reply.refusal),
        ):
            if text:
                yield self._kept(kind(text))
        for number, call in enumerate(reply.tool_calls):
            yield ToolCallDelta(number, call.id, call.name, call.arguments)
        yield Finished(reply.finish)

    def reply(self, *, request_id: str | None = None, seconds: float = 0.0) -> Reply:
        """The reply, when its stream has ended.

        Raises:
            ProviderError: it broke off, or is an error.
        """
        body = self._body
        if body is None:
            if self._finish is None:
                raise ProviderError(
                    "the stream ended before the reply did", code="connection", reply=self.text
                )
            body = self._completion()
        return read_body(body, request_id=request_id, seconds=seconds)

    def _completion(self) -> dict[str, Any]:
        """The body that the chunks are of."""
        message: dict[str, Any] = {"role": "assistant"}
        for name, kind in (
            ("content", TextDelta),
            ("reasoning_content", ReasoningDelta),
            ("refusal", RefusalDelta),
        ):
            pieces = self._texts[kind]
            message[name] = "".join(pieces) if pieces else None
        if self._calls:
            message["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": "".join(call.arguments)},
                }
                for _, call in sorted(self._calls.items())
            ]
        return {
            "object": "chat.completion",
            "model": self._model,
            "choices": [{"index": 0, "finish_reason": self._finish, "message": message}],
            "usage": self._usage,
        }


def _has_message(payload: Mapping[str, Any]) -> bool:
    """Whether a chunk is a whole chat completion."""
    choices = payload.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return isinstance(first, Mapping) and isinstance(first.get("message"), Mapping)
