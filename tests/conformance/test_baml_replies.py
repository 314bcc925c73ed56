"""Replies as models give them, from the public suite of another project, read by ours.

Left out: prefixes of a reply while it streams, and types with checks, which are functions of the
caller here and no part of a type. `DIFFERENCES` are deliberate, each with its reason.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from aigen.runtime.values import canonical
from aigen.runtime.wire.reply import Reader, Unreadable
from baml_types import read_types

_FILE = Path(__file__).parents[3] / "shared" / "cases" / "baml" / "jsonish.jsonl"
pytestmark = pytest.mark.skipif(not _FILE.exists(), reason="the public cases are not here")

DIFFERENCES = {
    "test_string_from_string22": "white space round a text is no part of it",
    "test_string_from_string23": "braces in the words before the JSON do not cost its member",
    "test_null_2": "a text or null: `Null` alone may be either",
    "test_null_3": "a text or null: `None` alone may be either",
    "test_float_1": "a fraction is no number",
    "test_multiple_top_level_prefix_suffix_1": "two different answers: neither is taken",
    "test_nested_class_with_prefix": "two different answers: neither is taken",
    "unescaped_single_quotes_in_triple_quotes": "triple quotes inside do not end the text",
    "multi_aliases": "two levels are named: how often each is said decides nothing",
    "multi_aliases_1": "two levels are named: how often each is said decides nothing",
    "test_multiple_original_enum_values_fail": "no item is dropped from a list",
    "test_union_literal_string_with_both": "two levels are named: the first is as good as the last",
    "test_unterminated_nested_map": "a member without a value was cut off",
}

_LEFT_OUT = ("@check", "@assert", "@@dynamic")


def _cases() -> list[dict[str, Any]]:
    lines = _FILE.read_text("utf-8").splitlines() if _FILE.exists() else []
    return [json.loads(line) for line in lines]


def _counted(case: dict[str, Any]) -> bool:
    types = case["baml_types"] + case["target_type_with_attrs"]
    return not case["partial"] and not any(mark in types for mark in _LEFT_OUT)


def _read(case: dict[str, Any]) -> Any:
    types = read_types(case["baml_types"], case["target_type"])
    schema, text = types.reply()
    try:
        read = Reader(schema, text=text).read(case["input"])
    except Unreadable:
        return {"fails": True}
    return types.renamed(read.outputs["result"], types.target, schema.get("$defs", {}))


def _agrees(case: dict[str, Any]) -> bool:
    return canonical(_read(case)) == canonical(case["expected"])


def test_replies_are_read_as_the_suite_reads_them() -> None:
    counted = [case for case in _cases() if _counted(case)]
    named = [case for case in counted if case["name"] not in DIFFERENCES]
    failed = [case["name"] for case in named if not _agrees(case)]
    assert len(counted) > 200
    assert len(failed) <= 0.05 * len(named), failed


@pytest.mark.parametrize("name", DIFFERENCES)
def test_a_difference_is_one(name: str) -> None:
    found = [case for case in _cases() if case["name"] == name and _counted(case)]
    if found:
        assert not all(map(_agrees, found)), "it agrees: take it off the list"
