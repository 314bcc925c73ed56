"""`aigen build`."""

from __future__ import annotations

import difflib
from pathlib import Path

import click

from aigen.building import Outcome, build
from aigen.cli import FINDINGS, FINE
from aigen.cli.printing import print_findings
from aigen.emit.write import Changes
from aigen.project import Project


@click.command("build")
@click.argument("specs", nargs=-1, type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="The output folder.")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 with a diff if it is stale.")
@click.option("--standalone", is_flag=True, help="Write the runtime too, as OUT/_runtime.")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes at most; else one a processor.")
@click.option("-v", "--verbose", is_flag=True, help="Say what was built and why.")
def command(
    specs: tuple[Path, ...],
    out: Path | None,
    check: bool,
    standalone: bool,
    jobs: int | None,
    verbose: bool,
) -> int:
    """Writes the modules of the specs: those named, or all of the configuration's."""
    project = Project.load(Path.cwd(), named=specs, out=out, standalone=standalone, jobs=jobs)
    outcome = build(project, write_files=not check, say=lambda words: click.echo(words, err=True))
    print_findings(project)
    if verbose:
        _explain(outcome)
    if outcome.changes is None or project.diagnostics.failed:
        return FINDINGS
    if check:
        return _check(project, outcome.changes)
    shown = "" if project.out is None else f" in {project.show(project.out)}"
    click.echo(f"{_counts(outcome.changes)}{shown}")
    return FINE


def _explain(outcome: Outcome) -> None:
    for path in outcome.passed:
        click.echo(f"passed over {path}: no top-level aigen: key", err=True)
    if outcome.reason is None:
        click.echo("nothing has changed since the last build", err=True)
        return
    click.echo(f"built {outcome.specs} specs: {outcome.reason}", err=True)
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
        _diff(project, out / name, "")
    total = len(changes.changed) + len(changes.removed)
    click.echo(f"{_files(total)} stale: run aigen build", err=True)
    return FINDINGS


def _diff(project: Project, path: Path, new: str) -> None:
    try:
        old = path.read_bytes().decode("utf-8", errors="replace")
    except FileNotFoundError:
        old = ""
    shown = project.show(path)
    lines = difflib.unified_diff(
        old.splitlines(keepends=True), new.splitlines(keepends=True), f"a/{shown}", f"b/{shown}"
    )
    for line in lines:
        click.echo(line, nl=not line.endswith("\n"))
