"""Tool arrays of OpenAI's APIs: of chat completions, of responses, and of the older `functions`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from aigen.diagnostics import Diagnostics
from aigen.importers.document import listed, member, named_items, read_document, text_of
from aigen.importers.foreign import rewritten
from aigen.importers.tools import ForeignTool, schema_at, tools_text
from aigen.resolve.shape_keywords import ELSEWHERE
from aigen.spec.nodes import Entry, Mapping, Node, Scalar, Sequence


def import_openai(path: Path, diagnostics: Diagnostics, *, closed: bool = False) -> str | None:
    """The spec of a tool array as OpenAI's APIs take it; arguments as of `mcp.import_mcp`."""
    document = read_document(path, diagnostics)
    tools = [] if document is None else _tools(document, diagnostics)
    return tools_text(tools, path.as_posix(), path.name, diagnostics, closed=closed)


def _tools(document: Node, diagnostics: Diagnostics) -> list[ForeignTool]:
    """The tools of an array, of a request that holds one, or a single tool.

    Args:
        document: what was saved.
        diagnostics: takes what is wrong, and tools that no spec describes.
    """
    inside = "tools" if member(document, "tools") is not None else "functions"
    items = listed(document, (inside,), "tool", diagnostics)
    functions = [each for item in items for each in _functions(item, diagnostics)]
    return [
        _tool(name, item, diagnostics) for name, item in named_items(functions, "tool", diagnostics)
    ]


def _functions(item: Node, diagnostics: Diagnostics) -> list[Node]:
    """The functions that an item of the array declares: one, those of a namespace, or none."""
    if not isinstance(item, Mapping):
        return [item]
    kind = text_of(item, "type", diagnostics)
    if kind == "namespace":
        return listed(item, ("tools",), "tool", diagnostics)
    if kind not in (None, "function"):
        diagnostics.report(
            "AIG140", item.span, f"a tool of type {kind} is the provider's own, and left out"
        )
        return []
    return [member(item, "function") or item]


def _tool(name: str, item: Mapping, diagnostics: Diagnostics) -> ForeignTool:
    strict = member(item, "strict")
    keys: dict[str, Any] = {}
    if isinstance(strict, Scalar) and strict.value is False:
        keys["strict"] = False
    plain = item._replace(entries={k: _in_our_words(k, e) for k, e in item.entries.items()})
    return ForeignTool(
        name,
        item.entries["name"].value.span,
        text_of(item, "description", diagnostics),
        schema_at(plain, "parameters", name, diagnostics),
        schema_at(plain, "output_schema", name, diagnostics, an_object=False),
        keys,
    )


_SCHEMAS: Final = ("parameters", "output_schema")


def _in_our_words(key: str, entry: Entry) -> Entry:
    return entry._replace(value=rewritten(entry.value, _dialect)) if key in _SCHEMAS else entry


def _dialect(schema: Mapping) -> Mapping:
    """A schema without Python's words for types, which many tool lists have."""
    entries = dict(schema.entries)
    kind = entries.get("type")
    if kind is not None:
        value = _type(kind.value)
        if value is None:
            del entries["type"]
        else:
            entries["type"] = kind._replace(value=value)
    optional = entries.get("optional")
    if optional is not None and isinstance(optional.value, Scalar):
        # A flag beside `required`, of which JSON Schema knows nothing.
        del entries["optional"]
    return schema._replace(entries=entries)


def _type(node: Node) -> Node | None:
    if isinstance(node, Sequence):
        return node._replace(items=tuple(_type(item) or item for item in node.items))
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        return node
    if node.value in ("any", "Any"):
        return None
    return node._replace(value=ELSEWHERE.get(node.value.lower(), node.value))


__all__ = ["import_openai"]
