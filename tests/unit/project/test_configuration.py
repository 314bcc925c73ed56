from __future__ import annotations

from pathlib import Path

import pytest
from aigen.configuration import Configuration, load
from aigen.diagnostics import Diagnostics
from aigen.diagnostics.lint import Lint


def loaded(start: Path) -> tuple[Configuration, list[tuple[str, int, str, str | None]]]:
    diagnostics = Diagnostics()
    configuration = load(start, diagnostics)
    return configuration, [
        (*(found.span or ("", 0))[:2], found.message, found.hint) for found in diagnostics
    ]


def test_the_nearest_configuration_upwards_holds(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text('[tool.aigen]\nout = "far"\n')
    (tmp_path / "a" / "pyproject.toml").write_text('[project]\nname = "no-aigen-here"\n')
    assert loaded(inner)[0] == Configuration(tmp_path, out="far")
    (tmp_path / "a" / "aigen.toml").write_text('out = "near"\nspecs = ["x", "y.yaml"]\n')
    assert loaded(inner)[0] == Configuration(tmp_path / "a", specs=("x", "y.yaml"), out="near")


def test_none_is_the_current_folder(tmp_path: Path) -> None:
    assert loaded(tmp_path) == (Configuration(tmp_path), [])


def test_an_unknown_key_names_the_nearest_at_its_line(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.aigen]\nout = "ai"\nspec = ["specs"]\n')
    _, found = loaded(tmp_path)
    message = '[tool.aigen] has no key "spec"'
    assert found == [("pyproject.toml", 3, message, 'did you mean "specs"?')]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('specs = "specs"', 1),
        ("out = 1", 1),
        ("out = ''", 1),
        ('out = "a\\u0000b"', 1),
        ('\npython_path = ["a\\u0000b"]', 2),
        ("\ntrust = [1]", 2),
        ('dialects = ["openai"]', 1),
        ("settings = 1", 1),
        ("[settings]\nmodle = 'x'", 2),
        ("[settings]\ntemperature = 'hot'", 2),
        ("[settings]\napprove = 2020-01-01", 2),
        ("[settings]\napprove = nan", 2),
        ("[settings]\nextra_body = {a = 10:00:00}", 2),
        ("out = 'a\n", 1),
    ],
)
def test_what_is_wrong_has_a_place(tmp_path: Path, text: str, line: int) -> None:
    (tmp_path / "aigen.toml").write_text(text)
    _, found = loaded(tmp_path)
    assert [(path, at) for path, at, *_ in found] == [("aigen.toml", line)]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('specs = ["out"]\n  out = 1\n', (2, 3, 2, 6)),
        ('lint = {ignroe = ["AIG806"]}\n', (1, 9, 1, 15)),
        ('out = "ai"\n[setings]\n', (2, 2, 2, 9)),
        ('"spec" = ["a"]\n', (1, 1, 1, 7)),
        ("[settings]\napi_key = 'mine'\n", (2, 1, 2, 8)),
        ("templates = 'none'\n", (1, 1, 1, 10)),
    ],
)
def test_what_is_wrong_is_marked(tmp_path: Path, text: str, place: tuple[int, ...]) -> None:
    (tmp_path / "aigen.toml").write_text(text)
    diagnostics = Diagnostics()
    load(tmp_path, diagnostics)
    (found,) = diagnostics
    assert found.span is not None and found.span[1:] == place


def test_what_holds_where_nothing_is_said(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_bytes(b"\xef\xbb\xbf[tool.aigen]\n")
    configuration, found = loaded(tmp_path)
    assert (configuration.specs, configuration.python_path, found) == (("specs",), (".",), [])
    (tmp_path / "aigen.toml").write_text('out = "ai"\n')
    assert loaded(tmp_path)[0].out == "ai", "it goes before the other of the same folder"


def test_only_dialects_that_there_are_are_kept(tmp_path: Path) -> None:
    (tmp_path / "aigen.toml").write_text('dialects = ["gemni", "mcp"]\n')
    configuration, found = loaded(tmp_path)
    assert configuration.dialects == ("mcp",) and len(found) == 1


def test_settings_are_kept(tmp_path: Path) -> None:
    (tmp_path / "aigen.toml").write_text('[settings]\nmodel = "gpt-4.1-mini"\ntemperature = 0\n')
    configuration, found = loaded(tmp_path)
    assert not found
    assert dict(configuration.settings) == {"model": "gpt-4.1-mini", "temperature": 0}


def test_a_broken_pyproject_of_somebody_else_is_no_concern(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project\n")
    assert loaded(tmp_path) == (Configuration(tmp_path), [])
    (tmp_path / "pyproject.toml").write_text("[tool.aigen]\nout = \n")
    assert loaded(tmp_path)[1]


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "aigen.toml").write_bytes(b"out = '\xff'\n")
    assert [path for path, *_ in loaded(tmp_path)[1]] == ["aigen.toml"]


def test_lint_is_read(tmp_path: Path) -> None:
    text = '[tool.aigen.lint]\nignore = ["AIG805", "AIG803"]\ntool_tokens = 250\n'
    (tmp_path / "pyproject.toml").write_text(text)
    configuration, found = loaded(tmp_path)
    assert configuration.lint == Lint(ignore=("AIG805", "AIG803"), tool_tokens=250)
    assert found == []


@pytest.mark.parametrize(
    ("text", "line", "message", "hint"),
    [
        ("lint = 1", 1, "[tool.aigen.lint] is a table", 'write lint = {ignore = ["AIG806"]}'),
        (
            'lint = {ignroe = ["AIG806"]}',
            1,
            '[tool.aigen.lint] has no key "ignroe"',
            'did you mean "ignore"?',
        ),
        ('[lint]\nignore = "AIG806"', 2, "ignore is a list of texts", 'write ignore = ["…"]'),
        (
            '\nlint = {ignore = ["AIG0803"]}',
            2,
            'there is no rule of lint "AIG0803"',
            'did you mean "AIG803"?',
        ),
        (
            "[lint]\ndemo_tokens = true",
            2,
            "demo_tokens is a number of tokens",
            "write demo_tokens = 400",
        ),
        (
            "[lint]\ntool_tokens = 0",
            2,
            "tool_tokens is a number of tokens",
            "write tool_tokens = 400",
        ),
    ],
)
def test_what_is_wrong_of_lint_has_a_place(
    tmp_path: Path, text: str, line: int, message: str, hint: str
) -> None:
    (tmp_path / "aigen.toml").write_text(text)
    configuration, found = loaded(tmp_path)
    assert found == [("aigen.toml", line, message, hint)]
    assert configuration.lint == Lint()


def test_a_rule_that_is_no_lint_cannot_be_ignored(tmp_path: Path) -> None:
    (tmp_path / "aigen.toml").write_text('lint = {ignore = ["AIG203"]}')
    configuration, found = loaded(tmp_path)
    assert configuration.lint == Lint()
    assert [message for _, _, message, _ in found] == ['there is no rule of lint "AIG203"']


def test_lines_for_a_pyproject_hold_in_an_aigen_toml_too(tmp_path: Path) -> None:
    (tmp_path / "aigen.toml").write_text(
        'out = "ai"\n[settings]\nmodel = "sample"\n[mcp_servers.far]\ncommand = ["far"]\n'
        '[tool.aigen.mcp_servers.near]\ncommand = ["near"]\n'
    )
    found, wrong = loaded(tmp_path)
    assert (found.out, wrong) == ("ai", [])
    assert found.settings["model"] == "sample"
    assert set(found.settings["mcp_servers"]) == {"far", "near"}
