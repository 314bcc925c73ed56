"""`aigen init`."""

from __future__ import annotations

import json
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
    there = [name for name in texts if (here / name).exists()]
    if there:
        click.echo(f"aigen: {', '.join(there)} is already here; nothing was written", err=True)
        return FINDINGS
    for name, text in texts.items():
        path = here / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        click.echo(f"wrote {name}")
    click.echo("\nnext: aigen build && AIGEN_MODEL=sample python ask.py")
    return FINE
