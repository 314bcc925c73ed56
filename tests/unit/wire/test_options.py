"""What type checkers are told of settings is what the runtime takes."""

from __future__ import annotations

import subprocess
import sys
import typing
from pathlib import Path

import pytest
from aigen.runtime.options import Options
from aigen.runtime.setting_kinds import KINDS


def test_every_setting_is_an_option() -> None:
    assert list(Options.__annotations__) == list(KINDS)


@pytest.mark.parametrize("name", [n for n, a in Options.__annotations__.items() if "Lit" in str(a)])
def test_words_of_an_option_are_those_the_setting_takes(name: str) -> None:
    annotation = Options.__annotations__[name].__forward_arg__
    words, _ = typing.get_args(eval(annotation, vars(typing)))
    said = set(KINDS[name].wants.split(" | "))
    assert set(typing.get_args(words)) == said


SLIPS = """\
import aigen.runtime
from aigen.runtime import AIFunction, configure, override, settings

def use(triage: AIFunction[str, str]) -> None:
    triage.nope  # slip
    aigen.runtime.confgure(model="m")  # slip
    configure(modle="m")  # slip
    configure(timeout="soon")  # slip
    settings(transport="pigeon")  # slip
    triage.with_options(temprature=1)  # slip
    configure(model="m", timeout=20, transport="direct", temperature=None)
    with override(model="sample"), settings(retries=2):
        triage.with_options(model="m", log_content=["a"], stop=["x"])
        triage.__name__.upper()
"""


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_type_checkers_see_slips(checker: str, tmp_path: Path) -> None:
    script = tmp_path / "use.py"
    script.write_text(SLIPS, encoding="utf-8")
    options = ["--strict"] if checker == "mypy" else ["--pythonpath", sys.executable]
    done = subprocess.run(
        [sys.executable, "-m", checker, *options, script], capture_output=True, text=True
    )
    wrong = {number for number, line in enumerate(SLIPS.splitlines(), 1) if "# slip" in line}
    said = {int(line.split(":")[1]) for line in done.stdout.splitlines() if "use.py:" in line}
    assert said == wrong, done.stdout
