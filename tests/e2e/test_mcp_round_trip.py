"""A package is served, its tools are imported, built and called: what comes back is the same."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import commands
import mcp_desk
import pytest
import yaml

pytest.importorskip("mcp")

PROGRAM = """\
import asyncio
from aigen.runtime.errors import ToolError
from far_ai import far

order = far.order("A-1", note="late")
assert (order.id, order.placed.isoformat(), order.note) == ("A-1", "2026-01-02", "late"), order
assert far.orders(most=1).result == ["A-0"]
assert asyncio.run(far.mood.aio("Fine.")).result == "happy"
for call, words in [
    (lambda: far.order("A-0"), "LookupError: no such order"),
    (lambda: far.refund(id="A", amount=1.5), "not run: refund needs an approval"),
    (lambda: far.wait(5.0), "took longer than 0.4 s"),
]:
    try:
        call()
    except ToolError as problem:
        assert words in problem.message, problem
    else:
        raise AssertionError(words)
assert far.order.annotations == {"title": "An order", "read_only": True}
print("fine")
"""


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return mcp_desk.project(tmp_path_factory.mktemp("served")).root


def there_and_back(project: commands.Project, *source: str) -> None:
    """Imports the served tools, builds them, and calls them."""
    project.write("aigen.toml", 'specs = ["specs"]\nout = "far_ai"\n')
    words = ["import", "mcp", *source, "--server", "far", "-o", "specs/far.yaml"]
    ran = project.aigen(*words, environ={"FAR_MODEL": "sample"}, timeout=90)
    assert ran.code == 0, ran.err
    spec = yaml.safe_load((project.root / "specs" / "far.yaml").read_text("utf-8"))
    assert list(spec["tools"]) == mcp_desk.SERVED
    assert spec["tools"]["order"]["mcp"] == {"server": "far", "tool": "order"}
    lines = ran.err[ran.err.index("[tool.aigen.mcp_servers.far]") :].partition("\naigen: ")[0]
    with (project.root / "aigen.toml").open("a", encoding="utf-8") as file:
        file.write(lines.replace("[tool.aigen.", "[") + "\n")
    built = project.aigen("build")
    assert built.code == 0, built.err
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM],
        cwd=project.root,
        env={**commands.environment(), "FAR_MODEL": "sample"},
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr


def test_by_a_command(desk: Path, tmp_path: Path) -> None:
    inside = f"cd {shlex.quote(str(desk))} && exec {shlex.join(mcp_desk.COMMAND)}"
    command = shlex.join(["sh", "-c", inside])
    pairs = ["--env", "AIGEN_MODEL=FAR_MODEL"]
    if "PYTHONPATH" in commands.environment():
        pairs += ["--env", "PYTHONPATH=PYTHONPATH"]
    there_and_back(commands.Project(tmp_path), "--command", command, *pairs)


def test_by_a_url(desk: Path, tmp_path: Path) -> None:
    with mcp_desk.over_http(desk) as url:
        there_and_back(commands.Project(tmp_path), url)
