"""A response body as a `Reply`, whatever the server made of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aigen.runtime.errors import ProviderError
from aigen.runtime.wire.messages import Reply, ToolCall, Usage


def read_body(body: Any, *, request_id: str | None = None, seconds: float = 0.0) -> Reply:
    """The reply in a chat completion's body.

    Args:
        body: the JSON body as data, or an object of the SDK.
        request_id: as the server's headers gave it.
        seconds: from sending to the last byte.

    Raises:
        ProviderError: an error in a body that came with a good status, or no choice in it.
    """
    data = body if isinstance(body, Mapping) else _dump(body)
    error = data.get("error")
    if error:
        words = error.get("message") if isinstance(error, Mapping) else error
        code = error.get("code") if isinstance(error, Mapping) else None
        raise ProviderError(
            f"the server answered with an error: {str(words)[:500]}",
            code="error-in-body",
            # Gateways put the status of the server behind them here.
            status=code if isinstance(code, int) else None,
            request_id=request_id,
            reply=data,
        )
    choices = data.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(choice, Mapping) or not isinstance(message, Mapping):
        raise ProviderError(
            "the server's answer holds no message",
            code="no-choice",
            reply=data,
            request_id=request_id,
        )
    return Reply(
        text=_text(message.get("content")),
        finish=str(choice.get("finish_reason") or "stop"),
        refusal=_text(message.get("refusal")),
        reasoning=_text(message.get("reasoning_content") or message.get("reasoning")),
        tool_calls=_tool_calls(message.get("tool_calls")),
        model=data.get("model") if isinstance(data.get("model"), str) else None,
        usage=_usage(data.get("usage")),
        raw=data,
        request_id=request_id,
        seconds=seconds,
    )


def _dump(body: Any) -> Mapping[str, Any]:
    if hasattr(body, "model_dump"):
        found = body.model_dump()
        if isinstance(found, Mapping):
            return found
    raise ProviderError("the server's answer is no JSON object", code="no-object", reply=body)


def _text(content: Any) -> str | None:
    """A message's text; some servers send it in parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [
            part["text"]
            for part in content
            if isinstance(part, Mapping) and isinstance(part.get("text"), str)
        ]
        return "".join(parts) if parts else None
    return None


def _tool_calls(calls: Any) -> tuple[ToolCall, ...]:
    if not isinstance(calls, list):
        return ()
    found = []
    for call in calls:
        function = call.get("function") if isinstance(call, Mapping) else None
        if isinstance(function, Mapping):
            found.append(
                ToolCall(
                    str(call.get("id") or ""),
                    str(function.get("name") or ""),
                    str(function.get("arguments") or ""),
                )
            )
    return tuple(found)


def _usage(usage: Any) -> Usage | None:
    if not isinstance(usage, Mapping):
        return None
    sent, received = usage.get("prompt_tokens"), usage.get("completion_tokens")
    return Usage(sent if isinstance(sent, int) else 0, received if isinstance(received, int) else 0)
