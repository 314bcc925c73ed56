"""Which tool calls a rule asks about: functai's own cases, through their words for ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from aigen.runtime.tools.risk import PendingCall, answered, asks

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "cases" / "functai" / "tools"
CASES = [json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))]
_WORDS = {"all": "always", "function": lambda call: True}
_RISK = {"reads": 0, "changes": 2, None: 2}


@pytest.mark.parametrize("case", CASES or [pytest.param(None, marks=pytest.mark.skip)])
def test_case(case: dict[str, Any]) -> None:
    if case["kind"] == "denial":
        call = PendingCall("tool", "a/tool", {}, 2)
        said = answered(lambda call: case["reason"] or False, call, "", person=False)
        assert said is not None and (not case["reason"] or case["reason"] in said)
        return
    rule = case["rule"]
    mapped = _WORDS.get(rule, rule) if isinstance(rule, str) else rule
    found = [
        asks([mapped], PendingCall(each["name"], each["path"], {}, _RISK[each["effects"]]))
        for each in case["approvals"]
    ]
    assert found == case["expect"]["asks"]
