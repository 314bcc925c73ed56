"""Tool lists that MCP servers give when they are asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any, Final

from aigen.runtime.mcp.client import close, listed
from aigen.runtime.mcp.servers import server_of

_SECONDS: Final = 60.0


def tools_list(name: str | None, described: Mapping[str, Any]) -> tuple[str, str]:
    """What a server calls itself, and its tools as the text of a saved `tools/list` result.

    Args:
        name: what it is called here, for messages; None where nobody said.
        described: as the setting `mcp_servers` has a server.

    Raises:
        ConfigurationError: the SDK, or a variable that holds a secret, is missing.
        ToolError: the server cannot be reached, is too slow, or gives no list of tools.
    """
    server = server_of(name or "that is asked", described)
    try:
        called, tools = asyncio.run(listed(server, _SECONDS))
    finally:
        close()
    return called, json.dumps({"tools": tools}, ensure_ascii=False, indent=2)


__all__ = ["tools_list"]
