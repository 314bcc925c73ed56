"""What a tool is given beside the model's arguments, and what it may give back."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aigen.runtime.setting_kinds import Settings
from aigen.runtime.tools.tokens import Kind, tokens

_logger = logging.getLogger("aigen.tools")


@dataclass(frozen=True, slots=True)
class ToolContext:
    """The circumstances of one tool call.

    A parameter annotated with it is given it, and never shown to the model; `execute` functions
    and the callables of `risk`, `available` and `policies` take it as `ctx`.

    Attributes:
        tool: as the model calls it.
        namespace: of the tool.
        function: the AI function that asks for it; None where your own code calls it.
        call_id: the id that the model gave the call.
        step: the request of the call that asked for it, from 1.
        deadline: when the whole call must be done, on `time.monotonic()`'s clock; None without one.
        settings: of the call.
        context: the caller's own: user, tenant, database (the setting `context`).
    """

    tool: str
    namespace: str = ""
    function: str | None = None
    call_id: str | None = None
    step: int = 0
    deadline: float | None = None
    settings: Settings = field(default_factory=Settings)
    context: Mapping[str, Any] = field(default_factory=dict)

    @property
    def seconds_left(self) -> float | None:
        """Until the deadline; None without one."""
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())

    def tokens(self, text: str, kind: Kind = "prose") -> int:
        """An estimate of the tokens of a text."""
        return tokens(text, kind)

    def log(self, message: str, *args: object) -> None:
        """Writes to the logger `aigen.tools`, with the tool's name before it."""
        _logger.info(f"%s: {message}", self.tool, *args)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gives where a plain value is not enough.

    Attributes:
        text: what the model reads; None where it reads `value`.
        value: for code that calls the tool, and for the call log.
        images: for models that see.
        details: kept with the call, never sent.
        is_error: whether the model is told that it failed.
    """

    text: str | None = None
    value: Any = None
    images: Sequence[Any] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    is_error: bool = False
