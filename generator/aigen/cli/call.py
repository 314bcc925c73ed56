"""`aigen call`."""

from __future__ import annotations

import json
import sys

import click

from aigen.cli import FINE
from aigen.cli.finding import arguments, callable_function, loaded, refusals


@click.command("call")
@click.argument("name")
@click.argument("inputs", nargs=-1)
@click.option("--model", help="The model to call.")
def command(name: str, inputs: tuple[str, ...], model: str | None) -> int:
    """Calls a function and prints the answer as JSON; inputs are key=value."""
    project, program = loaded()
    function, known = callable_function(project, program, name)
    if model:
        function = function.with_options(model=model)
    # Checks and defaults are callables of the project's own.
    for folder in reversed(project.configuration.python_path):
        sys.path.insert(0, str((project.root / folder).absolute()))
    with refusals():
        answer = function.apply(arguments(known, inputs))
    click.echo(json.dumps(answer, ensure_ascii=False, indent=2))
    return FINE
