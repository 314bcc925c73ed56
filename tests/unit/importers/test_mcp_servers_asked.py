"""`aigen import mcp` of a server that is asked."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from aigen.cli import run

HOSTILE = Path(__file__).parents[1] / "mcp" / "hostile.py"

Asked = Callable[..., tuple[int, str, str]]


@pytest.fixture
def asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Asked:
    pytest.importorskip("mcp")
    monkeypatch.chdir(tmp_path)

    def command(*words: str) -> tuple[int, str, str]:
        code = run(["import", "mcp", *words])
        out, err = capsys.readouterr()
        return code, out, err

    return command


def started(how: str) -> str:
    return shlex.join([sys.executable, str(HOSTILE), how])


def test_a_command_is_asked(asked: Asked) -> None:
    code, out, err = asked("--command", started("plain"), "--env", "TOKEN=PATH")
    assert code == 0
    spec = yaml.safe_load(out)
    assert spec["tools"]["look"]["mcp"] == {"server": "hostile_one", "tool": "look"}
    assert str(HOSTILE) not in out
    lines = err[err.index("[tool.aigen.mcp_servers.hostile_one]") :]
    assert 'env = {"TOKEN" = "PATH"}' in lines
    Path("aigen.toml").write_text(lines.replace("tool.aigen.", ""))
    # Now the project knows the server, and there is nothing to say.
    assert asked("--server", "hostile_one") == (0, out, "")


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("gone", "the MCP server far ended, or closed the connection"),
        ("malformed", "the MCP server far answers what MCP does not know"),
        ("endless", "its list has more than 100 pages"),
        ("huge", "it lists more than 2000 tools"),
        ("odd", "tools/list of far:"),
    ],
)
def test_a_server_that_gives_no_list(asked: Asked, how: str, words: str) -> None:
    code, out, err = asked("--command", started(how), "--server", "far", "-o", "far.yaml")
    assert code == 1
    assert out == ""
    assert words in err
    assert "Traceback" not in err
    assert not Path("far.yaml").exists()


def test_a_secret_is_named(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FAR_TOKEN", raising=False)
    code, _, err = asked("--command", started("plain"), "--env", "TOKEN=FAR_TOKEN")
    assert code == 1
    assert "needs FAR_TOKEN, which is not set" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "name the server"),
        (["--server", "far"], "[tool.aigen.mcp_servers] has no far"),
        (["--server", "a b"], "is no server's name"),
        (["list.json", "--command", "x"], "two servers"),
        (["list.json", "--env", "A=B"], "go with a URL or --command"),
        (["--command", "x 'y"], "--command cannot be read"),
        (["--command", "x", "--env", "A"], "write NAME=VARIABLE"),
        (["--command", "x", "--env", "A=sk-secret value"], "names of environment variables"),
        (["https://far.example", "--env", "A=B"], "env goes with a command"),
        (["https://far.example", "--header", "Authorization=Bearer x"], "names of environment"),
    ],
)
def test_wrong_use(asked: Asked, words: list[str], said: str) -> None:
    code, out, err = asked(*words)
    assert (code, out) == (2, "")
    assert said in " ".join(err.split())
