"""The `aigen` command: one module a command, no logic of their own."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import sys
import warnings
from pathlib import Path
from typing import TextIO

import click

import aigen
from aigen import __version__

COMMANDS = {
    "build": "Writes the modules of the specs.",
    "check": "Finds what is wrong with the specs, without writing.",
    "diff": "Says what changed in the interfaces, and whom it breaks.",
    "init": "Makes a working starting point.",
    "import": "Writes a spec from what exists: MCP, OpenAPI, JSON Schema, Python.",
    "schema": "Prints a function's or tool's schema in a dialect.",
    "show": "Prints the exact request that a call would send.",
    "call": "Calls a function and prints the answer as JSON.",
    "log": "The call log: list, show, totals.",
    "test": "Runs the tests in the specs.",
    "docs": "A function's documentation: printed, laid over a spec, written into its source.",
    "serve": "Serves tools and functions over MCP.",
    "local": "The small model that runs on this machine.",
    "explain": "What a diagnostic means, an example, the mend.",
}

_MODULES = {"import": "importing"}
"""Modules that cannot be called as their commands are."""

FINE, FINDINGS, WRONG_USE, OWN_FAILURE = 0, 1, 2, 3
STOPPED, CUT_OFF = 130, 141  # as shells say it: 128 and the signal's number


class _Commands(click.Group):
    """Imports a command when it is asked for, so that `aigen --version` imports none."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names, in order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"aigen.cli.{_MODULES.get(cmd_name, cmd_name)}")
        found: click.Command = module.command
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that arguments begin with.

        Raises:
            click.UsageError: there is none; the message names the nearest.
        """
        if args[0] not in COMMANDS and not ctx.resilient_parsing:
            from aigen.diagnostics import nearest

            close = nearest(args[0], COMMANDS)
            hint = f'did you mean "{close}"?' if close else "aigen --help lists them"
            ctx.fail(f'there is no command "{args[0]}"; {hint}')
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in `--help`, which imports nothing."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="aigen", message="%(prog)s %(version)s")
def main() -> None:
    """Typed AI functions and tools, generated from specs."""


def run(arguments: list[str] | None = None) -> int:
    """Runs the command line.

    Returns:
        0 fine; 1 findings; 2 wrong use; 3 aigen's own failure, of which a short report is printed;
        130 after Ctrl-C; 141 where the reader of the output went away before its end.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # what a narrow encoding lacks
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            return _outcome(arguments)
    except OSError:
        return FINDINGS  # standard error takes nothing any more, so nobody can be told
    finally:
        _discard_unwritable()


def _warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Prints a warning; where it is one of aigen's own, its line there says nothing to a user."""
    own = Path(filename).is_relative_to(Path(aigen.__file__).parent)
    shown = warnings.formatwarning(message, category, filename, lineno, line)
    click.echo(f"aigen: {message}\n" if own else shown, nl=False, err=True)


def _discard_unwritable() -> None:
    """Points streams that take nothing at nowhere: Python flushes them, and would end with 120."""
    for stream in filter(None, (sys.stdout, sys.stderr)):  # a closed one is None
        try:
            stream.flush()
        except (OSError, ValueError):
            with contextlib.suppress(OSError, ValueError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream.fileno())
                os.close(nowhere)


def _outcome(arguments: list[str] | None) -> int:
    """Runs a command and prints what ended it."""
    try:
        code = main.main(arguments, prog_name="aigen", standalone_mode=False)
        return code if isinstance(code, int) else FINE
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.ClickException as problem:
        problem.show()
        return WRONG_USE
    except (click.Abort, KeyboardInterrupt):
        click.echo("aigen: stopped", err=True)
        return STOPPED
    except SystemExit as leaving:
        # Of click's own: after a word of completion, or where the streams were cut off.
        return FINE if leaving.code in (None, 0) else CUT_OFF
    except OSError as problem:
        where = f": {problem.filename}" if problem.filename else ""
        click.echo(f"aigen: {problem.strerror or type(problem).__name__}{where}", err=True)
        return FINDINGS
    except Exception as problem:
        if isinstance(problem, RuntimeError) and str(problem).startswith("Symlink loop"):
            # What Python before 3.13 says where others raise an OSError.
            click.echo(f"aigen: {problem}", err=True)
            return FINDINGS
        _report(problem)
        return OWN_FAILURE


def _report(problem: Exception) -> None:
    """What to tell the maintainers; nothing of a user's spec is in it but the message."""
    import traceback

    last = traceback.extract_tb(problem.__traceback__)[-1]
    place = f"{last.filename.rpartition('aigen')[2].lstrip('/')}:{last.lineno}"
    words = (str(problem).splitlines() or [""])[0][:300]
    click.echo(f"aigen failed: {type(problem).__name__}: {words}", err=True)
    click.echo(
        f"  at {place} in {last.name}, aigen {__version__}; this is a fault of aigen", err=True
    )
