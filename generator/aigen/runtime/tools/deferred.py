"""Tools that a model finds by words before it may call them: `exposure: deferred`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from aigen.runtime.definition import FORMAT
from aigen.runtime.tool import AITool
from aigen.runtime.tools.calling import SEARCH
from aigen.runtime.tools.catalogue import line
from aigen.runtime.tools.context import ToolContext, ToolResult
from aigen.runtime.tools.offered import OfferedTool, Tool
from aigen.runtime.tools.search import LIMIT, Index

_DEFINITION: Final = json.dumps(
    {
        "format": FORMAT,
        "name": SEARCH,
        "module": "aigen",
        "description": "Finds tools by words. Those it finds can be called from then on.",
        "inputs": [
            {"name": "words", "shape": {"type": "string"}, "desc": "what the tool is to do"},
            {
                "name": "limit",
                "shape": {"type": "integer", "minimum": 1, "default": LIMIT},
                "optional": True,
            },
        ],
        "defaults": {"limit": {"value": LIMIT}},
        "context": ["ctx"],
        "python": "aigen.runtime.tools.deferred:search_tool",
        "annotations": {"read_only": True},
    }
)


class SearchTools(AITool[Any]):
    """The tool `search_tools`."""

    __aigen_leads_to__ = "deferred"

    def __call__(self, words: str, limit: int = LIMIT) -> Any:
        """Finds tools by words."""
        return self._call({"words": words, "limit": limit})


def search_tool(tools: Sequence[Tool]) -> OfferedTool:
    """The tool that finds those of some tools that are deferred, and available in the call."""
    waiting = [tool for tool in tools if tool.exposure == "deferred"]
    index = Index([tool.definition for tool in waiting])

    def search(ctx: ToolContext, words: str, limit: int = LIMIT) -> ToolResult:
        ranked = (waiting[at] for at in index.search(words, len(waiting)))
        found = list(islice((tool for tool in ranked if tool.is_available(_of(tool, ctx))), limit))
        text = "\n".join(line({**tool.definition, "name": tool.name}) for tool in found)
        return ToolResult(text or "no tool fits these words", value=[tool.name for tool in found])

    made = SearchTools(_DEFINITION, None, Any)
    made.implement(search)
    return OfferedTool(SEARCH, made)


def _of(tool: Tool, ctx: ToolContext) -> ToolContext:
    """The circumstances in which a tool is looked for, as those of its own."""
    return replace(ctx, tool=tool.name, namespace=tool.namespace)
