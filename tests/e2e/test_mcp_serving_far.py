"""`aigen serve --mcp` with tools that are requests, or of another server."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import commands
import mcp_desk
import pytest
from servers import Seen, Step, message, serving

pytest.importorskip("mcp")

from mcp import Client, StdioServerParameters, stdio_client

HOSTILE = Path(__file__).parents[1] / "unit" / "mcp" / "hostile.py"

SPEC = """\
aigen: 1
types:
  Pet: {record: {id: int, name: str}}
functions:
  advise:
    formula: advice + urgent ~ question
    description: Say what to do with a pet.
    fields: {urgent: bool}
    tools: [get_pet, look, sell_pet, count]
tools:
  get_pet:
    description: Get a pet.
    parameters: {id: int}
    returns: Pet
    http: {url_env: PETS_URL, path: "/pets/{id}"}
    annotations: {read_only: true}
  sell_pet:
    description: Sell a pet.
    parameters: {id: int}
    http: {method: POST, url_env: PETS_URL, path: "/pets/{id}/sale"}
    risk: dangerous
  look: {description: Look a word up., parameters: {word: str}, mcp: {server: far, tool: look}}
  count: {description: Count letters., python: "app:count", exposure: code}
"""
APP = 'def count(word: str) -> int:\n    "Count letters."\n    return len(word)\n'
CODE = "import desk\nprint(desk.count('four'))"


class Pets:
    """A server that is both the shop's and the model's: requests by path."""

    def __init__(self) -> None:
        self.asked: list[Any] = [
            {"name": "get_pet", "arguments": '{"id": 7}'},
            {"name": "look", "arguments": '{"word": "a"}'},
            {"name": "sell_pet", "arguments": '{"id": 7}'},
        ]
        self.told: list[str] = []
        self.paths: list[str] = []

    def __call__(self, seen: Seen) -> Step:
        path = seen.path.removeprefix("/v1")
        self.paths.append(f"{seen.method} {path}")
        if path.startswith("/pets"):
            return Step({"id": 7, "name": "Rex"})
        self.told += [m["content"] for m in seen.body["messages"][-1:] if m["role"] == "tool"]
        if not self.asked:
            return Step(message('{"advice": "Keep it.", "urgent": false}'))
        function = self.asked.pop(0)
        call = {"id": f"c{len(self.asked)}", "type": "function", "function": function}
        return Step(message(None, finish="tool_calls", tool_calls=[call]))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    project = commands.Project(tmp_path)
    command = [sys.executable, str(HOSTILE), "plain"]
    project.write(
        "aigen.toml",
        'specs = ["specs"]\nout = "desk_ai"\n[mcp_servers.far]\n'
        f"command = [{', '.join(repr(word) for word in command)}]\n",
    )
    project.write("specs/desk.yaml", SPEC)
    project.write("app.py", APP)
    ran = project.aigen("build")
    assert ran.code == 0, ran.err
    return tmp_path


@pytest.fixture
def talked(root: Path) -> Iterator[Callable[..., Any]]:
    """Talks with the server of the project, whose model and shop are at a URL."""
    with (root / "errors.txt").open("w") as errors:

        def talk(url: str, what: Callable[[Client], Any]) -> Any:
            more = {"PETS_URL": url, "OPENAI_BASE_URL": url, "OPENAI_API_KEY": "k"}
            program, *words = mcp_desk.COMMAND
            environ = {**commands.environment(), "AIGEN_MODEL": "m", **more}
            given = StdioServerParameters(command=program, args=words, cwd=root, env=environ)

            async def run() -> Any:
                async with (
                    asyncio.timeout(90),
                    Client(stdio_client(given, errlog=errors)) as client,
                ):
                    return await what(client)

            return asyncio.run(run())

        yield talk


def test_tools_that_are_requests_are_served(talked: Callable[..., Any]) -> None:
    async def talk(client: Client) -> Any:
        names = [tool.name for tool in (await client.list_tools()).tools]
        asked = [("get_pet", {"id": 7}), ("look", {"word": "a"}), ("sell_pet", {"id": 7})]
        return names, [await client.call_tool(name, arguments) for name, arguments in asked]

    pets = Pets()
    with serving(pets) as server:
        names, (got, looked, sold) = talked(server.url, talk)
    assert names == ["advise", "get_pet", "sell_pet", "look", "count"]
    assert got.structured_content == {"id": 7, "name": "Rex"}
    assert looked.content[0].text == "fine"
    assert sold.is_error and "needs an approval" in sold.content[0].text
    assert pets.paths == ["GET /pets/7"]


def test_a_function_uses_its_tools_while_it_is_served(talked: Callable[..., Any]) -> None:
    async def talk(client: Client) -> Any:
        return await client.call_tool("advise", {"question": "What now?"})

    pets = Pets()
    with serving(pets) as server:
        found = talked(server.url, talk)
    assert found.structured_content == {"advice": "Keep it.", "urgent": False}
    got, looked, sold = pets.told
    assert "Rex" in got
    assert looked == "fine"
    assert "needs an approval, and there is nobody to ask" in sold
    assert [path for path in pets.paths if "pets" in path] == ["GET /pets/7"]


def test_a_function_runs_code_while_it_is_served(talked: Callable[..., Any]) -> None:
    pytest.importorskip("pydantic_monty")

    async def talk(client: Client) -> Any:
        return await client.call_tool("advise", {"question": "What now?"})

    pets = Pets()
    pets.asked = [{"name": "run_python", "arguments": json.dumps({"code": CODE})}]
    with serving(pets) as server:
        found = talked(server.url, talk)
    assert found.structured_content == {"advice": "Keep it.", "urgent": False}
    assert pets.told == ["4"]
