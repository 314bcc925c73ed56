"""The tools that are available in one call: found out once, however often the call asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from aigen.runtime.setting_kinds import Settings
from aigen.runtime.tools.context import ToolContext
from aigen.runtime.tools.offered import Tool
from aigen.runtime.tools.threads import on_a_thread
from aigen.runtime.tools.work import Late, awaited_in_time, in_time

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
        self.settings = settings
        # Not `cached_property`: before Python 3.12 all objects of a class share its one lock, and
        # code of the user's own that takes its time would hold up every other call.
        self._tools: tuple[Tool, ...] | None = None
        self._schemas: Mapping[str, dict[str, Any]] | None = None

    def context(self, tool: Tool) -> ToolContext:
        """The circumstances in which a tool is offered."""
        return ToolContext(
            tool.name,
            tool.namespace,
            self._function,
            settings=self.settings,
            context=self.settings.context or {},
        )

    @property
    def tools(self) -> tuple[Tool, ...]:
        """Those that are available, in order."""
        if self._tools is None:
            self._tools = tuple(t for t in self._all if t.is_available(self.context(t)))
        return self._tools

    @property
    def schemas(self) -> Mapping[str, dict[str, Any]]:
        """The schemas of their arguments, by name.

        Raises:
            ConfigurationError: what gives a tool's parameters gives none.
        """
        if self._schemas is None:
            self._schemas = {tool.name: tool.schema(self.context(tool)) for tool in self.tools}
        return self._schemas

    def find_out(self, deadline: Deadline) -> None:
        """Asks code of the user's own, where some decides; on a thread, while there is time.

        Raises:
            DeadlineError: there is none left.
        """
        if not self.asks:
            return
        try:
            in_time(lambda: self.schemas, deadline.left())
        except Late as problem:
            deadline.passed(problem)

    async def afind_out(self, deadline: Deadline) -> None:
        """Like `find_out`, awaited."""
        if not self.asks:
            return
        try:
            await awaited_in_time(lambda: on_a_thread(lambda: self.schemas), deadline.left())
        except Late as problem:
            deadline.passed(problem)

    @property
    def asks(self) -> bool:
        """Whether code of the user's own decides."""
        return any(
            "available" in tool.options or "parameters" in tool.definition for tool in self._all
        )


__all__ = ["Available"]
