"""Tool lists of MCP servers, as `tools/list` gives them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from aigen.diagnostics import Diagnostics
from aigen.importers.document import listed, member, named_items, read_document, text_of
from aigen.importers.foreign import is_data
from aigen.importers.tools import ForeignTool, schema_at, tools_text
from aigen.runtime.tools.annotations import HINTS
from aigen.spec.json_reader import read_json
from aigen.spec.nodes import Mapping, Node, Scalar, plain_value
from aigen.spec.source import decode

_KNOWN: Final = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")


def import_mcp(
    path: Path, diagnostics: Diagnostics, *, server: str | None = None, closed: bool = False
) -> str | None:
    """The spec of a saved list of an MCP server's tools.

    Args:
        path: of the list: the reply to `tools/list`, its result, its array, or one tool.
        diagnostics: takes what is wrong and what had to change, at its place in that file.
        server: what the server is called, for the key `mcp` of each tool.
        closed: whether an object that says nothing of other members has none.

    Returns:
        A spec that builds, as YAML; None where a finding is an error.
    """
    document = read_document(path, diagnostics)
    tools = [] if document is None else _tools(document, server, diagnostics)
    return tools_text(tools, path.as_posix(), path.name, diagnostics, closed=closed)


def import_mcp_server(
    listed: str, server: str, diagnostics: Diagnostics, *, closed: bool = False
) -> str | None:
    """The spec of the tools that an MCP server lists now.

    Args:
        listed: the result of `tools/list`, as JSON.
        server: what the server is called, for the key `mcp` of each tool.
        diagnostics: takes what is wrong and what had to change, at its place in that JSON.
        closed: as for `import_mcp`.
    """
    shown = f"tools/list of {server}"
    source = decode(listed.encode("utf-8", "backslashreplace"), shown, diagnostics)
    document = None if source is None else read_json(source, diagnostics)
    tools = [] if document is None else _tools(document, server, diagnostics)
    return tools_text(tools, shown, f"the MCP server {server}", diagnostics, closed=closed)


def _tools(document: Node, server: str | None, diagnostics: Diagnostics) -> list[ForeignTool]:
    """The tools of a saved `tools/list` reply, its result, its array, or of a single tool.

    Args:
        document: what was saved.
        server: what the server is called here, where the tools are to say it.
        diagnostics: takes what is wrong.
    """
    items = listed(document, ("result", "tools"), "MCP tool", diagnostics)
    return [
        _tool(name, item, server, diagnostics)
        for name, item in named_items(items, "MCP tool", diagnostics)
    ]


def _tool(name: str, item: Mapping, server: str | None, diagnostics: Diagnostics) -> ForeignTool:
    if member(item, "inputSchema") is None:
        diagnostics.report("AIG122", item.span, f"the tool {name} has no inputSchema")
    keys: dict[str, Any] = {
        "mcp": {"server": server, "tool": name} if server else {},
        "annotations": dict(_annotations(item, diagnostics)),
        "metadata": dict(_metadata(item, diagnostics)),
    }
    return ForeignTool(
        name,
        item.entries["name"].value.span,
        text_of(item, "description", diagnostics),
        schema_at(item, "inputSchema", name, diagnostics),
        schema_at(item, "outputSchema", name, diagnostics),
        {key: value for key, value in keys.items() if value},
    )


def _annotations(item: Mapping, diagnostics: Diagnostics) -> Iterator[tuple[str, Any]]:
    node = member(item, "annotations")
    if node is not None and not isinstance(node, Mapping):
        diagnostics.report("AIG121", node.span, "annotations is a mapping")
        return
    title = text_of(item, "title", diagnostics)
    title = title or (text_of(node, "title", diagnostics) if node is not None else None)
    if title:
        yield "title", title
    for hint, word in HINTS.items():
        value = member(node, hint) if node is not None else None
        if value is None:
            continue
        if not isinstance(value, Scalar) or not isinstance(value.value, bool):
            diagnostics.report("AIG121", value.span, f"{hint} is true or false")
        elif word != "destructive" or not _only_reads(node):
            # MCP: the hint means something only where the tool is not read-only.
            yield word, value.value


def _only_reads(annotations: Node | None) -> bool:
    value = member(annotations, "readOnlyHint") if annotations is not None else None
    return isinstance(value, Scalar) and value.value is True


def _metadata(item: Mapping, diagnostics: Diagnostics) -> Iterator[tuple[str, Any]]:
    """What a spec has no key for."""
    for key, entry in item.entries.items():
        if key in _KNOWN:
            continue
        if key.startswith("$") or not is_data(entry.value):
            diagnostics.report(
                "AIG140", entry.key.span, f"{key} has a key with $, so it is left out"
            )
        else:
            yield key, plain_value(entry.value)


__all__ = ["import_mcp", "import_mcp_server"]
