"""The tools that are available in one call: found out once, however often the call asks."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from aigen.runtime.setting_kinds import Settings
from aigen.runtime.tools.context import ToolContext
from aigen.runtime.tools.offered import Tool
from aigen.runtime.tools.threads import on_a_thread
from aigen.runtime.tools.work import Late, in_time

if TYPE_CHECKING:
    from aigen.runtime.wire.deadline import Deadline


class Available:
    """What a call may use of some tools.

    Args:
        tools: all of a function's.
        function: who asks, as `module/function`; None where it is no AI function.
        settings: of the call.
    """

    def __init__(self, tools: Sequence[Tool], function: str | None, settings: Settings) -> None:
        self._all = tools
        self._function = function
        self._settings = settings

    def context(self, tool: Tool) -> ToolContext:
        """The circumstances in which a tool is offered."""
        return ToolContext(
            tool.name,
            tool.namespace,
            self._function,
            settings=self._settings,
            context=self._settings.context or {},
        )

    @cached_property
    def tools(self) -> tuple[Tool, ...]:
        """Those that are available, in order."""
        return tuple(tool for tool in self._all if tool.is_available(self.context(tool)))

    @cached_property
    def schemas(self) -> Mapping[str, dict[str, Any]]:
        """The schemas of their arguments, by name.

        Raises:
            ConfigurationError: what gives a tool's parameters gives none.
        """
        return {tool.name: tool.schema(self.context(tool)) for tool in self.tools}

    def find_out(self, deadline: Deadline) -> None:
        """Asks code of the user's own, where some decides; on a thread, while there is time.

        Raises:
            DeadlineError: there is none left.
        """
        if not self._asks:
            return
        try:
            in_time(self._schemas, deadline.left())
        except Late as problem:
            deadline.passed(problem)

    async def afind_out(self, deadline: Deadline) -> None:
        """Like `find_out`, awaited."""
        if not self._asks:
            return
        try:
            async with asyncio.timeout(deadline.left()) as limit:
                await on_a_thread(self._schemas)
        except TimeoutError as problem:
            if limit.expired():
                deadline.passed(problem)
            raise

    @property
    def _asks(self) -> bool:
        return any(
            "available" in tool.options or "parameters" in tool.definition for tool in self._all
        )

    def _schemas(self) -> Mapping[str, dict[str, Any]]:
        return self.schemas


__all__ = ["Available"]
