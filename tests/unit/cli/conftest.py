from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from aigen.cli import run


class Ran(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("AIGEN_MODEL", raising=False)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    return tmp_path


@pytest.fixture
def aigen(here: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Runs the command in a folder of its own."""

    def command(*arguments: str) -> Ran:
        capsys.readouterr()
        code = run(list(arguments))
        return Ran(code, *capsys.readouterr())

    return command


@pytest.fixture
def project(here: Path) -> Path:
    """A project with functions of every sort of input."""
    (here / "specs").mkdir()
    (here / "aigen.toml").write_text('specs = ["specs"]\nout = "ai"\n')
    (here / "specs" / "desk.yaml").write_text(DESK)
    return here


DESK = """\
aigen: 1
types:
  Order: {record: {id: str, lines: "list[int]"}}
functions:
  reply:
    formula: reply ~ message + order + tone + count + note + anything
    description: Answer the customer.
    fields:
      order: Order | None
      tone: {choice: [kind, "1"], default: kind}
      count: {type: int, default: 1}
      note: {type: str | None, default: null}
      anything: {type: json, default: null}
  judge:
    formula: score + why ~ text
    description: Judge the text.
    fields:
      score: {type: int, ge: 0, le: 10}
"""
