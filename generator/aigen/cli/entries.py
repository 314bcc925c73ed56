"""Where the specs say what a change is about."""

from __future__ import annotations

import re

from aigen.compare.model import Place
from aigen.diagnostics import Span
from aigen.ir import External, Field, Function, Module, Program, Record, Tool, TypeDef


def spec_place(program: Program, place: Place) -> Span | None:
    """The part of a spec that a change is about.

    Args:
        program: the specs as they are now.
        place: of the change.

    Returns:
        The input, output, parameter or member; else the function, tool or type; else the first
        character of the spec, for what it has no more; None where the spec itself is gone.
    """
    module = program.modules.get(place.module)
    if module is None:
        return None
    entry = _entry(module, place)
    if entry is None:
        return Span(module.path, 1, 1, 1, 1)
    first, second, *_ = [*re.split(r"[.\[]", place.path), ""]
    name = first if place.kind == "type" else second
    return next((one.span for one in _fields(entry, first) if one.name == name), entry.span)


def _entry(module: Module, place: Place) -> Function | Tool | TypeDef | None:
    match place.kind:
        case "function":
            return next((one for one in module.functions if one.name == place.name), None)
        case "tool":
            return next((one for one in module.tools if one.key == place.name), None)
        case "type":
            return next((one for one in module.types if one.name == place.name), None)
    return None


def _fields(entry: Function | Tool | TypeDef, side: str) -> tuple[Field, ...]:
    match entry, side:
        case Function(), "inputs":
            return entry.inputs
        case Function(), "outputs":
            return entry.outputs
        case Tool(), "inputs":
            return entry.parameters
        case ((Record() | External()), _):
            return entry.members
    return ()
