"""`aigen test`."""

from __future__ import annotations

from pathlib import Path

import click

from aigen.cli import FINDINGS, FINE
from aigen.cli.finding import callable_function, completed_names, find, loaded
from aigen.cli.outcomes import as_json, as_junit, as_text
from aigen.cli.printing import format_option
from aigen.cli.testing import Outcome, run_tests
from aigen.ir import Function, Module, Program


@click.command("test")
@click.argument("names", nargs=-1, shell_complete=completed_names())
@click.option("--live", is_flag=True, help="Call the models, and record what they answer.")
@click.option("--model", help="The model to call.")
@click.option(
    "--recordings",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder of recorded answers; else recordings/ beside the configuration.",
)
@click.option("--junit", type=click.Path(path_type=Path, dir_okay=False), help="Write JUnit XML.")
@format_option("How outcomes are printed.", ("text", "json"))
def command(
    names: tuple[str, ...],
    live: bool,
    model: str | None,
    recordings: Path | None,
    junit: Path | None,
    form: str,
) -> int:
    """Runs the tests in the specs, of all functions or of those named.

    Answers are replayed from the recordings; --live calls the models and records them.
    """
    project, program = loaded()
    chosen = _chosen(program, names)
    folder = project.root / "recordings" if recordings is None else recordings.absolute()
    found: list[Outcome] = []
    for module, function in chosen:
        called, _ = callable_function(project, program, f"{module.name}.{function.name}")
        if model:
            called = called.with_options(model=model)
        path = folder / f"{module.name}.{function.name}.yaml"
        found += run_tests(called, module, function, path, live=live)
    if junit is not None:
        junit.parent.mkdir(parents=True, exist_ok=True)
        junit.write_bytes(as_junit(found))
    click.echo(as_json(found) if form == "json" else as_text(found))
    return FINE if all(one.kind == "passed" for one in found) else FINDINGS


def _chosen(program: Program, names: tuple[str, ...]) -> list[tuple[Module, Function]]:
    if not names:
        return [
            (module, function)
            for module in program.modules.values()
            for function in module.functions
            if function.tests
        ]
    chosen: dict[str, tuple[Module, Function]] = {}
    for name in names:
        module, function = find(program, name)
        assert isinstance(function, Function)
        if not function.tests:
            raise click.UsageError(f"{module.name}.{function.name} has no tests; write tests: […]")
        chosen[f"{module.name}.{function.name}"] = (module, function)
    return list(chosen.values())
