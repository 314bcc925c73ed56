"""What layers of `log_content` leave of a record, whatever they are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from aigen.runtime.record.content import ADDED, Fields, keeps, omitted, without
from aigen.runtime.setting_kinds import log_content_fits
from hypothesis import given
from hypothesis import strategies as st

NAMES = ["a", "b", "c", "d"]
FIELDS = Fields(["a", "b"], ["reasoning", "calls", "c", "d"], ADDED)
NAMED = st.sampled_from([*NAMES, *ADDED, "*", "other"])
LAYERS = st.lists(
    st.one_of(
        st.booleans(),
        st.lists(NAMED.filter(lambda name: name != "*"), max_size=5),
        st.dictionaries(NAMED, st.booleans(), max_size=5),
    ),
    max_size=4,
)


def whole() -> dict[str, Any]:
    """A record in which everything quotes every value."""
    every = " ".join(f"<{name}>" for name in (*NAMES, *ADDED))
    return {
        "content": True,
        "sizes": {"inputs": {"a": 5}, "outputs": {"c": 5}},
        "inputs": {name: f"<{name}>" for name in FIELDS.inputs},
        "outputs": {name: every if name in ADDED else f"<{name}>" for name in FIELDS.outputs},
        "error": {"type": "ReplyError", "code": "reply", "message": every},
        "repairs": [every],
        "exchanges": [{"finish": "stop", "request": every, "reply": every}],
    }


def written(layers: list[Any]) -> Mapping[str, Any]:
    dropped = omitted(FIELDS, layers)
    return without(whole(), dropped) if dropped else whole()


@given(LAYERS)
def test_no_dropped_value_is_anywhere(layers: list[Any]) -> None:
    assert all(map(log_content_fits, layers))
    record = written(layers)
    gone = [name for name in (*NAMES, *ADDED) if not keeps(layers, name)]
    text = json.dumps(record)
    assert [name for name in NAMES if name in gone and f"<{name}>" in text] == []
    assert record["content"] is not bool(gone)
    for side, names in (("inputs", FIELDS.inputs), ("outputs", FIELDS.outputs)):
        left = record.get(side, {})
        assert set(left).isdisjoint(gone)
        # Nothing is dropped that no layer drops, but for what was added.
        assert {name for name in names if name not in gone} - set(left) <= set(ADDED)
        assert not gone or set(names) == {*left, *record["omitted"][side]}


@given(LAYERS, LAYERS)
def test_more_layers_only_remove(some: list[Any], more: list[Any]) -> None:
    before, after = written(some), written([*some, *more])
    for side in ("inputs", "outputs"):
        assert set(after.get(side, {})) <= set(before.get(side, {}))
    assert before["content"] or not after["content"]
    assert written([*more, *some]) == after


def test_the_words_of_what_is_left() -> None:
    record = written([{"a": False}])
    assert record["error"] == {"type": "ReplyError", "code": "reply"}
    assert record["exchanges"] == [{"finish": "stop"}]
    assert record["repairs"] == ["…"]
    assert record["sizes"] == whole()["sizes"]
    assert record["omitted"] == {"inputs": ["a"], "outputs": ["reasoning", "calls"]}
