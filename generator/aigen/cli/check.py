"""`aigen check`."""

from __future__ import annotations

from pathlib import Path

import click

from aigen.cli import FINDINGS, FINE
from aigen.cli.printing import format_option, print_findings
from aigen.project import Project


@click.command("check")
@click.argument("specs", nargs=-1, type=click.Path(path_type=Path))
@format_option("How findings are printed.")
@click.option("--run", "runs", is_flag=True, help="Import the tools' modules; run what only reads.")
def command(specs: tuple[Path, ...], form: str, runs: bool) -> int:
    """Finds everything that a build finds, and lint, without writing."""
    project = Project.load(Path.cwd(), named=specs)
    ran: tuple[int, int] | None = None
    found, passed = project.specs()
    if not found and not project.diagnostics.failed:
        project.report_no_specs(passed)
    if found:
        program, _ = project.program(found)
        if not project.diagnostics.failed:
            # Names that collide in the output show when it is made.
            project.render(program)
        if runs and not project.diagnostics.failed:
            ran = project.run_tools(program)
    print_findings(project, form, err=False)
    if form == "text" and not len(project.diagnostics):
        count = len(project.wanted(found) or found)
        click.echo(f"{count} spec{'s' * (count != 1)}: nothing to say")
    if form == "text" and ran is not None:
        click.echo(
            f"tools run: {ran[0]}; not run, as they change something or need a call: {ran[1]}"
        )
    return FINDINGS if project.diagnostics.failed else FINE
