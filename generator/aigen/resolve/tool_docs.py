"""`docs` of a tool laid over what its source says; 1-spec-format, *Precedence of words and types*.

A key of the spec's own wins over `docs`, and `docs` over the source. A type in `docs` that says
what the source's type says changes nothing, so what words cannot say of a type (its class, bounds,
the words of members) stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from aigen.diagnostics import Diagnostics, Source, nearest
from aigen.ir import Field, Program
from aigen.resolve.home import Home
from aigen.resolve.python_signature import Signature
from aigen.runtime.definition import FieldDefinition
from aigen.schema.canonical import definitions_for, interface_field
from aigen.spec import tree
from aigen.spec.nodes import at_one_place
from aigen.spec.reading import Reading
from aigen.spec.tool_docs import CHOICE, read_docs
from aigen.spec.tree import ArgumentDocs, FieldSpec, ToolSpec


def typed_by(spec: ToolSpec) -> frozenset[str]:
    """The parameters whose type `docs` says, so that the source need not."""
    return frozenset(each.field.name.value for each in spec.docs.arguments if each.type is not None)


def laid_under(
    home: Home,
    spec: ToolSpec,
    written: Sequence[FieldSpec],
    source: Signature | None,
    hidden: Sequence[str],
) -> tuple[FieldSpec, ...]:
    """The parameters as the spec writes them, with what `docs` says where they say nothing.

    Args:
        home: the module.
        spec: the tool.
        written: the parameters that the spec lists.
        source: what the implementation's source says, where it was read.
        hidden: parameters that the caller's context gives.
    """
    known = {field.name: field for field in source.parameters} if source is not None else {}
    names = [*(field.name.value for field in written), *known]
    said: dict[str, FieldSpec] = {}
    for each in (*_added(home, spec, source), *spec.docs.arguments):
        name = each.field.name.value
        if _is_parameter(home, spec, each, names, source):
            found = _news(home, each, known[name]) if name in known else each.field
            said[name] = _under(found, said.get(name))
    merged = [_under(field, said.pop(field.name.value, None)) for field in written]
    return (*merged, *(field for name, field in said.items() if name not in hidden))


def _added(home: Home, spec: ToolSpec, source: Signature | None) -> tuple[ArgumentDocs, ...]:
    """What the module of the implementation adds to its documentation: `add_docs(func, …)`."""
    if source is None or not source.added or spec.python is None:
        return ()
    target, span = spec.python
    found = Diagnostics()
    reading = Reading(Source(span.path, ""), Path(), Path(), found)
    docs = read_docs(reading, at_one_place({"arguments": dict(source.added)}, span))
    for each in found:
        wrong = f"the docs added to {target}: {each.message}"
        home.diagnostics.report("AIG405", span, wrong, hint=each.hint)
    return () if found.failed else docs.arguments


def _is_parameter(
    home: Home, spec: ToolSpec, said: ArgumentDocs, names: Sequence[str], source: Signature | None
) -> bool:
    """Whether there is such a parameter; that there is none is reported."""
    name, span = said.field.name
    if isinstance(spec.parameters, tree.ShapeOf | tree.Call):
        wrong, hint = "the parameters of the spec describe themselves", "leave it out of docs"
    elif name in names:
        return True
    else:
        # A tool that is declared only, or takes names of any kind, is described by its docs alone.
        listed = spec.parameters is not None
        if not listed and (source is None or (source.open and said.type is not None)):
            return True
        close = nearest(name, names)
        wrong = "it is no parameter"
        hint = f"did you mean {close}?" if close else "leave it out"
    home.diagnostics.report("AIG409", span, f"docs describe {name}: {wrong}", hint=hint)
    return False


def _under(field: FieldSpec, docs: FieldSpec | None) -> FieldSpec:
    """A field of the spec over the same of `docs`."""
    if docs is None:
        return field
    says_type = field.type is not None or field.optional
    return replace(
        field,
        description=field.description or docs.description,
        type=field.type if says_type else docs.type,
        default=docs.default
        if field.default is None and field.required is None and not says_type
        else field.default,
    )


def _news(home: Home, said: ArgumentDocs, source: Field) -> FieldSpec:
    """What `docs` says of a parameter that its source does not say already."""
    before = cast("Mapping[str, object]", _docs_of(home, source))
    has_default = said.field.default is not None
    same_type = said.type is None or said.type == before.get("type")
    missing = object()
    same_default = not has_default or said.default == before.get("default_value", missing)
    if same_type and same_default:
        return replace(said.field, type=None, default=None)
    if same_type and said.type != CHOICE:
        return replace(said.field, type=None)
    return said.field


def _docs_of(home: Home, field: Field) -> object:
    program = Program({}, home.scope.definitions)
    definitions = definitions_for(program, home.module, [field.type])
    shown = cast("FieldDefinition", interface_field(field, home.module))
    # Few tools have docs, and the library face brings much of the runtime.
    from aigen.tooling.docs import argument_docs

    return argument_docs(shown, definitions)
