"""One call from bound inputs to outputs, without any input or output of its own.

`converse` is a generator: it yields requests and is sent replies, so the sync and the async driver
are a few lines each and nothing is written twice.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from aigen.runtime.errors import (
    HOME,
    ConfigurationError,
    FilteredError,
    RefusalError,
    ReplyError,
    StepLimitError,
    TruncatedError,
)
from aigen.runtime.record.cache import judged, judging
from aigen.runtime.record.call import Call, Exchange
from aigen.runtime.setting_kinds import Settings
from aigen.runtime.wire import faking
from aigen.runtime.wire.adapters import ways
from aigen.runtime.wire.adapters.json_schema import strict_form
from aigen.runtime.wire.body import said_after, with_twice_the_budget
from aigen.runtime.wire.checks import run_check
from aigen.runtime.wire.driving import Conversation, ToolWork
from aigen.runtime.wire.form import REASONING
from aigen.runtime.wire.messages import Reply, Request, Target, ToolCall, Usage
from aigen.runtime.wire.phases import held, left_to_hold, opened
from aigen.runtime.wire.plan import Plan
from aigen.runtime.wire.providers import replayed, target
from aigen.runtime.wire.reading import read_body
from aigen.runtime.wire.reply import Read, Unreadable
from aigen.runtime.wire.strict import Decode

if TYPE_CHECKING:
    from aigen.runtime.tools.calling import Toolbox
    from aigen.runtime.tools.outcome import Outcome


_JSON: Final = frozenset(("auto", "json", "prompted"))
"""Adapters under which a reply that is the JSON of the answer is the answer."""


def converse(
    plan: Plan, inputs: Mapping[str, Any], call: Call, again: Callable[[], bool] = lambda: True
) -> Conversation:
    """Yields requests and tool calls, is sent replies and results, returns the answer.

    Args:
        plan: of the call.
        inputs: as they were bound.
        call: takes what happens.
        again: whether a reply that cannot be used may be asked for once more.

    Raises:
        ReplyError: no reply could be read, or the model refused, was filtered or cut off.
        ProviderError: thrown in by the driver, where no other way is left.
        StepLimitError: the model used tools in `max_steps` requests and did not answer.
    """
    talk = _Talk(plan, inputs, call, again, *(yield from opened(plan, inputs)))
    talk.heard(talk.reply)
    while True:
        calls = talk.box.calls_in(talk.reply) if talk.box is not None else ()
        if calls:
            yield from talk.use_tools(calls)
            continue
        problem = _ended(plan, talk.reply, talk.attempts, call.usage)
        if problem is not None:
            yield from talk.send(talk.larger(problem))
            continue
        try:
            with judging(talk.reply):
                return _answer(plan, inputs, talk.reply, talk.request, call)
        except Unreadable as unreadable:
            refused = unreadable
        yield from talk.ask_again(refused)


@dataclass(slots=True)
class _Talk:
    """How far a conversation is.

    Attributes:
        plan: of the call.
        inputs: as they were bound.
        call: takes what happens.
        again: whether a reply that cannot be used may be asked for once more.
        box: the tools that are offered; None where there are none.
        request: the last one.
        reply: the last one.
        attempts: the replies since tools were used.
        step: the request that is answered, from 1, counted where tools are used.
        asked: how often was asked again.
        doubled: whether the budget of a reply was.
        held: whether the model was asked in a way that holds it to the form.
    """

    plan: Plan
    inputs: Mapping[str, Any]
    call: Call
    again: Callable[[], bool]
    box: Toolbox | None
    request: Request
    reply: Reply
    attempts: list[Reply] = field(default_factory=list)
    step: int = 1
    asked: int = 0
    doubled: bool = False
    held: bool = False

    def heard(self, reply: Reply) -> None:
        """Notes a reply to the last request."""
        self.reply = reply
        self.attempts.append(reply)
        _noted(self.call, self.request, reply)

    def send(self, request: Request) -> Conversation:
        """Asks, and hears the reply."""
        self.request = request
        self.heard((yield request))

    def use_tools(self, calls: Sequence[ToolCall]) -> Conversation:
        """Runs the tools that the reply asks for, and tells the model what became of it.

        Raises:
            StepLimitError: there were enough requests.
        """
        assert self.box is not None
        judged(self.reply, True)
        if self.step >= self.plan.settings.max_steps:
            raise _no_answer_within(self.plan, self.step, self.reply, self.attempts, self.call)
        whole = self.reply.finish != "length"
        work = ToolWork(self.plan.tools, self.plan.path, calls, self.step, whole, [])
        outcomes = yield from _worked(work, self.call)
        self.step, self.attempts = self.step + 1, []
        yield from self.send(self.box.with_results(self.request, self.reply, outcomes))

    def larger(self, problem: ReplyError) -> Request:
        """The request with twice the budget of a reply, once, where the reply was cut off.

        Raises:
            ReplyError: the problem, where that is no way.
        """
        judged(self.reply, False)
        may = isinstance(problem, TruncatedError) and not self.doubled and self.again()
        request = with_twice_the_budget(self.request) if may else None
        if request is None:
            raise problem
        self.doubled = True
        return request

    def ask_again(self, problem: Unreadable) -> Conversation:
        """Asks for another reply, in a way that holds the model to the form where one is left.

        Raises:
            ReplyError: it was asked often enough.
        """
        plan = self.plan
        left = [] if self.held else left_to_hold(plan, self.box, self.request)
        if left and self.again():
            self.held = True
            wanted = _asking_again(plan, self.request, self.reply, problem)
            self.request, reply = yield from held(plan, self.inputs, wanted, left)
            # Where no way is taken, tools are still offered.
            self.box = self.box if self.request.adapter == "prompted" else None
            self.heard(reply)
            return
        if self.asked >= plan.settings.retries or not self.again():
            raise _unreadable(plan, problem, self.attempts, self.call.usage) from None
        self.asked += 1
        yield from self.send(_asking_again(plan, self.request, self.reply, problem))


def _worked(work: ToolWork, call: Call) -> Generator[ToolWork, Any, list[Outcome]]:
    """What became of tool calls; the call has it too, where one of them ends it."""
    try:
        outcomes: list[Outcome] = yield work
    except BaseException:
        call.tools += work.kept
        raise
    call.tools += [each for outcome in outcomes for each in (outcome, *outcome.inside)]
    return outcomes


def _no_answer_within(
    plan: Plan, step: int, reply: Reply, attempts: Sequence[Reply], call: Call
) -> StepLimitError:
    return StepLimitError(
        f"{plan.name}: no answer within {step} requests; raise max_steps",
        function=plan.name,
        reply=reply.text,
        usage=call.usage,
        attempts=attempts,
    )


def _noted(call: Call, request: Request, reply: Reply) -> None:
    before = call.cost if call.exchanges else 0.0
    price, used = request.target.price, reply.usage
    if before is None or price is None or used is None:
        call.cost = None
    else:
        call.cost = before + price.of(used)
    call.exchanges.append(Exchange(request, reply))
    call.usage = call.usage + (reply.usage or Usage())
    call.model = reply.model or request.target.model


def _ended(plan: Plan, reply: Reply, attempts: Sequence[Reply], usage: Usage) -> ReplyError | None:
    """Why a reply is no answer at all, before its text is looked at."""
    kind: type[ReplyError]
    name = plan.name
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


def _answer(
    plan: Plan, inputs: Mapping[str, Any], reply: Reply, request: Request, call: Call
) -> Any:
    read, answer = _read(plan, request.adapter, reply, request.decode)
    call.repairs = read.repairs
    call.reasoning = read.added.get(REASONING) or reply.reasoning
    checks = plan.form.definition.get("checks")
    if checks:
        values = plan.answers.values(answer)
        for check in checks:
            field = check.get("field")
            arguments = (values[field],) if field else (dict(inputs), dict(values))
            run_check(check["call"], arguments, field)
    return answer


def _read(plan: Plan, way: str, reply: Reply, decode: Decode | None) -> tuple[Read, Any]:
    """What a reply says that was asked for in a way, and the answer made of it.

    Raises:
        Unreadable: it is not the answer.
    """
    repair = plan.settings.reading == "repair"
    bare = ways.WAYS[way].bare
    clean = _clean(plan, reply.text or "", repair, decode) if bare else None
    if clean is not None:
        outputs, added, repairs, answer = clean
        return Read(outputs, added, repairs), answer
    read = ways.read(way, plan.form, reply, repair, decode)
    return read, _made(plan, read)


def _clean(
    plan: Plan, text: str, repair: bool, decode: Decode | None
) -> tuple[dict[str, Any], Mapping[str, str], tuple[str, ...], Any] | None:
    """What a `Read` has of a text whose JSON is clean and fits, and the answer."""
    clean = plan.form.reader.clean(text, repair, decode)
    if clean is None or not plan.answers.judges(clean[0]):
        return None
    try:
        # A type that judges as the schema does need not be asked what the schema says.
        return *clean, plan.answers.made(clean[0])
    except ValueError:
        return None


def _made(plan: Plan, read: Read) -> Any:
    try:
        return plan.answers.made(read.outputs)
    except ValueError as problem:
        # A class of the user's own may refuse what its schema takes.
        raise Unreadable(_in_short(problem)) from None


def _asking_again(plan: Plan, request: Request, reply: Reply, problem: Unreadable) -> Request:
    # The form stands here whatever the way: there are servers that take a schema and ignore it.
    how = ways.WAYS[request.adapter].how_to_reply(plan.form.asked)
    wanted = "Reply again" + how.removeprefix("Reply")
    return said_after(
        request, _said(reply) or "(no text)", f"That cannot be used: {problem.reason}.\n{wanted}"
    )


def _said(reply: Reply) -> str | None:
    """A reply as a text: its own, or the arguments of its tool calls."""
    return reply.text or "\n".join(call.arguments for call in reply.tool_calls) or reply.text


def _unreadable(
    plan: Plan, problem: Unreadable, attempts: Sequence[Reply], usage: Usage
) -> ReplyError:
    name = plan.name
    count = len(attempts)
    times = "the reply" if count == 1 else f"none of {count} replies"
    verb = "cannot be read" if count == 1 else "can be read"
    return ReplyError(
        f"{name}: {times} {verb}: {problem.reason}",
        path=problem.path,
        expected=problem.expected,
        function=name,
        reply=_said(attempts[-1]),
        usage=usage,
        attempts=attempts,
    )


def _in_short(problem: ValueError) -> str:
    """What a validator said first, without the value, which is in the conversation already."""
    errors = getattr(problem, "errors", None)
    if errors is None:
        return str(problem).partition("\n")[0] or "it does not fit"
    first = errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(step) for step in first["loc"])
    return f"{place}: {first['msg']}" if place else str(first["msg"])


def target_of(settings: Settings, *, showing: bool = False) -> Target:
    """Where the call goes; starts the local model where it is the one, but not for showing.

    Raises:
        ConfigurationError: no model is set, or the local one cannot be started.
    """
    model = settings.model
    if model is None:
        if not (faking.is_on() or showing):
            raise ConfigurationError(
                f'no model is set: {HOME}.configure(model="…"), AIGEN_MODEL, or model under '
                "[tool.aigen.settings] in pyproject.toml, [settings] in aigen.toml, and then "
                "aigen build; AIGEN_MODEL=sample answers without one",
                code="no-model",
            )
        if not showing and (made := faking.made_with()) is not None:
            return replayed(*made, faking.NO_MODEL, settings.providers)
        model = "(no model)" if showing else faking.NO_MODEL
    server = settings.base_url
    elsewhere = server is None and (
        settings.client is not None or bool(os.environ.get("OPENAI_BASE_URL"))
    )
    found = target(model, server, settings.providers, given_server=elsewhere)
    if found.base_url is None and found.schema_with_tools and os.environ.get("OPENAI_BASE_URL"):
        # The model's name is one of OpenAI's; what the server is, nobody has said.
        found = replace(found, schema_with_tools=False)
    if found.provider == "local" and found.base_url is None and not (showing or faking.is_on()):
        from aigen.runtime.wire.local import address

        return replace(found, base_url=address())
    return found


def parser(plan: Plan) -> Callable[[Any], Any]:
    """What gives the answer in a reply that was had elsewhere; nothing is asked."""
    # Whether null stands for absent is not known of a reply from elsewhere; both are read.
    decode = strict_form(plan.form.asked).decode
    bare = plan.settings.adapter in _JSON and plan.settings.reading == "repair"

    def parsed(reply: Any) -> Any:
        if bare and isinstance(reply, str):
            clean = _clean(plan, reply, True, decode)
            if clean is not None:
                return clean[3]  # no way reads it otherwise
        return _parsed(plan, reply, decode)

    return parsed


def _parsed(plan: Plan, reply: Any, decode: Decode | None) -> Any:
    found = Reply(reply) if isinstance(reply, str) else read_body(reply)
    problem = _ended(plan, found, (found,), found.usage or Usage())
    if problem is not None:
        raise problem
    way = ways.way_of(plan.form, found, plan.target, plan.settings.adapter)
    try:
        return _read(plan, way, found, decode)[1]
    except Unreadable as unreadable:
        raise _unreadable(plan, unreadable, (found,), found.usage or Usage()) from None
