"""One project: its configuration and specs, and a build of them from reading to writing."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from aigen.configuration import Configuration, load
from aigen.diagnostics import Diagnostic, Diagnostics, Span
from aigen.discovery import SpecPath, discover, show

if TYPE_CHECKING:
    from aigen.ir import Program
    from aigen.spec.tree import SpecFile

_BEGIN: Final = "aigen init begins a project"


@dataclass(frozen=True, slots=True)
class Project:
    """A project on disk.

    Attributes:
        diagnostics: what was found in the configuration, and by every build of it.
        named: specs given on the command line, absolute; empty for all of the configuration's.
        jobs: how many processes build at most; None for one a processor.
    """

    configuration: Configuration
    diagnostics: Diagnostics
    named: tuple[Path, ...] = ()
    jobs: int | None = None

    @classmethod
    def load(
        cls,
        start: Path,
        *,
        named: Sequence[Path] = (),
        out: Path | None = None,
        standalone: bool = False,
        jobs: int | None = None,
    ) -> Project:
        """The project that a folder belongs to.

        Args:
            start: the folder; the configuration is looked for upwards from it.
            named: specs given on the command line, from `start`.
            out: the output folder given on the command line, from `start`.
            standalone: whether the output holds the runtime, also where the configuration does not
                say so.
            jobs: how many processes build at most; None for one a processor.
        """
        diagnostics = Diagnostics()
        configuration = load(start.resolve(), diagnostics)
        if out is not None:
            configuration = replace(configuration, out=str((start / out).resolve()))
        if standalone:
            configuration = replace(configuration, standalone=True)
        return cls(configuration, diagnostics, tuple(_whole(start / path) for path in named), jobs)

    @property
    def root(self) -> Path:
        """The folder of the configuration."""
        return self.configuration.root

    @property
    def out(self) -> Path | None:
        """The output folder; None where nothing says it."""
        out = self.configuration.out
        return None if out is None else _whole(self.root / out)

    @property
    def templates(self) -> Path | None:
        """The folder of the project's own templates; None where it has none."""
        return self.configuration.templates_folder

    @property
    def state(self) -> Path:
        """The folder of what may vanish at any time: digests of earlier builds, and locks."""
        return self.root / ".aigen"

    def specs(self) -> tuple[list[SpecPath], list[str]]:
        """The spec files, and files that were passed over because they are none."""
        configured = [(self.root / entry).absolute() for entry in self.configuration.specs]
        inside = [path for path in self.named if _within(path, configured)]
        # References may cross files, so what is named inside a root is built with all of it.
        entries = [*self.named, *(configured if inside or not self.named else ())]
        findings = Diagnostics()
        rooted = [(path, _root(path, configured)) for path in entries]
        written = None if self.out is None else self.out / "schemas"
        specs = discover(self.root, rooted, findings, written)
        for found in findings:
            place = None if found.span is None else self.root / found.span.path
            if not self.named or place is None or _within(place, self.named):
                self.diagnostics.add(self._hinted(found) if found.code == "AIG708" else found)
        return specs

    def _hinted(self, found: Diagnostic) -> Diagnostic:
        """What is said of a file or folder that is not there, with what to do about it."""
        if self.named or found.hint is not None:
            return found
        begins = self.configuration.out is None
        return replace(found, hint=_BEGIN if begins else "make it, or correct specs = […]")

    def report_no_specs(self, passed: Sequence[str]) -> None:
        """Reports that there is nothing to read.

        Args:
            passed: files that were passed over because they are no specs.
        """
        where = ", ".join(map(self.show, self.named) if self.named else self.configuration.specs)
        near = [path for path in passed if path.endswith((".yaml", ".yml"))]
        begin = near[0] if near else "a YAML file there"
        hint = f"begin {begin} with aigen: 1" if passed or self.named else _BEGIN
        self.diagnostics.report("AIG708", None, f"no specs in {where}", hint=hint)

    def wanted(self, specs: Sequence[SpecPath]) -> frozenset[str] | None:
        """The modules whose files are written; None for all."""
        if not self.named:
            return None
        return frozenset(
            spec.module for spec in specs if any(_within(spec.path, [one]) for one in self.named)
        )

    def program(self, specs: Sequence[SpecPath]) -> tuple[Program, tuple[Path, ...]]:
        """Reads, resolves and checks specs; all that is wrong is in `diagnostics`.

        Where specs are named, what is wrong in others counts only if those named need them, and the
        modules of the rest are empty.

        Returns:
            The program, and the further files that were read for it.
        """
        from aigen.emit.dialects import check_dialects
        from aigen.ir import Module
        from aigen.parts import context, imported, read
        from aigen.resolve import resolve
        from aigen.rules import check

        findings, unsaid = Diagnostics(), Diagnostics()
        with without_collection():
            tried = [read(self.configuration, spec, findings) for spec in specs]
            files = [file for file in tried if file is not None]
            unread = frozenset(
                spec.module for spec, file in zip(specs, tried, strict=True) if file is None
            )
            program = resolve(files, replace(context(self.configuration), unread=unread), findings)
            if not findings.failed:
                check_dialects(program, program.modules, self.configuration.dialects, unsaid)
            check(
                program,
                findings,
                self.configuration.settings,
                dialects=self.configuration.dialects,
                lint=self.configuration.lint,
                texts={file.path: file.source.text for file in files},
                also=unsaid,
            )
        modules = program.modules
        needed = self.needed(specs, lambda one: modules[one].needs if one in modules else ())
        unneeded = {
            spec.module: spec.shown
            for spec in specs
            if needed is not None and spec.module not in needed
        }
        passed = self._paths(files, unneeded)
        for found in findings:
            if found.span is None or found.span.path not in passed:
                self.diagnostics.add(found)
        empty = {module: Module(module, shown) for module, shown in unneeded.items()}
        made = replace(program, modules={**program.modules, **empty})
        named = (path for file in files for path in file.reads)
        return made, tuple(
            map(Path, (*named, *imported(self.configuration, made.modules.values())))
        )

    def needed(
        self, specs: Sequence[SpecPath], needs: Callable[[str], Iterable[str]]
    ) -> set[str] | None:
        """The modules of the specs that are named, and those that they need; None for all."""
        pending = list(self.wanted(specs) or ())
        if not pending:
            return None
        known = {spec.module for spec in specs}
        found: set[str] = set()
        while pending:
            module = pending.pop()
            if module in known and module not in found:
                found.add(module)
                pending.extend(needs(module))
                # Python imports a package before what is in it.
                pending.append(module.rpartition(".")[0])
        return found

    def _paths(self, files: Sequence[SpecFile], unneeded: Mapping[str, str]) -> set[str]:
        """The specs of unneeded modules and the files that they alone read, as messages have it."""
        paths = set(unneeded.values())
        if paths:
            for file in files:
                if file.module in unneeded:
                    paths.update(self.show(Path(path)) for path in file.reads)
            for file in files:
                if file.module not in unneeded:
                    paths.difference_update(self.show(Path(path)) for path in file.reads)
        return paths

    def render(self, program: Program) -> Mapping[str, str]:
        """The text of every file of the output, by its path in the output folder.

        A fault in a template of the project is in `diagnostics`, and there are no texts then.
        """
        from aigen.emit.overrides import TemplateFault
        from aigen.emit.render import render
        from aigen.parts import render_options

        try:
            with without_collection():
                return render(program, render_options(self.configuration))
        except TemplateFault as fault:
            path = self.show((self.templates or self.root) / fault.path)
            span = Span(path, fault.line, 1, fault.line, 1)
            self.diagnostics.report(fault.code, span, fault.message, hint=fault.hint)
            return {}

    def run_tools(self, program: Program) -> tuple[int, int]:
        """Tries the tools of a program, and reports what goes wrong.

        Returns:
            How many were run, and how many were not.
        """
        from aigen.verify import run_tools

        return run_tools(program, self.configuration.python_folders, self.diagnostics)

    def verify(self, out: Path) -> None:
        """Judges the output by `mypy --strict`; what it refuses is in `diagnostics`.

        A finding stands at the entry of the spec that the code was made of, where one is known.
        """
        from aigen.verify import CannotVerify, Places, findings

        bases = [(self.root / path).resolve() for path in self.configuration.python_path]
        try:
            found = findings(out.resolve(), bases, self.state.absolute() / "mypy")
        except CannotVerify as problem:
            self.diagnostics.report("AIG711", None, str(problem), hint=problem.hint)
            return
        if not found:
            return
        silent = replace(self, diagnostics=Diagnostics())  # the build has said what is wrong
        program, _ = silent.program(silent.specs()[0])
        places = Places(program, out.resolve())
        for one in found:
            shown = self.show(out / one.path.relative_to(out.resolve()))
            there = Span(shown, one.line, one.column, one.line, one.column)
            span = places.span(one.path, one.line)
            self.diagnostics.report(
                "AIG710",
                span or there,
                f"mypy: {one.message} [{one.code}]",
                related=[] if span is None else [(there, "in the generated code")],
            )

    def show(self, path: Path) -> str:
        """A path as messages have it."""
        return show(path, self.root)


@contextmanager
def without_collection() -> Iterator[None]:
    """Spares the collector: a build makes many objects that all live to its end, and no cycles."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            # What is left counts as old at once; else the next collection looks through all of it.
            gc.freeze()
            gc.unfreeze()
            gc.enable()


def _root(path: Path, configured: Sequence[Path]) -> Path:
    """The folder that the module's name of a spec begins under."""
    for root in configured:
        if root.is_dir() and path.is_relative_to(root):
            return root
    return path if path.is_dir() else path.parent


def _whole(path: Path) -> Path:
    """An absolute path without `..`, so that it can be found within another."""
    return path.resolve() if ".." in path.parts else path.absolute()


def _within(path: Path, roots: Sequence[Path]) -> bool:
    return any(path == root or path.is_relative_to(root) for root in roots)
