from __future__ import annotations

from pathlib import Path

import pytest
from aigen.project import Project

HEAD = "aigen: 1\nfunctions:\n"
FORMULA = "    formula: mood ~ review\n"
VAGUE = "    description: Mood.\n"


def found(folder: Path, *, text: str, toml: str = "") -> list[str]:
    (folder / "aigen.toml").write_text(toml)
    (folder / "specs").mkdir(exist_ok=True)
    (folder / "specs" / "spec.yaml").write_text(text)
    project = Project.load(folder)
    project.program(project.specs()[0])
    return [f"{one.code}:{one.span.line if one.span else 0}" for one in project.diagnostics]


@pytest.mark.parametrize(
    "comment",
    [
        "# aigen: ignore[AIG803]",
        "#aigen:ignore[AIG803]",
        "# aigen: ignore[ AIG803 ] the name says it",
    ],
)
def test_a_comment_ignores_its_line(tmp_path: Path, comment: str) -> None:
    assert found(tmp_path, text=f"{HEAD}  mood:\n{FORMULA}{VAGUE}") == ["AIG803:3"]
    assert found(tmp_path, text=f"{HEAD}  mood: {comment}\n{FORMULA}{VAGUE}") == []


def test_a_comment_elsewhere_ignores_nothing(tmp_path: Path) -> None:
    text = f"{HEAD}  mood:\n{FORMULA}    # aigen: ignore[AIG803]\n{VAGUE}"
    assert found(tmp_path, text=text) == ["AIG803:3", "AIG816:5"]


def test_each_code_of_a_comment_counts(tmp_path: Path) -> None:
    text = f"{HEAD}  mood: # aigen: ignore[AIG803, AIG804, AIG9, AIG203]\n{FORMULA}{VAGUE}"
    assert found(tmp_path, text=text) == ["AIG816:3"] * 3


def test_a_comment_without_a_code_is_reported(tmp_path: Path) -> None:
    text = f"{HEAD}  mood: # aigen: ignore\n{FORMULA}{VAGUE}"
    assert found(tmp_path, text=text) == ["AIG803:3", "AIG816:3"]


def test_no_error_can_be_ignored(tmp_path: Path) -> None:
    text = f"{HEAD}  mood: # aigen: ignore[AIG301]\n{FORMULA}    fields: {{moot: int}}\n"
    assert found(tmp_path, text=text) == ["AIG301:5"]


def test_the_configuration_ignores_everywhere(tmp_path: Path) -> None:
    text = f"{HEAD}  mood:\n{FORMULA}{VAGUE}"
    assert found(tmp_path, text=text, toml='[lint]\nignore = ["AIG803"]\n') == []
