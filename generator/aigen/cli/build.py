"""`aigen build`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import click

from aigen.building import Outcome, build
from aigen.cli import FINDINGS, FINE
from aigen.cli.patch import patch
from aigen.cli.printing import print_findings
from aigen.diagnostics import Diagnostic
from aigen.emit.write import Changes
from aigen.project import Project


@click.command("build")
@click.argument("specs", nargs=-1, type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="The output folder.")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 with a diff if it is stale.")
@click.option("--watch", is_flag=True, help="Build again after every save, until Ctrl-C.")
@click.option("--verify", is_flag=True, help="Judge the output by mypy --strict.")
@click.option("--standalone", is_flag=True, help="Write the runtime too, as OUT/_runtime.")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes at most; else one a processor.")
@click.option("-v", "--verbose", is_flag=True, help="Say what was built and why.")
def command(
    specs: tuple[Path, ...],
    out: Path | None,
    check: bool,
    watch: bool,
    verify: bool,
    standalone: bool,
    jobs: int | None,
    verbose: bool,
) -> int:
    """Writes the modules of the specs: those named, or all of the configuration's."""
    if check and watch:
        raise click.UsageError("--check writes nothing, so there is nothing to --watch: give one")

    def load() -> Project:
        return Project.load(Path.cwd(), named=specs, out=out, standalone=standalone, jobs=jobs)

    if watch:
        _watch(load, _Watched(verify, verbose))
    project = load()
    outcome = build(project, write_files=not check, say=_say)
    if verify:
        _verify(project, outcome)
    print_findings(project)
    if verbose:
        _explain(outcome)
    if outcome.changes is None or project.diagnostics.failed:
        return FINDINGS
    if check:
        return _check(project, outcome.changes)
    _print_counts(project, outcome.changes)
    if verify:
        _say("mypy --strict finds nothing in it")
    return FINE


def _say(words: str) -> None:
    click.echo(words, err=True)


def _verify(project: Project, outcome: Outcome) -> None:
    """Judges an output that is on disk."""
    if outcome.changes is not None and project.out is not None and not project.diagnostics.failed:
        project.verify(project.out)


def _watch(load: Callable[[], Project], rebuild: Callable[[Project], Outcome]) -> None:
    from aigen.watching import watch

    try:
        watch(load, rebuild)
    except ModuleNotFoundError as problem:
        if problem.name != "watchfiles":
            raise
        raise click.ClickException(
            '--watch needs a package: pip install "aigen[build]"'
        ) from problem


@dataclass(slots=True)
class _Watched:
    """Builds under `--watch`, and prints what is new of each."""

    verify: bool
    verbose: bool
    shown: list[Diagnostic] | None = field(default=None, init=False)

    def __call__(self, project: Project) -> Outcome:
        outcome = build(project, say=_say)
        first = self.shown is None
        changed = outcome.changes is not None and not outcome.changes.none
        if self.verify:
            _verify(project, outcome)
        found = list(project.diagnostics)
        if first or changed or found != self.shown:
            self._print(project, outcome)
        self.shown = found
        if first:
            _say("watching; Ctrl-C ends it")
        return outcome

    def _print(self, project: Project, outcome: Outcome) -> None:
        print_findings(project)
        if self.verbose:
            _explain(outcome)
        if outcome.changes is None:
            _say("nothing was written")
        else:
            _print_counts(project, outcome.changes)


def _print_counts(project: Project, changes: Changes) -> None:
    shown = "" if project.out is None else f" in {project.show(project.out)}"
    click.echo(f"{_counts(changes)}{shown}")


def _explain(outcome: Outcome) -> None:
    for path in outcome.passed:
        click.echo(f"passed over {path}: no top-level aigen: key", err=True)
    if outcome.reason is None:
        if outcome.changes is not None:
            click.echo("nothing has changed since the last build", err=True)
        return
    built = len(outcome.reasons)
    count = f"{built} of {outcome.specs}" if built < outcome.specs else f"{built}"
    specs = "spec" if outcome.specs == 1 else "specs"
    done = "built" if outcome.changes is not None else "tried"
    click.echo(f"{done} {count} {specs}: {outcome.reason}", err=True)
    if len(set(outcome.reasons.values())) > 1:
        for path, reason in sorted(outcome.reasons.items()):
            click.echo(f"{done} {path}: {reason}", err=True)
    if outcome.changes is not None:
        for name in outcome.changes.changed:
            click.echo(f"wrote {name}", err=True)
        for name in outcome.changes.removed:
            click.echo(f"removed {name}", err=True)


def _counts(changes: Changes) -> str:
    if changes.none:
        return f"{_files(changes.unchanged)} up to date"
    said = []
    if changes.changed:
        said.append(f"wrote {_files(len(changes.changed))}")
    if changes.removed:
        said.append(f"removed {_files(len(changes.removed))}")
    if changes.unchanged:
        said.append(f"{changes.unchanged} unchanged")
    return ", ".join(said)


def _files(count: int) -> str:
    return f"{count} file{'s' * (count != 1)}"


def _check(project: Project, changes: Changes) -> int:
    """Prints how the output differs."""
    if changes.none:
        return FINE
    out = project.out or project.root
    for name, data in changes.changed.items():
        _diff(project, out / name, data.decode())
    for name in changes.removed:
        _diff(project, out / name, None)
    total = len(changes.changed) + len(changes.removed)
    click.echo(f"{_files(total)} stale: run aigen build", err=True)
    return FINDINGS


def _diff(project: Project, path: Path, new: str | None) -> None:
    try:
        old = path.read_bytes().decode("utf-8", errors="replace")
    except FileNotFoundError:
        old = None
    for line in patch(project.show(path), old, new):
        click.echo(line, nl=False)
