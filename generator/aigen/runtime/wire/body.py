"""A request's body, in the words of the API that it is for: chat completions, or responses."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from aigen.runtime.setting_kinds import Settings
from aigen.runtime.wire import learned
from aigen.runtime.wire.content import Message, forced, sendable, sent
from aigen.runtime.wire.messages import Request, Target
from aigen.runtime.wire.providers import FIXED, NOT_OF_RESPONSES

if TYPE_CHECKING:
    from aigen.runtime.wire.adapters.said import Laid

_SENT_AS_NAMED: Final = (
    "temperature",
    "top_p",
    "seed",
    "stop",
    "service_tier",
    "prompt_cache_key",
    "metadata",
)
_LIMITS: Final = ("max_tokens", "max_completion_tokens", "max_output_tokens")

_OF_LOCAL: Final = 512
"""Tokens of the local model, where nothing is set: one this small may go on without end."""

_warned: set[tuple[str, str]] = set()


def body_of(laid: Laid, target: Target, settings: Settings) -> dict[str, Any]:
    """The body of a request.

    Args:
        laid: what is said, and what the reply is held to.
        target: where it goes.
        settings: of the call.

    Raises:
        ConfigurationError: media that the API does not take.
    """
    responses = settings.api == "responses"
    body: dict[str, Any] = {"model": target.model}
    body["input" if responses else "messages"] = sent(laid.messages, target, settings.api)
    if laid.held is not None:
        held = laid.held
        body.update(_format_of_responses(held) if responses else _format_of_chat(held))
    if laid.tool is not None:
        body.update(forced(laid.tool, settings.api))
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
    names = ("max_tokens", "max_completion_tokens")
    # Newer models of OpenAI want the newer name; there are servers that know only the older one.
    other = names[target.limit == names[0]]
    return other if learned.refused(target.limit, target.key) else target.limit


def _left_out(name: str, target: Target, responses: bool) -> bool:
    """Whether the server would refuse a setting; says so once."""
    if responses and name in NOT_OF_RESPONSES:
        whose = "the responses API"
    elif name in FIXED and (target.fixed_sampling or learned.refused(name, target.key)):
        whose = target.model
    else:
        return False
    if (name, whose) not in _warned:
        _warned.add((name, whose))
        warnings.warn(f"{whose} refuses {name}, so it is left out", stacklevel=2)
    return True


def said_after(request: Request, answer: str, words: str) -> Request:
    """The request with the model's answer, and what is said to it."""
    more = [Message("assistant", sendable(answer)), Message("user", words)]
    messages = [*request.messages, *sent(more, request.target, request.api)]
    name = "input" if request.api == "responses" else "messages"
    return replace(request, body={**request.body, name: messages})


def with_twice_the_budget(request: Request) -> Request | None:
    """The request with a doubled limit of tokens; None where it has none."""
    for name in _LIMITS:
        limit = request.body.get(name)
        if isinstance(limit, int):
            return replace(request, body={**request.body, name: limit * 2})
    return None
