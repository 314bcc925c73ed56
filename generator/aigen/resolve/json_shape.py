"""A JSON Schema of a spec (`json_shape`) as types of the intermediate representation.

The types are what Python can say of the schema: a value that fits the schema always fits them.
Where they say less than the schema does, the whole schema is enforced beside them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from aigen.diagnostics import Diagnostics
from aigen.ir import Alias, JsonAny, Record, Ref, Shape, Type, TypeDef
from aigen.resolve.shape_keywords import UNEVALUATED
from aigen.resolve.shape_source import DYNAMIC, Source
from aigen.resolve.shape_types import ShapeTypes
from aigen.runtime.wire.plain import parts
from aigen.spec.nodes import Node, plain_value


def read_shape(
    node: Node,
    name: str,
    module: str,
    diagnostics: Diagnostics,
    *,
    taken: Callable[[str], bool] = lambda name: False,
    known: Source | None = None,
) -> tuple[Type, tuple[TypeDef, ...]]:
    """The type of a JSON Schema, and the named types that it needs.

    Args:
        node: the schema.
        name: of the type that the schema itself describes.
        module: that the named types belong to.
        diagnostics: takes what is wrong, each at its place.
        taken: whether the module has a class of this name already.
        known: the schema where it was read already; `node` says nothing then.

    Returns:
        A `Shape`, or `JsonAny` where the schema is refused; and its models, enums and aliases.
        One of them is called `name` where the schema describes a record or refers to itself.
    """
    source = known or Source(plain_value(node), node, diagnostics)
    if not source.good:
        return JsonAny(), ()
    types = ShapeTypes(source, name, module, taken)
    kind = types.root()
    if not source.good:
        return JsonAny(), ()
    text, more = _text(source)
    if more:
        diagnostics.report(
            "AIG241",
            source.span(source.schema),
            f"this JSON Schema uses {more}, which another validator judges",
            hint="install aigen[schema] where the code runs",
        )
    definitions = types.definitions()
    exact = types.exact and not more
    if exact or not isinstance(kind, Ref):
        return Shape(text, kind, exact), definitions
    # The type itself enforces its schema, so whoever takes it need not.
    enforcing = tuple(
        _enforcing(each, text) if each.name == kind.name == name else each for each in definitions
    )
    return Shape(text, kind, enforcing != definitions), enforcing


def _enforcing(definition: TypeDef, text: str) -> TypeDef:
    match definition:
        case Record():
            return replace(definition, shape=text)
        case Alias(type=model):
            return replace(definition, type=Shape(text, model, False))
        case _:
            return definition


def judge_shape(source: Source, name: str, module: str) -> None:
    """Reports what `read_shape` does of a schema that is good as such; arguments as there."""
    types = ShapeTypes(source, name, module, lambda name: False)
    types.root()
    types.definitions()


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode
_IDS = frozenset({"$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$schema"})


def _text(source: Source) -> tuple[str, str | None]:
    """The schema to enforce as compact text, and the keyword of it that needs more."""
    if isinstance(source.schema, bool):
        return "{}" if source.schema else '{"not":{}}', None
    more = _beyond(source)
    if more is not None:
        return _encode(source.given), more
    named = any(not _IDS.isdisjoint(part) for part in source.everything)
    return _encode(_stripped(source.schema) if named else source.schema), None


def _beyond(source: Source) -> str | None:
    """A keyword that depends on what other keywords have seen, or on schemas outside."""
    if source.outside:
        return "a metaschema"
    beyond = DYNAMIC | UNEVALUATED
    found = (part.keys() & beyond for part in source.everything if not beyond.isdisjoint(part))
    return min(next(found, ()), default=None)


def _stripped(schema: Any) -> Any:
    """The schema without names that nothing refers to any more."""
    if not isinstance(schema, dict):
        return schema
    made = dict(schema)
    for key in _IDS:
        if key != "id" or isinstance(made.get("id"), str):
            made.pop(key, None)
    for place, part in parts(schema):
        if len(place) == 1:
            made[place[0]] = _stripped(part)
        else:
            key, step = place
            if made[key] is schema[key]:
                made[key] = schema[key].copy()
            made[key][int(step) if isinstance(made[key], list) else step] = _stripped(part)
    return made
