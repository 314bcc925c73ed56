"""Where aigen plugs into shells, hooks and pipelines: what docs/ci.md shows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from commands import AIGEN, SPEC, Project, environment

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The page's blocks in a language."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def hooks() -> dict[str, dict[str, Any]]:
    path = ROOT / ".pre-commit-hooks.yaml"
    return {hook["id"]: hook for hook in yaml.safe_load(path.read_text(encoding="utf-8"))}


def test_the_hooks_are_commands_that_run(project: Project) -> None:
    assert list(hooks()) == ["aigen-build", "aigen-check"]
    for hook in hooks().values():
        assert hook["language"] == "python" and hook["pass_filenames"] is False
        assert hook["additional_dependencies"] == [".[build]"]
        name, *arguments = hook["entry"].split()
        assert name == "aigen" and project.aigen(*arguments).code == 0
        for path in ("specs/a.yaml", "a.yml", "src/app.py", "pyproject.toml", "x/aigen.toml"):
            assert re.search(hook["files"], path)
        for path in ("README.md", "uv.lock", "a.toml", "specs/yaml"):
            assert not re.search(hook["files"], path)
    if shutil.which("pre-commit"):
        command = ["pre-commit", "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")]
        subprocess.run(command, check=True)


def test_the_page_names_the_hooks() -> None:
    (configuration,) = (text for text in blocks("yaml") if "repos:" in text)
    (repository,) = yaml.safe_load(configuration)["repos"]
    assert [hook["id"] for hook in repository["hooks"]] == list(hooks())


def test_the_workflow_runs(project: Project) -> None:
    (workflow,) = (text for text in blocks("yaml") if "runs-on:" in text)
    (job,) = yaml.safe_load(workflow)["jobs"].values()
    commands = [step["run"] for step in job["steps"] if "aigen" in step.get("run", "")]
    assert commands[0].startswith("pip install")
    assert len(commands) > 2
    assert project.aigen("build").code == 0
    for line in commands[1:]:
        ran = project.aigen(*line.split()[1:])
        assert ran.code == 0, (line, ran)
    project.write("specs/shop.yaml", SPEC.replace("customer", "guest"))
    stale = [project.aigen(*line.split()[1:]).code for line in commands[1:]]
    assert stale[0] == 1  # `build --check`


def complete(words: str, variable: str = "bash_complete") -> subprocess.CompletedProcess[str]:
    environ = {**environment(), "_AIGEN_COMPLETE": variable, "COMP_WORDS": words}
    environ["COMP_CWORD"] = str(len(words.split(" ")) - 1)
    return subprocess.run(AIGEN, env=environ, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("aigen bu", {"build"}),
        ("aigen build --st", {"--standalone"}),
        ("aigen check --format s", {"sarif"}),
        ("aigen log ", {"show", "totals"}),
    ],
)
def test_shells_complete(words: str, wanted: set[str]) -> None:
    done = complete(words)
    assert (done.returncode, done.stderr) == (0, "")
    assert wanted <= {line.partition(",")[2] for line in done.stdout.splitlines()}


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes_with_the_script_of_the_page(tmp_path: Path) -> None:
    command = tmp_path / "aigen"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m aigen "$@"\n')
    command.chmod(0o755)
    line = 'eval "$(_AIGEN_COMPLETE=bash_source aigen)"'
    assert line in PAGE
    script = f"""{line}
COMP_WORDS=(aigen exp) COMP_CWORD=1
_aigen_completion aigen
echo "${{COMPREPLY[@]}}"
"""
    environ = {**environment(), "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], env=environ, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("explain\n", "")


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_have_a_script(shell: str) -> None:
    assert f"_AIGEN_COMPLETE={shell}_source aigen" in PAGE
    done = complete("aigen ", f"{shell}_source")
    assert done.returncode == 0 and "_AIGEN_COMPLETE" in done.stdout
