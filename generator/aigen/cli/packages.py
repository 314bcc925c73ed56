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
    name = package_name(configuration, out)
    try:
        return configuration, importlib.import_module(name)
    except Exception as problem:
        words = f"{type(problem).__name__}: {problem}"
        click.echo(f"aigen: cannot import {name}: {words}", err=True)
        raise click.exceptions.Exit(FINDINGS) from None


def package_name(configuration: Configuration, out: Path) -> str:
    """The output's name, as programs of the project import it: under the nearest folder of theirs.

    It can be imported from then on, and so can what implements tools and checks.
    """
    out, bases = _whole(out), [_whole(configuration.root / b) for b in configuration.python_path]
    above = [base for base in bases if out != base and out.is_relative_to(base)]
    base = max(above, key=lambda each: len(each.parts), default=out.parent)
    for each in (*reversed(bases), base):
        if str(each) not in sys.path:
            sys.path.insert(0, str(each))
    return ".".join(out.relative_to(base).parts)


def _whole(path: Path) -> Path:
    return path.absolute().resolve()
