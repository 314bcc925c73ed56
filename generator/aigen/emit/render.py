"""From the intermediate representation to the texts of all files of an output."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aigen.emit import words
from aigen.emit.definition import define, define_tool
from aigen.emit.dialects import dialect_files
from aigen.emit.functions import FunctionText, function_text
from aigen.emit.layout import COLUMNS, Group, assigned, imports
from aigen.emit.literals import comment, quote
from aigen.emit.models import TypeText, alias_text, enumeration_text, record_texts
from aigen.emit.overrides import Templates
from aigen.emit.owned import RUNTIME_FOLDER
from aigen.emit.package import (
    GITATTRIBUTES,
    Lazy,
    lazy_names,
    package_text,
)
from aigen.emit.schemas import schemas_text
from aigen.emit.scope import RUNTIME, ModuleScope, Plan, alias_order, plan, relative
from aigen.emit.standalone import runtime_files
from aigen.emit.tools import ToolText, tool_text
from aigen.emit.tree import packages
from aigen.emit.widths import width
from aigen.ir import Alias, Enumeration, External, Module, Program, Record
from aigen.runtime.definition import Definition, ToolDefinition
from aigen.runtime.wire.adapters.layout import instruction


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """How an output is rendered.

    Attributes:
        configured: `[tool.aigen.settings]`, baked into every definition.
        dialects: whose ready-made tool files are written.
        spec_root: what stands before a spec's path in the marker (`specs`), or empty.
        standalone: whether the runtime's source stands in the output, as `_runtime`.
        templates: the folder of the project's own templates, where it has one.
    """

    configured: Mapping[str, Any] = field(default_factory=dict)
    dialects: tuple[str, ...] = ()
    spec_root: str = ""
    standalone: bool = False
    templates: Path | None = None


@dataclass(frozen=True, slots=True)
class SubmodulesText:
    """What a module that is also a package writes of its modules."""

    type_checking: str
    checked_imports: str
    names: str
    lazy: Lazy


@dataclass(frozen=True, slots=True)
class ModuleText:
    """All that `module.py.jinja` writes."""

    marker: str
    doc: str
    imports: str
    exports: str
    types: tuple[TypeText, ...]
    functions: tuple[FunctionText, ...]
    tools: tuple[ToolText, ...]
    submodules: SubmodulesText | None


def render(program: Program, options: RenderOptions) -> dict[str, str]:
    """The text of every file of an output, by its path inside the output folder, with `/`.

    The same program gives the same bytes, whatever the machine and the order of files.

    Raises:
        TemplateFault: a template of the project is wrong, or what it makes is.
    """
    files = package_files(program.modules, options)
    for texts in module_files(plan(program), program.modules, program.modules, options).values():
        files.update(texts)
    return dict(sorted(files.items()))


def package_files(modules: Collection[str], options: RenderOptions) -> dict[str, str]:
    """The files of an output beside those of its modules, which are named."""
    templates = Templates(options.templates)
    files = {"py.typed": "", ".gitattributes": GITATTRIBUTES}
    for name, inner in packages(modules).items():
        if name not in modules:
            text = package_text(
                name, inner, _marker(_folder(name), options), _runtime(name, options)
            )
            path = f"{name.replace('.', '/')}/__init__.py".lstrip("/")
            files[path] = templates.text("package.py.jinja", package=text)
    if options.standalone:
        files.update(runtime_files())
    return files


def module_files(
    known: Plan, names: Iterable[str], everything: Iterable[str], options: RenderOptions
) -> dict[str, dict[str, str]]:
    """The files of some modules, by module.

    Args:
        known: of the program that these modules and all that they need are in.
        names: of these modules.
        everything: the names of all modules of the output.
        options: how they are rendered.
    """
    tree = packages(everything)
    templates = Templates(options.templates)
    modules = known.program.modules
    return {
        name: _module_files(modules[name], known, tree.get(name, []), options, templates)
        for name in sorted(names)
    }


def _module_files(
    module: Module,
    known: Plan,
    submodules: list[str],
    options: RenderOptions,
    templates: Templates,
) -> dict[str, str]:
    """The Python module and its reviewable schemas."""
    program = known.program
    definitions = {
        function.name: define(function, module, program, options.configured)
        for function in module.functions
    }
    tools = {tool.key: define_tool(tool, module, program) for tool in module.tools}
    text = _module_text(module, known, submodules, definitions, tools, options)
    base = module.name.replace(".", "/")
    path = f"{base}/__init__.py" if submodules else f"{base}.py"
    return {
        path: templates.text("module.py.jinja", module=text),
        f"schemas/{base}.json": schemas_text(module, program, definitions, tools, instruction),
        **dialect_files(base, tools, options.dialects),
    }


def _module_text(
    module: Module,
    known: Plan,
    submodules: list[str],
    definitions: Mapping[str, Definition],
    tool_definitions: Mapping[str, ToolDefinition],
    options: RenderOptions,
) -> ModuleText:
    scope = ModuleScope(module, known, _runtime(module.name, options, bool(submodules)), submodules)
    types = _types(module, scope)
    functions = tuple(
        function_text(function, definitions[function.name], scope) for function in module.functions
    )
    tools = tuple(tool_text(tool, tool_definitions[tool.key], scope) for tool in module.tools)
    types += [tool.input for tool in tools if tool.input is not None]
    lazy = _submodules(submodules, scope) if submodules else None
    public = tuple(quote(name) for name in scope.names.everything())
    doc = words.prose(module.description or "", 0, "AI functions and tools.")
    return ModuleText(
        marker=_marker(module.path, options),
        doc=words.doc(doc, 0),
        imports="\n".join(imports(scope.imports, scope.own)),
        exports=assigned("__all__", Group("[", public, "]", body=False)),
        types=tuple(types),
        functions=functions,
        tools=tools,
        submodules=lazy,
    )


def _types(module: Module, scope: ModuleScope) -> list[TypeText]:
    """The named types; an alias stands after what it needs."""
    answers = {
        function.answer.model: function for function in module.functions if function.answer.model
    }
    order = alias_order(module)
    texts: list[TypeText] = []
    for definition in order.definitions:
        # A class goes before those inside it, so that it is imported under its own name.
        if isinstance(definition, External) and "." not in definition.target.partition(":")[2]:
            scope.external(definition.target, scope.names.types[definition.name])
    for definition in order.definitions:
        match definition:
            case Record():
                texts += record_texts(definition, scope, answers.get(definition.name))
            case Enumeration():
                texts.append(enumeration_text(definition, scope))
            case Alias():
                texts.append(alias_text(definition, scope, definition.name in order.recursive))
            case External():
                name = scope.names.types[definition.name]
                inner = scope.external(definition.target, name)
                if inner is not None:
                    note = f"{name}: {scope.use('typing', 'TypeAlias')}"
                    texts.append(TypeText("alias", name, "", "", (assigned(note, inner),)))
    return texts


def _submodules(names: list[str], scope: ModuleScope) -> SubmodulesText:
    modules = scope.private("MODULES")
    return SubmodulesText(
        type_checking=scope.use("typing", "TYPE_CHECKING"),
        checked_imports="\n    ".join(f"from . import {name} as {name}" for name in names),
        names=assigned(modules, Group("(", tuple(map(quote, names)), ")", body=False))
        if len(names) > 1
        else f"{modules} = ({quote(names[0])},)",
        lazy=lazy_names(modules, scope),
    )


def _marker(path: str, options: RenderOptions) -> str:
    """The first line of a file that aigen owns; a long path gets a second line for the rest."""
    source = comment("/".join(part for part in (options.spec_root, path) if part) or "specs")
    plural = "s" if not path or path.endswith("/") else ""
    advice = f"Do not edit: change the spec{plural} and run `aigen build`."
    line = f"# Generated by aigen from {source}. {advice}"
    if width(line) <= COLUMNS:
        return line
    return f"# Generated by aigen from {source}.\n# {advice}"


def _folder(package: str) -> str:
    return f"{package.replace('.', '/')}/" if package else ""


def _runtime(module: str, options: RenderOptions, is_package: bool = False) -> str:
    """Where a module imports the runtime from."""
    if not options.standalone:
        return RUNTIME
    return relative(module, RUNTIME_FOLDER, is_package)
