"""`aigen show`."""

from __future__ import annotations

import click

from aigen.cli import FINE
from aigen.cli.finding import arguments, callable_function, completed_names, loaded, refusals


@click.command("show")
@click.argument("name", shell_complete=completed_names())
@click.argument("inputs", nargs=-1)
@click.option("--model", help="As if this model were set.")
def command(name: str, inputs: tuple[str, ...], model: str | None) -> int:
    """Prints the exact request that a call would send; inputs are key=value.

    A value is text where the input takes text, else JSON. key=@FILE reads it from a file, key=@-
    from standard input; @@ begins a text with @.
    """
    project, program = loaded()
    function, known = callable_function(project, program, name)
    if model:
        function = function.with_options(model=model)
    with refusals():
        request = function.request(arguments(known, inputs))
    click.echo(str(request))
    return FINE
