"""A body of the Responses API as a `Reply`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from aigen.runtime.errors import ProviderError
from aigen.runtime.wire.messages import Reply, ToolCall, Usage, usage_of

_FINISH: Final = {"max_output_tokens": "length", "content_filter": "content_filter"}
"""Why a response is incomplete, in the words of chat completions."""


def read_response(
    data: Mapping[str, Any], *, request_id: str | None = None, seconds: float = 0.0
) -> Reply:
    """The reply in a response's body.

    Args:
        data: the body.
        request_id: as the server's headers gave it.
        seconds: from sending to the last byte.

    Raises:
        ProviderError: it holds no output, or is not finished.
    """
    listed, status = data.get("output"), data.get("status")
    output = listed if isinstance(listed, list) else None
    items = [item for item in output or () if isinstance(item, Mapping)]
    # Servers that speak this API in part say no status; output that is complete may be empty.
    whole = output is not None and status in ("completed", None)
    if not whole and status != "incomplete":
        raise ProviderError(
            f"the server's answer holds no finished output; its status is {status}",
            code="no-choice",
            reply=data,
            request_id=request_id,
        )
    calls = tuple(_calls(items))
    return Reply(
        text=_joined(_parts(items, "message", "content", "text")),
        finish=_finish(data, calls),
        refusal=_joined(_parts(items, "message", "content", "refusal")),
        reasoning=_joined(
            [
                *_parts(items, "reasoning", "summary", "text"),
                *_parts(items, "reasoning", "content", "text"),
            ]
        ),
        tool_calls=calls,
        model=data.get("model") if isinstance(data.get("model"), str) else None,
        usage=_usage(data.get("usage")),
        raw=data,
        request_id=request_id,
        seconds=seconds,
    )


def _finish(data: Mapping[str, Any], calls: tuple[ToolCall, ...]) -> str:
    if data.get("status") == "incomplete":
        details = data.get("incomplete_details")
        reason = details.get("reason") if isinstance(details, Mapping) else None
        return _FINISH.get(str(reason), str(reason or "length"))
    return "tool_calls" if calls else "stop"


def _parts(items: list[Mapping[str, Any]], kind: str, place: str, word: str) -> Iterator[str]:
    """Texts under a word, in the parts of the items of a kind."""
    for item in items:
        if item.get("type") == kind:
            for part in item.get(place) or ():
                if isinstance(part, Mapping) and isinstance(part.get(word), str):
                    yield part[word]


def _joined(parts: Iterable[str]) -> str | None:
    found = list(parts)
    return "".join(found) if found else None


def _calls(items: list[Mapping[str, Any]]) -> Iterator[ToolCall]:
    for item in items:
        if item.get("type") == "function_call":
            yield ToolCall(
                str(item.get("call_id") or item.get("id") or ""),
                str(item.get("name") or ""),
                str(item.get("arguments") or ""),
            )


def _usage(usage: Any) -> Usage | None:
    if not isinstance(usage, Mapping):
        return None
    return usage_of(usage, "input_tokens", "output_tokens")
