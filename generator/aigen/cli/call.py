"""`aigen call`."""

from __future__ import annotations

import json

import click

from aigen.cli import FINE
from aigen.cli.finding import arguments, loaded, refusals
from aigen.cli.functions import callable_function


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
    with refusals():
        answer = function.apply(arguments(known, inputs))
    click.echo(json.dumps(answer, ensure_ascii=False, indent=2))
    return FINE
