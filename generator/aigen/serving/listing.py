"""Which tools and AI functions of a package are served over MCP, and how they are listed."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

from aigen.runtime.dialects import mcp
from aigen.runtime.dialects.form import ToolForm
from aigen.runtime.errors import ConfigurationError
from aigen.runtime.function_like import FunctionLike
from aigen.runtime.tools.context import ToolContext
from aigen.runtime.tools.named import only_reads
from aigen.runtime.tools.offered import OfferedFunction, OfferedTool, Tool, offered
from aigen.runtime.wire.plain import to_plain


@dataclass(frozen=True, slots=True)
class Served:
    """A tool of the server.

    Attributes:
        tool: what is run.
        body: of the tool in `tools/list`.
        wrapped: whether its structured result stands under `result`; None where its spec does not
            say what it gives, so that there is none.
    """

    tool: Tool
    body: Mapping[str, Any]
    wrapped: bool | None


def functions_in(package: ModuleType) -> Iterator[FunctionLike]:
    """The tools and AI functions of a generated package, module by module."""
    modules = [package]
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        inside = found.name.removeprefix(package.__name__)
        if "._" not in inside:
            modules.append(importlib.import_module(found.name))
    for module in modules:
        for value in list(vars(module).values()):
            if isinstance(value, FunctionLike) and type(value).__module__ == module.__name__:
                yield value


def why_not(target: Any) -> str | None:
    """Why a tool or function is not served; None where it is."""
    definition = target.definition
    options = definition.get("options", {})
    if options.get("exposure") == "hidden":
        return "its exposure is hidden"
    if definition.get("bound"):
        return "it is a method, and no object is given to it"
    if definition.get("given"):
        return "its choices are given by the caller"
    if '"x-aigen-media"' in target._text:
        return "it takes media, which may name files of this machine"
    if "ids" not in definition and not _implemented(target):
        return "it is declared only"
    return None


def served(targets: Iterable[Any]) -> list[Served]:
    """Tools as MCP lists them, under the names that models call.

    Raises:
        ConfigurationError: two have one name, or a name is too long.
    """
    return [_listed(tool) for tool in offered(targets)]


def _implemented(tool: Any) -> bool:
    given = tool._implementation is not None or tool._remote is not None
    return given or any(way in tool.definition for way in ("python", "execute"))


def _listed(tool: Tool) -> Served:
    form = _function_form(tool) if isinstance(tool, OfferedFunction) else _tool_form(tool)
    body = mcp.tool(form).body
    wrapped = None if form.returns is None else mcp.is_wrapped(form.returns)
    body["inputSchema"] = {"type": "object", **body["inputSchema"]}
    return Served(tool, body, wrapped)


def _tool_form(tool: OfferedTool) -> ToolForm:
    form = ToolForm.of(tool.target.definition)
    try:
        schema = tool.schema(ToolContext(tool.name, tool.namespace))
    except Exception as problem:  # the schema may be given by a function of the project's own
        raise ConfigurationError(
            f"the parameters of {tool.name} are not known: {type(problem).__name__}: {problem}",
            code="tool",
        ) from problem
    return replace(form, name=tool.name, parameters=to_plain(schema))


def _function_form(tool: OfferedFunction) -> ToolForm:
    """An AI function as a tool: its effects are its tools', and it asks a model elsewhere."""
    from aigen.runtime.wire.adapters.layout import reply_schema

    definition = tool.target.definition
    schema = tool.schema(ToolContext(tool.name, tool.namespace))
    reply = reply_schema(definition)
    if "result" not in reply["properties"]:
        defs = reply.pop("$defs", {})
        reply = {"type": "object", "properties": {"result": reply}, "required": ["result"]}
        reply |= {"$defs": defs} if defs else {}
    return ToolForm(
        tool.name,
        definition["module"],
        definition["description"],
        schema,
        to_plain(schema),
        to_plain(reply),
        {"read_only": only_reads(tool.target), "open_world": True},
        {},
    )


__all__ = ["Served", "functions_in", "served", "why_not"]
