"""`aigen schema`: every dialect, for functions and tools."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aigen.configuration import DIALECTS

Aigen = Callable[..., Any]

TOOLS = """\
aigen: 1
functions:
  keep:
    formula: kept ~ note
    description: Say what to keep of the note.
    fields:
      kept: json
tools:
  cancel:
    description: Cancel an order.
    parameters: {order: which one, count: int}
  loose:
    description: Cancel an order, or part of it.
    parameters: {order: which one}
    strict: false
"""


@pytest.fixture
def tools(project: Path) -> Path:
    (project / "specs" / "tools.yaml").write_text(TOOLS)
    return project


PLACES = {
    "openai-chat": (["json_schema", "schema"], ["function", "parameters"]),
    "openai-responses": (["schema"], ["parameters"]),
    "anthropic": (["schema"], ["input_schema"]),
    "gemini": (["responseJsonSchema"], ["parametersJsonSchema"]),
    "mcp": ([], ["inputSchema"]),
}
"""Where a reply's schema and a tool's parameters stand in each dialect."""


def inner(body: Any, keys: list[str]) -> Any:
    for key in keys:
        body = body[key]
    return body


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_reply_in_each_dialect(aigen: Aigen, tools: Path, dialect: str) -> None:
    code, out, err = aigen("schema", "judge", "--dialect", dialect)
    assert code == 0
    schema = inner(json.loads(out), PLACES[dialect][0])
    assert list(schema["properties"]) == ["score", "why"]
    assert "at most 10" in str(schema) or schema["properties"]["score"]["maximum"] == 10
    _says_why(dialect, err)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_tool_in_each_dialect(aigen: Aigen, tools: Path, dialect: str) -> None:
    code, out, err = aigen("schema", "cancel", "--dialect", dialect)
    assert code == 0
    body = json.loads(out)
    assert "cancel" in (body.get("name"), body.get("function", {}).get("name"))
    schema = inner(body, PLACES[dialect][1])
    assert list(schema["properties"]) == ["order", "count"]
    assert schema["properties"]["order"]["description"] == "which one"
    _says_why(dialect, err)


def _says_why(dialect: str, err: str) -> None:
    strict, *reasons, sizes, tokens = err.splitlines()
    assert sizes.startswith(
        "members: 2, records and lists inside one another: 1, levels of choices"
    )
    if dialect in ("gemini", "mcp"):
        assert (strict, reasons) == ("strict: no", [f"  {dialect} has no strict form"])
    else:
        assert (strict, reasons) == ("strict: yes", [])
    assert tokens.startswith("about ") and tokens.endswith(" tokens")


@pytest.mark.parametrize("dialect", ["openai-chat", "openai-responses", "anthropic"])
def test_a_tool_that_is_not_to_be_strict(aigen: Aigen, tools: Path, dialect: str) -> None:
    code, out, err = aigen("schema", "tools.loose", "--dialect", dialect)
    assert code == 0 and json.loads(out)
    assert err.splitlines()[:2] == ["strict: no", "  its spec says strict: false"]


@pytest.mark.parametrize("dialect", ["openai-chat", "openai-responses"])
def test_a_reply_that_cannot_be_strict(aigen: Aigen, tools: Path, dialect: str) -> None:
    code, out, err = aigen("schema", "keep", "--dialect", dialect)
    assert code == 0 and json.loads(out)
    assert err.splitlines()[:2] == ["strict: no", "  result: any JSON value has no strict form"]


def test_a_reply_that_a_dialect_has_no_form_for(aigen: Aigen, tools: Path) -> None:
    code, out, err = aigen("schema", "keep", "--dialect", "anthropic")
    assert (code, out) == (1, "")
    said, reason = err.splitlines()
    assert said == "anthropic has no form for it"
    assert reason.startswith("  result: ")
