"""JSON Schemas of very many parts: what is looked at grows as they do, and not faster."""

from __future__ import annotations

from typing import Any

import pytest
from aigen.resolve import shape_endless
from aigen.runtime.wire import overlap
from shapes import read

MANY = 400


def closed(**members: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
    }


def counted(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> list[None]:
    calls: list[None] = []
    function = getattr(module, name)

    def counting(*given: Any) -> Any:
        calls.append(None)
        return function(*given)

    monkeypatch.setattr(module, name, counting)
    return calls


@pytest.mark.parametrize("backwards", [False, True])
def test_a_chain_of_records(monkeypatch: pytest.MonkeyPatch, backwards: bool) -> None:
    calls = counted(monkeypatch, shape_endless, "_finite")
    chain = [
        (f"D{at}", closed(next={"$ref": f"#/$defs/D{at + 1}"} if at + 1 < MANY else {}))
        for at in range(MANY)
    ]
    definitions = dict(chain[::-1] if backwards else chain)
    _, made, found = read({"$ref": "#/$defs/D0", "$defs": definitions})
    assert len(made) == MANY and not [*found]
    assert len(calls) <= 3 * MANY


def test_tagged_records_are_told_apart_without_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch, overlap, "apart")
    definitions = {f"K{at}": closed(kind={"const": f"k{at}"}) for at in range(MANY)}
    options = [{"$ref": f"#/$defs/{name}"} for name in definitions]
    kind, _, _ = read({"oneOf": options, "$defs": definitions})
    assert kind.exact and not calls


KIND = {"const": "a"}


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ([closed(kind=KIND), closed(kind={"enum": ["b", "c"]})], True),
        ([closed(kind=KIND), closed(kind={"enum": ["b", "a"]})], False),
        ([closed(kind=KIND), {**closed(kind={"const": "b"}), "required": []}], False),
        ([closed(kind={"const": 1}), closed(kind={"const": 1.0})], False),
        ([closed(kind={"const": 1}), closed(kind={"const": True})], True),
        (
            [closed(kind=KIND), {"properties": {"kind": {"const": "b"}}, "required": ["kind"]}],
            True,
        ),
        ([closed(kind=KIND), closed(other=KIND)], True),
        ([closed(kind=KIND), {"type": "object", "required": ["kind"]}], False),
        ([closed(kind=KIND), {"type": "string"}, {"type": "null"}], True),
    ],
)
def test_what_tells_records_apart(options: list[Any], wanted: bool) -> None:
    assert overlap.all_apart(options, lambda ref: None) is wanted
