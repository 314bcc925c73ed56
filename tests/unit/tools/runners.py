"""A runner over some tools, and a function that they may call."""

from __future__ import annotations

import json
from typing import Any

from aigen.runtime import AIFunction
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


def echo(**settings: Any) -> Any:
    """A function of one text."""
    definition = {
        "format": 1,
        "name": "echo",
        "module": "m",
        "description": "Say it again.",
        "inputs": [{"name": "text", "shape": {"type": "string"}}],
        "outputs": [{"name": "result", "shape": {"type": "string"}}],
        "layout": "1",
        "ids": {"interface": "", "version": ""},
    }
    made: Any = AIFunction(json.dumps(definition), Any, Any)
    return made.with_options(model="m", **settings)
