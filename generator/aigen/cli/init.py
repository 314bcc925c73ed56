"""`aigen init`."""

from __future__ import annotations

import contextlib
import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path

import click

from aigen.cli import FINDINGS, FINE
from aigen.emit.templates import folder
from aigen.spec import spec_schema

SCHEMA = "aigen.schema.json"
_FILES = {
    "aigen.toml": "aigen.toml",
    "specs/support.yaml": "support.yaml",
    "ask.py": "ask.py",
}


@click.command("init")
def command() -> int:
    """Makes a working starting point here: configuration, a spec, a script that calls it."""
    here = Path.cwd()
    texts = {
        name: (folder() / "init" / source).read_text(encoding="utf-8")
        for name, source in _FILES.items()
    }
    texts[f"specs/{SCHEMA}"] = json.dumps(spec_schema(), indent=2) + "\n"
    there = [name for name in texts if os.path.lexists(here / name)]
    if there:
        are = "is" if len(there) == 1 else "are"
        click.echo(f"aigen: {', '.join(there)} {are} already here; nothing was written", err=True)
        return FINDINGS
    if _configured(here):
        click.echo("aigen: pyproject.toml has [tool.aigen] already; nothing was written", err=True)
        return FINDINGS
    _write(here, texts)
    for name in texts:
        click.echo(f"wrote {name}")
    click.echo("\nnext: aigen build && AIGEN_MODEL=sample python ask.py")
    return FINE


def _configured(here: Path) -> bool:
    """Whether a new `aigen.toml` would take the place of what `pyproject.toml` says."""
    try:
        text = (here / "pyproject.toml").read_text(encoding="utf-8-sig")
        return "aigen" in tomllib.loads(text).get("tool", {})
    except (OSError, ValueError):
        return False


def _write(here: Path, texts: Mapping[str, str]) -> None:
    """Writes all files, or none that is left."""
    made: list[Path] = []
    try:
        for name, text in texts.items():
            path = here / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as file:
                made.append(path)
                file.write(text)
    except OSError:
        for path in made:
            with contextlib.suppress(OSError):
                path.unlink()
        raise
