"""Every 1xx rule's example has its code, and junk is a finding, never a traceback."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from aigen.diagnostics import Diagnostics, Rule, all_rules
from aigen.spec import read_file
from hypothesis import given, settings
from hypothesis import strategies as st

RULES = all_rules().values()
SYNTAX = [rule for rule in RULES if rule.code[3] == "1" and rule.example]
PYTHON = [rule for rule in RULES if rule.code.startswith("AIG51") and rule.code != "AIG512"]


@pytest.mark.parametrize("rule", SYNTAX + PYTHON, ids=lambda rule: rule.code)
def test_an_example_has_its_code(rule: Rule, tmp_path: Path) -> None:
    files = rule.example if isinstance(rule.example, Mapping) else {"specs/spec.yaml": rule.example}
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    found = Diagnostics()
    for name in files:
        if Path(name).stem == "spec":
            root = tmp_path / "specs"
            read_file(tmp_path / name, root=root, shown=name, module="spec", diagnostics=found)
    assert [one.code for one in found] == [rule.code]


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=80), st.sampled_from((".yaml", ".json", ".py")), st.booleans())
def test_junk_never_raises(junk: bytes, suffix: str, headed: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"spec{suffix}")
        path.write_bytes(b"aigen: 1\n" + junk if headed else junk)
        found = Diagnostics()
        file = read_file(path, root=path.parent, shown=path.name, module="spec", diagnostics=found)
        assert file is not None or found.failed
