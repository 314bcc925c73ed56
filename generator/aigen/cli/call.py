"""`aigen call`."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from aigen.cli import FINE
from aigen.cli.finding import arguments, callable_function, completed_names, loaded, refusals
from aigen.runtime.values import jsonable


@click.command("call")
@click.argument("name", shell_complete=completed_names())
@click.argument("inputs", nargs=-1)
@click.option("--model", help="The model to call.")
@click.option("--stream", "streams", is_flag=True, help="Print the answer as it grows.")
def command(name: str, inputs: tuple[str, ...], model: str | None, streams: bool) -> int:
    """Calls a function and prints the answer as JSON; inputs are key=value.

    A value is text where the input takes text, else JSON. key=@FILE reads it from a file, key=@-
    from standard input; @@ begins a text with @.

    With --stream, each line is the answer as far as it has arrived, and the last one the whole.
    """
    project, program = loaded()
    function, known = callable_function(project, program, name)
    if model:
        function = function.with_options(model=model)
    with refusals():
        given = arguments(known, inputs)
        if not streams:
            click.echo(json.dumps(jsonable(function.apply(given)), ensure_ascii=False, indent=2))
            return FINE
        with function.stream(given) as stream:
            last = None
            for partial in stream:
                last = _line(partial, last)
            _line(stream.result(), last)
    return FINE


def _line(value: Any, last: str | None) -> str:
    """Prints a value on a line, where it is another than the last."""
    line = json.dumps(jsonable(value), ensure_ascii=False)
    if line != last:
        click.echo(line)
        sys.stdout.flush()
    return line
