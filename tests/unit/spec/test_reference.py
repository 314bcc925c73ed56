"""The page on the format names every key and every code."""

from __future__ import annotations

from pathlib import Path

from aigen.diagnostics import all_rules
from aigen.spec import keys

PAGE = (Path(__file__).parents[3] / "docs" / "spec-format.md").read_text(encoding="utf-8")


def test_every_key_is_there() -> None:
    for table in (keys.FILE, keys.FUNCTION, keys.FIELD, keys.TOOL):
        for name, key in table.items():
            words = key.doc.replace("|", "\\|")
            assert f"| `{name}` | {words} |" in PAGE


def test_every_code_is_there() -> None:
    for rule in all_rules().values():
        assert f"| {rule.code} | {rule.severity} | {rule.title} |" in PAGE
