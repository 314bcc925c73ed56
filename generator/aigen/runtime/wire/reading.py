"""A response body as a `Reply`, whatever the server made of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from aigen.runtime.errors import ProviderError
from aigen.runtime.wire.messages import Reply, ToolCall, Usage, usage_of

_SPENT: Final = frozenset(
    ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active")
)
"""Codes of an account that is out of money: waiting does not help."""

LONGEST: Final = 64 * 1024 * 1024
"""Bytes of a body that are read: a few that are packed may unpack to any number."""

_STATUS_OF: Final = {"rate_limit_exceeded": 429, "server_error": 500}
"""What a code in a body would have been as a status."""


class Refused(Exception):
    """An answer that is an error.

    Attributes:
        status: of the answer.
        headers: of the answer; names in any case.
        body: its JSON, or its text where it is none.
    """

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        super().__init__(f"status {status}")
        self.status, self.headers = status, headers
        try:
            self.body: Any = json.loads(body)
        except (ValueError, RecursionError):
            self.body = body.decode("utf-8", "replace")


class Body:
    """A body that is read in pieces; `size` is what it has in bytes."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self.size = 0

    def add(self, piece: bytes) -> None:
        """Takes the next piece.

        Raises:
            ProviderError: it is longer than any answer.
        """
        self._pieces.append(piece)
        self.size += len(piece)
        refuse_endless(self.size)

    def whole(self) -> bytes:
        """All of it."""
        return b"".join(self._pieces)


def refuse_endless(size: int) -> None:
    """Ends an answer that does not end by itself.

    Raises:
        ProviderError: it is longer than any answer.
    """
    if size > LONGEST:
        raise ProviderError(
            f"the answer is longer than {LONGEST >> 20} MiB", code="too-long", status=200
        )


def read_body(body: Any, *, request_id: str | None = None, seconds: float = 0.0) -> Reply:
    """The reply in the body of a chat completion, or of a response of the Responses API.

    Args:
        body: the JSON body as data, or an object of the SDK.
        request_id: as the server's headers gave it.
        seconds: from sending to the last byte.

    Raises:
        ProviderError: an error in a body that came with a good status, or no message in it.
    """
    data = body if isinstance(body, Mapping) else _dump(body)
    if data.get("error"):
        raise _error(data, request_id)
    if data.get("object") == "response":
        from aigen.runtime.wire.responses import read_response

        return read_response(data, request_id=request_id, seconds=seconds)
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
        text=text_of(message.get("content")),
        finish=str(choice.get("finish_reason") or "stop"),
        refusal=text_of(message.get("refusal")) or None,  # some servers always send one
        reasoning=text_of(message.get("reasoning_content") or message.get("reasoning")),
        tool_calls=_tool_calls(message.get("tool_calls")),
        model=data.get("model") if isinstance(data.get("model"), str) else None,
        usage=_usage(data.get("usage")),
        raw=data,
        request_id=request_id,
        seconds=seconds,
    )


def is_spent(error: Mapping[str, Any]) -> bool:
    """Whether an error says that the account is out of money."""
    return bool({str(error.get("code")), str(error.get("type"))} & _SPENT)


def _error(data: Mapping[str, Any], request_id: str | None) -> ProviderError:
    """The error in a body; gateways put the status of the server behind them into its code."""
    error = data["error"]
    held = error if isinstance(error, Mapping) else {"message": error}
    code, kind = held.get("code"), held.get("type")
    status = _STATUS_OF.get(str(code), _STATUS_OF.get(str(kind)))
    if status is None and str(code).isdecimal() and 400 <= int(str(code)) < 600:
        status = int(str(code))
    return ProviderError(
        f"the server answered with an error: {str(held.get('message') or error)[:500]}",
        code="quota" if is_spent(held) else "error-in-body",
        status=status,
        request_id=request_id,
        reply=data,
    )


def _dump(body: Any) -> Mapping[str, Any]:
    if hasattr(body, "model_dump"):
        found = body.model_dump(warnings=False)
        if isinstance(found, Mapping):
            return found
    raise ProviderError("the server's answer is no JSON object", code="no-object", reply=body)


def text_of(content: Any) -> str | None:
    """The text of a message or of a part of one; some servers send it as a list of parts."""
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
                    arguments_of(function),
                )
            )
    return tuple(found)


def arguments_of(function: Mapping[str, Any]) -> str:
    """The text of a call's arguments; some servers send them as data."""
    arguments = function.get("arguments")
    if isinstance(arguments, Mapping):
        return json.dumps(arguments, ensure_ascii=False)
    return str(arguments or "")


def _usage(usage: Any) -> Usage | None:
    if not isinstance(usage, Mapping):
        return None
    return usage_of(usage, "prompt_tokens", "completion_tokens")
