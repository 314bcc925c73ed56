"""Whether a tool call runs: its arguments bound, its risk judged, policies and people asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from aigen.runtime.callables import imported
from aigen.runtime.errors import InterfaceInputError
from aigen.runtime.setting_kinds import Settings
from aigen.runtime.tools import risk
from aigen.runtime.tools.context import ToolContext
from aigen.runtime.tools.named import only_reads
from aigen.runtime.tools.offered import Tool
from aigen.runtime.tools.threads import on_a_thread
from aigen.runtime.tools.work import Late, Work

if TYPE_CHECKING:
    from aigen.runtime.wire.deadline import Deadline

R = TypeVar("R")


class NotRun(Exception):
    """The call ends with these words for the model."""


class _Judged(NamedTuple):
    """A call that may be run, unless who is asked refuses."""

    pending: risk.PendingCall
    decision: risk.Decision | None


@dataclass(frozen=True, slots=True)
class Judge:
    """Decides about the tool calls of one call of an AI function.

    Attributes:
        function: who asks, as `module/function`.
        settings: of the call.
        deadline: of the whole call; waiting for a person is not counted.
        person: asks a person, where no function of the rules does; None where there is nobody.
    """

    function: str
    settings: Settings
    deadline: Deadline
    person: Callable[[risk.PendingCall], bool | str] | None

    def approved(
        self, tool: Tool, given: Mapping[str, Any], ctx: ToolContext
    ) -> Generator[Work, Any, tuple[dict[str, Any], int]]:
        """The arguments that a call runs with, bound and checked, and its risk.

        Raises:
            NotRun: it may not.
        """
        work = partial(self._judged, tool, given, ctx)
        pending, decision = yield from self.away(work, asks=self._decides(tool))
        verdict = decision.verdict if decision is not None else None
        reason = decision.reason if decision is not None else ""
        if verdict == "deny":
            raise NotRun(f"not run: {reason or 'a policy denies it'}")
        rules = [_rule(self.settings.approve), tool.named("approve")]
        person = verdict == "ask_human" or pending.requires_user
        if person or verdict == "ask" or (verdict is None and risk.asks(rules, pending)):
            yield from self._asked(rules, pending, reason, person)
        return dict(pending.arguments), pending.risk

    def away(self, work: Callable[[], R], *, asks: bool = True) -> Generator[Work, Any, R]:
        """Does work of the user's own on a thread, as long as there is time.

        Args:
            work: is done at once where it `asks` no code of the user's own.
            asks: whether it does.

        Raises:
            DeadlineError: there is none left.
        """
        if not asks:
            return work()
        try:
            found: R = yield Work(work, partial(on_a_thread, work), self.deadline.left())
        except Late as problem:
            self.deadline.passed(problem)
        return found

    def _decides(self, tool: Tool) -> bool:
        """Whether code of the user's own decides about calls of a tool."""
        rules = (tool.named("available"), tool.named("risk"))
        computed = any("call" in each for each in tool.definition.get("defaults", {}).values())
        own = "parameters" in tool.definition or computed or any(map(callable, rules))
        return own or bool(self.settings.policies)

    def _judged(self, tool: Tool, given: Mapping[str, Any], ctx: ToolContext) -> _Judged:
        if not tool.is_available(ctx):
            raise NotRun(f"{tool.name} is not available now")
        arguments = _bound(tool, given, ctx)
        path = f"{self.function}/{tool.name}"
        level = _risk_of(tool, arguments, ctx)
        pending = risk.PendingCall(tool.name, path, arguments, level, tool.requires_user)
        policies = [_callable(policy) for policy in self.settings.policies]
        decision = risk.decided(policies, pending, ctx)
        if decision is None or decision.verdict != "modify":
            return _Judged(pending, decision)
        arguments = _bound(tool, dict(decision.arguments), ctx)
        pending = replace(pending, arguments=arguments, risk=_risk_of(tool, arguments, ctx))
        again = risk.decided(policies, pending, ctx)
        return _Judged(pending, None if again is not None and again.verdict == "modify" else again)

    def _asked(
        self, rules: Sequence[Any], pending: risk.PendingCall, reason: str, person: bool
    ) -> Generator[Work, Any, None]:
        for approve in self._asks(rules, person):
            answer = partial(risk.answered, approve, pending, reason, person=person)
            if self._is_person(approve):
                refused = yield from self._waited_for(answer)
            else:
                refused = yield from self.away(answer, asks=approve is not None)
            if refused is not None:
                raise NotRun(refused)

    def _waited_for(self, answer: Callable[[], R]) -> Generator[Work, Any, R]:
        """Asks a person, who has all the time in the world; it is not counted."""
        began = time.monotonic()
        found: R = yield Work(answer, partial(on_a_thread, answer))
        self.deadline.rested(time.monotonic() - began)
        return found

    def _is_person(self, approve: Any) -> bool:
        return approve is not None and (
            approve is self.person or getattr(approve, "__aigen_person__", False)
        )

    def _asks(self, rules: Sequence[Any], person: bool) -> list[Any]:
        """Who is asked, one after the other; None is nobody."""
        functions = [rule for rule in rules if callable(rule)]
        if self.person is not None:
            answers = list(filter(self._is_person, functions))
            if not (answers if person else functions):
                return [self.person]
        return functions or [None]


def _bound(tool: Tool, arguments: Mapping[str, Any], ctx: ToolContext) -> dict[str, Any]:
    """Arguments bound and checked against the tool's schema, before anything else is done."""
    try:
        return dict(tool.bound(arguments, ctx))
    except InterfaceInputError as refused:
        raise NotRun(f"not run: {refused.message}") from None


def _risk_of(tool: Tool, arguments: Mapping[str, Any], ctx: ToolContext) -> int:
    return risk.risk_of(tool.named("risk"), arguments, ctx, only_reads(tool.target))


def _rule(approve: Any) -> Any:
    return _callable(approve) if isinstance(approve, str) and ":" in approve else approve


def _callable(target: Any) -> Any:
    return imported(target) if isinstance(target, str) else target


__all__ = ["Judge", "NotRun"]
