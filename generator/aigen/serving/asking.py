"""Asking the person at an MCP client whether a tool call may run: elicitation.

Until the revision 2025-11-25 the server asks while the call waits; since 2026-07-28 the call ends
with what is to be asked, and comes again with the answer. A client that cannot ask has nobody to
approve, and the call is not run.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Coroutine
from typing import Any

from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.types import (
    CallToolRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from aigen.runtime.tools.risk import PendingCall, by_a_person
from aigen.runtime.values import jsonable

_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {
        "approve": {"type": "boolean", "title": "Approve", "description": "Run this call."}
    },
    "required": ["approve"],
}
_MOST_WORDS = 2000


class AnswerNeeded(Exception):
    """The call cannot go on without an answer of the client's."""

    def __init__(self, key: str, request: ElicitRequest) -> None:
        super().__init__(key)
        self.result = InputRequiredResult(input_requests={key: request})


def person(
    ctx: ServerRequestContext[Any], params: CallToolRequestParams, seconds: float
) -> Callable[[PendingCall], bool | str] | None:
    """Asks the person at the client; None where the client has no way to.

    Args:
        ctx: of the request.
        params: of the call; it may bring an answer.
        seconds: that a person has.
    """
    capabilities = ctx.session.client_capabilities
    elicitation = capabilities.elicitation if capabilities is not None else None
    if elicitation is None or (elicitation.form is None and elicitation.url is not None):
        return None
    loop = asyncio.get_running_loop()

    def ask(call: PendingCall) -> bool | str:
        key, words = _key(call), _words(call)
        if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
            answer = (params.input_responses or {}).get(key)
            if answer is None:
                wanted = ElicitRequestFormParams(message=words, requested_schema=_FORM)
                raise AnswerNeeded(key, ElicitRequest(params=wanted))
            return _meant(answer)
        asking = _asked(ctx, words, seconds)
        return asyncio.run_coroutine_threadsafe(asking, loop).result()

    return by_a_person(ask)


def _asked(
    ctx: ServerRequestContext[Any], words: str, seconds: float
) -> Coroutine[Any, Any, bool | str]:
    async def ask() -> bool | str:
        try:
            async with asyncio.timeout(seconds):
                return _meant(await ctx.session.elicit_form(words, _FORM, ctx.request_id))
        except TimeoutError:
            return f"nobody answered within {seconds:g} s"
        except MCPError as problem:
            return f"the person cannot be asked: {problem.message}"

    return ask()


def _meant(answer: Any) -> bool | str:
    if not isinstance(answer, ElicitResult) or answer.action == "cancel":
        return "the person did not answer"
    if answer.action == "accept" and (answer.content or {}).get("approve") is True:
        return True
    return "the person declined"


def _key(call: PendingCall) -> str:
    """Names a question by what is asked, so that an answer is to this call and to no other."""
    asked = json.dumps([call.path, jsonable(dict(call.arguments))], sort_keys=True)
    return f"approve-{hashlib.sha256(asked.encode()).hexdigest()[:32]}"


def _words(call: PendingCall) -> str:
    arguments = json.dumps(jsonable(dict(call.arguments)), ensure_ascii=False)
    if len(arguments) > _MOST_WORDS:
        arguments = f"{arguments[:_MOST_WORDS]}… ({len(arguments):,} characters)"
    return f"Run {call.name} (risk {call.risk} of 4) with {arguments}?"


__all__ = ["AnswerNeeded", "person"]
