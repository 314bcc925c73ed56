"""Specs from what exists: MCP servers, tool lists, OpenAPI, JSON Schemas, Python modules.

What comes out judges values as what went in does. Where a spec's fields say the same as a JSON
Schema, they take its place; where they do not, it stays. Nothing that strangers wrote names a
callable or a file of the spec's own.
"""

from __future__ import annotations

from pathlib import Path

from aigen.diagnostics import Diagnostics
from aigen.importers.document import read_document
from aigen.importers.json_schema import schema_document, schema_text
from aigen.importers.mcp import mcp_tools
from aigen.importers.openai import openai_tools
from aigen.importers.openapi import Wish, import_openapi
from aigen.importers.proof import proved
from aigen.importers.python import import_python
from aigen.importers.tools import ForeignTool, tools_spec
from aigen.spec.json_reader import read_json
from aigen.spec.source import decode, whole

__all__ = [
    "Wish",
    "import_json_schema",
    "import_mcp",
    "import_mcp_server",
    "import_openai",
    "import_openapi",
    "import_python",
]


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
    tools = [] if document is None else mcp_tools(document, server, diagnostics)
    return _tools(tools, path.as_posix(), path.name, closed, diagnostics)


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
    tools = [] if document is None else mcp_tools(document, server, diagnostics)
    return _tools(tools, shown, f"the MCP server {server}", closed, diagnostics)


def import_openai(path: Path, diagnostics: Diagnostics, *, closed: bool = False) -> str | None:
    """The spec of a tool array as OpenAI's APIs take it; arguments as for `import_mcp`."""
    document = read_document(path, diagnostics)
    tools = [] if document is None else openai_tools(document, diagnostics)
    return _tools(tools, path.as_posix(), path.name, closed, diagnostics)


def import_json_schema(path: Path, diagnostics: Diagnostics, *, closed: bool = False) -> str | None:
    """The spec of a JSON Schema file's types; arguments as for `import_mcp`."""
    document = read_document(path, diagnostics)
    read = None if document is None else schema_document(document, path, diagnostics)
    return None if read is None else schema_text(read, path, diagnostics, closed=closed)


def _tools(
    tools: list[ForeignTool], shown: str, title: str, closed: bool, diagnostics: Diagnostics
) -> str | None:
    if not tools and not diagnostics.failed:
        diagnostics.report("AIG121", whole(shown), f"{shown} has no tool of one's own")
    if diagnostics.failed:
        return None
    return proved(
        lambda kept: tools_spec(
            tools,
            kept,
            title=f"Tools of {title}.",
            closed=closed,
            diagnostics=diagnostics,
        ),
        tools[0].span,
        diagnostics,
    )
