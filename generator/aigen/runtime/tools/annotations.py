"""What a tool says of itself: namespaces, and annotations by our names and by those of MCP."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

NAMESPACE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.]*")
RESERVED: Final = ("search", "help", "describe")
"""Members that a namespace has of its own."""
FLAGS: Final = ("read_only", "destructive", "idempotent", "open_world", "requires_user")
HINTS: Final[Mapping[str, str]] = {
    "readOnlyHint": "read_only",
    "destructiveHint": "destructive",
    "idempotentHint": "idempotent",
    "openWorldHint": "open_world",
}
"""Flags by the name that MCP has for them: `ToolAnnotations` of its specification."""

__all__ = ["FLAGS", "HINTS", "NAMESPACE", "RESERVED"]
