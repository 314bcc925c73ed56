"""`aigen docs`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import IO, Any

import click
import yaml

from aigen.cli import FINDINGS, FINE
from aigen.cli.printing import print_findings
from aigen.documenting import Documented, documented, spec_entry, write_source
from aigen.project import Project
from aigen.runtime.errors import ConfigurationError
from aigen.source.writing import NotWritten
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


@command.command("add")
@click.argument("target", metavar="PKG.MOD:FUNC")
@click.argument("docs", metavar="FILE", type=click.File("r", encoding="utf-8-sig"))
@click.option("--write-source", is_flag=True, help="Writes the words into the function's source.")
@click.option("--json", "as_json", is_flag=True, help="JSON instead of YAML.")
def add(target: str, docs: IO[str], write_source: bool, as_json: bool) -> int:
    """Lays documentation over a function: prints a spec's entry, or writes into the source.

    FILE is YAML or JSON as `aigen docs get` prints it; - reads standard input.
    """
    given = _read(docs)
    known = _known(target)
    if not write_source:
        click.echo(_shown(spec_entry(known, given), as_json))
        return FINE
    return _write(known, given)


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


def _read(file: IO[str]) -> Docs:
    try:
        return checked(yaml.safe_load(file.read()) or {})
    except (yaml.YAMLError, UnicodeDecodeError) as problem:
        words = " ".join(str(problem).split())
        raise click.UsageError(f"{file.name} is no YAML: {words}") from None
    except ConfigurationError as problem:
        raise click.UsageError(problem.message) from None


def _shown(data: Any, as_json: bool) -> str:
    if as_json:
        return json.dumps(data, ensure_ascii=False, indent=2)
    text: str = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=100)
    return text.rstrip("\n")
