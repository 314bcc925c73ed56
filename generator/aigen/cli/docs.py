"""`aigen docs`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import yaml

from aigen.cli import FINDINGS, FINE
from aigen.cli.finding import standard_input
from aigen.cli.printing import print_findings, print_found
from aigen.diagnostics import Diagnostics, nearest
from aigen.documenting import Documented, documented, spec_entry, write_source
from aigen.project import Project
from aigen.runtime.errors import ConfigurationError
from aigen.source.writing import NotWritten
from aigen.spec.json_reader import read_json
from aigen.spec.nodes import plain_value
from aigen.spec.source import load, read
from aigen.spec.yaml_reader import read_yaml
from aigen.tooling.docs import Docs, checked


@click.group("docs")
def command() -> None:
    """A function's documentation: what a model reads of it as a tool."""


@command.command("get")
@click.argument("target", metavar="PKG.MOD:FUNC")
@click.option("--json", "as_json", is_flag=True, help="JSON instead of YAML.")
def get(target: str, as_json: bool) -> int:
    """Prints what a function's source says; it is read and not imported."""
    known = _known(target)
    click.echo(_shown(known.docs, as_json))
    return FINE


@command.command("add", short_help="Lays documentation over a spec, or into the source.")
@click.argument("target", metavar="PKG.MOD:FUNC")
@click.argument(
    "docs", metavar="FILE", type=click.Path(exists=True, dir_okay=False, allow_dash=True)
)
@click.option("--write-source", is_flag=True, help="Writes the words into the function's source.")
@click.option("--json", "as_json", is_flag=True, help="JSON instead of YAML.")
def add(target: str, docs: str, write_source: bool, as_json: bool) -> int:
    """Lays documentation over a function: prints a spec's entry, or writes into the source.

    FILE is YAML or JSON as `aigen docs get` prints it; - reads standard input.
    """
    given = _read(docs)
    known = _known(target)
    if not write_source:
        _tell_unknown(known, given)
        click.echo(_shown(spec_entry(known, given), as_json))
        return FINE
    return _write(known, given)


def _tell_unknown(known: Documented, given: Docs) -> None:
    """Warns of names that are no parameter's, as a build of the entry does."""
    takes = known.docs["arguments"]
    listed = ", ".join(takes) or "nothing"
    for name in given.get("arguments", {}):
        if name not in takes:
            close = nearest(name, takes)
            hint = f"did you mean {close}?" if close else f"it takes {listed}"
            click.echo(f"aigen: {name} is no parameter of {known.target}; {hint}", err=True)


def _write(known: Documented, given: Docs) -> int:
    project = Project.load(Path.cwd())
    try:
        path = write_source(project, known, given)
    except NotWritten as problem:
        click.echo(f"aigen: {problem}; nothing is written", err=True)
        return FINDINGS
    click.echo(project.show(path))
    return FINE


def _known(target: str) -> Documented:
    if ":" not in target:
        raise click.UsageError(f'"{target}" names no function: write pkg.mod:func')
    project = Project.load(Path.cwd())
    known = documented(project, target)
    print_findings(project)
    if known is None:
        raise click.exceptions.Exit(FINDINGS)
    return known


def _read(name: str) -> Docs:
    """What a file says; the command ends where it cannot be read, as with a spec."""
    found = Diagnostics()
    if name == "-":
        source = read(standard_input(name), "standard input", found)
    else:
        source = load(Path(name), name, found)
    reader = read_json if name.endswith(".json") else read_yaml
    node = reader(source, found) if source is not None and source.text.strip() else None
    if found.failed:
        print_found(found, Path.cwd())
        raise click.exceptions.Exit(FINDINGS)
    data = plain_value(node) if node is not None else None
    try:
        return checked({} if data is None else data)
    except ConfigurationError as problem:
        raise click.UsageError(problem.message) from None


def _shown(data: Any, as_json: bool) -> str:
    if as_json:
        return json.dumps(data, ensure_ascii=False, indent=2)
    text: str = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=100)
    return text.rstrip("\n")
