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
from pages import snippets

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
        named = ("prompts/a.md", "demos.jsonl", "a.csv", "a.parquet", "a.pyi", "templates/a.jinja")
        read = ("specs/a.yaml", "a.yml", "src/app.py", "pyproject.toml", "x/aigen.toml")
        for path in (*read, *named):
            assert re.search(hook["files"], path)
        for path in ("picture.png", "uv.lock", "a.toml", "specs/yaml"):
            assert not re.search(hook["files"], path)
    if shutil.which("pre-commit"):
        command = ["pre-commit", "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")]
        subprocess.run(command, check=True)


def test_the_page_names_the_hooks() -> None:
    (configuration,) = (text for text in blocks("yaml") if "repos:" in text)
    (repository,) = yaml.safe_load(configuration)["repos"]
    assert [hook["id"] for hook in repository["hooks"]] == list(hooks())


def workflow(page: str) -> list[dict[str, str]]:
    """The steps of a page's workflow that run aigen, the installing one first."""
    (text,) = (
        one.text
        for one in snippets(page)
        if "aigen build --check" in one.text and one.language == "yaml"
    )
    found = yaml.safe_load(text)
    if isinstance(found, dict):
        (job,) = found["jobs"].values()
        found = job["steps"]
    return [step for step in found if "aigen" in step.get("run", "")]


def test_both_pages_have_the_same_steps() -> None:
    assert workflow("README.md") == workflow("docs/ci.md")


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@shop.test", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_the_workflow_runs(project: Project, tmp_path: Path) -> None:
    first, *steps = workflow("docs/ci.md")
    assert first["run"] == 'pip install "aigen[build]"' and len(steps) == 4
    binary = tmp_path / "bin" / "aigen"
    binary.parent.mkdir()
    binary.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m aigen "$@"\n')
    binary.chmod(0o755)
    assert project.aigen("build").code == 0
    git(project.root, "init")
    git(project.root, "add", ".")
    git(project.root, "commit", "-m", "first")
    git(tmp_path, "clone", "--no-local", "--depth=1", f"file://{project.root}", "work")

    def ran() -> list[tuple[int, str]]:
        environ = {
            **environment(),
            "PATH": f"{binary.parent}{os.pathsep}{os.environ['PATH']}",
            "GITHUB_BASE_REF": "main",
        }
        command = ["bash", "-e", "-c"]
        done = [
            subprocess.run(
                [*command, step["run"]],
                cwd=tmp_path / "work",
                env=environ,
                timeout=120,
                text=True,
                capture_output=True,
                check=False,
            )
            for step in steps
        ]
        return [(one.returncode, one.stdout + one.stderr) for one in done]

    assert [code for code, _ in ran()] == [0, 0, 0, 0]
    spec = tmp_path / "work" / "specs" / "shop.yaml"
    spec.write_text(SPEC.replace("customer", "guest"))
    assert [code for code, _ in ran()] == [1, 0, 0, 0]  # stale; another prompt breaks nobody
    spec.write_text(SPEC.replace("[happy, unhappy]", "[happy, unhappy, mixed]"))
    (stale, _), *_, (breaks, said) = ran()
    assert (stale, breaks) == (1, 1) and "title=AIG943::shop.mood" in said, said


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


def documents(folder: Path) -> list[Path]:
    """The specs of the pages, the samples and the golden tests, as files."""
    found = [*ROOT.glob("samples/specs/**/*.yaml"), *ROOT.glob("tests/golden/*/*.yaml")]
    for page in [ROOT / "README.md", *ROOT.glob("docs/*.md")]:
        text = page.read_text(encoding="utf-8")
        for number, block in enumerate(re.findall(r"```ya?ml\n(.*?)```", text, re.DOTALL)):
            if re.search("^aigen: 1$", block, re.MULTILINE):
                found.append(folder / f"{page.stem}-{number}.yaml")
                found[-1].write_text(block, encoding="utf-8")
    return found


def test_the_schema_of_specs_with_check_jsonschema(tmp_path: Path) -> None:
    pytest.importorskip("check_jsonschema")
    project = Project(tmp_path)
    assert project.aigen("init").code == 0
    schema = tmp_path / "specs" / "aigen.schema.json"
    first = (tmp_path / "specs" / "support.yaml").read_text(encoding="utf-8").splitlines()[0]
    assert first == f"# yaml-language-server: $schema=./{schema.name}"

    def judged(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "check_jsonschema", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert judged("--check-metaschema", str(schema)).returncode == 0
    good = [tmp_path / "specs" / "support.yaml", *documents(tmp_path)]
    assert len(good) > 20
    done = judged("--schemafile", str(schema), *map(str, good))
    assert done.returncode == 0, done.stdout
    bad = project.write("bad.yaml", "aigen: 1\nfunctions:\n  f: {formula: a ~ b, feilds: {}}\n")
    done = judged("--schemafile", str(schema), str(bad))
    assert done.returncode == 1 and "'feilds' was unexpected" in done.stdout


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_pre_commit_runs_the_hooks(project: Project, tmp_path: Path) -> None:
    """As they stand in the manifest, but for an installation of their own."""
    pytest.importorskip("pre_commit")
    command = tmp_path / "bin" / "aigen"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m aigen "$@"\n')
    command.chmod(0o755)
    ours = [{**hook, "language": "system"} for hook in hooks().values()]
    for hook in ours:
        del hook["additional_dependencies"]
    project.write(
        ".pre-commit-config.yaml", yaml.safe_dump({"repos": [{"repo": "local", "hooks": ours}]})
    )
    project.write("specs/words.md", "How does the customer feel?\n")
    spec = SPEC.replace("How does the customer feel?", "{$file: words.md}")
    project.write("specs/shop.yaml", spec)
    assert project.aigen("build").code == 0
    git(project.root, "init")
    git(project.root, "add", ".")
    git(project.root, "commit", "-m", "first")

    def ran(*more: str) -> subprocess.CompletedProcess[str]:
        git(project.root, "add", ".")
        return subprocess.run(
            [sys.executable, "-m", "pre_commit", "run", *more],
            cwd=project.root,
            env={
                **environment(),
                "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}",
                "PRE_COMMIT_HOME": str(tmp_path / "home"),
            },
            capture_output=True,
            text=True,
            check=False,
        )

    assert ran("--all-files").returncode == 0
    project.write("specs/words.md", "How does the guest feel?\n")
    stale = ran()
    assert stale.returncode == 1 and "files were modified by this hook" in stale.stdout
    assert ran().returncode == 0  # what it wrote is added
    project.write("specs/shop.yaml", spec.replace("fields", "feilds"))
    wrong = ran()
    assert wrong.returncode == 1 and wrong.stdout.count("error[AIG120]") == 2
