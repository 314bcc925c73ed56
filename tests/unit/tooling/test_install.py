"""What the library face needs, and what type checkers know of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BASE = """
import sys
for name in ("click", "jinja2", "libcst", "mypy", "rich", "watchfiles", "yaml"):
    sys.modules[name] = None  # as where the extra `build` is not installed
from aigen.tooling import check, function_schema, get_docs, tool, toolbox

def look(
    order: str,  # its number
    kinds: list[str] | None = None,
) -> str:
    '''Look it up.'''
    return order

assert function_schema(look)["function"]["parameters"]["required"] == ["order"]
assert get_docs(look)["arguments"]["order"]["description"] == "its number"
assert tool(look)("1") == "1"
assert check(look) == ()
assert toolbox(look).search("number")
floors = ("runtime", "source", "tooling")
above = [m for m in sys.modules if m.startswith("aigen.") and m.split(".")[1] not in floors]
assert not above, above
assert "openai" not in sys.modules
"""


def test_it_needs_no_extra(tmp_path: Path) -> None:
    script = tmp_path / "base.py"
    script.write_text(BASE, encoding="utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


SLIPS = """\
from aigen.tooling import FunctionTool, add_docs, get_docs, tool


@tool
def look(order: str, *, deep: bool = False) -> list[int]:
    return []


async def wait(seconds: int) -> str:
    return "done"


found: list[int] = look("a", deep=True)
wrong: str = look("a")  # slip
look(1)  # slip
look("a", deeep=True)  # slip
tool(wait, exposure="r")  # slip
tool(wait, nme="x")  # slip
tool(wait, risk=2, name="w", annotations={"read_only": True}).definition["name"]
docs = get_docs(wait)
docs["descrption"] = "x"  # slip
docs["description"] = "x"
again = add_docs(wait, docs)(1)
again = add_docs(wait, docs)("x")  # slip
told: str = tool(wait)(1)


async def main() -> None:
    also: list[int] = await look.aio("a")
    said: str = await tool(wait).aio(1)
    await look.aio(2)  # slip
"""


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_type_checkers_know_the_signature(checker: str, tmp_path: Path) -> None:
    script = tmp_path / "use.py"
    script.write_text(SLIPS, encoding="utf-8")
    options = ["--strict"] if checker == "mypy" else ["--pythonpath", sys.executable]
    done = subprocess.run(
        [sys.executable, "-m", checker, *options, script], capture_output=True, text=True
    )
    wrong = {number for number, line in enumerate(SLIPS.splitlines(), 1) if "# slip" in line}
    said = {int(line.split(":")[1]) for line in done.stdout.splitlines() if "use.py:" in line}
    assert said == wrong, done.stdout
