"""The first request of a call, and the one that only wants the answer where tools were used before.

A server that holds a reply to a form writes no tool call in it, or passes over the form, or
refuses the two together. Where one is not known to do both, a call has two phases: the form is
told in the prompt while tools are offered, and when what comes without a call is not the answer,
the server is held to the form and offered no tools.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from aigen.runtime.errors import ConfigurationError, ProviderError
from aigen.runtime.wire import learned
from aigen.runtime.wire.adapters import ladder
from aigen.runtime.wire.adapters.layout import is_text
from aigen.runtime.wire.adapters.ways import lay_out
from aigen.runtime.wire.messages import Reply, Request
from aigen.runtime.wire.plan import Plan

if TYPE_CHECKING:
    from aigen.runtime.tools.calling import Toolbox

_HELD: Final = ("strict", "schema", "json_object")
"""Ways in which the server itself is held to a form that is no tool call."""

_FORMS: Final = ("response_format", "text")
"""Where a body says so, in either API."""


class Opened(NamedTuple):
    """What a conversation begins with.

    Attributes:
        box: the tools as they are offered; None without any.
        request: the first that was answered.
        reply: to it.
    """

    box: Toolbox | None
    request: Request
    reply: Reply


def opened(plan: Plan, inputs: Mapping[str, Any]) -> Generator[Request, Any, Opened]:
    """The first reply, by the best way that the server takes.

    Raises:
        ProviderError: thrown in by the driver, where no other way is left.
    """
    asked, target = plan.form.asked, plan.target
    box = _toolbox(plan)
    left = _ways(plan, box)
    refusals = []
    apart = False
    while True:
        request = _laid_out(plan, inputs, left[0], box)
        try:
            reply = yield request
        except ProviderError as problem:
            if not apart and _is_both_refused(request, problem):
                apart, left = True, _apart(plan)
                continue
            if box is not None and _are_tools_refused(plan, box, problem):
                box = _toolbox(plan)
                left = _ways(plan, box)
                continue
            parameters = _dropped(problem, request)
            if not parameters:
                if len(left) == 1 or not ladder.steps_down(problem, left[0]):
                    raise
                refusals.append((left.pop(0), problem))
            learned.remember(parameters, target.key)
            continue
        # Only now is it known that it was the way, and not what was asked.
        ladder.remember(refusals, asked, target)
        if apart:
            learned.remember([learned.BOTH], target.key)
        return Opened(box, request, reply)


def first_request(plan: Plan, inputs: Mapping[str, Any]) -> Request:
    """What a conversation begins with."""
    box = _toolbox(plan)
    return _laid_out(plan, inputs, _ways(plan, box)[0], box)


def left_to_hold(plan: Plan, box: Toolbox | None, request: Request) -> list[str]:
    """The ways in which a server may still be held to the answer's form, best first.

    None where a request is held to one already, or nothing but the prompt ever tells it.
    """
    if box is None or request.adapter != "prompted" or plan.settings.adapter == "prompted":
        return []
    return [way for way in _best(plan) if way in _HELD]


def held(
    plan: Plan, inputs: Mapping[str, Any], request: Request, ways: list[str]
) -> Generator[Request, Any, tuple[Request, Reply]]:
    """The reply to a request held to the answer's form, without tools.

    Args:
        plan: of the call.
        inputs: as they were bound.
        request: with all that was said.
        ways: to hold it, best first; the prompt alone where the server takes none.

    Raises:
        ProviderError: thrown in by the driver, for another reason.
    """
    target, refusals = plan.target, []
    for way in ways:
        laid = _laid_out(plan, inputs, way, None)
        form = {name: laid.body[name] for name in _FORMS if name in laid.body}
        body = {name: value for name, value in request.body.items() if name not in _OF_TOOLS}
        wanted = replace(request, body={**body, **form}, adapter=way, decode=laid.decode)
        try:
            reply = yield wanted
        except ProviderError as problem:
            if not ladder.steps_down(problem, way):
                raise
            refusals.append((way, problem))
            continue
        ladder.remember(refusals, plan.form.asked, target)
        return wanted, reply
    reply = yield request
    ladder.remember(refusals, plan.form.asked, target)
    return request, reply


_OF_TOOLS: Final = ("tools", "tool_choice", "parallel_tool_calls")


def _laid_out(plan: Plan, inputs: Mapping[str, Any], way: str, box: Toolbox | None) -> Request:
    request = lay_out(way, plan.form.asked, inputs, plan.target, plan.settings)
    return request if box is None else box.offered_in(request)


def _toolbox(plan: Plan) -> Toolbox | None:
    if plan.available is None:
        return None
    from aigen.runtime.tools.calling import toolbox

    return toolbox(plan.available, plan.target, plan.settings.tool_calling)


def _ways(plan: Plan, box: Toolbox | None) -> list[str]:
    """The ways to try; with tools, none in which the answer is a forced call itself."""
    if box is None:
        return _best(plan)
    if plan.settings.adapter == "tool":
        raise ConfigurationError(
            f"{plan.name}: adapter: tool forces one call, and the function has tools: take json",
            code="setting",
        )
    if not (box.native and _takes_both(plan)):
        return _apart(plan)
    return [way for way in _best(plan) if not way.startswith("tool")] or ["prompted"]


def _best(plan: Plan) -> list[str]:
    return ladder.ways(plan.form.asked, plan.target, plan.settings.adapter)


def _takes_both(plan: Plan) -> bool:
    """Whether the server is known to call tools and hold its reply to a form in one request."""
    known = plan.target.schema_with_tools
    return known and not learned.refused(learned.BOTH, plan.target.key)


def _apart(plan: Plan) -> list[str]:
    """The way in which tools are offered where nothing may hold the reply to a form."""
    if is_text(plan.form.asked):
        return _best(plan)
    return ["prompted"] if plan.settings.adapter in ("auto", "json", "prompt") else _best(plan)


def _is_both_refused(request: Request, problem: ProviderError) -> bool:
    body = request.body
    both = bool(body.get("tools")) and any(name in body for name in _FORMS)
    return both and learned.refuses_both(problem)


def _are_tools_refused(plan: Plan, box: Toolbox, problem: ProviderError) -> bool:
    from aigen.runtime.tools.calling import takes_no_tools

    auto = plan.settings.tool_calling == "auto"
    return auto and box.native and takes_no_tools(problem, plan.target)


def _dropped(problem: ProviderError, request: Request) -> list[str]:
    """The parameters that a server refuses, unless that was known: then they are the caller's."""
    key = request.target.key
    found = learned.refused_parameters(problem, request.body)
    return [name for name in found if not learned.refused(name, key)]
