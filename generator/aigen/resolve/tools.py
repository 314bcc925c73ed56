"""Tools: their names, parameters, and every key of the format's table."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from aigen.diagnostics import Span, nearest
from aigen.ir import Field, Shape, Tool
from aigen.ir.model import Json
from aigen.resolve.binding import FAILED, entries
from aigen.resolve.home import Home
from aigen.resolve.names import camel, class_key, value_key
from aigen.resolve.python_functions import Signature
from aigen.resolve.tool_source import Parameter, parameters_of, source_of
from aigen.resolve.words import quoted
from aigen.spec import nodes, tree
from aigen.spec.nodes import Node, plain_value
from aigen.spec.tree import FieldSpec, ShapeOf, Text, ToolSpec

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_NAMESPACE = re.compile(r"[A-Za-z][A-Za-z0-9_.]*")
_RESERVED: Final = ("search", "help", "describe")
_RISKS: Final = ("read", "local", "change", "dangerous", "critical")
_APPROVALS: Final = ("never", "changes", "always")
_FLAGS: Final = ("read_only", "destructive", "idempotent", "open_world", "requires_user")
_MCP_NAMES: Final[Mapping[str, str]] = {
    "readOnlyHint": "read_only",
    "destructiveHint": "destructive",
    "idempotentHint": "idempotent",
    "openWorldHint": "open_world",
}
_ANNOTATIONS: Final = ("title", *_FLAGS, *_MCP_NAMES)
_DOCS: Final = ("name", "description", "arguments", "return")
_ARGUMENT: Final = ("description", "type", "default_value")
_CALLABLES: Final = ("fixup", "available")
_RETURN: Final = "return "
"""A name that no parameter has."""

_WAYS: Final = ("python", "execute", "mcp", "http")


@dataclass(frozen=True, slots=True)
class Draft:
    """A tool whose types are known and whose values are not bound yet."""

    spec: ToolSpec
    parameters: tuple[Parameter, ...]
    returns: Field | None
    source: Signature | None = None


def declare(home: Home, specs: Sequence[ToolSpec]) -> None:
    """Takes the tools' names, in Python and before the model."""
    called: dict[str, Span] = {}
    for spec in specs:
        home.declared.add(value_key(spec.key.value), spec.key.span, f"tool {spec.key.value}")
        home.declared.add(
            class_key(f"{camel(spec.key.value)}Input"),
            spec.key.span,
            f"the input of tool {spec.key.value}",
        )
        name, span = spec.name or spec.key
        if not _NAME.fullmatch(name):
            home.diagnostics.report(
                "AIG401",
                span,
                f"{quoted(name)} is no tool's name: 1 to 64 of a-z A-Z 0-9 _ -",
                hint=f"write {proposed}" if (proposed := _proposed(name)) else None,
            )
        elif called.setdefault(name, span) is not span:
            home.diagnostics.report(
                "AIG403",
                span,
                f"two tools are called {name}",
                hint="give one of them another `name:`",
                related=[(called[name], "the first is here")],
            )


def _written(spec: ToolSpec) -> tuple[FieldSpec, ...] | None:
    """The parameters that stand in the spec as fields."""
    if spec.parameters is None or isinstance(spec.parameters, ShapeOf | tree.Call):
        return None
    return spec.parameters


def _proposed(name: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_-]+", "_", name).strip("_")[:64]


def draft(home: Home, spec: ToolSpec) -> Draft:
    """Resolves a tool's parameters and result; types written in place become the module's."""
    owner = camel(spec.key.value)
    written = _written(spec) or ()
    source = source_of(home, spec, written)
    documented = _docs(home, spec, written, source)
    parameters = []
    for field in written:
        words = documented.get(field.name.value)
        if words is not None and field.description is None:
            field = replace(field, description=words)
        if field.checks:
            home.diagnostics.report(
                "AIG316",
                field.checks[0].span,
                f"check stands on an output or a function, and {field.name.value} is a parameter",
                hint="let the implementation refuse the value",
            )
        parameters.append((home.types.draft(field, owner), field))
    returns = _returns(home, spec, source, documented.get(_RETURN))
    found = parameters_of(home, spec, parameters, source, documented)
    return Draft(spec, found, returns, source)


def _returns(
    home: Home, spec: ToolSpec, source: Signature | None, words: Text | None
) -> Field | None:
    """What a tool returns: as the spec says, else as its source does."""
    field = spec.returns
    if field is None:
        found = source.returns if source is not None else None
        return replace(found, description=words.value) if found and words else found
    if words is not None and field.description is None:
        field = replace(field, description=words)
    field = replace(field, name=Text("result", field.name.span))
    if field.default is not None or field.required is not None:
        place = field.default.span if field.default is not None else field.span
        home.diagnostics.report("AIG305", place, "a result has no default and is always required")
    return replace(home.types.draft(field, camel(spec.key.value)), optional=False)


def finish(home: Home, made: Draft) -> Tool:
    """Binds a tool's values and checks its options."""
    spec = made.spec
    parameters = tuple(
        [
            field if written is None else home.binding.field(field, written)
            for field, written in made.parameters
        ]
    )
    _check_ways(home, spec)
    call = spec.parameters if isinstance(spec.parameters, tree.Call) else None
    if call is not None:
        home.callables.check(call.target)
    docs = entries(spec.options["docs"]) if "docs" in spec.options else None
    return Tool(
        key=spec.key.value,
        name=(spec.name or spec.key).value,
        span=spec.span,
        description=_description(spec, docs or {})
        or (made.source.description if made.source is not None else None),
        python=_target(home, spec.python),
        execute=_target(home, spec.execute),
        parameters=parameters,
        shape=_shape(home, spec),
        parameters_call=call.target.value if call is not None else None,
        returns=made.returns,
        passing={} if made.source is None else made.source.passing,
        context=() if made.source is None else made.source.context,
        bound=made.source is not None and made.source.bound,
        options=_options(home, spec, parameters),
    )


def _target(home: Home, text: Text | None) -> str | None:
    return text.value if text is not None and home.callables.check(text) else None


def _description(spec: ToolSpec, docs: Mapping[str, tuple[Span, Node]]) -> str | None:
    if spec.description is not None:
        return spec.description.value
    found = docs.get("description")
    value = plain_value(found[1]) if found else None
    return value if isinstance(value, str) else None


def _check_ways(home: Home, spec: ToolSpec) -> None:
    ways: list[tuple[str, Span]] = [
        (name, place)
        for name in _WAYS
        if (
            place := getattr(spec, name).span
            if name in ("python", "execute") and getattr(spec, name) is not None
            else spec.options[name].span
            if name in spec.options
            else None
        )
    ]
    if len(ways) > 1:
        home.diagnostics.report(
            "AIG402",
            ways[1][1],
            f"{spec.key.value} is implemented by {ways[0][0]} and by {ways[1][0]}",
            hint="write one of them",
            related=[(ways[0][1], f"{ways[0][0]} is here")],
        )


def _shape(home: Home, spec: ToolSpec) -> str | None:
    if not isinstance(spec.parameters, ShapeOf):
        return None
    schema = plain_value(spec.parameters.schema)
    if isinstance(schema, dict) and schema.get("type", "object") != "object":
        home.diagnostics.report(
            "AIG404",
            spec.parameters.span,
            "a tool's parameters are an object",
            hint="write type: object and properties",
        )
        return None
    from aigen.resolve.json_shape import read_shape

    name = f"{camel(spec.key.value)}Input"
    kind, _ = read_shape(schema, spec.parameters.schema, name, home.module, home.diagnostics)
    return kind.schema if isinstance(kind, Shape) else None


# ----------------------------------------------------------------------------- options


def _options(home: Home, spec: ToolSpec, parameters: Sequence[Field]) -> dict[str, Json]:
    checks: Mapping[str, Callable[[Home, Node], Json]] = {
        "namespace": _namespace,
        "risk": _risk,
        "approve": _approve,
        "strict": _strict,
        "annotations": _annotations,
        "timeout": _timeout,
        "output_tokens": _output_tokens,
    }
    found: dict[str, Json] = {}
    for name, node in spec.options.items():
        if name in checks:
            value = checks[name](home, node)
        elif name in _CALLABLES:
            text = Text(str(plain_value(node)), node.span)
            value = text.value if home.callables.check(text) else FAILED
        elif name == "inject":
            value = _inject(home, node, spec, parameters)
        elif name == "examples":
            value = _examples(home, node, spec, parameters)
        else:
            value = plain_value(node)
            if name == "guidelines" and isinstance(value, str):
                value = [value]
        if value is not FAILED:
            found[name] = value
    return found


def _wrong(home: Home, node: Node, wanted: str, hint: str | None = None) -> Json:
    home.diagnostics.report(
        "AIG405", node.span, f"{wanted}, not {quoted(plain_value(node))}", hint=hint
    )
    return FAILED


def _namespace(home: Home, node: Node) -> Json:
    value = plain_value(node)
    if not isinstance(value, str) or not _NAMESPACE.fullmatch(value):
        return _wrong(home, node, "a namespace is letters, digits, _ and ., a letter first")
    for part in value.split("."):
        if part in _RESERVED:
            return _wrong(home, node, f"{part} is a reserved member; a namespace is another name")
    return value


def _risk(home: Home, node: Node) -> Json:
    value = plain_value(node)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 4:
        return value
    if isinstance(value, str) and value in _RISKS:
        return _RISKS.index(value)
    return _callable_or(
        home, node, f"risk is 0 to 4, one of {', '.join(_RISKS)}, or pkg.mod:func", _RISKS
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
    return _wrong(home, node, wanted, f"did you mean {close}?" if close else None)


def _strict(home: Home, node: Node) -> Json:
    value = plain_value(node)
    if isinstance(value, bool) or value == "auto":
        return value
    return _wrong(home, node, "strict is auto, true or false")


def _timeout(home: Home, node: Node) -> Json:
    value = plain_value(node)
    if isinstance(value, int | float) and value > 0:
        return value
    return _wrong(home, node, "timeout is seconds, more than 0")


def _output_tokens(home: Home, node: Node) -> Json:
    value = plain_value(node)
    if isinstance(value, int) and value > 0:
        return value
    return _wrong(home, node, "output_tokens is a whole number, more than 0")


def _annotations(home: Home, node: Node) -> Json:
    found: dict[str, Json] = {}
    for name, (span, value) in (entries(node) or {}).items():
        if name not in _ANNOTATIONS:
            close = nearest(name, _ANNOTATIONS)
            hint = f"did you mean {close}?" if close else f"known: {', '.join(_ANNOTATIONS[:6])}"
            home.diagnostics.report("AIG406", span, f"there is no annotation {name}", hint=hint)
            continue
        plain = plain_value(value)
        key = _MCP_NAMES.get(name, name)
        if not isinstance(plain, str if key == "title" else bool):
            _wrong(home, value, f"{name} is {'a text' if key == 'title' else 'true or false'}")
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


def _inject(home: Home, node: Node, spec: ToolSpec, parameters: Sequence[Field]) -> Json:
    names = [field.name for field in parameters]
    items = node.items if isinstance(node, nodes.Sequence) else (node,)
    for item in items:
        value = plain_value(item)
        # The parameters of a tool that its source describes are not known here.
        if value not in names and _written(spec) is not None:
            close = nearest(str(value), names)
            home.diagnostics.report(
                "AIG407",
                item.span,
                f"inject names {value}, which is no parameter",
                hint=f"did you mean {close}?" if close else "add it to parameters",
            )
    return [str(plain_value(item)) for item in items]


def _examples(home: Home, node: Node, spec: ToolSpec, parameters: Sequence[Field]) -> Json:
    if not isinstance(node, nodes.Sequence):
        return _wrong(home, node, "examples is a list of argument objects")
    if _written(spec) is None:
        return [plain_value(item) for item in node.items]
    injected = plain_value(spec.options["inject"]) if "inject" in spec.options else []
    offered = [f for f in parameters if not (isinstance(injected, list) and f.name in injected)]
    found = [_example(home, item, offered) for item in node.items]
    return [example for example in found if example is not FAILED]


def _example(home: Home, node: Node, parameters: Sequence[Field]) -> Json:
    rows = entries(node)
    if rows is None:
        return _wrong(home, node, "an example is a mapping of arguments")
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


# -------------------------------------------------------------------------------- docs


def _docs(
    home: Home, spec: ToolSpec, written: Sequence[FieldSpec], source: Signature | None
) -> dict[str, Text]:
    """The words of `docs` by parameter; those of the result under a name no parameter has."""
    node = spec.options.get("docs")
    if node is None:
        return {}
    found: dict[str, Text] = {}
    names = [field.name.value for field in written]
    names += [field.name for field in source.parameters] if source is not None else []
    rows = _known(home, node, _DOCS, "docs")
    arguments = rows.get("arguments")
    if arguments is not None:
        for name, (span, value) in (entries(arguments) or {}).items():
            if name not in names and (_written(spec) is not None or source is not None):
                close = nearest(name, names)
                home.diagnostics.report(
                    "AIG409",
                    span,
                    f"docs describe {name}, which is no parameter",
                    hint=f"did you mean {close}?" if close else "leave it out",
                )
            words = _known(home, value, _ARGUMENT, f"docs of {name}").get("description")
            if isinstance(words, nodes.Scalar) and isinstance(words.value, str):
                found[name] = Text(words.value, words.span)
    result = rows.get("return")
    words = (
        _known(home, result, ("description",), "docs of return").get("description")
        if result
        else None
    )
    if isinstance(words, nodes.Scalar) and isinstance(words.value, str):
        found[_RETURN] = Text(words.value, words.span)
    return found


def _known(home: Home, node: Node, keys: Sequence[str], what: str) -> dict[str, Node]:
    rows = entries(node)
    if rows is None:
        _wrong(home, node, f"{what} is a mapping")
        return {}
    for name, (span, _) in rows.items():
        if name not in keys:
            close = nearest(name, keys)
            hint = f"did you mean {close}?" if close else f"known: {', '.join(keys)}"
            home.diagnostics.report("AIG405", span, f"{what} has no key {name}", hint=hint)
    return {name: value for name, (_, value) in rows.items() if name in keys}
