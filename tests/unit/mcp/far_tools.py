"""A tool as a generated module has it, of a server that does one thing wrong."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from aigen.runtime import AITool

HOSTILE = str(Path(__file__).with_name("hostile.py"))


class Look(AITool[Any]):
    """A tool as a generated module has it."""

    def __call__(self, **arguments: Any) -> Any:
        return self._call(arguments)

    async def aio(self, **arguments: Any) -> Any:
        return await self._acall(arguments)


def described(how: str, **more: Any) -> dict[str, Any]:
    return {"command": [sys.executable, HOSTILE, how], **more}


def look(returns: Any = None, **more: Any) -> Look:
    """The tool `look`, whose server nothing describes yet."""
    definition = {
        "format": 1,
        "name": "look",
        "module": "desk",
        "description": "Look a word up.",
        "inputs": [{"name": "word", "shape": {"type": "string"}, "optional": True}],
        "options": {"mcp": {"server": "far", "tool": "look"}, **more},
    }
    if returns is not None:
        definition["output"] = {"name": "result", "shape": {"type": "object"}}
    return Look(json.dumps(definition), None, returns or Any)
