"""`aigen check --run`: tools are imported and tried in a process of its own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from aigen.diagnostics import Rule, all_rules

RULES = [all_rules()[code] for code in ("AIG416", "AIG417", "AIG418", "AIG419", "AIG420")]


@pytest.fixture
def checked(aigen: Callable[..., Any], here: Path) -> Callable[[Mapping[str, str]], Any]:
    """Checks a project of these files, its tools run."""

    def run(files: Mapping[str, str], *more: str) -> Any:
        (here / "aigen.toml").write_text('specs = ["specs"]\nout = "ai"\n')
        for name, text in files.items():
            path = here / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return aigen("check", "--run", *more)

    return run


def codes(ran: Any) -> list[str]:
    return [line.partition("[")[2][:6] for line in ran.out.splitlines() if "[AIG" in line]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_an_example_of_a_rule_has_its_code(checked: Any, rule: Rule) -> None:
    assert isinstance(rule.example, Mapping)
    ran = checked(rule.example)
    assert codes(ran) == [rule.code]
    assert ran.code == (1 if rule.severity == "error" else 0)
    assert f"{rule.severity}[{rule.code}]" in ran.out


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_without_run_nothing_of_it_is_seen(
    checked: Any, aigen: Callable[..., Any], rule: Rule
) -> None:
    assert isinstance(rule.example, Mapping)
    checked(rule.example)
    assert codes(aigen("check")) == []
    assert not any(name.startswith("app") and name == "app.mail" for name in sys.modules)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_each_is_explained(aigen: Callable[..., Any], rule: Rule) -> None:
    ran = aigen("explain", rule.code)
    assert ran.code == 0
    assert rule.title in ran.out


SPEC = """\
aigen: 1
tools:
  look:
    python: desk:look
    annotations: {read_only: true}
    examples: [{order: a}, {order: b, limit: 2}]
  nothing: {python: desk:nothing, annotations: {read_only: true}}
  later: {python: desk:later, risk: 0, examples: [{}]}
  typed: {python: desk:typed, risk: read, examples: [{day: "2026-01-02"}]}
  change: {python: desk:change}
  person: {python: desk:change, annotations: {read_only: true, requires_user: true}}
  given: {python: desk:given, annotations: {read_only: true}, inject: [db]}
  own: {python: desk:Desk.own, annotations: {read_only: true}}
  declared: {description: Not here., annotations: {read_only: true}}
  executed:
    execute: desk:executed
    risk: 0
    description: Count on.
    parameters: {n: {type: int, default: 1}}
"""
DESK = """\
import os
from datetime import date

os.environ.get("HOME")
open(__file__).close()

def look(order: str, limit: int = 1) -> list[str]:
    "Find it."
    print("looking")
    return [order] * limit

def nothing() -> None:
    "Do nothing."

async def later() -> str:
    "Wait."
    return "later"

def typed(day: date) -> int:
    "The year."
    return day.year

def change() -> None:
    "Change it."
    raise SystemExit("it was run")

def given(db) -> None:
    "Use it."
    raise SystemExit("it was run")

def executed(input, ctx):
    return input["n"]

class Desk:
    def own(self) -> None:
        "Its own."
"""


def test_a_sound_project(checked: Any) -> None:
    ran = checked({"specs/desk.yaml": SPEC, "desk.py": DESK})
    assert codes(ran) == []
    assert ran.code == 0
    assert "tools run: 5; not run, as they change something or need a call: 4" in ran.out


EFFECTS = {
    "open('out.txt', 'w').close()": "writes out.txt",
    "os.mkdir('made')": "makes the folder made",
    "subprocess.run(['true'])": "runs",
    "import sqlite3; sqlite3.connect('a.db').close()": "opens the database a.db",
    "socket.socket().bind(('127.0.0.1', 0))": "listens on a socket",
    "print('hello', file=sys.stderr)": "prints 'hello'",
    "import second": "writes second.txt",
}


@pytest.mark.parametrize("line", EFFECTS)
def test_effects_of_an_import(checked: Any, line: str) -> None:
    source = f"import os, socket, subprocess, sys\n{line}\ndef f(x: int) -> None:\n    'Count.'\n"
    ran = checked(
        {
            "specs/desk.yaml": "aigen: 1\ntools: {f: {python: 'desk:f'}}\n",
            "desk.py": source,
            "second.py": "open('second.txt', 'w').close()\n",
        }
    )
    assert {*codes(ran)} == {"AIG416"}
    assert EFFECTS[line] in ran.out
    assert ("second.py:1: " if "second" in line else "desk.py:2: ") in ran.out


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import os\nos._exit(3)\n", "the process ended with 3 while desk was imported"),
        ("raise SystemExit(1)\n", "desk cannot be imported: SystemExit: 1 (desk.py:1)"),
        ("def f(:\n", "AIG413"),
        ("import sys\nsys.stdout.write('x' * 10)\n", "prints 'xxxxxxxxxx'"),
    ],
)
def test_modules_that_do_not_run(checked: Any, source: str, said: str) -> None:
    spec = "aigen: 1\ntools: {f: {python: 'desk:f'}}\n"
    ran = checked(
        {"specs/desk.yaml": spec, "desk.py": f"{source}def f(x: int) -> None:\n    'Count.'\n"}
    )
    assert said in ran.out
    assert ran.code == 1


def test_tools_that_end_the_process_or_hang(checked: Any) -> None:
    spec = (
        "aigen: 1\ntools:\n"
        "  slow: {python: 'desk:slow', risk: 0, timeout: 0.2}\n"
        "  ends: {python: 'desk:ends', risk: 0}\n"
    )
    source = (
        "import os, time\ndef slow() -> None:\n    'Take a while.'\n    time.sleep(60)\n"
        "def ends() -> None:\n    'Stop.'\n    os._exit(0)\n"
    )
    ran = checked({"specs/desk.yaml": spec, "desk.py": source})
    assert {*codes(ran)} == {"AIG417", "AIG420"}
    assert "slow failed: took longer than 0.2 s" in ran.out
    assert "the process ended with 0 while ends was run" in ran.out
    assert "desk.yaml:4:" in ran.out
