"""Models tried in turn: the setting `fallback`.

The next one is asked where a model cannot be reached, answers 5xx or too late, keeps answering 429
when half of the time is over, or its quota is used up. Each has a target of its own, and so the
adapter that suits it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from aigen.runtime.errors import ProviderError
from aigen.runtime.record.call import Call
from aigen.runtime.setting_kinds import Settings
from aigen.runtime.wire.catalogue import PROVIDERS
from aigen.runtime.wire.conversation import converse, target_of
from aigen.runtime.wire.driving import Conversation, Step, ToolWork
from aigen.runtime.wire.plan import Plan

_UNREACHABLE: Final = frozenset(("connection", "timeout", "not-json", "quota"))


def in_order(settings: Settings) -> list[Settings]:
    """The settings of each model, first to last; `fallback` holds those that come after it.

    A bare name is served where the model is; `provider:model` has a server and key of its own.
    """
    found = [settings]
    for number, model in enumerate(settings.fallback, 1):
        rest = tuple(settings.fallback[number:])
        one = replace(settings, model=model, fallback=rest)
        if _has_a_server(model, settings):
            one = replace(one, base_url=None, api_key=None, client=None)
        found.append(one)
    return found


def _has_a_server(model: str, settings: Settings) -> bool:
    provider, colon, _ = model.partition(":")
    known = provider in PROVIDERS or provider in (settings.providers or {})
    return known and (bool(colon) or model in ("local", "sample"))


def conversation_of(
    plan: Plan, inputs: Mapping[str, Any], call: Call, again: Callable[[], bool] = lambda: True
) -> Conversation:
    """A call's conversation, as `converse` holds it, with each model until one answers.

    Raises:
        AigenError: as `converse` raises it; ProviderError also where no model answered.
    """
    if not plan.settings.fallback:
        return converse(plan, inputs, call, again)

    def with_model(one: Settings) -> Conversation:
        return converse(plan._replace(settings=one, target=target_of(one)), inputs, call, again)

    return asked_in_turn(plan.settings, with_model)


def asked_in_turn(
    settings: Settings, conversation: Callable[[Settings], Conversation]
) -> Conversation:
    """A conversation with each model until one answers.

    Args:
        settings: of the call.
        conversation: begins one with the model of some settings.

    Raises:
        ProviderError: none answered; the message says why of each.
    """
    problems: list[tuple[str, ProviderError]] = []
    for one in in_order(settings):
        worked: list[ToolWork] = []
        try:
            return (yield from _with_settings(conversation(one), one, worked))
        except ProviderError as problem:
            # What tools have done must not be done again.
            if worked or not _is_another_models_turn(problem):
                raise
            problems.append((str(one.model), problem))
    last = problems[-1][1]
    said = "; ".join(f"{model}: {problem.message}" for model, problem in problems)
    raise ProviderError(
        f"no model answered: {said}",
        code=last.code,
        status=last.status,
        request_id=last.request_id,
        reply=last.reply,
        attempts=[problem for _, problem in problems],
    ) from last


def _with_settings(steps: Conversation, settings: Settings, worked: list[ToolWork]) -> Conversation:
    """The same requests, each with the settings by which it is sent; notes the work of tools."""
    try:
        step: Step = next(steps)
        while True:
            if isinstance(step, ToolWork):
                worked.append(step)
            else:
                step = replace(step, settings=settings)
            try:
                done = yield step
            except Exception as problem:
                step = steps.throw(problem)
            else:
                step = steps.send(done)
    except StopIteration as finished:
        return finished.value
    finally:
        steps.close()


def _is_another_models_turn(problem: ProviderError) -> bool:
    if problem.code in _UNREACHABLE:
        return True
    return problem.status is not None and (problem.status in (408, 429) or problem.status >= 500)
