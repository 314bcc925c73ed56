"""Functions as tools: how long a package takes for one, and whether what it says of it is right."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import measure
import peers

SCRIPT = Path(__file__).parent / "callers" / "extracting.py"
PACKAGES = {
    "aigen": "aigen",
    "aigen.tooling": "aigen",
    "pydantic-ai": "pydantic-ai",
    "openai-agents": "openai-agents",
    "fastmcp": "fastmcp",
    "langchain": "langchain",
    "fastcore": "fastcore",
    "toolschema": "toolschema",
}
"""The environment of each."""

LABELS = {
    "simple": "simple, alone in its module",
    "simple of 50": "simple, one of fifty",
    "timed": "less so, alone in its module",
    "timed of 50": "less so, one of fifty",
}
TOOLS = 50
BARE = "from aigen.runtime.tool import AITool; from pydantic import BaseModel, ConfigDict, Field"


def compare(runs: int) -> str:
    """The least times, what is right and wrong, and what importing tools costs."""
    found: dict[str, list[Any]] = {package: [] for package in PACKAGES}
    for _ in range(runs):
        for package, environment in PACKAGES.items():
            command = [peers.python(environment), SCRIPT, package]
            done = subprocess.run(command, check=True, capture_output=True)
            found[package].append(json.loads(done.stdout))
    return "\n".join([_times(found), _right(found), _imports(runs)])


def _times(found: dict[str, list[Any]]) -> str:
    rows = []
    for package, results in found.items():
        for name in results[0]["times"]:
            first, again = (min(result["times"][name][at] for result in results) for at in (0, 1))
            label = LABELS[name] if package == "aigen" else LABELS[name].partition(",")[0]
            rows.append([package, label, f"{first:.2f}", f"{again:.2f}"])
    head = ["package", "function", "first ms", "again ms"]
    return measure.table("Making a tool of a function", head, rows)


def _right(found: dict[str, list[Any]]) -> str:
    names = found["aigen"][0]["wrong"]
    rows: list[Sequence[object]] = [
        [name, *("wrong" if each[0]["wrong"][name] else "right" for each in found.values())]
        for name in names
    ]
    sums = [sum(not wrong for wrong in each[0]["wrong"].values()) for each in found.values()]
    rows.append([f"right of {len(names)}", *sums])
    return measure.table("Tools made right", ["function", *found], rows)


def _imports(runs: int) -> str:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write(folder)
        measure.run([peers.script("aigen", "aigen"), "build"], folder)
        python, source = peers.python("aigen"), folder / "src"
        results = measure.medians(
            {
                label: lambda code=code: measure.run([python, "-c", code], source)
                for label, code in (
                    ("what it imports", BARE),
                    (f"a generated module of {TOOLS} tools", f"{BARE}; import app.ai.desk"),
                    (
                        "and the schema of one",
                        f"{BARE}; from app.ai import desk; desk.tool_7.schema()",
                    ),
                )
            },
            runs=runs,
        )
    base = results["what it imports"].cpu
    rows = [
        [
            label,
            f"{run.wall * 1000:.0f}",
            f"{run.cpu * 1000:.0f}",
            f"{(run.cpu - base) * 1000 / TOOLS:.2f}",
        ]
        for label, run in results.items()
    ]
    head = ["process", "wall ms", "cpu ms", "more cpu, ms a tool"]
    return measure.table("Importing tools", head, rows)


def _write(folder: Path) -> None:
    """A spec of tools that are functions of one module, and that module."""
    (folder / "specs").mkdir()
    (folder / "src" / "app").mkdir(parents=True)
    (folder / "pyproject.toml").write_text(
        '[tool.aigen]\nspecs = ["specs"]\nout = "src/app/ai"\npython_path = ["src"]\n',
        encoding="utf-8",
    )
    functions = "".join(_FUNCTION.format(n=number) for number in range(TOOLS))
    tools = "".join(f"  tool_{n}: {{python: app.own:tool_{n}}}\n" for n in range(TOOLS))
    (folder / "src" / "app" / "own.py").write_text(functions, encoding="utf-8")
    (folder / "specs" / "desk.yaml").write_text(f"aigen: 1\ntools:\n{tools}", encoding="utf-8")


_FUNCTION = '''\
def tool_{n}(
    order: str,  # number of the order
    lines: list[int] | None = None,  # those meant
    limit: int = 10,
) -> dict[str, str]:
    """Look up the order in shop {n}."""
    return {{}}


'''
