"""What a spec has too much of is counted on its data as a build counts it on its text."""

from __future__ import annotations

from typing import Any

import pytest
from aigen.diagnostics import Diagnostics, Source
from aigen.importers import proof
from aigen.importers.yaml_text import yaml_text
from aigen.resolve import ResolveContext
from aigen.spec import yaml_reader

SPEC = {
    "aigen": 1,
    "description": "Types.",
    "types": {"A": {"choice": ["a", 1, None]}, "B": {"list": {"record": {}}, "examples": [[], {}]}},
}


def nested(levels: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for _ in range(levels - 1):
        found = {"a": found}
    return found


def is_read(spec: dict[str, Any]) -> bool:
    return yaml_reader.read_yaml(Source("x", yaml_text(spec)), Diagnostics()) is not None


@pytest.mark.parametrize("most", range(25, 60))
def test_values(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (proof, yaml_reader):
        monkeypatch.setattr(module, "MOST_VALUES", most)
    assert (proof._too_much(SPEC) == "") is is_read(SPEC)


@pytest.mark.parametrize(("levels", "read"), [(99, True), (100, True), (101, False)])
def test_levels(levels: int, read: bool) -> None:
    spec = nested(levels)
    assert is_read(spec) is read
    assert proof._too_much(spec) == ("" if read else "100 levels")


def test_a_file_that_a_spec_names_is_not_there() -> None:
    named = {"type": "str", "description": {"$file": "pyproject.toml"}}
    spec = {"aigen": 1, "types": {"A": named, "B": {"type": "str"}}}
    file, errors = proof.built(spec, yaml_text(spec), ResolveContext())
    assert [each.code for each in errors] == ["AIG123"]
    assert [*proof.faults(file, errors)] == ["A"]


def test_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof, "LARGEST_SPEC", 30)
    assert proof._written(lambda whole: {"a": "é" * 10}, ())[2] == ""
    assert proof._written(lambda whole: {"a": "é" * 20}, ())[2] == "0 MB"
