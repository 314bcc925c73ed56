"""A runner over some tools."""

from __future__ import annotations

from typing import Any

from aigen.runtime.setting_kinds import Settings
from aigen.runtime.tools.offered import offered
from aigen.runtime.tools.outcome import Outcome
from aigen.runtime.tools.running import Runner
from aigen.runtime.wire.deadline import Deadline
from aigen.runtime.wire.messages import ToolCall


def ran(*targets: Any, name: str, arguments: str = "{}", **settings: Any) -> Outcome:
    """What becomes of one call."""
    (outcome,) = runner(*targets, **settings).run([ToolCall("call_1", name, arguments)], 1, True)
    return outcome


def runner(*targets: Any, timeout: float = 30, **settings: Any) -> Runner:
    return Runner(offered(targets), "desk/answer", Settings(**settings), Deadline(timeout))
