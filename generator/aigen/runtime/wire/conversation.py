"""One call from bound inputs to outputs, without any input or output of its own.

`converse` is a generator: it yields requests and is sent replies, so the sync and the async driver
are a few lines each and nothing is written twice.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

from aigen.runtime.definition import Definition
from aigen.runtime.errors import (
    AigenError,
    ConfigurationError,
    FilteredError,
    ProviderError,
    RefusalError,
    ReplyError,
    TruncatedError,
)
from aigen.runtime.layers import Settings
from aigen.runtime.record.calls import Call, Exchange
from aigen.runtime.wire import faking
from aigen.runtime.wire.adapters import lay_out, step_down, ways
from aigen.runtime.wire.adapters.json_schema import strict_form
from aigen.runtime.wire.adapters.layout import is_text, reply_schema
from aigen.runtime.wire.messages import Reply, Request, Target, Usage
from aigen.runtime.wire.providers import target
from aigen.runtime.wire.reading import read_body
from aigen.runtime.wire.reply import Reader, Unreadable

LIMITS = ("max_tokens", "max_completion_tokens")


class Plan(NamedTuple):
    """What a conversation needs.

    Attributes:
        made: turns outputs that fit into the answer.
    """

    definition: Definition
    reader: Reader
    made: Callable[[Mapping[str, Any]], Any]
    settings: Settings
    target: Target


def converse(plan: Plan, inputs: Mapping[str, Any], call: Call) -> Generator[Request, Reply, Any]:
    """Yields requests, is sent their replies, returns the answer.

    Raises:
        ReplyError: no reply could be read, or the model refused, was filtered or cut off.
        ProviderError: thrown in by the driver, where no other way is left.
    """
    request, reply = yield from _first(plan, inputs, call)
    asked, doubled = 0, False
    attempts = [reply]
    while True:
        problem = _ended(plan, reply, attempts, call.usage)
        if problem is not None:
            budget = None if doubled else _doubled(problem, request)
            if budget is None:
                raise problem
            request, doubled = budget, True
        else:
            try:
                return _answer(plan, inputs, reply, request, call)
            except Unreadable as unreadable:
                if asked >= plan.settings.retries:
                    raise _unreadable(plan, unreadable, attempts, call.usage) from None
                asked += 1
                request = _asking_again(request, reply, unreadable)
        reply = yield request
        attempts.append(reply)
        _noted(call, request, reply)


def _first(
    plan: Plan, inputs: Mapping[str, Any], call: Call
) -> Generator[Request, Reply, tuple[Request, Reply]]:
    """The first reply, by the best way that the server takes."""
    left = ways(plan.definition, plan.target, plan.settings.adapter)
    while True:
        way = left.pop(0)
        request = lay_out(way, plan.definition, inputs, plan.target, plan.settings)
        try:
            reply = yield request
        except ProviderError as problem:
            if not (left and step_down(way, plan.target, problem)):
                raise
            continue
        _noted(call, request, reply)
        return request, reply


def _noted(call: Call, request: Request, reply: Reply) -> None:
    call.exchanges.append(Exchange(request, reply))
    call.usage = call.usage + (reply.usage or Usage())
    call.model = reply.model or request.target.model


def _ended(plan: Plan, reply: Reply, attempts: Sequence[Reply], usage: Usage) -> ReplyError | None:
    """Why a reply is no answer at all, before its text is looked at."""
    kind: type[ReplyError]
    name = plan.definition["name"]
    if reply.refusal is not None:
        kind, words = RefusalError, f"{name}: the model refused: {reply.refusal[:500]}"
    elif reply.finish == "content_filter":
        kind, words = FilteredError, f"{name}: the provider's filter held the reply back"
    elif reply.finish == "length":
        kind = TruncatedError
        words = f"{name}: the reply was cut off; raise max_output_tokens"
    else:
        return None
    return kind(
        words, function=name, reply=reply.text or reply.refusal, usage=usage, attempts=attempts
    )


def _doubled(problem: ReplyError, request: Request) -> Request | None:
    """The request with twice the budget, where one was set and the reply was cut off by it."""
    if not isinstance(problem, TruncatedError):
        return None
    body = dict(request.body)
    for name in LIMITS:
        if isinstance(body.get(name), int):
            return replace(request, body={**body, name: body[name] * 2})
    return None


def _answer(
    plan: Plan, inputs: Mapping[str, Any], reply: Reply, request: Request, call: Call
) -> Any:
    read = plan.reader.read(
        reply.text or "",
        repair=plan.settings.reading == "repair",
        decode=request.decode,
    )
    call.repairs = read.repairs
    try:
        answer = plan.made(read.outputs)
    except ValueError as problem:
        raise Unreadable(_first_line(problem)) from None
    for check in plan.definition.get("checks", ()):
        _checked(check["call"], check.get("field"), inputs, read.outputs)
    return answer


def _checked(
    place: str, field: str | None, inputs: Mapping[str, Any], outputs: Mapping[str, Any]
) -> None:
    """Runs one check.

    Raises:
        Unreadable: it says why not.
        ConfigurationError: it cannot be imported, or raised.
    """
    check = imported(place)
    try:
        found = check(outputs[field]) if field is not None else check(dict(inputs), dict(outputs))
    except AigenError:
        raise
    except Exception as problem:
        raise ConfigurationError(
            f"the check {place} raised {type(problem).__name__}: {problem}", code="check"
        ) from problem
    if found is True or found is None:
        return
    reason = found if isinstance(found, str) else f"the check {place} refused it"
    raise Unreadable(reason, (field,) if field else ())


@cache
def imported(place: str) -> Callable[..., Any]:
    """The callable that `pkg.mod:func` names.

    Raises:
        ConfigurationError: it cannot be imported.
    """
    module, _, path = place.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for name in path.split("."):
            found = getattr(found, name)
    except (ImportError, AttributeError) as problem:
        raise ConfigurationError(f"cannot import {place}: {problem}", code="import") from problem
    if not callable(found):
        raise ConfigurationError(f"{place} is not callable", code="import")
    return found  # type: ignore[no-any-return]


def _asking_again(request: Request, reply: Reply, problem: Unreadable) -> Request:
    messages = [
        *request.messages,
        {"role": "assistant", "content": reply.text or "(no text)"},
        {
            "role": "user",
            "content": f"That cannot be used: {problem.reason}. "
            "Reply again, with the answer alone.",
        },
    ]
    return replace(request, body={**request.body, "messages": messages})


def _unreadable(
    plan: Plan, problem: Unreadable, attempts: Sequence[Reply], usage: Usage
) -> ReplyError:
    name = plan.definition["name"]
    count = len(attempts)
    times = "the reply" if count == 1 else f"none of {count} replies"
    verb = "cannot be read" if count == 1 else "can be read"
    return ReplyError(
        f"{name}: {times} {verb}: {problem.reason}",
        path=problem.path,
        expected=problem.expected,
        function=name,
        reply=attempts[-1].text,
        usage=usage,
        attempts=attempts,
    )


def _first_line(problem: ValueError) -> str:
    lines = str(problem).splitlines()
    return " ".join(line.strip() for line in lines[1:3]) or (
        lines[0] if lines else "it does not fit"
    )


def reader_of(definition: Definition) -> Reader:
    """The reader of a definition's replies."""
    return Reader(reply_schema(definition), text=is_text(definition))


def target_of(settings: Settings, *, showing: bool = False) -> Target:
    """Where the call goes; starts the local model where it is the one, but not for showing.

    Raises:
        ConfigurationError: no model is set, or the local one cannot be started.
    """
    model = settings.model
    if model is None:
        if not (faking.scripts or showing):
            raise ConfigurationError(
                'no model is set: aigen.runtime.configure(model="…"), AIGEN_MODEL, or model under '
                "[tool.aigen.settings]",
                code="no-model",
            )
        model = "(no model)" if showing else "scripted"
    found = target(model, settings.base_url)
    if found.provider == "local" and found.base_url is None and not (showing or faking.scripts):
        from aigen.runtime.wire.local import address

        return replace(found, base_url=address())
    return found


def parsed(plan: Plan, reply: Any) -> Any:
    """The answer in a reply that was had elsewhere; nothing is asked."""
    found = Reply(reply) if isinstance(reply, str) else read_body(reply)
    problem = _ended(plan, found, (found,), found.usage or Usage())
    if problem is not None:
        raise problem
    try:
        # Whether null stands for absent is not known of a reply from elsewhere; both are read.
        repair = plan.settings.reading == "repair"
        decode = strict_form(plan.definition).decode
        return plan.made(plan.reader.read(found.text or "", repair=repair, decode=decode).outputs)
    except Unreadable as unreadable:
        raise _unreadable(plan, unreadable, (found,), found.usage or Usage()) from None
