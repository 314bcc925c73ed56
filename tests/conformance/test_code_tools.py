"""The tools of real MCP servers as typed Python modules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from aigen.runtime.tools.code import words
from aigen.runtime.tools.sandbox import Called, Ended, Sandbox
from aigen.runtime.tools.stubs import modules_of, python_tool
from aigen.runtime.tools.tokens import tokens

pytest.importorskip("pydantic_monty")


def listed(cases: Path) -> list[Any]:
    found: list[Any] = []
    for path in sorted((cases / "mcp_tools").rglob("*")):
        if path.suffix in (".json", ".snap"):
            read = json.loads(path.read_text(encoding="utf-8"))
            found += read.get("tools", [read])
    return found


def as_python(tool: Any) -> Any:
    definition = {"module": "mcp", "description": "", **tool}
    if "outputSchema" in tool:
        definition["output"] = {"name": "result", "shape": tool["outputSchema"]}
    return python_tool(tool["name"], definition, tool["inputSchema"], "mcp")


def example(schema: Any) -> Any:
    """A value that a schema takes, with its required members alone."""
    if "enum" in schema or "const" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return example(schema[word][0])
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        return {key: example(schema["properties"][key]) for key in schema.get("required", ())}
    if kind == "array":
        return [example(schema["items"])]
    return {"string": "a", "boolean": True}.get(str(kind), 1)


def test_every_tool_can_be_called_from_code(cases: Path) -> None:
    tools = listed(cases)
    made = [as_python(tool) for tool in tools]
    assert len(made) > 100
    calls = [
        (each.path, {python: given[own] for python, own in each.parameters.items() if own in given})
        for tool, each in zip(tools, made, strict=True)
        for given in [example({"type": "object", **tool["inputSchema"]})]
    ]
    written = [
        f"{path}({', '.join(f'{name}={value!r}' for name, value in given.items())})"
        for path, given in calls
    ]
    sandbox = Sandbox(modules_of(made), 30)
    try:
        state = sandbox.start("import mcp\n" + "\n".join(written))
        for path, given in calls:
            assert isinstance(state, Called), state
            assert (state.function, dict(state.named)) == (path, given)
            state = state.answer(None)
        assert state == Ended("")
    finally:
        sandbox.close()


def test_what_no_tool_takes_is_a_type_error(cases: Path) -> None:
    made = [as_python(tool) for tool in listed(cases)]
    sandbox = Sandbox(modules_of(made), 30)
    try:
        state = sandbox.start(
            "import mcp\n" + "\n".join(f"{each.path}(no_such=1)" for each in made)
        )
    finally:
        sandbox.close()
    assert isinstance(state, Ended)
    assert not state.ran
    assert state.problem.count("error[unknown-argument]") == len(made)


def test_the_catalogue_names_every_tool_within_its_budget(cases: Path) -> None:
    tools = listed(cases)
    made = [as_python(tool) for tool in tools]
    shown = words(made)
    assert all(f"\n{each.path}(" in shown for each in made)
    assert tokens(shown, "code") <= 0.1 * tokens(json.dumps(tools), "json")
