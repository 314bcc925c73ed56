"""docs/call-log.md: its table has every key of a record and no other; its example runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from aigen.runtime import configure, settings
from aigen.runtime.errors import AigenError
from aigen.runtime.testing import http_error, scripted
from log_folder import read
from shop_ai import support

PAGE = (Path(__file__).parents[3] / "docs" / "call-log.md").read_text(encoding="utf-8")
GOOD = {"summary": "A kettle sparks.", "urgent": True}
OPEN = ("inputs", "outputs", "sizes.inputs", "sizes.outputs")
"""Members of these are the function's own names."""


def keys(record: Mapping[str, Any], before: str = "") -> Iterator[str]:
    for name, value in record.items():
        path = before + name
        if name == "exchanges" and value:
            yield path
            for exchange in value:
                yield from (f"exchanges[].{key}" for key in exchange)
        elif isinstance(value, dict) and path not in OPEN:
            if name == "error":
                yield path
            yield from keys(value, f"{path}.")
        else:
            yield path


def test_the_table_has_every_key(folder: Path) -> None:
    from aigen.runtime.errors import ProviderError

    problem = ProviderError("no", status=400, request_id="r")
    for step in (GOOD, problem, http_error(400)):
        with scripted([step]), settings(log_content={"urgent": step is not problem}):
            try:
                support.triage("a")
            except AigenError:
                assert step is not GOOD
    with scripted([]), pytest.raises(AigenError):
        support.triage.apply({"message": None})
    section = PAGE.partition("## A line")[2].partition("## ")[0]
    documented = set(re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE))
    assert {key for record in read(folder) for key in keys(record)} == documented


def test_a_rating_s_keys(folder: Path) -> None:
    from aigen.runtime import rate

    rate("01936b5c-0000-7000-8000-000000000000", "wrong", 1)
    (rating,) = read(folder)
    section = PAGE.partition("## Ratings")[2].partition("## ")[0]
    assert all(f"`{key}`" in section for key in rating)


def test_the_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    try:
        with scripted([{**GOOD, "urgent": False}]):
            exec(code, {"support": support})
    finally:
        configure(log_calls=None)
    assert capsys.readouterr().out == (
        "wrong {'message': 'The kettle sparks.'} "
        "{'summary': 'A kettle sparks.', 'urgent': False} {'urgent': True}\n"
    )


def test_the_options_of_the_command_are_its_own() -> None:
    from aigen.cli.log import command

    group: Any = command
    named = set(re.findall(r"--[a-z]+", PAGE.partition("## `aigen log`")[2].partition("## ")[0]))
    known = {
        option
        for each in (group, *group.commands.values())
        for parameter in each.params
        for option in parameter.opts
    }
    assert named <= known
