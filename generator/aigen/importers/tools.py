"""Tools that others described, as the tools of a spec."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aigen.diagnostics import Diagnostics, Span
from aigen.importers.document import member
from aigen.importers.fields import Fields
from aigen.importers.foreign import checked
from aigen.importers.names import Names, is_tool_name
from aigen.importers.proof import proved
from aigen.resolve.words import quoted
from aigen.spec import nodes
from aigen.spec.nodes import Json, Node, plain_value
from aigen.spec.source import whole


@dataclass(frozen=True, slots=True)
class ForeignTool:
    """A tool as it was described elsewhere.

    Attributes:
        name: what it is called there.
        span: where it stands.
        description: its words.
        parameters: the JSON Schema of its arguments, checked, as plain data.
        returns: that of its result, checked.
        keys: further keys of a spec's tool.
    """

    name: str
    span: Span
    description: str | None = None
    parameters: Json = None
    returns: Json = None
    keys: Mapping[str, Any] = field(default_factory=dict)


def schema_at(
    item: Node, key: str, name: str, diagnostics: Diagnostics, *, an_object: bool = True
) -> Json:
    """A schema that a tool has under a key, checked; None where it has none or a wrong one."""
    node = member(item, key)
    if node is None:
        return None
    kind = node.entries.get("type") if isinstance(node, nodes.Mapping) else None
    other = an_object and kind is not None and plain_value(kind.value) != "object"
    if not isinstance(node, nodes.Mapping) or other:
        diagnostics.report(
            "AIG404",
            node.span,
            f"{key} of {name} describes no object",
            hint="write type: object and properties",
        )
        return None
    return checked(node, name, diagnostics)


def tools_text(
    tools: Sequence[ForeignTool], shown: str, title: str, diagnostics: Diagnostics, *, closed: bool
) -> str | None:
    """The spec of tools, as `aigen.importers.proof` proves it.

    Args:
        tools: as described elsewhere.
        shown: the document that describes them, as messages show it.
        title: the same, as the spec's description says it.
        diagnostics: takes what is wrong, at its place in that document.
        closed: whether an object that says nothing of other members has none.
    """
    if not tools and not diagnostics.failed:
        diagnostics.report("AIG121", whole(shown), f"{shown} has no tool of one's own")
    if diagnostics.failed:
        return None
    return proved(
        lambda kept: _spec(
            tools,
            kept,
            title=f"Tools of {title}.",
            closed=closed,
            diagnostics=diagnostics,
        ),
        tools[0].span,
        diagnostics,
    )


def _spec(
    tools: Sequence[ForeignTool],
    whole: Container[str],
    *,
    title: str,
    closed: bool,
    diagnostics: Diagnostics,
) -> dict[str, Any]:
    """A spec that declares tools.

    Args:
        tools: as described elsewhere.
        whole: keys of the tools whose schemas stay JSON Schemas.
        title: the spec's description.
        closed: whether an object that says nothing of other members has none.
        diagnostics: takes names that had to change.
    """
    names = Names()
    called = [names.of_tool(tool.name) for tool in tools]
    types: dict[str, Any] = {}
    shared: dict[str, str] = {}
    made = {}
    for (key, name), tool in zip(called, tools, strict=True):
        form = _Form(key, names, types, shared, closed, key in whole)
        made[key] = _tool(tool, name, form)
        if name != tool.name:
            why = "is there twice" if is_tool_name(tool.name) else "is no name of a tool here"
            diagnostics.report(
                "AIG140", tool.span, f"{quoted(tool.name)} {why}; models call it {name}"
            )
    found = {"aigen": 1, "description": title, "types": types, "tools": made}
    return {key: value for key, value in found.items() if value != {}}


@dataclass(frozen=True, slots=True)
class _Form:
    """How one tool is written: its key, where types go, and whether its schemas stay whole.

    Attributes:
        shared: the types by what they mean.
    """

    key: str
    names: Names
    types: dict[str, Any]
    shared: dict[str, str]
    closed: bool
    whole: bool

    def fields(self, schema: Any) -> Fields:
        return Fields(schema, self.names, self.key, closed=self.closed, shared=self.shared)

    def keep(self, fields: Fields, found: Any) -> None:
        """Declares the types that a tool's fields refer to; further tools may refer to them too."""
        kept = fields.used(found)
        self.types.update(kept)
        self.shared.update({fields.meanings[name]: name for name in kept})


def _tool(tool: ForeignTool, name: str, form: _Form) -> dict[str, Any]:
    keys = dict(tool.keys)
    if name != tool.name:
        keys["metadata"] = {"original_name": tool.name, **keys.get("metadata", {})}
    made: dict[str, Any] = {"name": name} if name != form.key else {}
    if tool.description:
        made["description"] = tool.description
    made["parameters"] = {} if tool.parameters is None else _parameters(tool.parameters, form)
    if tool.returns is not None:
        made["returns"] = _returns(tool.returns, form)
    return {**made, **keys}


def _parameters(schema: Any, form: _Form) -> dict[str, Any]:
    if not form.whole:
        fields = form.fields(schema)
        found = fields.members()
        if found is not None:
            form.keep(fields, {"record": found})
            return found
    return {"json_shape": schema}


def _returns(schema: Any, form: _Form) -> dict[str, Any]:
    if form.whole:
        return {"json_shape": schema}
    fields = form.fields(schema)
    found = fields.document()
    found.pop("default", None)
    form.keep(fields, found)
    return found


__all__ = ["ForeignTool", "schema_at", "tools_text"]
