from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from aigen.building import build
from aigen.diagnostics import Diagnostic, all_rules
from aigen.diagnostics.lint import lint_codes
from aigen.project import Project
from aigen.rules.ignoring import comments

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


def test_a_comment_ignores_nothing_in_another_file(tmp_path: Path) -> None:
    text = f"{HEAD}  mood:\n{FORMULA}{VAGUE}"
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "other.yaml").write_text(
        text.replace("mood:", "mood: # aigen: ignore[AIG803]")
    )
    assert found(tmp_path, text=text) == ["AIG803:3"]


@pytest.mark.parametrize(
    "words",
    [
        "C#aigen:ignore[AIG804]",
        "'Say # aigen: ignore[AIG804]'",
        '"Say # aigen: ignore[AIG804]"',
        "|\n      Say # aigen: ignore[AIG804]\n      # aigen: ignore[AIG804]",
        ">\n      Say\n      # aigen: ignore",
    ],
)
def test_what_is_no_comment_ignores_nothing(tmp_path: Path, words: str) -> None:
    assert found(tmp_path, text=f"{HEAD}  mood:\n{FORMULA}    description: {words}\n") == []


def test_comments_beside_texts_are_comments(tmp_path: Path) -> None:
    text = (
        f"{HEAD}  mood:\n{FORMULA}    description: | # aigen: ignore[AIG804]\n      Say it.\n"
        "    # aigen: ignore[AIG805]\n    deprecated: 'x # y' # aigen: ignore[AIG806]\n"
    )
    assert found(tmp_path, text=text) == ["AIG816:5", "AIG816:7", "AIG816:8"]


def test_json_and_python_have_comments_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    said = "Say # aigen: ignore[AIG804]"
    (tmp_path / "specs" / "desk.json").write_text(
        json.dumps({"aigen": 1, "functions": {"f": {"formula": "a ~ b", "description": said}}})
    )
    (tmp_path / "specs" / "stub.pyi").write_text(
        f"from aigen.declare import ai\n\n\n@ai  # aigen: ignore[AIG804]\n"
        f'def mood(review: str) -> str:\n    """{said}\n    # aigen: ignore\n    """\n    ...\n'
    )
    assert found(tmp_path, text=f"{HEAD}  mood:\n{FORMULA}") == ["AIG816:4"]


def test_no_text_of_python_holds_a_comment() -> None:
    """A formatted text is one token before Python 3.12, and several since."""
    text = 'x = f"# aigen: ignore[AIG802] {1} b"\ny = 1  # aigen: ignore[AIG803]\n'
    assert [each.code for each in comments("specs/a.py", text)] == ["AIG803"]


def test_lines_are_counted_as_everywhere(tmp_path: Path) -> None:
    """A form feed ends no line."""
    text = (
        "from aigen.declare import ai\n\x0c\n\n"
        '@ai\ndef mood(review: str) -> str:  # aigen: ignore[AIG803]\n    """Mood."""\n    ...\n'
    )
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "desk.pyi").write_text(
        text.partition("  #")[0] + "\n    'Mood.'\n    ..."
    )
    (code,) = found(tmp_path, text=f"{HEAD}  mood:\n{FORMULA}")
    assert code == "AIG803:5"
    (tmp_path / "specs" / "desk.pyi").write_text(text)
    assert found(tmp_path, text=f"{HEAD}  mood:\n{FORMULA}") == []


def test_what_stands_elsewhere_can_be_ignored_too() -> None:
    others = {"AIG414", "AIG415", "AIG603", "AIG604", "AIG605", "AIG606"}
    assert {code for code in lint_codes() if not code.startswith("AIG8")} == others


def test_a_needless_comment_can_be_ignored(tmp_path: Path) -> None:
    text = f"{HEAD}  mood: # aigen: ignore[AIG804]\n{FORMULA}"
    assert found(tmp_path, text=text) == ["AIG816:3"]
    assert found(tmp_path, text=text, toml='[lint]\nignore = ["AIG816"]\n') == []


def test_a_comment_without_a_code_is_reported(tmp_path: Path) -> None:
    text = f"{HEAD}  mood: # aigen: ignore\n{FORMULA}{VAGUE}"
    assert found(tmp_path, text=text) == ["AIG803:3", "AIG816:3"]


def test_no_error_can_be_ignored(tmp_path: Path) -> None:
    text = f"{HEAD}  mood: # aigen: ignore[AIG301]\n{FORMULA}    fields: {{moot: int}}\n"
    assert found(tmp_path, text=text) == ["AIG301:5"]


def test_the_configuration_ignores_everywhere(tmp_path: Path) -> None:
    text = f"{HEAD}  mood:\n{FORMULA}{VAGUE}"
    assert found(tmp_path, text=text, toml='[lint]\nignore = ["AIG803"]\n') == []


@pytest.fixture
def example(tmp_path: Path) -> Callable[..., list[Diagnostic]]:
    """Builds a rule's example and gives what is said of it; a comment goes to the end of a line."""

    def built(code: str, comment: tuple[int, str] | None = None, *, ignore: str = "") -> Any:
        said = all_rules()[code].example
        files = dict(said) if isinstance(said, Mapping) else {"specs/spec.yaml": said}
        if comment is not None:
            number, words = comment
            lines = files["specs/spec.yaml"].split("\n")
            lines[number - 1] += f" # aigen: ignore[{words}]"
            files["specs/spec.yaml"] = "\n".join(lines)
        own, table, lint = files.pop("pyproject.toml", "").partition("[tool.aigen.lint]\n")
        toml = '[tool.aigen]\nout = "ai"\n' + own.removeprefix("[tool.aigen]\n")
        ignored = f'ignore = ["{ignore}"]\n' if ignore else ""
        toml += f"[tool.aigen.lint]\n{ignored}{lint}" if table or ignore else ""
        for name, text in {"pyproject.toml": toml, **files}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        project = Project.load(tmp_path)
        build(project)
        assert not project.diagnostics.failed, [one.message for one in project.diagnostics]
        return list(project.diagnostics)

    return built


@pytest.mark.parametrize("code", [one for one in lint_codes() if one != "AIG816"])
def test_every_rule_of_lint_can_be_ignored(
    example: Callable[..., list[Diagnostic]], code: str
) -> None:
    found = [one for one in example(code) if one.code == code]
    assert found and all(one.span is not None for one in found)
    assert all(one.severity in ("warning", "note") for one in found)
    (number,) = {one.span.line for one in found if one.span}
    for again in (example(code, (number, code)), example(code, ignore=code)):
        assert not {code, "AIG816"} & {one.code for one in again}


def test_an_error_of_a_dialect_cannot_be_ignored(tmp_path: Path) -> None:
    note = (
        "aigen: 1\ntools:\n  note: # aigen: ignore[AIG601]\n    strict: true\n"
        "    description: Takes a note.\n    parameters: {facts: 'dict[str, str]'}\n"
    )
    said = found(tmp_path, text=note, toml='dialects = ["openai-chat"]\n')
    assert sorted(said) == ["AIG601:3", "AIG816:3"]
