"""Makes what is stale of an output, and says what is then known of all of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import methodcaller

from aigen.diagnostics import Diagnostic, Diagnostics
from aigen.discovery import SpecPath
from aigen.emit.cache import Cache, Entry, Record, Stale, read_as
from aigen.emit.overrides import TemplateFault
from aigen.emit.owned import RUNTIME_FOLDER
from aigen.emit.parallel import team
from aigen.emit.render import package_files
from aigen.emit.scope import streamed
from aigen.parts import Found, Part, found_data, found_of, ready, render_options
from aigen.project import Project
from aigen.rules import said_of_faulty
from aigen.rules.ignoring import unignored
from aigen.rules.types import unused

Files = Mapping[str, Mapping[str, str]]
"""Texts by module and path in the output."""


@dataclass(frozen=True, slots=True)
class Made:
    """What a build made.

    Attributes:
        files: the texts by path in the output; None after an error.
        record: what is known now, but for the files' digests; without a key where nothing is.
        reads: further files that were read, or would have been had they existed.
    """

    files: Mapping[str, str] | None
    record: Record = field(default_factory=Record)
    reads: Collection[str] = ()


def make(
    project: Project, specs: Sequence[SpecPath], cache: Cache, stale: Stale, began: int
) -> Made:
    """Makes the files of stale modules, and of the packages around them.

    Args:
        project: whose diagnostics take what is wrong, also what was found of other modules before.
        specs: all of the project.
        cache: what is known of the last build.
        stale: what is to be made.
        began: when the build began to read, in nanoseconds.
    """
    try:
        found, texts, record = _made(project, specs, cache, stale, began)
    except TemplateFault:
        return _in_full(project, specs, stale)
    if texts is None:
        made = _faulty(project, specs, cache.record, stale)
        return made if made.files is not None else replace(made, record=record)
    record.findings.extend(_findings(project, found))
    return Made(dict(sorted(texts.items())), record, record.reads)


def _made(
    project: Project, specs: Sequence[SpecPath], cache: Cache, stale: Stale, began: int
) -> tuple[dict[str, Found], dict[str, str] | None, Record]:
    """What is found of all modules, the texts, and what is then known; no texts after an error.

    Raises:
        TemplateFault: a template of the project is wrong.
    """
    while True:
        known = _known(cache.record, stale)
        make_part = partial(Part, project.configuration, specs)
        with team(make_part, sorted(stale.reasons), project.jobs, ready) as workers:
            found = dict(known)
            for answer in workers.ask(methodcaller("found")):
                found.update(answer)
            if len(found) < len(stale.sources) or any(map(_refused, found.values())):
                return found, None, _half(cache.record, stale, found, began)
            beyond = streamed({name: each.answered for name, each in found.items()})
            more = _answered_anew(cache.record, known, beyond)
            waiting = {name: why for name, why in stale.unwritten.items() if name in known}
            if not more and not waiting:
                made: dict[str, dict[str, str]] = {}
                for texts in workers.ask(methodcaller("files", beyond, stale.wanted)):
                    made.update(texts)
                break
        stale.reasons.update(waiting)
        stale.reasons.update(cache.dependents({**stale.reasons, **more}, stale.sources))
    files = package_files(stale.sources, render_options(project.configuration))
    record = _record(cache.record, stale, found, made, beyond)
    record.package = tuple(files)
    for path in {path for name in stale.reasons for path in found[name].reads}:
        record.reads[path] = read_as(path, began)
    for texts in made.values():
        files.update(texts)
    return found, files, record


def _known(record: Record, stale: Stale) -> dict[str, Found]:
    """What was found before of modules that are not stale; all are where it is no such thing."""
    clean = stale.sources.keys() - stale.reasons.keys()
    try:
        return {name: found_of(entry) for name, entry in record.modules.items() if name in clean}
    except (AttributeError, KeyError, TypeError, ValueError):
        stale.reasons.update(dict.fromkeys(clean, "no earlier build is known"))
        return {}


def _answered_anew(
    record: Record, known: Collection[str], beyond: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    """Modules that are as they were, but whose types others answer with now, or do no more."""
    found = {}
    for name in known:
        entry = record.modules[name]
        if entry.files is not None and tuple(beyond.get(name, ())) != entry.streamed:
            found[name] = f"other functions answer with types of {entry.source.shown}"
    return found


def _record(
    before: Record,
    stale: Stale,
    found: Mapping[str, Found],
    files: Files,
    beyond: Mapping[str, Sequence[str]],
) -> Record:
    record = Record(stale.key)
    for name, source in stale.sources.items():
        if name not in stale.reasons:
            entry = before.modules[name]
            record.reads.update({path: before.reads[path] for path in entry.reads})
        else:
            one = found[name]
            made = tuple(files[name]) if name in files else None
            here = tuple(beyond.get(name, ()))
            data = found_data(one)
            entry = Entry(source, one.needs, one.reads, data, made, here, one.declares)
        record.modules[name] = entry
    return record


def _findings(project: Project, found: Mapping[str, Found]) -> Diagnostics:
    """All that is said of a whole project without errors."""
    told, lint = Diagnostics(), Diagnostics()
    for each in found.values():
        told.extend(each.findings)
        lint.extend(each.lint)
    unused({name: found[name].uses for name in sorted(found)}, lint)
    ignored = [one for each in found.values() for one in each.ignored]
    told.extend(unignored(lint, ignored, project.configuration.lint.ignore, whole=True))
    return told


def _refused(found: Found) -> bool:
    """Whether a dialect cannot say something of a module."""
    return any(one.severity == "error" for one in found.lint)


def _half(before: Record, stale: Stale, found: Mapping[str, Found], began: int) -> Record:
    """What is known where some modules have errors: more of others, but of none anything else.

    What is known of a module holds together with what is known of those that it needs, and was
    read of the same files as that of others: so nothing is added that would part them.
    """
    record = Record(stale.key, outputs=before.outputs)
    if before.key == stale.key:
        record = replace(before, modules={**before.modules}, reads={**before.reads})
    needed = {need for entry in record.modules.values() for need in entry.needs}
    for name in sorted(found.keys() - record.modules.keys() - needed):
        one = found[name]
        reads = {path: read_as(path, began) for path in one.reads}
        alike = all(record.reads.get(path, seen) == seen for path, seen in reads.items())
        if alike and not _refused(one):
            data = found_data(one)
            entry = Entry(stale.sources[name], one.needs, one.reads, data, declares=one.declares)
            record.modules[name] = entry
            record.reads.update(reads)
    return record


def _faulty(project: Project, specs: Sequence[SpecPath], record: Record, stale: Stale) -> Made:
    """Reads what is stale and what that needs; of the rest, what was found before is said again."""
    if project.named:
        return _in_full(project, specs, stale)
    known = _known(record, stale)
    part = Part(project.configuration, specs, stale.reasons)
    elsewhere = {name: each.declares for name, each in known.items()}
    told = part.faults(elsewhere)
    if told is None:  # a dialect's errors alone
        told = _findings(project, {**known, **part.found()})
    if not told.failed:
        return _in_full(project, specs, stale)
    project.diagnostics.extend((*told, *_said_of_others(project, known)))
    others = (path for each in known.values() for path in each.reads)
    return Made(None, reads=part.reads.union(others))


def _said_of_others(project: Project, known: Mapping[str, Found]) -> Iterator[Diagnostic]:
    """What was found of modules without errors, where others have some."""
    lint = [one for each in known.values() for one in each.lint if said_of_faulty(one)]
    ignored = [one for each in known.values() for one in each.ignored]
    yield from (one for each in known.values() for one in each.findings)
    yield from unignored(lint, ignored, project.configuration.lint.ignore, whole=False)


def _in_full(project: Project, specs: Sequence[SpecPath], stale: Stale) -> Made:
    """Reads all specs together, for what is wrong in one is said in view of all.

    Where specs are named, those that they need may be without an error, and are made.
    """
    program, reads = project.program(specs)
    named = tuple(map(str, reads))
    if project.diagnostics.failed:
        return Made(None, reads=named)
    files = project.render(program)
    if project.diagnostics.failed:
        return Made(None, reads=named)
    return Made(_of(files, stale.wanted), reads=named)


def _of(files: Mapping[str, str], modules: Collection[str]) -> dict[str, str]:
    """The files of some modules, and those of the package itself."""
    stems = {name.replace(".", "/") for name in modules}
    chosen = {}
    for name, text in files.items():
        stem = name.removeprefix("schemas/").partition(".")[0]
        package = stem.rpartition("/")[2] == "__init__" or name in ("py.typed", ".gitattributes")
        if package or stem in stems or name.startswith(f"{RUNTIME_FOLDER}/"):
            chosen[name] = text
    return chosen
