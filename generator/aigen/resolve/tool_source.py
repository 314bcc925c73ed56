"""What a tool's spec leaves unsaid, from the source of the function that implements it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aigen.diagnostics import nearest
from aigen.ir import Default, Field
from aigen.ir.types import refs
from aigen.resolve.home import Home
from aigen.resolve.names import camel
from aigen.resolve.python_modules import installed
from aigen.resolve.python_signature import Signature, read_signature
from aigen.resolve.tool_docs import typed_by
from aigen.runtime.values import fits
from aigen.schema.canonical import type_schema
from aigen.spec import tree
from aigen.spec.nodes import plain_value
from aigen.spec.tree import FieldSpec, ToolSpec

Parameter = tuple[Field, FieldSpec | None]
"""A parameter, and how the spec writes it; None where it stands in the source alone."""


def source_of(home: Home, spec: ToolSpec, written: Sequence[FieldSpec]) -> Signature | None:
    """The signature of a tool's implementation; None where the spec says all by itself.

    Where the source cannot be read, it is reported, unless the spec lists the parameters. Of those
    that a spec with a list leaves out, one with a default and no type of values is left out here.
    """
    if spec.python is None or not home.callables.check(spec.python):
        return None
    target = spec.python.value
    modules = home.callables.modules if home.callables.is_own(target) else installed()
    whole = isinstance(spec.parameters, tree.ShapeOf | tree.Call)
    classes = home.types.classes
    reader = classes.reader(camel(spec.key.value), spec.python.span, modules, quiet=whole)
    typed = {field.name.value for field in written if field.type is not None}
    found = read_signature(
        target,
        modules,
        reader,
        frozenset(typed | set(injected(spec))),
        returns=spec.returns is None,
        unsaid=typed_by(spec),
        listed=spec.parameters is not None,
    )
    if found is not None and not whole:
        classes.keep(reader.needed(), spec.python.span)
    return found


def injected(spec: ToolSpec) -> list[str]:
    """The parameters that the caller's context gives, by name."""
    node = spec.options.get("inject")
    value = plain_value(node) if node is not None else []
    return [str(name) for name in (value if isinstance(value, list) else [value])]


def parameters_of(
    home: Home,
    spec: ToolSpec,
    drafted: Sequence[tuple[Field, FieldSpec]],
    source: Signature | None,
) -> tuple[Parameter, ...]:
    """The parameters of a tool: the spec's laid over those of the source, in the source's order.

    Args:
        home: the module.
        spec: the tool.
        drafted: the parameters that the spec lists or documents.
        source: what the implementation's source says, where it was read.
    """
    if source is None or isinstance(spec.parameters, tree.ShapeOf | tree.Call):
        return tuple(drafted)
    hidden = set(injected(spec))
    listed = {field.name: (field, written) for field, written in drafted}
    found: list[Parameter] = []
    for each in source.parameters:
        said = listed.pop(each.name, None)
        if said is not None:
            found.append((_laid_over(*said, each), said[1]))
        elif each.name not in hidden:
            found.append((each, None))
    if listed:
        # The names that `**more` takes are listed: it is no parameter beside them.
        found = [each for each in found if each[1] or source.passing.get(each[0].name) != "others"]
    for field, written in listed.values():
        if not source.open:
            _report_unknown(home, spec, source, written)
        found.append((field, written))
    return tuple(found)


def _laid_over(field: Field, written: FieldSpec, source: Field) -> Field:
    """A parameter of the spec, with what the source says where the spec says nothing."""
    if field.description is None:
        field = replace(field, description=source.description)
    if written.default is not None or written.required is not None:
        return field
    default = source.default if _fits(source.default, field) else None
    return replace(field, optional=source.optional, default=default)


def _fits(default: Default | None, field: Field) -> bool:
    if default is None or default.call is not None or refs(field.type):
        return default is not None
    return fits(default.value, type_schema(field.type, "")) is None


def _report_unknown(home: Home, spec: ToolSpec, source: Signature, written: FieldSpec) -> None:
    name, span = written.name
    takes = [field.name for field in source.parameters] + list(source.context)
    close = nearest(name, takes)
    known = f"it takes {', '.join(takes) or 'nothing'}"
    home.diagnostics.report(
        "AIG410",
        span,
        f"{spec.python.value if spec.python else spec.key.value} takes no {name}",
        hint=f"did you mean {close}?" if close else known,
    )
