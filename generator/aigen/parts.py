"""A part of a build: some modules, read with all that they need, checked and rendered.

What is found of a module depends on its own spec, on what the spec reads, and on the modules that
it needs: so it can be kept, and a part can be made in a process of its own. The few things that
depend on those who need a module (whether its types are used, and streamed) are decided of what is
found of all modules together.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from aigen.configuration import Configuration
from aigen.diagnostics import Diagnostic, Diagnostics, Span
from aigen.discovery import SpecPath, show
from aigen.emit.cache import Entry, Json, finding, finding_data
from aigen.emit.dialects import check_dialects
from aigen.emit.render import RenderOptions, module_files
from aigen.emit.scope import Answered, answered, plan
from aigen.ir import Module, Program
from aigen.resolve import Names, ResolveContext, resolve
from aigen.rules import check, judged
from aigen.rules.context import Context
from aigen.rules.ignoring import Ignored, comments
from aigen.rules.types import Uses, uses
from aigen.spec import read_file
from aigen.spec.tree import SpecFile

_MODULE = (".py", f"{os.sep}__init__.py", ".pyi", f"{os.sep}__init__.pyi")
"""What a module's file may end with."""
_DOTTED = re.compile(r"(?<!\w)[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+", re.ASCII)


_NOTHING = Names((), ())


@dataclass(frozen=True, slots=True)
class Found:
    """What is found of one module, beside its files.

    Attributes:
        needs: modules whose change may change it; also such as are not there.
        reads: further files whose change may change it; also such as are not there.
        findings: what reading and resolving say of it, none of it an error.
        lint: what dialects and lint say of it, before anything is ignored.
        ignored: what its comments ignore.
        uses: of types of other modules, for lint.
        answered: types of other modules that its functions answer with.
        declares: what it declares itself.
    """

    needs: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    findings: tuple[Diagnostic, ...] = ()
    lint: tuple[Diagnostic, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    uses: Uses = field(default_factory=Uses)
    answered: Answered = field(default_factory=Answered)
    declares: Names = _NOTHING


def found_data(found: Found) -> Json:
    """What is found of a module as JSON, beside what stands in its entry; None for nothing."""
    spare = {name: [span, made_of] for name, (span, made_of) in found.uses.spare.items()}
    data: list[Json] = [
        [finding_data(one) for one in found.findings],
        [finding_data(one) for one in found.lint],
        found.ignored,
        [found.uses.asked, spare],
        [found.answered.beyond, found.answered.rest],
    ]
    return data if any((*data[:3], *data[3], *data[4])) else None


def found_of(entry: Entry) -> Found:
    """What `found_data` was given; raises what such code does for data of another form."""
    needs, reads, data, declares = entry.needs, entry.reads, entry.found, Names(*entry.declares)
    if data is None:
        return Found(needs, reads, declares=declares)
    findings, lint, ignored, (asked, spare), (beyond, rest) = data
    return Found(
        needs,
        reads,
        tuple(finding(one) for one in findings),
        tuple(finding(one) for one in lint),
        tuple(Ignored(code, Span(*span)) for code, span in ignored),
        Uses(
            _keys(asked),
            {name: (Span(*span), _keys(made_of)) for name, (span, made_of) in spare.items()},
        ),
        Answered(_keys(beyond), {name: _keys(made_of) for name, made_of in rest.items()}),
        declares,
    )


def _keys(data: Json) -> tuple[tuple[str, str], ...]:
    return tuple((module, name) for module, name in data)


class Part:
    """Some modules of a project, and those that they need.

    Args:
        configuration: of the project.
        specs: all specs of it.
        modules: those that are made.
    """

    def __init__(
        self, configuration: Configuration, specs: Sequence[SpecPath], modules: Iterable[str]
    ) -> None:
        self._configuration = configuration
        self._specs = {spec.module: spec for spec in specs}
        self._modules = sorted(modules)
        self._options = render_options(configuration)
        self._read: dict[str, SpecFile | None] = {}
        self._said = Diagnostics()  # of the files as they were read
        self._program = Program({}, {})
        self._answered: dict[str, Answered] = {}

    def found(self) -> dict[str, Found]:
        """What is found of each module that, with all that it needs, can be resolved."""
        findings = self._resolved(context(self._configuration))
        whole = self._whole(findings)
        asked = Context(
            self._program,
            self._options.configured,
            self._options.dialects,
            self._configuration.lint,
            frozenset(whole),
        )
        unsaid = Diagnostics()
        check_dialects(self._program, whole, self._options.dialects, unsaid)
        lint = judged(asked)
        lint.extend(unsaid)
        return self._found(whole, findings, lint)

    def _resolved(self, context: ResolveContext) -> Diagnostics:
        """Reads and resolves what is needed; gives what is found."""
        wanted: Collection[str] = self._modules
        while True:
            self._read_all(wanted)
            findings = Diagnostics()
            findings.extend(self._said)
            unread = frozenset(name for name, file in self._read.items() if file is None)
            self._program = resolve(self._files, replace(context, unread=unread), findings)
            wanted = self._missed()
            if not wanted:
                return findings

    def faults(self, elsewhere: Mapping[str, Names]) -> Diagnostics | None:
        """What is found of modules of which one has errors; None where none has.

        Args:
            elsewhere: what other modules declare, for an unknown name may be one of theirs.
        """
        findings = self._resolved(replace(context(self._configuration), elsewhere=elsewhere))
        if not findings.failed:
            return None
        check(
            self._program,
            findings,
            self._options.configured,
            dialects=self._options.dialects,
            lint=self._configuration.lint,
            texts={file.path: file.source.text for file in self._files},
        )
        return findings

    @property
    def reads(self) -> frozenset[str]:
        """The further files that were read, or would have been had they existed."""
        named = (path for file in self._files for path in file.reads)
        return frozenset((*named, *imported(self._configuration, self._program.modules.values())))

    def files(
        self, beyond: Mapping[str, Collection[str]], chosen: Collection[str]
    ) -> dict[str, dict[str, str]]:
        """The texts of the files of this part's modules, by module and path in the output.

        Args:
            beyond: what `aigen.emit.scope.streamed` found in all modules.
            chosen: the modules whose files are wanted.
        """
        names = [name for name in self._modules if name in chosen]
        known = plan(self._program, beyond, self._answered)
        return module_files(known, names, self._specs, self._options)

    @property
    def _files(self) -> list[SpecFile]:
        return [file for file in self._read.values() if file is not None]

    def _read_all(self, wanted: Iterable[str]) -> None:
        """Reads specs, and those that they seem to name."""
        pending = [*wanted]
        while pending:
            module = pending.pop()
            if module in self._read:
                continue
            file = read(self._configuration, self._specs[module], self._said)
            self._read[module] = file
            if file is not None:
                pending += self._named(file)

    def _named(self, file: SpecFile) -> Iterator[str]:
        """The modules that a spec names, and perhaps some that it only seems to."""
        # Few words have a dot, and a pattern would try each of their letters.
        for word in {word for word in file.source.text.split() if "." in word}:
            for dotted in _DOTTED.findall(word):
                parts = dotted.split(".", self._deepest)
                for end in range(1, len(parts)):
                    module = ".".join(parts[:end])
                    if module in self._specs:
                        yield module
        if file.reads or file.tools or file.python is not None:
            yield from self._python_specs(file.reads)

    def _python_specs(self, reads: Collection[str]) -> Iterator[str]:
        """Specs that are Python modules: those that a spec reads, and stubs, which stand for it."""
        stubs, modules = self._python
        yield from stubs
        for path in reads if modules else ():
            if (real := os.path.realpath(path)) in modules:
                yield modules[real]

    @cached_property
    def _deepest(self) -> int:
        """Parts of a module's name at most: a text of dots names no module that is longer."""
        return max(name.count(".") + 1 for name in self._specs)

    @cached_property
    def _python(self) -> tuple[list[str], dict[str, str]]:
        """The specs that are stubs, and the other Python ones by their real path."""
        suffixes = {module: spec.path.suffix for module, spec in self._specs.items()}
        real = {
            os.path.realpath(self._specs[module].path): module
            for module, suffix in suffixes.items()
            if suffix == ".py"
        }
        return [module for module, suffix in suffixes.items() if suffix == ".pyi"], real

    def _missed(self) -> list[str]:
        """Modules that turned out to be needed, and were not read."""
        needs = {need for module in self._program.modules.values() for need in module.needs}
        return sorted(need for need in needs if need in self._specs and need not in self._read)

    def _whole(self, findings: Diagnostics) -> list[str]:
        """The modules of which there is no error, and neither of one that they need."""
        errors = [one for one in findings if one.severity == "error"]
        if not errors:
            return self._modules
        wrong = {span.path for one in errors for span in _places(one)}
        faulty, places = [], set()
        needed: dict[str, list[str]] = {}
        for name, file in self._read.items():
            module = self._program.modules.get(name)
            paths = {self._specs[name].shown}
            if file is not None and module is not None:
                reads = self._reads(file, module)
                paths = self._paths(file, reads)
                # What names a faulty module may lead nowhere, and be no need.
                for need in {*module.needs, *self._named(file), *self._python_specs(reads)}:
                    needed.setdefault(need, []).append(name)
            if module is None or paths & wrong:
                faulty.append(name)
            places |= paths
        if not all(one.span is not None and one.span.path in places for one in errors):
            return []
        return sorted(set(self._modules).difference(_reached(faulty, needed)))

    def _reads(self, file: SpecFile, module: Module) -> tuple[str, ...]:
        """The further files that a module was read from, or would have been had they existed."""
        return tuple(dict.fromkeys((*file.reads, *imported(self._configuration, [module]))))

    def _paths(self, file: SpecFile, reads: Iterable[str]) -> set[str]:
        """A spec and what it reads, as messages have it."""
        return {file.path, *(show(Path(path), self._configuration.root) for path in reads)}

    def _found(
        self, modules: Iterable[str], findings: Diagnostics, lint: Diagnostics
    ) -> dict[str, Found]:
        found = {}
        told = _by_path(findings)
        judged = _by_path(lint)
        for name in modules:
            file, module = self._read[name], self._program.modules[name]
            assert file is not None, "a file that cannot be read is an error"
            reads = self._reads(file, module)
            paths = self._paths(file, reads)
            found[name] = Found(
                tuple(sorted({*module.needs, *self._python_specs(reads)} - {name})),
                reads,
                tuple(one for path in sorted(paths & told.keys()) for one in told[path]),
                tuple(one for path in sorted(paths & judged.keys()) for one in judged[path]),
                tuple(comments(file.path, file.source.text)),
                uses(module),
                self._answered.setdefault(name, answered(module)),
                _declared(file),
            )
        return found


def _declared(file: SpecFile) -> Names:
    callables = [*(spec.key.value for spec in file.functions), *(s.key.value for s in file.tools)]
    return Names([spec.name.value for spec in file.types], callables)


def _places(found: Diagnostic) -> list[Span]:
    """Where a finding is, and what it names beside; what has no place is nowhere and everywhere."""
    return [*([found.span] if found.span else []), *(span for span, _ in found.related)]


def _reached(start: Iterable[str], steps: Mapping[str, Sequence[str]]) -> dict[str, None]:
    """Where steps lead to from some places, and these."""
    pending = [*start]
    found = dict.fromkeys(pending)
    while pending:
        more = [each for each in steps.get(pending.pop(), ()) if each not in found]
        found.update(dict.fromkeys(more))
        pending += more
    return found


def _by_path(findings: Iterable[Diagnostic]) -> dict[str, list[Diagnostic]]:
    found: dict[str, list[Diagnostic]] = {}
    for one in findings:
        found.setdefault(one.span.path if one.span else "", []).append(one)
    return found


def ready() -> None:
    """Loads what making a part takes, and few builds would wait for."""
    import aigen.resolve.program  # noqa: F401
    from aigen.emit.environment import environment

    environment().get_template("module.py.jinja")


def read(configuration: Configuration, spec: SpecPath, findings: Diagnostics) -> SpecFile | None:
    """Reads one spec of a project; None where a finding says why it cannot be read."""
    return read_file(
        spec.path,
        root=spec.root,
        shown=spec.shown,
        module=spec.module,
        diagnostics=findings,
        python_path=configuration.python_folders,
    )


def context(configuration: Configuration) -> ResolveContext:
    """What the configuration says that specs depend on."""
    return ResolveContext(configuration.python_folders, configuration.trust, configuration.settings)


def render_options(configuration: Configuration) -> RenderOptions:
    """How the output of a project is rendered."""
    return RenderOptions(
        configuration.settings,
        configuration.dialects,
        standalone=configuration.standalone,
        templates=configuration.templates_folder,
    )


def imported(configuration: Configuration, modules: Iterable[Module]) -> Iterator[str]:
    """Where the Python modules are looked for that specs name, or that those import.

    Of installed modules, and those of the standard library, the files that were read.
    """
    from aigen.resolve.python_modules import file_of_installed

    roots = configuration.python_folders
    for name in sorted({name for module in modules for name in module.imported}):
        inner = name.replace(".", os.sep)
        for root in roots:
            for end in _MODULE:
                yield f"{root}{os.sep}{inner}{end}"
        elsewhere = file_of_installed(name)
        if elsewhere is not None:
            yield str(elsewhere)
