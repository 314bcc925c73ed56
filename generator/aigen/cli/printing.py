"""How commands print findings."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import click

from aigen.diagnostics import Diagnostic, formats
from aigen.project import Project

Command = TypeVar("Command", bound=Callable[..., Any])

FORMATS = ("text", "json", "github", "sarif")


def format_option(help: str, forms: Sequence[str] = FORMATS) -> Callable[[Command], Command]:
    """The option `--format` of a command, which takes it as `form`.

    Args:
        help: its words.
        forms: what it takes; the first is the default.
    """
    return click.option(
        "--format",
        "form",
        type=click.Choice(forms),
        default=forms[0],
        show_default=True,
        help=help,
    )


def print_findings(project: Project, form: str = "text", *, err: bool = True) -> None:
    """Prints what was found.

    Args:
        project: whose findings.
        form: one of `FORMATS`.
        err: whether text goes to standard error; where findings are what was asked for, it does
            not.
    """
    found = list(project.diagnostics)
    match form:
        case "json":
            click.echo(formats.as_json(found))
        case "sarif":
            click.echo(formats.as_sarif(found))
        case "github":
            if found:
                click.echo(formats.as_github(found, in_repository(project.root)))
        case _:
            print_found(found, project.root, err=err)


def print_found(found: Iterable[Diagnostic], root: Path, *, err: bool = True) -> None:
    """Prints findings as text, with the lines of the files they speak of.

    Args:
        found: the findings, in order.
        root: where the files' paths begin.
        err: whether they go to standard error.
    """
    listed = list(found)
    if listed:
        click.echo(_coloured(formats.as_text(listed, _reader(root))), err=err)


def in_repository(root: Path) -> str:
    """A folder from the root of the repository that a workflow runs in; empty where none does."""
    workspace = os.environ.get("GITHUB_WORKSPACE")
    if not workspace or not root.is_relative_to(Path(workspace).resolve()):
        return ""
    return root.relative_to(Path(workspace).resolve()).as_posix()


def _reader(root: Path) -> formats.Lines:
    @cache
    def lines(shown: str) -> list[str]:
        path = root / shown
        try:
            if not path.is_file():  # a device may have no end, and a pipe has been read
                return []
            text = path.read_bytes().decode("utf-8-sig", errors="replace")
        except OSError:
            return []
        return text.replace("\r\n", "\n").split("\n")

    return lines


_COLOURS = {"error[": "red", "warning[": "yellow", "note[": "cyan"}


def _coloured(text: str) -> str:
    """The severities in colour; click leaves it out where nobody sees it."""
    if os.environ.get("NO_COLOR"):
        return text
    lines = []
    for line in text.split("\n"):
        for word, colour in _COLOURS.items():
            before, found, rest = line.partition(word)
            if found and (not before or before.endswith(": ")):
                kind, close, words = rest.partition("]")
                line = f"{before}{click.style(f'{word}{kind}{close}', fg=colour, bold=True)}{words}"
                break
        lines.append(line)
    return "\n".join(lines)
