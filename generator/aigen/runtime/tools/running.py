"""Running one tool call, from the model's text to the text that the model reads.

Look up, parse, bind and check, judge the risk, ask, run, check the result, print it. Nothing in it
raises into the conversation: every failure is a result that the model can act on. Only
`tool_errors: raise`, a setting that is wrong, and the deadline end the call.
"""

from __future__ import annotations

import asyncio
import difflib
import json
import time
from collections.abc import (
    AsyncGenerator,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from aigen.runtime.callables import at_once
from aigen.runtime.columns.results import Failed
from aigen.runtime.columns.threads import Threads
from aigen.runtime.errors import ConfigurationError, ToolError
from aigen.runtime.setting_kinds import Settings
from aigen.runtime.tools import risk
from aigen.runtime.tools.available import Available
from aigen.runtime.tools.context import ToolContext, ToolResult
from aigen.runtime.tools.judging import Judge, NotRun
from aigen.runtime.tools.offered import RUN, Tool
from aigen.runtime.tools.outcome import Outcome
from aigen.runtime.tools.printing import printed, raised
from aigen.runtime.tools.threads import RAISED
from aigen.runtime.tools.work import (
    Inside,
    Late,
    Numbered,
    Steps,
    Work,
    afinished,
    atold,
    finished,
    told,
)
from aigen.runtime.values.broken_json import fault_of
from aigen.runtime.wire.events import ToolFinished, ToolStarted
from aigen.runtime.wire.messages import ToolCall

if TYPE_CHECKING:
    from aigen.runtime.wire.deadline import Deadline


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs the tool calls of one call of an AI function.

    Attributes:
        tools: what the call offers.
        function: who asks, as `module/function`.
        deadline: of the whole call; waiting for a person is not counted.
        person: asks a person, where no function of the rules does; None where there is nobody.
    """

    tools: Sequence[Tool]
    function: str
    settings: Settings
    deadline: Deadline
    person: Callable[[risk.PendingCall], bool | str] | None = None

    def run(
        self, calls: Sequence[ToolCall], step: int, whole: bool, kept: list[Outcome] | None = None
    ) -> list[Outcome]:
        """Runs calls, neighbours of concurrent tools at the same time; results in their order.

        Args:
            calls: as the model asks for them.
            step: the request that asked, from 1.
            whole: whether the reply was not cut off; else none of them is run.
            kept: takes what became of each call, and of those that code made, as soon as it is
                known: a later one may end the whole.
        """
        found: list[Outcome] = []
        for group in self.groups(calls):
            with _keeping(kept) as heard:
                heard.extend(self.done(group, step, whole))
            found += _in_order(heard)
        return found

    async def arun(
        self, calls: Sequence[ToolCall], step: int, whole: bool, kept: list[Outcome] | None = None
    ) -> list[Outcome]:
        """Like `run`, awaited."""
        found: list[Outcome] = []
        for group in self.groups(calls):
            with _keeping(kept) as heard:
                async with aclosing(self.adone(group, step, whole)) as done:
                    async for each in done:
                        heard.append(each)
            found += _in_order(heard)
        return found

    def done(
        self, group: Sequence[ToolCall], step: int, whole: bool
    ) -> Generator[Numbered | Inside]:
        """Runs calls at the same time: the number of each and what became of it, as it is done.

        Code tells of the calls that it makes between them, as they begin and as they are done.
        Closing it drops those that run: code on an event loop is cancelled, and AI functions begin
        no further request.
        """
        if len(group) == 1:
            yield 0, (yield from told(self._steps(group[0], step, whole)))
            return
        with Threads(finished, len(group), lambda found: isinstance(found, Failed)) as threads:
            for number, call in enumerate(group):
                threads.give(number, self._steps(call, step, whole))
            for _ in group:
                number = threads.take()
                found = threads.outcomes[number]
                if isinstance(found, Failed):
                    raise found.error
                yield number, found

    async def adone(
        self, group: Sequence[ToolCall], step: int, whole: bool
    ) -> AsyncGenerator[Numbered | Inside]:
        """Like `done`, awaited."""
        if len(group) == 1:
            async with aclosing(atold(self._steps(group[0], step, whole))) as running:
                async for found in running:
                    yield (0, found) if isinstance(found, Outcome) else found
            return
        tasks = [asyncio.ensure_future(afinished(self._steps(call, step, whole))) for call in group]
        left = set(tasks)
        try:
            while left:
                done, left = await asyncio.wait(left, return_when=asyncio.FIRST_COMPLETED)
                for number in sorted(map(tasks.index, done)):
                    yield number, tasks[number].result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def groups(self, calls: Sequence[ToolCall]) -> list[list[ToolCall]]:
        """The calls in their order, those together that run at the same time."""
        groups: list[list[ToolCall]] = []
        before = False
        for call in calls:
            tool = self._tool(call.name)
            concurrent = tool is not None and tool.options.get("execution") == "concurrent"
            if concurrent and before:
                groups[-1].append(call)
            else:
                groups.append([call])
            before = concurrent
        return groups

    def _tool(self, name: str) -> Tool | None:
        return next((tool for tool in self.tools if tool.name == name), None)

    # ------------------------------------------------------------------ the steps of one call

    def _steps(self, call: ToolCall, step: int, whole: bool, by_code: bool = False) -> Steps:
        outcome = Outcome(call.name, call.id, "", call.arguments)
        known = self._tool(call.name)
        budget = known.options.get("output_tokens") if known is not None else None
        inside: list[Outcome] = []
        try:
            tool = self._looked_up(call, whole, by_code)
            ctx = self._context(tool, call.id, step)
            arguments, level = yield from self._judge.approved(tool, _parsed(call), ctx)
            outcome = replace(outcome, arguments=arguments, risk=level)
            began = time.monotonic()
            try:
                value = yield from self._ran(tool, arguments, ctx, inside)
            finally:
                seconds = time.monotonic() - began
                outcome = replace(outcome, seconds=seconds, inside=tuple(inside))
        except NotRun as failed:
            error = failed.__cause__ if isinstance(failed.__cause__, Exception) else None
            text = printed(ToolResult(str(failed), is_error=True), budget)
            return replace(outcome, text=text, is_error=True, error=error)
        text = printed(value, budget)
        if not isinstance(value, ToolResult):
            return replace(outcome, text=text, value=value)
        return replace(
            outcome,
            text=text,
            value=value.text if value.value is None else value.value,
            is_error=value.is_error,
            images=tuple(value.images),
            details=value.details,
        )

    def _looked_up(self, call: ToolCall, whole: bool, by_code: bool) -> Tool:
        if not whole:
            raise NotRun("not run: the reply was cut off, so the arguments may not be whole")
        tool = self._tool(call.name)
        if tool is not None and tool.exposure == "code" and not by_code:
            raise NotRun(f"{call.name} is called from Python: use {RUN}")
        if tool is None or tool.exposure == "hidden":
            names = [each.name for each in self.tools if each.exposure != "hidden"]
            close = difflib.get_close_matches(call.name, names, n=1)
            hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(names)}"
            raise NotRun(f"there is no tool {call.name}; {hint}")
        return tool

    @property
    def _judge(self) -> Judge:
        return Judge(self.function, self.settings, self.deadline, self.person)

    def _context(self, tool: Tool, call_id: str, step: int) -> ToolContext:
        return ToolContext(
            tool.name,
            tool.namespace,
            self.function,
            call_id,
            step,
            self.deadline.at,
            self.settings,
            self.settings.context or {},
        )

    def _ran(
        self, tool: Tool, arguments: dict[str, Any], ctx: ToolContext, inside: list[Outcome]
    ) -> Generator[Work | Inside, Any, Any]:
        own = tool.options.get("timeout")
        ctx = replace(ctx, deadline=self.deadline.at)  # a person may have been waited for
        left = self.deadline.left()
        seconds = left if own is None else min(own, left)
        if tool.runs_code:
            return (yield from self._ran_code(arguments["code"], ctx, inside))
        try:
            value = yield Work(
                partial(tool.run, arguments, ctx), partial(tool.arun, arguments, ctx), seconds
            )
            return value if isinstance(value, ToolResult) else tool.judged(value)
        except Late as problem:
            if own is None or left <= own:
                self.deadline.passed(problem)
            words = f"took longer than {own:g} s"
            return (yield from self._failed(tool, arguments, words, TimeoutError()))
        except ConfigurationError:
            raise
        except RAISED as problem:
            self.deadline.left()
            return (yield from self._failed(tool, arguments, raised(problem), problem))

    def _ran_code(
        self, code: str, ctx: ToolContext, inside: list[Outcome]
    ) -> Generator[Work | Inside, Any, ToolResult]:
        """Runs code of the model's; each tool that it calls takes all the steps of a call."""
        from aigen.runtime.tools.code import as_python, run

        call_id, step = str(ctx.call_id), ctx.step

        def called(name: str, arguments: str) -> Steps:
            call = ToolCall(f"{call_id}.{len(inside) + 1}", name, arguments)
            yield ToolStarted(call)
            outcome = yield from self._steps(call, step, True, by_code=True)
            inside.append(outcome)
            yield ToolFinished(outcome)
            return outcome

        in_code = [tool for tool in self.tools if tool.exposure == "code"]
        now = Available(in_code, self.function, self.settings)
        schemas = yield from self._judge.away(lambda: now.schemas, asks=now.asks)
        tools = as_python(in_code, schemas)
        return (yield from run(code, tools, called, self.deadline))

    def _failed(
        self, tool: Tool, arguments: Mapping[str, Any], words: str, problem: BaseException
    ) -> Generator[Work, Any, Any]:
        """What the model reads of a tool that failed: its `fixup`'s words, where it has one."""
        fixup = tool.named("fixup")
        if fixup is not None:
            mend = partial(_mended, tool, fixup, arguments)
            try:
                return (yield from self._judge.away(mend))
            except ConfigurationError:
                raise
            except RAISED as fault:
                self.deadline.left()
                words = f"{words} (and its fixup: {raised(fault)})"
        if self.settings.tool_errors == "raise":
            raise ToolError(f"{tool.name} failed: {words}", tool=tool.name) from problem
        raise NotRun(f"{tool.name} failed: {words}") from problem


def _parsed(call: ToolCall) -> dict[str, Any]:
    try:
        found = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError) as problem:
        raise NotRun(f"the arguments of {call.name} are not JSON: {fault_of(problem)}") from None
    if not isinstance(found, dict):
        raise NotRun(f"the arguments of {call.name} are a JSON object, not {call.arguments[:80]}")
    return found


def _mended(tool: Tool, fixup: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
    """What a tool's `fixup` says of a call that failed."""
    metadata = tool.options.get("metadata") or {}
    return at_once(fixup(tool.name, **{**metadata, **arguments}), f"the fixup of {tool.name}")


@contextmanager
def _keeping(kept: list[Outcome] | None) -> Iterator[list[Numbered | Inside]]:
    """Takes what is told of a group of calls, and keeps the outcomes, however it ends."""
    heard: list[Numbered | Inside] = []
    try:
        yield heard
    finally:
        if kept is not None:
            done = _in_order(heard)
            inside = [each.outcome for each in heard if isinstance(each, ToolFinished)]
            kept += [each for one in done for each in (one, *one.inside)] if done else inside


def _in_order(done: Iterable[Numbered | Inside]) -> list[Outcome]:
    """Outcomes by the numbers of their calls."""
    asked = [each for each in done if isinstance(each, tuple)]
    return [outcome for _, outcome in sorted(asked, key=lambda each: each[0])]
