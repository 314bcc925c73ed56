"""What docs/mcp.md shows: its configuration is read, its spec built, its commands understood."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path

import click
import pytest
from aigen.cli import main, run
from aigen.runtime.layers import settings
from aigen.runtime.mcp.servers import fault_in

PAGE = (Path(__file__).parents[3] / "docs" / "mcp.md").read_text(encoding="utf-8")


def shown(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_configuration_and_the_spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (toml,), (spec,) = shown("toml"), shown("yaml")
    assert fault_in(tomllib.loads(toml)["tool"]["aigen"]["mcp_servers"]) is None
    monkeypatch.chdir(tmp_path)
    Path("pyproject.toml").write_text(f'[tool.aigen]\nout = "ai"\n{toml}', encoding="utf-8")
    Path("specs").mkdir()
    Path("specs/tracker.yaml").write_text(spec, encoding="utf-8")
    assert run(["build"]) == 0
    assert "TRACKER_KEY" in Path("ai/tracker.py").read_text(encoding="utf-8")


def test_the_keys_of_a_server() -> None:
    keys = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    assert keys == ["url", "command", "key", "headers", "env", "cwd"]
    everything = {"url": "https://far.example", **dict.fromkeys(keys[1:], 5)}
    assert "no key" not in str(fault_in({"far": everything}))


def test_the_python() -> None:
    (code,) = shown("python")
    with settings():
        exec(code, {})
        import aigen.runtime as ai

        ai.configure(mcp_servers=None)


def test_the_commands_are_understood() -> None:
    lines = [line for text in shown("sh") for line in text.splitlines()]
    (client,) = shown("json")
    (desk,) = json.loads(client)["mcpServers"].values()
    lines.append(shlex.join([desk["command"], *desk["args"]]))
    for line in lines:
        program, *words = shlex.split(line, comments=True)
        assert program == "aigen"
        command: click.Command = main
        while isinstance(command, click.Group):
            context = click.Context(command)
            _, found, words = command.resolve_command(context, words)
            assert found is not None
            command = found
        command.make_context(program, words)
    assert len(lines) == 7
