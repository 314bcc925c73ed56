"""What an MCP server's answer to a call means as a tool's result."""

from __future__ import annotations

import json
from typing import Any, Final

from aigen.runtime.errors import ToolError
from aigen.runtime.tools.context import ToolResult
from aigen.runtime.values.media import Image

MOST_BYTES: Final = 16_000_000
"""Of an answer; a model reads far less."""


def value_of(result: Any, tool: str, typed: bool) -> Any:
    """What a tool gave.

    Args:
        result: the SDK's `CallToolResult`.
        tool: its name, for errors.
        typed: whether the tool's spec says what it returns.

    Returns:
        The structured result where there is one, else the text; the JSON in the text where the
        spec says what is returned and the server is older than structured results; a `ToolResult`
        where there are images and the spec does not say what is returned.

    Raises:
        ToolError: the server says that the tool failed, or gives more than `MOST_BYTES`.
    """
    text = "\n".join(map(_said, result.content))
    size = len(text) + sum(len(block.data) for block in _images(result))
    if size > MOST_BYTES:
        raise ToolError(
            f"{tool} gave {size:,} characters, and {MOST_BYTES:,} is the most", tool=tool
        )
    if result.is_error:
        raise ToolError(text or f"{tool} failed, and its server does not say why", tool=tool)
    if result.structured_content is not None:
        return result.structured_content
    if not typed:
        images = [Image(f"data:{block.mime_type};base64,{block.data}") for block in _images(result)]
        return ToolResult(text, images=images) if images else text or None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _images(result: Any) -> list[Any]:
    return [block for block in result.content if block.type == "image"]


def _said(block: Any) -> str:
    """A block of content as text; what is none by what it is."""
    match block.type:
        case "text":
            return str(block.text)
        case "resource_link":
            return str(block.uri)
        case "resource" if getattr(block.resource, "text", None) is not None:
            return str(block.resource.text)
        case "resource":
            return f"({block.resource.mime_type or 'data'} at {block.resource.uri})"
    return f"({block.type}, {block.mime_type})"


__all__ = ["MOST_BYTES", "value_of"]
