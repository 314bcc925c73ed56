"""What the record of a call keeps under layers of `log_content`: the public cases, all of them.

Our record has its own names for some keys, and none for some of theirs; the rest is compared whole.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from aigen.runtime.errors import ConfigurationError
from aigen.runtime.layers import configure, resolve, settings
from aigen.runtime.record.content import Fields, omitted, refuse_unknown_fields, without
from aigen.runtime.values import canonical

OURS = {"functai_call": "aigen_call", "response": "reply"}
NOT_OURS = ("returned", "probabilities", "confidence", "saw", "request_hash")
FOLDER = Path(__file__).resolve().parents[3] / "shared" / "cases" / "functai" / "content"
CASES = sorted(FOLDER.glob("*.json"))


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in list(os.environ):
        if name.startswith("AIGEN_"):
            monkeypatch.delenv(name)
    yield
    configure(log_content=None)


@pytest.mark.skipif(not CASES, reason="the public cases are not here")
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_public_case(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = json.loads(path.read_text(encoding="utf-8"))
    if case["environment"] is not None:
        monkeypatch.setenv("AIGEN_LOG_CONTENT", case["environment"])
    layers = {layer["where"]: layer["log_content"] for layer in case["layers"]}
    fields = Fields(**case["fields"])
    if "refuses" in case["expect"]:
        with pytest.raises(ConfigurationError) as caught:
            contents(layers, fields)
        assert (caught.value.code, caught.value.field) == tuple(case["expect"].values())
        return
    dropped = omitted(fields, contents(layers, fields))
    record = ours(case["record"])
    written = without(record, dropped) if dropped else record
    assert canonical(written) == canonical(ours(case["expect"]["record"]))


def contents(layers: Mapping[str, Any], fields: Fields) -> tuple[Any, ...]:
    """The layers as a call finds them."""
    own = {"log_content": layers["own"]} if "own" in layers else {}
    known = [*fields.inputs, *(name for name in fields.outputs if name not in fields.added)]
    refuse_unknown_fields(layers.get("own"), known, "f")
    configure(log_content=layers.get("configure"))
    with settings(log_content=layers.get("block")):
        return resolve(own, {}, {}).log_contents


def ours(value: Any) -> Any:
    """Their record with our keys."""
    if isinstance(value, list):
        return [ours(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        OURS.get(name, name): ours(member) for name, member in value.items() if name not in NOT_OURS
    }
