"""The stages of resolving, over all modules: declare, draft, bind."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from aigen.diagnostics import Diagnostics, Span
from aigen.ir import External, Function, Module, Program, Record, Tool, TypeDef
from aigen.resolve import functions
from aigen.resolve.binding import Binding
from aigen.resolve.callables import Callables
from aigen.resolve.expansion import refuse_large
from aigen.resolve.home import Home
from aigen.resolve.names import Declared, class_key
from aigen.resolve.order import in_order, references, refuse_endless
from aigen.resolve.python_modules import installed
from aigen.resolve.scope import Scope
from aigen.resolve.settings import resolve_settings
from aigen.resolve.types import Types
from aigen.spec.tree import SpecFile

if TYPE_CHECKING:
    from aigen.resolve import tools
    from aigen.resolve.context import ResolveContext


@dataclass(slots=True)
class _Work:
    """A file at work: its module, and what is drafted of it."""

    file: SpecFile
    home: Home
    functions: list[functions.Draft] = field(default_factory=list)
    tools: list[tools.Draft] = field(default_factory=list)


def build(files: Sequence[SpecFile], settings: ResolveContext, diagnostics: Diagnostics) -> Program:
    """The program of these files, which are sorted."""
    files = _one_each(files, diagnostics)
    installed.cache_clear()  # a watch goes on in this process when a package is upgraded
    callables = Callables(settings.python_path, settings.trust, diagnostics)
    if any(file.python is not None for file in files):
        from aigen.resolve.python_spec import hold, linked

        files = linked(files)
        hold(files, callables.modules)
    scope = Scope(files, diagnostics, settings.unread, settings.elsewhere, settings.shapes)
    works = [_Work(file, _home(file.module, scope, callables, settings)) for file in files]
    for work in works:
        _declare(work)
    for work in works:
        callables.named = work.home.named
        for spec in work.file.types:
            work.home.types.define(spec)
        work.functions = [functions.draft(work.home, spec) for spec in work.file.functions]
        work.tools = _tools_drafted(work)
    # A demo or default may hold values of any type of any file, so nothing is bound before here.
    scope.report_cycles()
    refuse_large(scope.definitions, diagnostics)
    by_module: dict[str, list[str]] = {}
    for module, name in scope.definitions:
        by_module.setdefault(module, []).append(name)
    for work in works:
        callables.named = work.home.named
        for name in by_module.get(work.file.module, ()):
            _bind_members(work.home, name)
    modules = {work.file.module: _module(work, by_module) for work in works}
    return Program(modules, scope.definitions)


def _one_each(files: Sequence[SpecFile], diagnostics: Diagnostics) -> list[SpecFile]:
    """The files, without those whose module another file is already."""
    seen: dict[str, SpecFile] = {}
    for file in files:
        folded = file.module.casefold()
        if folded in seen:
            first = seen[folded]
            diagnostics.report(
                "AIG223",
                Span(file.path, 1, 1, 1, 2),
                f"{file.path} and {first.path} both become the module {first.module}",
                hint="rename one of the files",
                related=[(Span(first.path, 1, 1, 1, 2), "the first is here")],
            )
        else:
            seen[folded] = file
    return list(seen.values())


def _home(module: str, scope: Scope, callables: Callables, settings: ResolveContext) -> Home:
    declared = Declared(scope.diagnostics)
    return Home(
        module,
        scope,
        callables,
        declared,
        Types(module, scope, callables, declared),
        Binding(module, scope, callables),
        settings.configured,
    )


def _declare(work: _Work) -> None:
    home, file = work.home, work.file
    home.callables.named = home.named
    home.types.declare(file.types)
    functions.declare(home, file.functions)
    if file.tools:
        from aigen.resolve import tools

        tools.declare(home, file.tools)
    home.settings = resolve_settings(file.settings, home.callables, home.diagnostics)


# Few specs have tools, and what reads them takes long to import.
def _tools_drafted(work: _Work) -> list[tools.Draft]:
    if not work.file.tools:
        return []
    from aigen.resolve import tools

    return [tools.draft(work.home, spec) for spec in work.file.tools]


def _tools_finished(work: _Work) -> tuple[Tool, ...]:
    if not work.tools:
        return ()
    from aigen.resolve import tools

    return tuple([tools.finish(work.home, made) for made in work.tools])


def _bind_members(home: Home, name: str) -> None:
    written = home.types.drafts.get(name)
    record = home.scope.definitions[(home.module, name)]
    if written is None or not isinstance(record, Record):
        return
    members = tuple(
        [
            home.binding.field(member, spec)
            for member, spec in zip(record.members, written, strict=True)
        ]
    )
    home.define(replace(record, members=members))


def _module(work: _Work, by_module: dict[str, list[str]]) -> Module:
    home, file = work.home, work.file
    home.callables.named = home.named
    finished = tuple([functions.finish(home, made) for made in work.functions])
    answers = [function.answer.model for function in finished if function.answer.model]
    names = dict.fromkeys([*by_module.get(file.module, ()), *answers])
    found = [home.scope.definitions[(file.module, name)] for name in names]
    types, recursive = in_order(file.module, found)
    if recursive:
        refuse_endless(file.module, types, home.scope.definitions, home.diagnostics)
    _declare_partials(home, finished, types)
    externals = {type_.target for type_ in types if isinstance(type_, External)}
    return Module(
        file.module,
        file.path,
        file.description.value if file.description else None,
        types,
        finished,
        _tools_finished(work),
        tuple(sorted(home.named | externals)),
        tuple(sorted(home.scope.needs[file.module])),
        tuple(sorted(_imported(home, file, externals))),
    )


def _imported(home: Home, file: SpecFile, externals: Set[str]) -> set[str]:
    """The Python modules that were looked up for a file, found or not."""
    named = {target.partition(":")[0] for target in home.named | externals}
    own = set() if file.python is None else {file.python}
    elsewhere = {name for name in named if not home.callables.is_own(f"{name}:")}
    beyond = installed().reached(elsewhere) if elsewhere else set()
    return named | home.callables.modules.reached(named | own) - own | beyond


def _declare_partials(home: Home, made: Sequence[Function], types: Sequence[TypeDef]) -> None:
    """Takes the names of partial answers: of each record that an answer holds."""
    own = {definition.name: definition for definition in types}
    pending = [
        ref.name
        for function in made
        for ref in references(function.answer.type)
        if ref.module == home.module
    ]
    seen: set[str] = set()
    while pending:
        name = pending.pop()
        definition = own.get(name)
        if name in seen or not isinstance(definition, Record):
            continue
        seen.add(name)
        pending.extend(
            ref.name
            for member in definition.members
            for ref in references(member.type)
            if ref.module == home.module
        )
    for name in sorted(seen):
        key = f"{class_key(name)}Partial"
        if home.declared.taken(key):
            home.declared.add(key, own[name].span, f"the partial answer {name}Partial")
