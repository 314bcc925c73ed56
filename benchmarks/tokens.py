"""What the tools of real MCP servers cost every request, in tokens, in each exposure."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import measure
import peers

SCRIPT = Path(__file__).parent / "callers" / "tool_tokens.py"
CASES = peers.ROOT.parent / "shared" / "cases" / "mcp_tools"
EXPOSURES = ("direct", "code", "deferred")


def compare(runs: int) -> str:
    """The estimated tokens of one request's tools; they are the same in every run."""
    if not CASES.is_dir():
        return "### Tokens of tools\n\nThe tool lists are not here: nothing is measured.\n"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _build(folder)
        counted = {exposure: _counted(folder, exposure) for exposure in EXPOSURES}
    whole = _sum(counted["direct"])
    rows = [
        [
            exposure,
            found["tools"],
            found["in_array"],
            f"{found['array']:,}",
            f"{found['prompt']:,}",
            f"{_sum(found):,}",
            f"{_sum(found) / whole:.1%}",
        ]
        for exposure, found in counted.items()
    ]
    head = ["exposure", "tools", "in the array", "array", "prompt", "tokens", "of direct"]
    return measure.table("Tokens of tools, each request", head, rows)


def _sum(found: dict[str, int]) -> int:
    return found["array"] + found["prompt"]


def _counted(folder: Path, exposure: str) -> dict[str, int]:
    command = [peers.python("aigen"), SCRIPT, "app.ai.tools", exposure]
    done = subprocess.run(command, cwd=folder / "src", check=True, capture_output=True)
    found: dict[str, int] = json.loads(done.stdout)
    return found


def _build(folder: Path) -> None:
    """All tools of all servers as one generated module."""
    (folder / "specs").mkdir()
    (folder / "pyproject.toml").write_text(
        '[tool.aigen]\nspecs = ["specs"]\nout = "src/app/ai"\n', encoding="utf-8"
    )
    saved = folder / "tools.json"
    saved.write_text(json.dumps({"tools": _tools()}), encoding="utf-8")
    aigen = peers.script("aigen", "aigen")
    measure.run([aigen, "import", "mcp", saved, "-o", "specs/tools.yaml"], folder)
    measure.run([aigen, "build"], folder)


def _tools() -> list[Any]:
    found: list[Any] = []
    for path in sorted(CASES.rglob("*")):
        if path.suffix in (".json", ".snap"):
            read = json.loads(path.read_text(encoding="utf-8"))
            found += read.get("tools", [read])
    return found
