"""Python specs: what their annotations and computed defaults mean, and tools of one another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from aigen.ir import Enumeration, External, JsonAny, Record, TypeDef
from aigen.resolve.python_annotation import Annotation, Unknown
from aigen.resolve.python_literals import MISSING
from aigen.resolve.python_members import Value
from aigen.resolve.python_modules import PythonModules, Unreadable
from aigen.resolve.words import BROKEN
from aigen.spec.nodes import Node, at_one_place
from aigen.spec.tree import AnnotationOf, FunctionSpec, SpecFile, ToolSpec

if TYPE_CHECKING:
    from aigen.resolve.python_types import ClassReader


def hold(files: Sequence[SpecFile], modules: PythonModules) -> None:
    """Makes the Python specs modules, in which their annotations are read."""
    for file in files:
        if file.python is not None:
            modules.hold(file.python, file.path, file.source.text)
            if file.path.endswith(".pyi"):
                modules.stubs[file.python] = file.module


def written_out(found: External) -> TypeDef:
    """The type to generate for a class of a stub."""
    if found.kind == "enum":
        return Enumeration(found.name, found.levels, found.span, found.description)
    others = None if found.closed else JsonAny()
    return Record(found.name, found.members, found.span, found.description, others)


def read_annotation(expr: AnnotationOf, modules: PythonModules, reader: ClassReader) -> Annotation:
    """What an annotation of a Python spec means; one that cannot be known is reported."""
    try:
        module = modules.module(expr.module)
        if module is not None:
            found = reader.annotations.read(expr.node, module, None)
            call = reader.members.value(expr.default, module, None).call
            return found if call is None else found.under(call)
        raise Unknown(f"{expr.module} is no module that was read")
    except (Unknown, Unreadable, RecursionError) as problem:
        reader.report(
            "AIG512",
            f"the type {expr.shown} cannot be known: {problem}",
            "write a type of the table, or a class of a module under python_path",
        )
    return Annotation(BROKEN)


def computed_default(
    expr: AnnotationOf, modules: PythonModules, reader: ClassReader
) -> tuple[Node | None, bool]:
    """The value of a constant, an enum's member or a `Field`, and whether there is one.

    For what is computed the value is None, with a warning.
    """
    try:
        module = modules.module(expr.module)
        value = reader.members.value(expr.default, module, None) if module else Value(given=True)
    except Unreadable:
        value = Value(given=True)
    if not value.given and value.call is not None:
        return None, False
    if value.default is not MISSING and value.given:
        return at_one_place(value.default, reader.span), True
    reader.report(
        "AIG505",
        "the default is known only when it runs, so the input may be left out and the schema has no"
        " default",
    )
    return None, True


def linked(files: Sequence[SpecFile]) -> list[SpecFile]:
    """The files, in which a tool that another Python spec declares is that spec's own."""
    specs = {file.python: file for file in files if file.python is not None}
    return [file if file.python is None else _linked(file, specs) for file in files]


def _linked(file: SpecFile, specs: Mapping[str, SpecFile]) -> SpecFile:
    elsewhere: dict[str, str] = {}
    for tool in file.tools:
        module, _, name = (tool.python.value if tool.python else "").partition(":")
        other = specs.get(module)
        if other is not None and other is not file and name in _declared(other):
            elsewhere[tool.key.value] = f"{other.module}.{name}"
    if not elsewhere:
        return file
    tools = tuple(tool for tool in file.tools if tool.key.value not in elsewhere)
    functions = tuple(_renamed(each, elsewhere) for each in file.functions)
    return replace(file, tools=tools, functions=functions)


def _declared(file: SpecFile) -> set[str]:
    entries: tuple[FunctionSpec | ToolSpec, ...] = (*file.functions, *file.tools)
    return {entry.key.value for entry in entries}


def _renamed(function: FunctionSpec, names: Mapping[str, str]) -> FunctionSpec:
    tools = tuple(each._replace(value=names.get(each.value, each.value)) for each in function.tools)
    return replace(function, tools=tools)
