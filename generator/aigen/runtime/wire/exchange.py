"""Sending a request until it is answered, within one deadline.

What is retried: 408, 409, 429 and 5xx answers, connections that fail, answers that are no JSON.
What is final: every other 4xx, and a quota that is used up.
"""

from __future__ import annotations

import asyncio
import email.utils
import os
import random
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from aigen.runtime.errors import AigenError, DeadlineError, ProviderError
from aigen.runtime.setting_kinds import Settings
from aigen.runtime.wire import faking
from aigen.runtime.wire.blocking import warn_on_a_loop
from aigen.runtime.wire.deadline import Deadline
from aigen.runtime.wire.limits import Turn, awaited_turn, in_turn, rest
from aigen.runtime.wire.messages import Reply, Request, Target
from aigen.runtime.wire.reading import Refused, is_spent, read_body

if TYPE_CHECKING:
    import openai

    from aigen.runtime.record.cache import Flight

_RETRIED = frozenset((408, 409, 429))
_FINAL = frozenset(("quota", "no-choice", "sdk", "too-long"))


def send(request: Request, settings: Settings, deadline: Deadline) -> Reply:
    """The reply to a request: one that was kept, or the server's.

    Raises:
        ProviderError: the provider cannot be reached, or answered with an error that is final.
        DeadlineError: the call's time is over.
        ConfigurationError: no key, or a client that does not fit.
    """
    settings = request.settings or settings
    flight = flight_for(request, settings, awaited=False)
    if flight is None:
        return _sent(request, settings, deadline)
    while not flight.begun():
        time.sleep(min(flight.pause(), deadline.left()))
    with flight:
        return flight.reply or flight.landed(_sent(request, settings, deadline))


async def asend(request: Request, settings: Settings, deadline: Deadline) -> Reply:
    """Like `send`, awaited; a cancelled task frees its connection."""
    settings = request.settings or settings
    flight = flight_for(request, settings, awaited=True)
    if flight is None:
        return await _asent(request, settings, deadline)
    while not flight.begun():
        await asyncio.sleep(min(flight.pause(), deadline.left()))
    with flight:
        return flight.reply or flight.landed(await _asent(request, settings, deadline))


def flight_for(request: Request, settings: Settings, *, awaited: bool) -> Flight | None:
    """A call's wish for a reply that may be kept; None where nothing is."""
    if not settings.cache_replies:
        return None
    from aigen.runtime.record.cache import flight_of
    from aigen.runtime.wire.client import async_client, sync_client

    return flight_of(request, settings, async_client if awaited else sync_client)


def _sent(request: Request, settings: Settings, deadline: Deadline) -> Reply:
    attempt = 0
    while True:
        try:
            timeout = deadline.request(settings)
            fake = faking.answer(request, deadline.script)
            if fake is not None:
                if fake.delay:
                    time.sleep(min(fake.delay, timeout))
                return fake.reply(timeout)
            warn_on_a_loop()
            over = _transport(settings)
            with in_turn(request, settings, deadline) as turn:
                if turn is not None:  # which took its time
                    timeout = deadline.request(settings)
                began = time.monotonic()
                body, request_id = over.exchange(request, settings, timeout)
                return _read(request, settings, deadline, turn, body, request_id, began)
        except AigenError as problem:
            wait = wait_before_another(problem, problem, attempt, request, settings, deadline)
        except Exception as problem:
            wait = wait_before_another(problem, None, attempt, request, settings, deadline)
        time.sleep(wait)
        attempt += 1


async def _asent(request: Request, settings: Settings, deadline: Deadline) -> Reply:
    attempt = 0
    while True:
        try:
            timeout = deadline.request(settings)
            fake = faking.answer(request, deadline.script)
            if fake is not None:
                if fake.delay:
                    await asyncio.sleep(min(fake.delay, timeout))
                return fake.reply(timeout)
            over = _transport(settings)
            async with awaited_turn(request, settings, deadline) as turn:
                if turn is not None:  # which took its time
                    timeout = deadline.request(settings)
                began = time.monotonic()
                async with asyncio.timeout(timeout):
                    body, request_id = await over.aexchange(request, settings, timeout)
                return _read(request, settings, deadline, turn, body, request_id, began)
        except AigenError as problem:
            wait = wait_before_another(problem, problem, attempt, request, settings, deadline)
        except Exception as problem:
            wait = wait_before_another(problem, None, attempt, request, settings, deadline)
        await asyncio.sleep(wait)
        attempt += 1


def _read(
    request: Request,
    settings: Settings,
    deadline: Deadline,
    turn: Turn | None,
    body: Any,
    request_id: str | None,
    began: float,
) -> Reply:
    """The reply in a body; everyone who counts or records is told of it."""
    reply = read_body(body, request_id=request_id, seconds=time.monotonic() - began)
    if turn is not None and reply.usage is not None:
        turn.used(reply.usage)
    recorder = faking.recorder(deadline.script)
    if recorder is not None:
        recorder.note(request, settings, reply)
    return reply


def _transport(settings: Settings) -> Any:
    # Either imports what it needs, which a program that only fakes its calls does not.
    if settings.transport == "direct":
        from aigen.runtime.wire import direct

        return direct
    from aigen.runtime.wire import transport

    return transport


def wait_before_another(
    problem: Exception,
    ours: AigenError | None,
    attempt: int,
    request: Request,
    settings: Settings,
    deadline: Deadline,
) -> float:
    """Seconds to wait before the next attempt; raises where there is none."""
    error = ours or in_our_words(problem, request, settings, deadline)
    if not _again(error):
        _note(error, request, settings, deadline)
    if not _again(error) or attempt >= settings.api_retries:
        raise error from (None if error is problem else problem)
    asked = _asked(problem)
    if asked is not None:
        rest(request, settings, asked)
    # Full jitter: waiters that were turned away together do not come back together.
    wait = random.uniform(0, min(0.5 * 2**attempt, 8.0)) if asked is None else asked
    if wait >= deadline.until(settings) - time.monotonic():
        if asked is not None or settings.fallback:
            raise error from (None if error is problem else problem)
        deadline.passed(problem)
    return wait


def _note(error: AigenError, request: Request, settings: Settings, deadline: Deadline) -> None:
    """A final refusal is a part of the traffic; what was tried again is not."""
    recorder = faking.recorder(deadline.script)
    if recorder is not None and isinstance(error, ProviderError) and error.status is not None:
        recorder.note(request, settings, error)


def _again(error: AigenError) -> bool:
    if not isinstance(error, ProviderError) or error.code in _FINAL:
        return False
    if error.code == "error-in-body" and error.status is None:
        return False
    return error.status is None or error.status in _RETRIED or error.status >= 500


def in_our_words(
    problem: Exception, request: Request, settings: Settings, deadline: Deadline
) -> AigenError:
    """The problem in our words, without a key in them."""
    import openai

    if isinstance(problem, (openai.APITimeoutError, TimeoutError)) and not _unreachable(problem):
        if deadline.at - time.monotonic() <= 0.001:
            return DeadlineError(f"the call took longer than its timeout of {deadline.seconds:g} s")
        return ProviderError("the request timed out", code="timeout")
    if isinstance(problem, (openai.APIStatusError, Refused)):
        return _refused(problem, request, settings)
    if isinstance(problem, (openai.APIConnectionError, ConnectionError)):
        cause = problem.__cause__
        reason = _redacted(_said(cause or problem), request, settings)
        where = _redacted(_server(request.target), request, settings)
        return ProviderError(
            f"cannot reach the provider ({where}): {reason[:300]}", code="connection"
        )
    if isinstance(problem, openai.OpenAIError):
        words = _redacted(str(problem), request, settings)
        return ProviderError(f"the openai package failed: {words[:500]}", code="sdk")
    if isinstance(problem, (ValueError, RecursionError)):
        where = _where_nothing_is(request, settings)
        return ProviderError(f"the provider's answer is not JSON{where}", code="not-json")
    if _package(problem) in ("httpx", "httpx2", "httpcore", "httpcore2", "aiohttp"):
        return ProviderError(f"the answer broke off: {_said(problem)[:300]}", code="connection")
    raise problem


def _said(problem: BaseException) -> str:
    """An error's words; its name where it has none, as those of awaited reads have not."""
    return str(problem) or type(problem).__name__


def _unreachable(problem: BaseException) -> bool:
    """Whether what is called a timeout is none: over aiohttp, the SDK has one word for both."""
    cause: BaseException | None = problem
    while cause is not None:
        if _package(cause) == "aiohttp":
            return not isinstance(cause, TimeoutError)
        cause = cause.__cause__ or cause.__context__
    return False


def _package(problem: BaseException) -> str:
    return type(problem).__module__.partition(".")[0]


def _refused(
    problem: openai.APIStatusError | Refused, request: Request, settings: Settings
) -> ProviderError:
    body = problem.body
    if isinstance(problem, Refused):
        status, words = problem.status, body
        if isinstance(body, Mapping):
            body = words = body.get("error", body)
    else:
        status, words = problem.status_code, problem.message
    detail = body if isinstance(body, Mapping) else {}
    said = detail.get("message")
    words = _redacted(str(said or words), request, settings)
    words = words.removeprefix(f"Error code: {status}").removeprefix(" - ")  # as the SDK begins
    where = "" if said or status not in (404, 405) else _where_nothing_is(request, settings)
    return ProviderError(
        f"the provider answered {status}{words and ': '}{words[:500]}{where}",
        code="quota" if is_spent(detail) else "provider",
        status=status,
        request_id=_headers(problem).get("x-request-id"),
        reply=body,
    )


def _headers(problem: Exception) -> Any:
    return getattr(getattr(problem, "response", problem), "headers", None) or {}


def _server(target: Target) -> str:
    """Where requests go, without what a URL may hold of secrets; the provider where it is known."""
    host, _, path = (target.base_url or "").partition("://")[2].partition("/")
    return f"{host.rpartition('@')[2]}/{path.partition('?')[0]}" if host else target.provider


def _where_nothing_is(request: Request, settings: Settings) -> str:
    """What to look at where something else than a model's server seems to have answered."""
    if not (settings.base_url or os.environ.get("OPENAI_BASE_URL")):
        return ""
    where = _redacted(_server(request.target), request, settings)
    return f"; is base_url right ({where})? It is what stands before {request.path}, often …/v1"


def _redacted(words: str, request: Request, settings: Settings) -> str:
    # A server may quote the key that it was sent.
    for key in (settings.api_key, *map(os.environ.get, request.target.key_variables)):
        if key and len(key.strip()) > 3:
            words = words.replace(key.strip(), "…")
    return words


def _asked(problem: Exception) -> float | None:
    """Seconds the server asked to wait: `retry-after-ms`, or `Retry-After` as seconds or a date."""
    headers = _headers(problem)
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) * scale
        except (KeyError, ValueError):
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    try:
        when = email.utils.parsedate_to_datetime(headers["retry-after"])
    except (KeyError, ValueError, TypeError):
        return None
    return max(0.0, when.timestamp() - time.time())
