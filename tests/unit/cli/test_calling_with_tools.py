"""`aigen call` and `aigen show`: functions whose tools stand in the specs, and nothing is built."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from aigen.runtime.testing import broken, chunked, scripted, tool_call

Aigen = Callable[..., Any]

SPEC = """\
aigen: 1
functions:
  answer:
    formula: words + urgent ~ message + day
    description: Answer the customer.
    fields: {urgent: bool, day: {type: str, default: {$call: "cli_app:day"}}}
    tools: [look-up, sort, other.count]
    settings: {model: m}
  sort:
    formula: topic ~ message
    description: Sort a message.
    fields: {topic: {choice: [a, b]}}
    settings: {model: m}
tools:
  look-up: {python: "cli_app:look_up", annotations: {read_only: true}, returns: "list[date]"}
"""
OTHER = """\
aigen: 1
tools:
  count: {python: "cli_app:count", exposure: code}
"""
APP = """\
from datetime import date

def look_up(day: date) -> list[date]:
    "Look a day up."
    return [day]

def count(word: str) -> int:
    "Count letters."
    return len(word)

def day() -> str:
    return "Monday"
"""
DONE = {"words": "It is sent.", "urgent": False}


@pytest.fixture
def desk(here: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (here / "aigen.toml").write_text('specs = ["specs"]\nout = "ai"\npython_path = ["src"]\n')
    files = {"specs/desk.yaml": SPEC, "specs/other.yaml": OTHER, "src/cli_app.py": APP}
    for name, text in files.items():
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield here
    sys.modules.pop("cli_app", None)
    assert not (here / "ai").exists()


def test_a_call_runs_the_tools_of_the_specs(aigen: Aigen, desk: Path) -> None:
    def model(request: Any) -> Any:
        if "Function: sort" in request.messages[0]["content"]:
            return "b"
        told = [m["content"] for m in request.messages if m["role"] == "tool"]
        asked = [
            tool_call("look-up", {"day": "2026-01-02"}),
            tool_call("sort", {"message": "hm"}),
        ]
        if len(told) < len(asked):
            return asked[len(told)]
        assert told == ['["2026-01-02"]', "b"]
        return DONE

    with scripted(model):
        ran = aigen("call", "answer", "message=Hi")
    assert (ran.code, ran.err) == (0, "")
    assert json.loads(ran.out) == DONE


def test_a_call_runs_code(aigen: Aigen, desk: Path) -> None:
    pytest.importorskip("pydantic_monty")
    asked = tool_call("run_python", {"code": "import other\nprint(other.count('four'))"})
    with scripted([asked, DONE]) as model:
        assert aigen("call", "answer", "message=Hi").code == 0
    assert model.requests[1].messages[-1]["content"] == "4"


def test_the_request_has_the_tools(aigen: Aigen, desk: Path) -> None:
    ran = aigen("show", "answer", "message=Hi")
    assert ran.code == 0, ran.err
    body = json.loads(ran.out)
    names = [tool["function"]["name"] for tool in body["tools"]]
    assert names == ["look-up", "sort", "run_python"]
    assert "Monday" in body["messages"][-1]["content"]


def test_a_stream_is_a_line_for_each_partial(aigen: Aigen, desk: Path) -> None:
    asked = tool_call("look-up", {"day": "2026-01-02"})
    with scripted([asked, chunked(DONE, 8)]):
        ran = aigen("call", "answer", "message=Hi", "--stream")
    assert (ran.code, ran.err) == (0, "")
    lines = [json.loads(line) for line in ran.out.splitlines()]
    assert len(lines) > 2
    assert lines[-1] == DONE
    assert all(before != after for before, after in pairwise(lines))
    assert [len(line["words"]) for line in lines] == sorted(len(line["words"]) for line in lines)
    with scripted(["b"]):
        assert aigen("call", "sort", "message=Hi", "--stream").out == '"b"\n'


def test_a_stream_that_breaks(aigen: Aigen, desk: Path) -> None:
    with scripted([broken(DONE, after=20)]):
        ran = aigen("call", "answer", "message=Hi", "--stream")
    assert ran.code == 1
    assert ran.err.startswith("aigen: ") and "Traceback" not in ran.err
