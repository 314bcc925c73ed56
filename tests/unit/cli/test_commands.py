"""Commands end with the exit codes of the contract, and never with a traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from aigen.cli import run
from aigen.diagnostics import all_rules

SPEC = """aigen: 1
types:
  Tone: {choice: [kind, brief]}
functions:
  reply:
    formula: reply ~ message + tone
    fields:
      tone: {type: Tone, default: knd}
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "aigen.toml").write_text('specs = ["specs"]\nout = "out"\n')
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/support.yaml").write_text(SPEC)
    return tmp_path


def test_a_finding_in_the_text_format(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["check"]) == 1
    out, err = capfd.readouterr()
    assert (
        'specs/support.yaml:8:35: error[AIG203]: default "knd" does not fit choice Tone'
        " (kind, brief)\n"
        "    8 |       tone: {type: Tone, default: knd}\n"
        '      |                                   ^^^ did you mean "kind"?\n'
    ) in out + err


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_formats_for_programs_are_json(form: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--format", form]) == 1
    assert "AIG203" in json.dumps(json.loads(capfd.readouterr().out))


def test_annotations_of_github(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--format", "github"]) == 1
    place = "::error file=specs/support.yaml,line=8,endLine=8,col=35,endColumn=38,title=AIG203::"
    assert place in capfd.readouterr().out


@pytest.mark.parametrize("code", all_rules())
def test_every_code_is_explained(code: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", code]) == 0
    assert code in capfd.readouterr().out


@pytest.mark.parametrize("wrong", [["bild"], ["explain", "AIG999"], ["build", "--no-such"]])
def test_wrong_use(wrong: list[str]) -> None:
    assert run(wrong) == 2
