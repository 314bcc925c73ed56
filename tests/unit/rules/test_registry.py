"""Every rule's example has the rule's code, and nothing but it of the same weight."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from aigen.configuration import load
from aigen.diagnostics import Diagnostics, Rule, all_rules
from aigen.resolve import ResolveContext, resolve
from aigen.rules import check
from aigen.spec import read_file

ELSEWHERE = ("AIG220", "AIG416", "AIG417", "AIG418", "AIG419", "AIG420")
OURS = [
    rule for rule in all_rules().values() if rule.code[3] in "2348" and rule.code not in ELSEWHERE
]


@pytest.mark.parametrize("rule", OURS, ids=lambda rule: rule.code)
def test_an_example_has_its_code(rule: Rule, tmp_path: Path) -> None:
    files = rule.example if isinstance(rule.example, Mapping) else {"specs/spec.yaml": rule.example}
    diagnostics = Diagnostics()
    specs = []
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if path.suffix in (".yaml", ".yml"):
            spec = read_file(
                path,
                root=tmp_path / "specs",
                shown=name,
                module=path.stem,
                diagnostics=diagnostics,
            )
            assert spec is not None
            specs.append(spec)
    program = resolve(specs, ResolveContext((tmp_path,)), diagnostics)
    project = load(tmp_path, diagnostics)
    check(
        program,
        diagnostics,
        project.settings,
        dialects=project.dialects,
        lint=project.lint,
        texts={spec.path: spec.source.text for spec in specs},
    )
    assert [found.code for found in diagnostics] == [rule.code]
    (found,) = diagnostics
    assert found.span is not None
    assert found.severity == rule.severity


@pytest.mark.parametrize("rule", OURS, ids=lambda rule: rule.code)
def test_a_rule_says_why_and_what_to_write(rule: Rule) -> None:
    assert rule.title and not rule.title.endswith(".")
    assert rule.why.endswith(".")
    assert rule.mend.endswith(".")
