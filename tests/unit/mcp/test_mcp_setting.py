"""The setting `mcp_servers`, and the key `mcp` of a tool."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aigen.cli import run
from aigen.runtime.errors import ConfigurationError
from aigen.runtime.layers import checked, resolve, settings
from aigen.runtime.mcp.servers import fault_in, lines_for

URL = "https://far.example/mcp"

FAULTS: list[tuple[Any, str]] = [
    ([], "mcp_servers is a mapping"),
    ({"a b": {"url": URL}}, "'a b' is no server's name"),
    ({"far": URL}, "mcp_servers.far is a mapping"),
    ({"far": {}}, "mcp_servers.far has a url or a command, one of them"),
    ({"far": {"url": URL, "command": ["x"]}}, "a url or a command, one of them"),
    ({"far": {"url": "far.example"}}, "mcp_servers.far.url is a URL"),
    ({"far": {"ulr": URL}}, 'has no key "ulr"; did you mean "url"?'),
    ({"far": {"command": "python -m far"}}, "mcp_servers.far.command is a list of texts"),
    ({"far": {"command": []}}, "mcp_servers.far.command is a list of texts"),
    ({"far": {"command": ["a\0b"]}}, "mcp_servers.far.command is a list of texts"),
    ({"far": {"url": URL, "env": {"A": "A"}}}, "env goes with a command"),
    ({"far": {"command": ["x"], "key": "A"}}, "key goes with a url"),
    ({"far": {"url": URL, "key": "sk-1234"}}, "key is the name of the environment variable"),
    ({"far": {"url": URL, "headers": {"A": "Bearer x"}}}, "headers is a mapping of headers to nam"),
    ({"far": {"command": ["x"], "env": {"A": "a b"}}}, "env is a mapping of the server's variab"),
    ({"far": {"command": ["x"], "cwd": 5}}, "cwd is a folder's path"),
]


@pytest.mark.parametrize(("value", "words"), FAULTS)
def test_what_is_wrong_with_it(value: Any, words: str) -> None:
    assert words in str(fault_in(value))
    with pytest.raises(ConfigurationError, match="here: "):
        checked({"mcp_servers": value}, "here")


def test_layers_are_laid_over_each_other_by_name() -> None:
    baked = {"mcp_servers": {"a": {"url": URL}, "b": {"url": URL}}}
    with settings(mcp_servers={"b": {"command": ["b"]}}), settings(mcp_servers={"c": {"url": URL}}):
        found = resolve({}, baked, {}).mcp_servers
    assert found == {"a": {"url": URL}, "b": {"command": ["b"]}, "c": {"url": URL}}


def test_its_lines_are_read_back() -> None:
    there = {"command": ["sh", "-c", 'say "ö" \\ x'], "env": {"A-B": "C"}, "cwd": "/tmp"}
    read = tomllib.loads(lines_for("a.b", there))
    assert read == {"tool": {"aigen": {"mcp_servers": {"a.b": there}}}}


# -------------------------------------------------------------------------- in a spec

SPEC = """\
aigen: 1
tools:
  look:
    description: Look a word up.
    parameters: {word: str}
    mcp: %s
"""


@pytest.fixture
def built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str, str], tuple[int, str]]:
    def command(mcp: str, servers: str = "") -> tuple[int, str]:
        monkeypatch.chdir(tmp_path)
        Path("aigen.toml").write_text(f'specs = ["specs"]\nout = "ai"\n{servers}')
        Path("specs").mkdir(exist_ok=True)
        Path("specs/desk.yaml").write_text(SPEC % mcp)
        code = run(["build"])
        return code, capsys.readouterr().err

    return command


@pytest.mark.parametrize(
    ("mcp", "words"),
    [
        ("{server: far}", "mcp.tool is what the server calls the tool"),
        ("{tool: look}", "mcp.server is the name of a server"),
        ("{server: 'a b', tool: look}", "mcp.server is the name of a server"),
        (f"{{server: '{URL}', tool: look}}", f'[tool.aigen.mcp_servers.NAME] url = "{URL}"'),
        ("{server: far, tool: ''}", "mcp.tool is what the server calls the tool"),
        ("{server: far, tol: look}", "mcp has no key tol"),
        ("{server: far, tool: look, headers: {A: B}}", "mcp has no key headers"),
        ("far", "mcp is a mapping"),
    ],
)
def test_a_key_that_is_wrong_is_one_message(
    built: Callable[..., tuple[int, str]], mcp: str, words: str
) -> None:
    code, err = built(mcp)
    assert code == 1
    assert words in err
    assert err.count("error[") == 1


def test_the_project_says_where_the_server_is(built: Callable[..., tuple[int, str]]) -> None:
    there = f'[mcp_servers.far]\nurl = "{URL}"\nkey = "FAR_KEY"\n'
    assert built("{server: far, tool: look}", there)[0] == 0
    text = Path("ai/desk.py").read_text("utf-8")
    assert URL in text
    assert "FAR_KEY" in text
    code, err = built("{server: far, tool: look}", f'[mcp_servers.far]\nurl = "{URL}"\nkay = "A"\n')
    assert code == 1
    assert 'mcp_servers.far has no key "kay"' in err


def test_a_functions_code_holds_no_servers(built: Callable[..., tuple[int, str]]) -> None:
    there = f'[mcp_servers.far]\nurl = "{URL}"\n'
    spec = (
        "{server: near, tool: look}\nfunctions:\n  a:\n    formula: b ~ c\n    description: Say b."
    )
    assert built(spec, there)[0] == 0
    assert URL not in Path("ai/desk.py").read_text("utf-8")
