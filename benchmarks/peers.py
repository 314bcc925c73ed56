"""Peers, each installed in a virtual environment of its own, once."""

from __future__ import annotations

import subprocess
import sys
import venv
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
ENVIRONMENTS = HERE / ".environments"

REQUIREMENTS: dict[str, list[str]] = {
    "aigen": [f"{ROOT}[build,code,fast,schema]"],
    "baml": ["baml-py==0.226.3", "pydantic"],
    "datamodel-code-generator": ["datamodel-code-generator==0.89.0"],
    "fastcore": ["fastcore==2.2.*", "pydantic"],
    "fastmcp": ["fastmcp==4.*"],
    "functai": ["functai==1.2.0", "pydantic"],
    "instructor": ["instructor==1.17.0"],
    "judge": ["jsonschema-rs", "mypy==2.*"],
    "json_repair": ["json-repair", "pydantic"],
    "langchain": ["langchain-core==1.*"],
    "openai-agents": ["openai-agents==0.24.*"],
    "pydantic-ai": ["pydantic-ai-slim[openai]==2.*"],
    "server": ["aiohttp", "uvloop"],
    "tables": [f"{ROOT}[build,tables]", "polars==2.*", "pyarrow"],
    "toolschema": ["toolschema==1.*", "pydantic"],
}


@cache
def python(peer: str) -> Path:
    """The interpreter that has this peer, installed the first time.

    aigen itself is installed anew in every run: what is measured is the checkout.
    """
    home = ENVIRONMENTS / peer
    interpreter = home / "bin" / "python"
    stamp = home / "installed"
    install = [interpreter, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    if not stamp.exists():
        print(f"installing {peer} …", file=sys.stderr)
        venv.create(home, with_pip=True, clear=True)
        subprocess.run([*install, *REQUIREMENTS[peer]], check=True)
        stamp.touch()
    elif REQUIREMENTS[peer][0].startswith(str(ROOT)):
        subprocess.run([*install, *REQUIREMENTS[peer]], check=True)  # what it needs may be new
        subprocess.run([*install, "--force-reinstall", "--no-deps", ROOT], check=True)
    return interpreter


def script(peer: str, name: str) -> Path:
    """A command that the peer installs."""
    return python(peer).with_name(name)
