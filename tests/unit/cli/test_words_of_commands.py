"""What commands say: helps, warnings, hints, and one message for one fault."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import aigen as package
import click
import pytest
from aigen.cli import COMMANDS, main

Aigen = Callable[..., Any]
DESK = """\
aigen: 1
functions:
  judge: {formula: score ~ text, description: Judge the text.}
"""


def _commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    with click.Context(group) as ctx:
        for name in group.list_commands(ctx):
            found = group.get_command(ctx, name)
            assert found is not None
            yield (*path, name)
            if isinstance(found, click.Group):
                yield from _commands(found, (*path, name))


EVERY = list(_commands(main))


@pytest.mark.parametrize("path", EVERY, ids=" ".join)
def test_helps_are_whole(aigen: Aigen, path: tuple[str, ...]) -> None:
    """No line of a list is cut, and every option says what it does."""
    ran = aigen(*path, "--help")
    assert (ran.code, ran.err) == (0, "")
    assert "..." not in ran.out.replace("[OPTIONS]...", "").replace("]...", "")
    found: Any = main
    for name in path:
        found = found.get_command(click.Context(found), name)
    untold = [
        each.name for each in found.params if isinstance(each, click.Option) and not each.help
    ]
    assert not untold


def test_commands_are_called_as_they_are_listed() -> None:
    with click.Context(main) as ctx:
        assert [getattr(main.get_command(ctx, name), "name", None) for name in COMMANDS] == [
            *COMMANDS
        ]


# ------------------------------------------------------------------------------- warnings


def test_a_warning_names_no_line_of_aigen(project: Path) -> None:
    (project / "aigen.toml").write_text('out = "ai"\n[settings]\ntemperature = 0\n')
    ran = _process(project, "show", "judge", "text=a", "--model", "gpt-5")
    assert (ran.returncode, ran.stderr) == (
        0,
        "aigen: gpt-5 refuses temperature, so it is left out\n",
    )


def test_a_warning_of_others_keeps_its_place(project: Path) -> None:
    spec = project / "specs" / "desk.yaml"
    spec.write_text(
        spec.read_text().replace(
            "score: {type: int, ge: 0, le: 10}",
            "score: {type: int, ge: 0, le: 10}\n      text: {default: {$call: app:seen}}",
        )
    )
    (project / "app.py").write_text(
        "import warnings\n\n\ndef seen():\n    warnings.warn('mine')\n    return 'x'\n"
    )
    ran = _process(project, "show", "judge")
    assert ran.returncode == 0, ran.stderr
    assert "app.py:5: UserWarning: mine" in ran.stderr


def _process(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    source = Path(package.__file__).parents[1]
    return subprocess.run(
        [sys.executable, "-m", "aigen", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


# ------------------------------------------------------------------- one fault, one message


@pytest.mark.parametrize(
    "text", ['specs = ["specs"]\noutt = "ai"\n', "out = 3\n", 'out = "ai\n'], ids=str
)
@pytest.mark.parametrize("command", ["build", "build --check", "diff", "diff --written"])
def test_a_faulty_configuration_is_told_once(
    aigen: Aigen, project: Path, text: str, command: str
) -> None:
    (project / "aigen.toml").write_text(text)
    ran = aigen(*command.split())
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.count("AIG707") == 1 and ran.err.startswith("aigen.toml:")
    assert "no output folder" not in ran.err


def test_a_faulty_configuration_hides_no_faulty_spec(aigen: Aigen, project: Path) -> None:
    (project / "aigen.toml").write_text("out = 3\n")
    (project / "specs" / "more.yaml").write_text("aigen: 1\nfunction: {}\n")
    err = aigen("build").err
    assert "AIG707" in err and "specs/more.yaml:2:1: error[AIG120]" in err


def test_a_log_that_is_not_there_says_what_is_wrong_in_the_configuration(
    aigen: Aigen, project: Path
) -> None:
    (project / "aigen.toml").write_text("[settings]\nlog_cals = true\n")
    ran = aigen("log")
    assert ran.code == 1 and "aigen.toml:2:1: error[AIG707]" in ran.err


# ---------------------------------------------------------------------------------- hints


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("specs/desk.yml",),
            "no file or folder specs/desk.yml\n      | did you mean specs/desk.yaml?",
        ),
        (("spec",), "did you mean specs?"),
        (("nowhere",), "there is no file or folder nowhere\n1 error"),
        (("ai",), "no specs in ai\n      | begin a YAML file there with aigen: 1"),
        (("notes",), "no specs in notes\n      | begin notes/one.yaml with aigen: 1"),
    ],
)
def test_specs_that_are_none(
    aigen: Aigen, project: Path, arguments: tuple[str, ...], words: str
) -> None:
    aigen("build")
    (project / "notes").mkdir()
    (project / "notes" / "a.json").write_text("{}")
    (project / "notes" / "one.yaml").write_text("a: 1\n")
    for command in ("build", "check"):
        ran = aigen(command, *arguments)
        assert ran.code == 1 and words in ran.err + ran.out


def test_configured_specs_that_are_not_there(aigen: Aigen, project: Path) -> None:
    (project / "aigen.toml").write_text('specs = ["spcs"]\nout = "ai"\n')
    assert "did you mean specs?" in aigen("build").err
    (project / "aigen.toml").write_text('specs = ["far/away"]\nout = "ai"\n')
    assert "| make it, or correct specs = […]" in aigen("build").err
    (project / "aigen.toml").unlink()
    shutil.rmtree(project / "specs")
    assert "| aigen init begins a project" in aigen("check").out


@pytest.mark.parametrize("option", ["--host=::1", "--port=80", "--allow-host=a"])
def test_an_address_without_http(aigen: Aigen, project: Path, option: str) -> None:
    aigen("build")
    ran = aigen("serve", "--mcp", option)
    name = option.partition("=")[0]
    assert ran.code == 2 and f"{name} is of --http: aigen serve --mcp --http {name}" in ran.err


def test_verbose_says_nothing_of_a_build_that_was_none(aigen: Aigen, project: Path) -> None:
    text = (project / "aigen.toml").read_text()
    (project / "aigen.toml").write_text("out = 3\n")
    assert "nothing has changed" not in aigen("build", "-v").err
    (project / "aigen.toml").write_text(text)
    (project / "specs" / "desk.yaml").write_text("aigen: 1\ntypes: {A: Ghost}\n")
    assert aigen("build", "-v").err.endswith("\ntried 1 spec: no earlier build is known\n")


# -------------------------------------------------------------------------------- patches


@pytest.mark.skipif(shutil.which("git") is None, reason="no git")
@pytest.mark.parametrize("below", [False, True])
@pytest.mark.parametrize("edit", ["", "new", "gone", "unended", "form\x0cfeed \u2028 line\n"])
def test_the_diff_of_check_is_a_patch(
    aigen: Aigen, here: Path, monkeypatch: pytest.MonkeyPatch, edit: str, below: bool
) -> None:
    """Applied, it is the build; so it says all of it, an empty file too."""
    project = here / "desk"
    (project / "specs").mkdir(parents=True)
    (project / "aigen.toml").write_text('out = "ai"\n')
    (project / "specs" / "desk.yaml").write_text(DESK)
    monkeypatch.chdir(project)
    if edit:
        aigen("build")
        spec = project / "specs" / "desk.yaml"
        spec.write_text(spec.read_text().replace("Judge the text.", "Judge it."))
        if edit == "new":
            (project / "specs" / "more.yaml").write_text(
                "aigen: 1\nfunctions: {f: {formula: a ~ b}}\n"
            )
            (project / "ai" / "py.typed").unlink()
        elif edit == "gone":
            (project / "specs" / "more.yaml").write_text(spec.read_text())
            spec.unlink()
        else:
            with (project / "ai" / "desk.py").open("a", encoding="utf-8") as file:
                file.write(edit)
    ran = aigen("build", "--check")
    assert ran.code == 1
    if below:
        subprocess.run(["git", "init", "-q"], cwd=project.parent, check=True)
    applied = subprocess.run(
        ["git", "apply", *([f"--directory={project.name}"] if below else []), "-"],
        cwd=project,
        env={**os.environ, "GIT_CEILING_DIRECTORIES": str(project.parents[below])},
        input=ran.out.encode(),
        capture_output=True,
        check=False,
    )
    assert applied.returncode == 0, applied.stderr
    assert aigen("build", "--check")[:2] == (0, "")


def test_the_diff_of_check_names_an_empty_file(aigen: Aigen, project: Path) -> None:
    aigen("build")
    (project / "ai" / "py.typed").unlink()
    ran = aigen("build", "--check")
    assert ran == (
        1,
        "diff --git a/ai/py.typed b/ai/py.typed\nnew file mode 100644\n",
        "1 file stale: run aigen build\n",
    )


# ----------------------------------------------------------------------------- completion


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("explain AIG95", [f"AIG95{last}" for last in range(1, 10)]),
        ("explain aig136", ["AIG136"]),
        ("call j", ["judge"]),
        ("show desk.", ["desk.judge", "desk.reply"]),
        ("schema f", ["find"]),
        ("call f", []),
        ("test r", ["reply"]),
        ("build --ver", ["--verify", "--verbose"]),
        ("check --format s", ["sarif"]),
    ],
)
def test_completion(
    aigen: Aigen,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    offered: list[str],
) -> None:
    (project / "specs" / "tools.yaml").write_text(
        "aigen: 1\ntools: {find: {description: Find it., parameters: {id: str}}}\n"
    )
    monkeypatch.setenv("_AIGEN_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", f"aigen {words}")
    monkeypatch.setenv("COMP_CWORD", str(len(words.split())))
    ran = aigen()
    assert ran.err == ""
    assert sorted(row.partition(",")[2] for row in ran.out.split()) == sorted(offered)


def test_completion_beside_faulty_specs(
    aigen: Aigen, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "specs" / "desk.yaml").write_text("aigen: 1\n\t- :")
    monkeypatch.setenv("_AIGEN_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "aigen call j")
    monkeypatch.setenv("COMP_CWORD", "2")
    ran = aigen()
    assert (ran.out.strip(), ran.err) == ("", "")


# --------------------------------------------------------------------------------- carets


def test_the_hint_of_a_long_value_stands_near(aigen: Aigen, here: Path) -> None:
    (here / "s.json").write_text(json.dumps([{"a": "b" * 500}]))
    err = aigen("import", "json-schema", "s.json").err
    assert "      | ^\n" in err
    (here / "spec.yaml").write_text(
        f"aigen: 1\nfunctions:\n  f: {{formula: 'a ~ b', {'x' * 200}: 1}}\n"
    )
    text = aigen("check", "spec.yaml").out
    assert max(line.rfind("^") for line in text.splitlines()) in range(1, 80)
