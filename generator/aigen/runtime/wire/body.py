"""A request's body, in the words of the API that it is for: chat completions, or responses."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from aigen.runtime.layers import Settings
from aigen.runtime.wire.messages import Request, Target
from aigen.runtime.wire.providers import FIXED, fixed_sampling

_SENT_AS_NAMED: Final = (
    "temperature",
    "top_p",
    "seed",
    "stop",
    "service_tier",
    "prompt_cache_key",
    "metadata",
)
_NOT_OF_RESPONSES: Final = frozenset(("seed", "stop"))
_LIMITS: Final = ("max_tokens", "max_completion_tokens", "max_output_tokens")

_OF_LOCAL: Final = 512
"""Tokens of the local model, where nothing is set: one this small may go on without end."""

_warned: set[tuple[str, str]] = set()

_HALF = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair: JSON may escape one, and no request can hold it."""


def body_of(
    messages: list[dict[str, Any]],
    held: Mapping[str, Any] | None,
    target: Target,
    settings: Settings,
) -> dict[str, Any]:
    """The body of a request.

    Args:
        messages: what is said, oldest first.
        held: what the reply is held to: `{type: json_object}`, or `{type: json_schema, name,
            schema, strict}`; None for plain text.
        target: where it goes.
        settings: of the call.
    """
    responses = settings.api == "responses"
    body: dict[str, Any] = {"model": target.model}
    body["input" if responses else "messages"] = _written(messages, responses)
    if held is not None:
        body.update(_format_of_responses(held) if responses else _format_of_chat(held))
    for name in _SENT_AS_NAMED:
        value = getattr(settings, name)
        if value is not None and not _left_out(name, target, responses):
            body[name] = list(value) if isinstance(value, tuple) else value
    limit = settings.max_output_tokens or (_OF_LOCAL if target.provider == "local" else None)
    if limit is not None:
        body[_limit(target, responses)] = limit
    effort = settings.reasoning
    if effort is not None and effort != "cot":
        body.update(
            {"reasoning": {"effort": effort}} if responses else {"reasoning_effort": effort}
        )
    body.update(settings.extra_body or {})
    return body


def _written(messages: list[dict[str, Any]], responses: bool) -> list[dict[str, Any]]:
    if not responses:
        return messages
    # OpenAI's servers know a message without this; llama.cpp's refuses one of the assistant's.
    return [{"type": "message", **message} for message in messages]


def _format_of_chat(held: Mapping[str, Any]) -> dict[str, Any]:
    if held["type"] != "json_schema":
        return {"response_format": dict(held)}
    inner = {name: value for name, value in held.items() if name != "type"}
    return {"response_format": {"type": "json_schema", "json_schema": inner}}


def _format_of_responses(held: Mapping[str, Any]) -> dict[str, Any]:
    form = dict(held)
    if form["type"] == "json_schema":
        # This API is strict where nothing is said.
        form.setdefault("strict", False)
    return {"text": {"format": form}}


def _limit(target: Target, responses: bool) -> str:
    if responses:
        return "max_output_tokens"
    # OpenAI's own models want the newer name; other servers know the older one.
    return "max_completion_tokens" if target.provider in ("openai", "azure") else "max_tokens"


def _left_out(name: str, target: Target, responses: bool) -> bool:
    """Whether the server would refuse a setting; says so once."""
    if responses and name in _NOT_OF_RESPONSES:
        whose = "the responses API"
    elif name in FIXED and fixed_sampling(target.model):
        whose = target.model
    else:
        return False
    if (name, whose) not in _warned:
        _warned.add((name, whose))
        warnings.warn(f"{whose} refuses {name}, so it is left out", stacklevel=2)
    return True


def said_after(request: Request, answer: str, words: str) -> Request:
    """The request with the model's answer, and what is said to it."""
    responses = request.api == "responses"
    more = [
        {"role": "assistant", "content": _HALF.sub("\ufffd", answer)},
        {"role": "user", "content": words},
    ]
    messages = [*request.messages, *_written(more, responses)]
    return replace(request, body={**request.body, "input" if responses else "messages": messages})


def with_twice_the_budget(request: Request) -> Request | None:
    """The request with a doubled limit of tokens; None where it has none."""
    for name in _LIMITS:
        limit = request.body.get(name)
        if isinstance(limit, int):
            return replace(request, body={**request.body, name: limit * 2})
    return None
