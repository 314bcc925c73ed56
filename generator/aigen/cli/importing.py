"""`aigen import`."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import click

from aigen.cli import FINDINGS, FINE
from aigen.cli.printing import print_found
from aigen.diagnostics import Diagnostics
from aigen.project import without_collection

_FILE = click.argument("file", type=click.Path(path_type=Path))
_OUT = click.option("-o", "--output", type=click.Path(path_type=Path), help="The spec to write.")
_FORCE = click.option("--force", is_flag=True, help="Replace the spec that is there.")
_CLOSED = click.option(
    "--closed",
    is_flag=True,
    help="Objects that say nothing of other members have none, so they become fields.",
)


@click.group("import")
def command() -> None:
    """Writes a spec from what exists: tool lists and JSON Schemas.

    The spec goes to standard output, or into the file that -o names.
    """


@command.command("mcp")
@_FILE
@_OUT
@_FORCE
@_CLOSED
@click.option("--server", help="The server's name, for the key mcp of each tool.")
def mcp(file: Path, output: Path | None, force: bool, closed: bool, server: str | None) -> int:
    """A saved tools/list of an MCP server."""
    from aigen.importers import import_mcp

    return _import(
        lambda found: import_mcp(file, found, server=server, closed=closed), output, force
    )


@command.command("openai")
@_FILE
@_OUT
@_FORCE
@_CLOSED
def openai(file: Path, output: Path | None, force: bool, closed: bool) -> int:
    """A tool array of OpenAI's APIs, of either shape."""
    from aigen.importers import import_openai

    return _import(lambda found: import_openai(file, found, closed=closed), output, force)


@command.command("json-schema")
@_FILE
@_OUT
@_FORCE
@_CLOSED
def json_schema(file: Path, output: Path | None, force: bool, closed: bool) -> int:
    """A JSON Schema file, and what it refers to in files beside it."""
    from aigen.importers import import_json_schema

    return _import(lambda found: import_json_schema(file, found, closed=closed), output, force)


def _import(make: Callable[[Diagnostics], str | None], output: Path | None, force: bool) -> int:
    if output is not None and output.suffix not in (".yaml", ".yml"):
        raise click.UsageError(f"{output} is no YAML file: name it .yaml")
    if output is not None and os.path.lexists(output) and not force:
        click.echo(f"aigen: {output} is already here; --force replaces it", err=True)
        return FINDINGS
    found = Diagnostics()
    with without_collection():
        text = make(found)
    print_found(found, Path.cwd())
    if text is None:
        return FINDINGS
    if output is None:
        click.echo(text, nl=False)
    else:
        _write(output, text)
        click.echo(f"wrote {output}")
    return FINE


def _write(path: Path, text: str) -> None:
    """Writes a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with beside.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
