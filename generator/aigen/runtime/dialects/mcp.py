"""The Model Context Protocol: https://modelcontextprotocol.io/specification/2025-11-25/server/tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from aigen.runtime.dialects.form import Form, Reply, ToolForm, wire_names
from aigen.runtime.tools.annotations import HINTS
from aigen.runtime.wire.plain import to_plain


def tool(form: ToolForm) -> Form:
    """`name, title, icons, description, inputSchema, outputSchema, annotations, _meta`.

    What an import kept as `metadata` because a spec has no key for it, `icons` and `_meta`, stands
    where it came from.
    """
    metadata = dict(form.options.get("metadata") or {})
    body: dict[str, Any] = {"name": form.name}
    title = form.annotations.get("title")
    if title:
        body["title"] = title
    if _are_icons(metadata.get("icons")):
        body["icons"] = metadata.pop("icons")
    body |= {"description": form.description, "inputSchema": form.parameters}
    if form.returns is not None:
        body["outputSchema"] = _output(form.returns)
    hints = {hint: form.annotations[key] for hint, key in HINTS.items() if key in form.annotations}
    if title:
        hints = {"title": title, **hints}
    if hints:
        body["annotations"] = hints
    if isinstance(metadata.get("_meta"), Mapping):
        metadata |= metadata.pop("_meta")
    if metadata:
        body["_meta"] = metadata
    return Form(body)


def _are_icons(value: Any) -> bool:
    """Whether it is a list of icons: each an object that says where its picture is."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(icon, Mapping) and isinstance(icon.get("src"), str) for icon in value)
    )


def _output(returns: dict[str, Any]) -> dict[str, Any]:
    """The schema of what a tool gives: the record itself, or an object of its `result`."""
    if is_wrapped(returns):
        return returns
    return {**_result(returns), **({"$defs": returns["$defs"]} if "$defs" in returns else {})}


def is_wrapped(returns: dict[str, Any]) -> bool:
    """Whether what a tool gives stands under `result`: a structured result is an object."""
    return _result(returns).get("type") != "object"


def _result(returns: dict[str, Any]) -> dict[str, Any]:
    """The schema of the result itself; a record's own, where it goes by its name."""
    result: dict[str, Any] = returns["properties"]["result"]
    name = str(result.get("$ref", "")).removeprefix("#/$defs/")
    record = returns.get("$defs", {}).get(name)
    if record is None:
        return result
    return {**record, **{key: result[key] for key in result if key != "$ref"}}


def tools(forms: Sequence[ToolForm]) -> Form:
    """The tools of a server's list."""
    shown = [form for form in forms if not form.in_code]
    names, problems = wire_names(shown)
    made = [tool(replace(form, name=names[at])).body for at, form in enumerate(shown)]
    return Form({"tools": made}, problems=problems)


def reply(reply: Reply) -> Form:
    """The schema of what a function gives as a tool: `outputSchema`."""
    return Form(to_plain(reply.schema))
