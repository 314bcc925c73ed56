"""What generated code imports: typed functions over one shared client.

Importing it imports neither the SDK nor asyncio; names that only some programs use come when they
are asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aigen.runtime import errors
from aigen.runtime.definition import require_format
from aigen.runtime.function import AIFunction
from aigen.runtime.values.unset import UNSET

if TYPE_CHECKING:
    from aigen.runtime import testing
    from aigen.runtime.columns.given import Column, Same, same
    from aigen.runtime.columns.results import Results
    from aigen.runtime.layers import configure, override, settings
    from aigen.runtime.record.call import Call
    from aigen.runtime.record.calls import calls, on_call
    from aigen.runtime.record.ratings import rate, rated
    from aigen.runtime.tool import AITool
    from aigen.runtime.tools.context import ToolContext, ToolResult
    from aigen.runtime.values.media import Audio, File, Image
    from aigen.runtime.wire import events
    from aigen.runtime.wire.local import is_installed as local_is_installed
    from aigen.runtime.wire.messages import Reply, Request, Usage
    from aigen.runtime.wire.stream import AsyncStream, Stream

__all__ = [
    "UNSET",
    "AIFunction",
    "AITool",
    "AsyncStream",
    "Audio",
    "Call",
    "Column",
    "File",
    "Image",
    "Reply",
    "Request",
    "Results",
    "Same",
    "Stream",
    "ToolContext",
    "ToolResult",
    "Usage",
    "calls",
    "configure",
    "errors",
    "events",
    "local_is_installed",
    "on_call",
    "override",
    "rate",
    "rated",
    "require_format",
    "same",
    "settings",
    "testing",
]

_LATER = {
    "AITool": (".tool", "AITool"),
    "AsyncStream": (".wire.stream", "AsyncStream"),
    "Audio": (".values.media", "Audio"),
    "Call": (".record.call", "Call"),
    "Column": (".columns.given", "Column"),
    "File": (".values.media", "File"),
    "Image": (".values.media", "Image"),
    "Reply": (".wire.messages", "Reply"),
    "Request": (".wire.messages", "Request"),
    "Results": (".columns.results", "Results"),
    "Same": (".columns.given", "Same"),
    "Stream": (".wire.stream", "Stream"),
    "ToolContext": (".tools.context", "ToolContext"),
    "ToolResult": (".tools.context", "ToolResult"),
    "Usage": (".wire.messages", "Usage"),
    "calls": (".record.calls", "calls"),
    "configure": (".layers", "configure"),
    "events": (".wire.events", ""),
    "local_is_installed": (".wire.local", "is_installed"),
    "on_call": (".record.calls", "on_call"),
    "override": (".layers", "override"),
    "rate": (".record.ratings", "rate"),
    "rated": (".record.ratings", "rated"),
    "same": (".columns.given", "same"),
    "settings": (".layers", "settings"),
    "testing": (".testing", ""),
}


if not TYPE_CHECKING:  # else every slip would be a name to a type checker

    def __getattr__(name: str) -> Any:
        """A name that was not needed before now (PEP 562)."""
        place = _LATER.get(name)
        if place is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import importlib

        module = importlib.import_module(place[0], __name__)
        found = getattr(module, place[1]) if place[1] else module
        # `settings` is also a module of this package, which its import puts here; the name wins.
        globals()[name] = found
        return found
