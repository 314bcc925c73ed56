"""What docs/security.md says of builds and keys."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from aigen.configuration import load
from aigen.diagnostics import Diagnostics
from commands import Project

MODULE = """\
from pathlib import Path

Path(__file__).with_suffix(".ran").touch()
raise SystemExit("imported")


class Order:
    id: str


def lookup(order_id: str) -> str:
    \"\"\"Look an order up.\"\"\"


def today() -> str: ...
def fine(outputs: object) -> bool: ...
"""
SPEC = """\
aigen: 1
functions:
  answer:
    formula: words ~ message + day
    description: Answer the customer.
    fields: {day: {type: str, default: {$call: app:today}}}
    check: app:fine
    tools: [lookup]
tools:
  lookup: {python: "app:lookup", available: "app:fine", approve: "app:fine", risk: "app:fine"}
"""


def test_no_command_that_reads_specs_runs_what_they_name(project: Project) -> None:
    project.write("app.py", MODULE)
    project.write("specs/shop.yaml", SPEC)
    for command in (
        ["build"],
        ["build", "--verify"],
        ["build", "--check"],
        ["check"],
        ["diff", "--against", "ai"],
        ["schema", "shop.lookup"],
        ["schema", "shop.answer"],
        ["docs", "get", "app:lookup"],
    ):
        ran = project.aigen(*command, timeout=300)
        assert ran.code == 0, (command, ran)
        assert not (project.root / "app.ran").exists(), command


def test_plugins_of_mypy_are_not_loaded(project: Project) -> None:
    project.write("mypy.ini", "[mypy]\nplugins = evil.py\n")
    project.write("evil.py", "raise SystemExit('loaded')\n")
    assert project.aigen("build", "--verify", timeout=300).code == 0


def test_a_key_in_the_configuration_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text('[tool.aigen]\nout = "ai"\n[tool.aigen.settings]\napi_key = "sk-abcdefgh"\n')
    diagnostics = Diagnostics()
    assert load(tmp_path, diagnostics).settings == {}
    (found,) = diagnostics
    assert (found.code, found.span and found.span.line) == ("AIG707", 4)
    assert found.message == "api_key would stand in the generated modules"


@pytest.mark.parametrize("setting", ["api_key: sk-abcdefgh", "context: {a: 1}", "providers: {}"])
def test_what_a_spec_may_not_set(setting: str, project: Project) -> None:
    project.write(
        "specs/shop.yaml", SPEC.replace("functions:", f"settings: {{{setting}}}\nfunctions:")
    )
    project.write("app.py", MODULE)
    ran = project.aigen("build")
    assert ran.code == 1 and "error[AIG307]" in ran.err


def test_what_would_be_sent_shows_no_key(project: Project) -> None:
    assert project.aigen("build").code == 0
    key = {"OPENAI_API_KEY": "sk-abcdefgh", "AIGEN_API_KEY": "sk-abcdefgh"}
    ran = project.aigen("show", "shop.mood", "review=Fine.", environ=key)
    assert ran.code == 0 and "sk-abcdefgh" not in ran.out + ran.err
    text = json.dumps({path: data.decode() for path, data in project.files().items()})
    assert "sk-abcdefgh" not in text
