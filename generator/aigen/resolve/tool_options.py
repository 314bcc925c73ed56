"""The options of a tool: the keys of its spec that the runtime reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from aigen.diagnostics import nearest
from aigen.ir import Field
from aigen.ir.model import Json
from aigen.resolve.binding import FAILED, entries
from aigen.resolve.home import Home
from aigen.resolve.http_tools import read_http
from aigen.resolve.python_signature import Signature
from aigen.resolve.tool_source import injected
from aigen.resolve.words import quoted
from aigen.runtime.mcp.servers import is_name
from aigen.runtime.tools.annotations import FLAGS, HINTS, NAMESPACE, RESERVED
from aigen.runtime.tools.risk import RISKS
from aigen.runtime.values import fits, located
from aigen.spec import nodes, tree
from aigen.spec.nodes import Node, plain_value
from aigen.spec.tree import FieldSpec, ShapeOf, Text, ToolSpec

_APPROVALS: Final = ("never", "changes", "always")
_ANNOTATIONS: Final = ("title", *FLAGS, *HINTS)
_MCP: Final[Mapping[str, str]] = {
    "server": "the name of a server",
    "tool": "what the server calls the tool",
}
_CALLABLES: Final = ("fixup", "available")


def read_options(
    home: Home, spec: ToolSpec, parameters: Sequence[Field], source: Signature | None
) -> dict[str, Json]:
    """The keys of a tool's spec that are not its own, checked.

    Args:
        home: the module.
        spec: the tool.
        parameters: all of them, their values bound.
        source: what the implementation's source says, where it was read.
    """
    checks: Mapping[str, Callable[[Home, Node], Json]] = {
        "namespace": _namespace,
        "risk": _risk,
        "approve": _approve,
        "strict": _strict,
        "annotations": _annotations,
        "timeout": _timeout,
        "output_tokens": _output_tokens,
        "mcp": _mcp,
    }
    found: dict[str, Json] = {}
    for name, node in spec.options.items():
        if name in checks:
            value = checks[name](home, node)
        elif name in _CALLABLES:
            text = Text(str(plain_value(node)), node.span)
            value = text.value if home.callables.check_called(text, name) else FAILED
        elif name == "http":
            value = read_http(home, node, _names(spec, parameters))
        elif name == "inject":
            value = _inject(home, node, spec, parameters, source)
        elif name == "examples":
            value = _examples(home, node, spec, parameters, source)
        else:
            value = plain_value(node)
            if name == "guidelines" and isinstance(value, str):
                value = [value]
        if value is not FAILED:
            found[name] = value
    return found


def _names(spec: ToolSpec, parameters: Sequence[Field]) -> list[str] | None:
    """What the tool's arguments are called; None where only a call knows."""
    if isinstance(spec.parameters, tree.Call):
        return None
    if isinstance(spec.parameters, ShapeOf):
        schema = plain_value(spec.parameters.schema)
        properties = schema.get("properties") if isinstance(schema, dict) else None
        return [*properties] if isinstance(properties, dict) else None
    return [*(field.name for field in parameters), *injected(spec)]


def _namespace(home: Home, node: Node) -> Json:
    value = plain_value(node)
    if not isinstance(value, str) or not NAMESPACE.fullmatch(value):
        return wrong(home, node, "a namespace is letters, digits, _ and ., a letter first")
    for part in value.split("."):
        if part in RESERVED:
            return wrong(home, node, f"{part} is a reserved member; a namespace is another name")
    return value


def _risk(home: Home, node: Node) -> Json:
    value = plain_value(node)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 4:
        return value
    if isinstance(value, str) and value in RISKS:
        return RISKS.index(value)
    return _callable_or(
        home, node, f"risk is 0 to 4, one of {', '.join(RISKS)}, or pkg.mod:func", RISKS
    )


def _approve(home: Home, node: Node) -> Json:
    value = plain_value(node)
    if value in _APPROVALS:
        return value
    return _callable_or(
        home, node, f"approve is {', '.join(_APPROVALS)}, or pkg.mod:func", _APPROVALS
    )


def _callable_or(home: Home, node: Node, wanted: str, known: Sequence[str]) -> Json:
    value = plain_value(node)
    if isinstance(value, str) and (":" in value or "." in value):
        return value if home.callables.check(Text(value, node.span)) else FAILED
    close = nearest(value, known) if isinstance(value, str) else None
    return wrong(home, node, wanted, f"did you mean {close}?" if close else None)


def _strict(home: Home, node: Node) -> Json:
    value = plain_value(node)
    if isinstance(value, bool) or value == "auto":
        return value
    return wrong(home, node, "strict is auto, true or false")


def _timeout(home: Home, node: Node) -> Json:
    value = plain_value(node)
    if isinstance(value, int | float) and value > 0:
        return value
    return wrong(home, node, "timeout is seconds, more than 0")


def _output_tokens(home: Home, node: Node) -> Json:
    value = plain_value(node)
    if isinstance(value, int) and value > 0:
        return value
    return wrong(home, node, "output_tokens is a whole number, more than 0")


def _mcp(home: Home, node: Node) -> Json:
    """The server's name and its tool's, with what the project says of that server."""
    rows = entries(node) or {}
    for name, (span, _) in rows.items():
        if name not in _MCP:
            close = nearest(name, _MCP)
            hint = f"did you mean {close}?" if close else f"known: {', '.join(_MCP)}"
            home.diagnostics.report("AIG405", span, f"mcp has no key {name}", hint=hint)
            return FAILED
    found: dict[str, Json] = {}
    for key, what in _MCP.items():
        place = rows[key][1] if key in rows else node
        value = plain_value(place) if key in rows else None
        if not isinstance(value, str) or not (is_name(value) if key == "server" else value):
            hint = "write mcp: {server: desk, tool: look}"
            if key == "server" and isinstance(value, str) and "://" in value:
                hint = f'name it, and write [tool.aigen.mcp_servers.NAME] url = "{value}"'
            return wrong(home, place, f"mcp.{key} is {what}", hint)
        found[key] = value
    servers = home.configured.get("mcp_servers")
    if isinstance(servers, Mapping) and found["server"] in servers:
        found["at"] = servers[str(found["server"])]
    return found


def _annotations(home: Home, node: Node) -> Json:
    found: dict[str, Json] = {}
    for name, (span, value) in (entries(node) or {}).items():
        if name not in _ANNOTATIONS:
            close = nearest(name, _ANNOTATIONS)
            hint = f"did you mean {close}?" if close else f"known: {', '.join(_ANNOTATIONS[:6])}"
            home.diagnostics.report("AIG406", span, f"there is no annotation {name}", hint=hint)
            continue
        plain = plain_value(value)
        key = HINTS.get(name, name)
        if not isinstance(plain, str if key == "title" else bool):
            wrong(home, value, f"{name} is {'a text' if key == 'title' else 'true or false'}")
        elif key in found:
            home.diagnostics.report(
                "AIG406", span, f"{name} and {key} say the same", hint=f"leave {name} out"
            )
        else:
            found[key] = plain
    if found.get("read_only") and found.get("destructive"):
        home.diagnostics.report(
            "AIG406", node.span, "what only reads destroys nothing", hint="leave one of them out"
        )
    return found


def _inject(
    home: Home, node: Node, spec: ToolSpec, parameters: Sequence[Field], source: Signature | None
) -> Json:
    known = source.parameters if source is not None else ()
    names = [field.name for field in (*parameters, *known)]
    items = node.items if isinstance(node, nodes.Sequence) else (node,)
    for item in items:
        value = plain_value(item)
        if value not in names and _knows_all(spec, source):
            close = nearest(str(value), names)
            home.diagnostics.report(
                "AIG407",
                item.span,
                f"inject names {value}, which is no parameter",
                hint=f"did you mean {close}?" if close else "add it to parameters",
            )
    return [str(plain_value(item)) for item in items]


def _knows_all(spec: ToolSpec, source: Signature | None) -> bool:
    """Whether the names of all parameters are known: listed, or read from the source."""
    if spec.parameters is None:
        return source is not None and not source.open
    return parameters_written(spec) is not None


def _examples(
    home: Home, node: Node, spec: ToolSpec, parameters: Sequence[Field], source: Signature | None
) -> Json:
    if not isinstance(node, nodes.Sequence):
        return wrong(home, node, "examples is a list of argument objects")
    if isinstance(spec.parameters, ShapeOf):
        return _of_shape(home, node, plain_value(spec.parameters.schema))
    if not _knows_all(spec, source):
        return [plain_value(item) for item in node.items]
    hidden = injected(spec)
    offered = [field for field in parameters if field.name not in hidden]
    found = [_example(home, item, offered) for item in node.items]
    return [example for example in found if example is not FAILED]


def _of_shape(home: Home, node: nodes.Sequence, schema: Json) -> Json:
    """Examples of a tool whose parameters are a JSON Schema."""
    whole = {**schema, "x-aigen-shape": True} if isinstance(schema, dict) else {}
    found: list[Json] = []
    for item in node.items:
        misfit = fits(plain_value(item), whole)
        if misfit is None:
            found.append(plain_value(item))
            continue
        place = located("the example", misfit.path)
        home.diagnostics.report("AIG408", item.span, f"{place} wants {misfit.expected}")
    return found


def _example(home: Home, node: Node, parameters: Sequence[Field]) -> Json:
    rows = entries(node)
    if rows is None:
        return wrong(home, node, "an example is a mapping of arguments")
    by_name = {field.name: field for field in parameters}
    found: dict[str, Json] = {}
    for name, (span, value) in rows.items():
        field = by_name.get(name)
        if field is None:
            close = nearest(name, by_name)
            home.diagnostics.report(
                "AIG408",
                span,
                f"example gives {name}, which is no parameter",
                hint=f"did you mean {close}?" if close else "leave it out",
            )
            continue
        bound = home.binding.value(value, field.type, f"example's {name}", "AIG408")
        if bound is not FAILED:
            found[name] = bound
    for field in parameters:
        if not field.optional and field.name not in rows:
            home.diagnostics.report(
                "AIG408",
                node.span,
                f"example has no {field.name}, which the tool requires",
                hint=f"add {field.name}",
            )
    return found


def wrong(home: Home, node: Node, wanted: str, hint: str | None = None) -> Json:
    """Reports an option's value that is not what the option takes."""
    home.diagnostics.report(
        "AIG405", node.span, f"{wanted}, not {quoted(plain_value(node))}", hint=hint
    )
    return FAILED


def parameters_written(spec: ToolSpec) -> tuple[FieldSpec, ...] | None:
    """The parameters that stand in the spec as fields."""
    if spec.parameters is None or isinstance(spec.parameters, ShapeOf | tree.Call):
        return None
    return spec.parameters
