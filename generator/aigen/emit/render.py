"""From the intermediate representation to the texts of all files of an output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from aigen.emit import words
from aigen.emit.definition import define
from aigen.emit.functions import FunctionText, function_text
from aigen.emit.layout import Group, assigned, imports
from aigen.emit.literals import comment, quote
from aigen.emit.models import TypeText, alias_text, enumeration_text, partial_text, record_text
from aigen.emit.scope import RUNTIME, ModuleScope, Plan, plan
from aigen.ir import Alias, Enumeration, External, Module, Program, Record
from aigen.schema.canonical import definition_refs


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """How an output is rendered.

    Attributes:
        configured: `[tool.aigen.settings]`, baked into every definition.
        dialects: whose ready-made tool files are written.
        spec_root: what stands before a spec's path in the marker (`specs`), or empty.
        standalone: whether the runtime's source stands in the output, as `_runtime`.
    """

    configured: Mapping[str, Any] = field(default_factory=dict)
    dialects: tuple[str, ...] = ()
    spec_root: str = ""
    standalone: bool = False


@dataclass(frozen=True, slots=True)
class ModuleText:
    """All that `module.py.jinja` writes."""

    source: str
    doc: str
    imports: str
    exports: str
    types: tuple[TypeText, ...]
    functions: tuple[FunctionText, ...]
    tools: tuple[Any, ...]
    submodules: str


def render(program: Program, options: RenderOptions) -> dict[str, str]:
    """The text of every file of an output, by its path inside the output folder, with `/`.

    The same program gives the same bytes, whatever the machine and the order of files.
    """
    known = plan(program)
    files: dict[str, str] = {}
    for name in sorted(program.modules):
        module = program.modules[name]
        files[_path(name, program)] = module_text(module, known, options)
    return files


def module_text(module: Module, known: Plan, options: RenderOptions) -> str:
    """The Python text of one module."""
    scope = ModuleScope(module, known, RUNTIME)
    answers = {
        function.answer.model: function for function in module.functions if function.answer.model
    }
    types: list[TypeText] = []
    for definition in module.types:
        match definition:
            case Record():
                types.append(record_text(definition, scope, answers.get(definition.name)))
                if definition.name in scope.names.partials:
                    types.append(partial_text(definition, scope))
            case Enumeration():
                types.append(enumeration_text(definition, scope))
            case Alias():
                types.append(alias_text(definition, scope, _recursive(definition, scope)))
            case External():
                scope.external(definition.target, scope.names.types[definition.name])
    functions = tuple(
        function_text(
            function, define(function, module, known.program, options.configured), scope
        )
        for function in module.functions
    )
    text = ModuleText(
        source=comment(module.path),
        doc=words.doc(words.prose(module.description or "", 0, f"Generated from {module.path}."), 0),
        imports="\n".join(imports(scope.imports)),
        exports=assigned(
            "__all__", Group("[", tuple(map(quote, scope.names.everything())), "]", body=False)
        ),
        types=tuple(types),
        functions=functions,
        tools=(),
        submodules="",
    )
    return _template("module.py.jinja").render(module=text)


def _recursive(definition: Alias, scope: ModuleScope) -> bool:
    return any(ref.name == definition.name for ref in definition_refs(definition))


def _path(name: str, program: Program) -> str:
    folder = name.replace(".", "/")
    if any(other.startswith(f"{name}.") for other in program.modules):
        return f"{folder}/__init__.py"
    return f"{folder}.py"


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(templates()),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )


@cache
def _template(name: str) -> Any:
    return _environment().get_template(name)


def templates() -> Path:
    """The folder of templates: the checkout's for an editable install, else the package's own."""
    package = Path(__file__).resolve().parents[1]
    checkout = package.parents[1] / "templates"
    return checkout if (checkout / "module.py.jinja").is_file() else package / "templates"
