"""Driving a conversation: its requests are sent, its tools are run, until it has the answer."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from aigen.runtime.setting_kinds import Settings
from aigen.runtime.wire.deadline import Deadline
from aigen.runtime.wire.exchange import asend, send
from aigen.runtime.wire.messages import Request, ToolCall

if TYPE_CHECKING:
    from aigen.runtime.tools.offered import Tool
    from aigen.runtime.tools.outcome import Outcome
    from aigen.runtime.tools.running import Runner


class ToolWork(NamedTuple):
    """Tool calls that a reply asks for.

    Attributes:
        tools: all of the function's.
        function: who asks, as `module/function`.
        calls: in order.
        step: the request that asked, from 1.
        whole: whether the reply was not cut off.
        kept: takes what became of those that were run, where a later one ends the call.
    """

    tools: Sequence[Tool]
    function: str
    calls: Sequence[ToolCall]
    step: int
    whole: bool
    kept: list[Outcome]

    def runner(self, settings: Settings, deadline: Deadline) -> Runner:
        """What runs them."""
        from aigen.runtime.tools.running import Runner

        return Runner(self.tools, self.function, settings, deadline)


Step: TypeAlias = Request | ToolWork
Conversation: TypeAlias = Generator[Step, Any, Any]


def drive(steps: Conversation, settings: Settings, deadline: Deadline) -> Any:
    """The answer of a conversation.

    Raises:
        AigenError: as the conversation raises it.
    """
    resume: Any = partial(next, steps)
    while True:
        try:
            step: Step = resume()
        except StopIteration as finished:
            return finished.value
        try:
            if isinstance(step, ToolWork):
                runner = step.runner(settings, deadline)
                done: Any = runner.run(step.calls, step.step, step.whole, step.kept)
            else:
                done = send(step, settings, deadline)
            resume = partial(steps.send, done)
        except Exception as problem:
            resume = partial(steps.throw, problem)


async def adrive(steps: Conversation, settings: Settings, deadline: Deadline) -> Any:
    """Like `drive`, awaited."""
    resume: Any = partial(next, steps)
    while True:
        try:
            step: Step = resume()
        except StopIteration as finished:
            return finished.value
        try:
            if isinstance(step, ToolWork):
                runner = step.runner(settings, deadline)
                done: Any = await runner.arun(step.calls, step.step, step.whole, step.kept)
            else:
                done = await asend(step, settings, deadline)
            resume = partial(steps.send, done)
        except Exception as problem:
            resume = partial(steps.throw, problem)


__all__ = ["Conversation", "Step", "ToolWork", "adrive", "drive"]
