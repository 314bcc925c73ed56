"""Peers, each installed in a virtual environment of its own, once."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
ENVIRONMENTS = HERE / ".environments"

REQUIREMENTS: dict[str, list[str]] = {
    "aigen": [f"{ROOT}[build]"],
    "baml": ["baml-py==0.226.3", "pydantic"],
    "datamodel-code-generator": ["datamodel-code-generator==0.89.0"],
    "instructor": ["instructor==1.17.0"],
    "pydantic-ai": ["pydantic-ai-slim[openai]==2.*"],
    "server": ["aiohttp", "uvloop"],
}


def python(peer: str) -> Path:
    """The interpreter that has this peer; installs it the first time."""
    home = ENVIRONMENTS / peer
    interpreter = home / "bin" / "python"
    stamp = home / "installed"
    if not stamp.exists():
        print(f"installing {peer} …", file=sys.stderr)
        venv.create(home, with_pip=True, clear=True)
        command = [interpreter, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*command, *REQUIREMENTS[peer]], check=True)
        stamp.touch()
    return interpreter


def script(peer: str, name: str) -> Path:
    """A command that the peer installs."""
    return python(peer).with_name(name)
