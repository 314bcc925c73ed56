"""The built package of the project here, imported."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import click

from aigen.cli import FINDINGS
from aigen.cli.printing import print_findings
from aigen.configuration import Configuration
from aigen.project import Project


def built_package() -> tuple[Configuration, ModuleType]:
    """The project's configuration and its output; the command ends where there is none."""
    project = Project.load(Path.cwd())
    if project.diagnostics.failed:
        print_findings(project)
        raise click.exceptions.Exit(FINDINGS)
    configuration = project.configuration
    if configuration.out is None:
        raise click.UsageError('nothing says where the package is: [tool.aigen] out = "src/app/ai"')
    out = _whole(configuration.root / configuration.out)
    if not (out / "__init__.py").is_file():
        click.echo(f"aigen: nothing is built at {configuration.out}: run aigen build", err=True)
        raise click.exceptions.Exit(FINDINGS)
    bases = [_whole(configuration.root / base) for base in configuration.python_path]
    for base in reversed(bases):
        sys.path.insert(0, str(base))  # where tools are implemented
    return configuration, _imported(out, bases)


def _imported(out: Path, bases: list[Path]) -> ModuleType:
    """The package as programs of the project import it: under the nearest folder of theirs."""
    above = [base for base in bases if out != base and out.is_relative_to(base)]
    base = max(above, key=lambda each: len(each.parts), default=out.parent)
    if base not in bases:
        sys.path.insert(0, str(base))
    name = ".".join(out.relative_to(base).parts)
    try:
        return importlib.import_module(name)
    except Exception as problem:
        words = f"{type(problem).__name__}: {problem}"
        click.echo(f"aigen: cannot import {name}: {words}", err=True)
        raise click.exceptions.Exit(FINDINGS) from None


def _whole(path: Path) -> Path:
    return path.absolute().resolve()
