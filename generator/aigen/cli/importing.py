"""`aigen import`."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

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

_LEFT_OPEN = """\
aigen: json_shape has the schemas that fields cannot say, among them objects that say nothing of
other members; --closed makes fields of those"""


@click.group("import")
def command() -> None:
    """Writes a spec from what exists: tools, OpenAPI documents, JSON Schemas, Python modules.

    The spec goes to standard output, or into the file that -o names.
    """


@command.command("mcp")
@click.argument("source", required=False)
@_OUT
@_FORCE
@_CLOSED
@click.option("--server", help="The server's name, for the key mcp of each tool.")
@click.option("--command", "started", help="The command that starts the server.")
@click.option("--env", multiple=True, help="NAME=VARIABLE: what the command is given, by name.")
@click.option("--header", multiple=True, help="NAME=VARIABLE: what a URL is sent, by name.")
@click.option("--key", help="The variable that holds the bearer token of a URL.")
def mcp(
    source: str | None,
    output: Path | None,
    force: bool,
    closed: bool,
    server: str | None,
    **described: Any,
) -> int:
    """The tools of an MCP server, which the spec's tools then call.

    SOURCE is its URL, or a saved tools/list. With --command the server is started and asked; with
    --server alone it is the one that [tool.aigen.mcp_servers] describes.
    """
    from aigen.cli.asking import asked, described_server

    reached = described_server(source, server, **described)
    if reached is None:
        from aigen.importers.mcp import import_mcp

        file = Path(str(source))
        return _import(
            lambda found: import_mcp(file, found, server=server, closed=closed),
            output,
            force,
            closed,
        )
    return _import(lambda found: asked(reached, server, found, closed), output, force, closed)


@command.command("openai")
@_FILE
@_OUT
@_FORCE
@_CLOSED
def openai(file: Path, output: Path | None, force: bool, closed: bool) -> int:
    """A tool array of OpenAI's APIs, of either shape."""
    from aigen.importers.openai import import_openai

    return _import(lambda found: import_openai(file, found, closed=closed), output, force, closed)


@command.command("openapi", short_help="An OpenAPI document: operations as tools over HTTP.")
@_FILE
@_OUT
@_FORCE
@_CLOSED
@click.option(
    "--only",
    multiple=True,
    metavar="PATTERN",
    help="Only operations with such an id, path or tag (*, ?); may be given again.",
)
@click.option("--url", help="The server's URL, instead of the document's.")
@click.option("--prefix", help="What names of variables begin with; by default the file's name.")
@click.option("--no-returns", is_flag=True, help="Leave out the types of what comes back.")
def openapi(
    file: Path,
    output: Path | None,
    force: bool,
    closed: bool,
    only: tuple[str, ...],
    url: str | None,
    prefix: str | None,
    no_returns: bool,
) -> int:
    """An OpenAPI document: each operation as a tool that is an HTTP request."""
    from aigen.importers.openapi import Wish, import_openapi

    wish = Wish(only, url, prefix, closed, not no_returns)
    return _import(lambda found: import_openapi(file, found, wish), output, force, closed)


@command.command("json-schema")
@_FILE
@_OUT
@_FORCE
@_CLOSED
def json_schema(file: Path, output: Path | None, force: bool, closed: bool) -> int:
    """A JSON Schema file, and what it refers to in files beside it."""
    from aigen.importers.json_schema import import_json_schema

    return _import(
        lambda found: import_json_schema(file, found, closed=closed), output, force, closed
    )


@command.command("python", short_help="A Python module: its functions as tools, or its types.")
@_FILE
@_OUT
@_FORCE
def python(file: Path, output: Path | None, force: bool) -> int:
    """A Python module of your own: its functions as tools, or its classes as types."""
    from aigen.importers.python import import_python
    from aigen.project import Project

    project = Project.load(Path.cwd())
    roots = [project.root / folder for folder in project.configuration.python_path]
    return _import(lambda found: import_python(file, found, python_path=roots), output, force)


def _import(
    make: Callable[[Diagnostics], str | None],
    output: Path | None,
    force: bool,
    closed: bool = True,
) -> int:
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
        if not closed and "json_shape:" in text:
            click.echo(_LEFT_OPEN, err=True)
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
