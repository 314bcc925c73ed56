"""`aigen diff`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, NoReturn

import click

from aigen.cli import FINDINGS, FINE
from aigen.cli.entries import spec_place
from aigen.cli.printing import format_option, in_repository, print_findings
from aigen.compare import KINDS, Change, Unreadable, changes, read
from aigen.compare.formats import Where, as_github, as_json, as_markdown, as_text
from aigen.diagnostics import Span
from aigen.ir import Program
from aigen.project import Project
from aigen.revisions import NoRevision, from_folder, from_git

FORMATS: Final = ("text", "json", "github", "markdown")
Files = Mapping[str, str | bytes]


@click.command("diff")
@click.option(
    "--against",
    default="git:HEAD",
    show_default=True,
    metavar="git:REV|DIR",
    help="A git revision, or a folder with an earlier output.",
)
@click.option("--out", type=click.Path(path_type=Path), help="The output folder.")
@click.option("--written", is_flag=True, help="Compare the output on disk, not the specs.")
@click.option("--allow", is_flag=True, help="Exit 0 also where something breaks.")
@format_option("How changes are printed.", FORMATS)
def command(against: str, out: Path | None, written: bool, allow: bool, form: str) -> int:
    """Says what changed in the interfaces since a revision, and whom it breaks."""
    project = Project.load(Path.cwd(), out=out)
    if project.out is None and not project.diagnostics.failed:
        raise click.UsageError('no output folder is set; --out DIR, or out = "…" in [tool.aigen]')
    if project.out is None or project.diagnostics.failed:
        _end(project)
    try:
        before = _before(against, project.out)
        program = None if written else _program(project)
        after = from_folder(project.out) if program is None else _rendered(project, program)
        found = changes(_read(before, f"{against}: "), _read(after, ""))
    except (NoRevision, Unreadable) as problem:
        raise click.UsageError(str(problem)) from None
    if not before:
        click.echo(f"{against} has no schemas of this output, so all of it is new", err=True)
    _print(project, found, _spans(project, project.out, program, after), form)
    breaking = any(one.kind == "breaking" for one in found)
    return FINDINGS if breaking and not allow else FINE


def _before(against: str, out: Path) -> dict[str, bytes]:
    kind, colon, revision = against.partition(":")
    if kind != "git" or not colon:
        return from_folder(Path(against))
    if not revision or "\0" in revision:
        raise click.UsageError(
            "--against git: names no revision; write git:HEAD or git:origin/main"
        )
    return from_git(out, revision)


def _read(files: Files, whose: str) -> dict[str, Mapping[str, Any]]:
    return read({f"{whose}{path}": text for path, text in files.items()})


def _end(project: Project) -> NoReturn:
    print_findings(project)
    raise click.exceptions.Exit(FINDINGS)


def _program(project: Project) -> Program:
    """The specs as they are now; the command ends where they have errors."""
    program, _ = project.program(project.specs()[0])
    if project.diagnostics.failed:
        _end(project)
    return program


def _rendered(project: Project, program: Program) -> Files:
    """The schemas that a build would write; the command ends where it would fail."""
    files = project.render(program)
    if project.diagnostics.failed:
        _end(project)
    return {path: text for path, text in files.items() if path.startswith("schemas/")}


def _print(project: Project, found: Sequence[Change], where: Where, form: str) -> None:
    match form:
        case "json":
            click.echo(as_json(found, where))
        case "github":
            if said := as_github(found, where, in_repository(project.root)):
                click.echo(said)
        case "markdown":
            click.echo(as_markdown(found))
        case _:
            click.echo(_coloured(as_text(found)))


def _spans(project: Project, out: Path, program: Program | None, files: Files) -> Where:
    """The places of changes: in the specs, or in the files compared where those alone are read."""
    if program is not None:
        return lambda change: spec_place(program, change.place)

    @cache
    def lines(name: str) -> list[str]:
        text = files[name]
        return (text if isinstance(text, str) else text.decode(errors="replace")).splitlines()

    def where(change: Change) -> Span | None:
        name = change.place.file
        if name not in files:
            return None
        line = change.place.line(lines(name))
        return Span(project.show(out / name), line, 1, line, 1)

    return where


_COLOURS: Final[Mapping[str, str]] = dict(
    zip(KINDS, ("red", "magenta", "yellow", "cyan", "green"), strict=True)
)


def _coloured(text: str) -> str:
    """The kinds in colour; click leaves it out where nobody sees it."""
    if os.environ.get("NO_COLOR"):
        return text
    lines = []
    for line in text.split("\n"):
        kind, colon, rest = line.partition(": ")
        colour = _COLOURS.get(kind) if colon else None
        lines.append(f"{click.style(kind, fg=colour, bold=True)}: {rest}" if colour else line)
    return "\n".join(lines)
