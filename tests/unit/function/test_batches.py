"""`fn.batches`: batches in, batches out, as cluster frameworks call it."""

from __future__ import annotations

import functools
import pickle
from collections.abc import Iterator
from typing import Any

import numpy
import pandas
import polars
import pyarrow
import pytest
from aigen.runtime import override
from aigen.runtime.errors import ConfigurationError
from aigen.runtime.testing import refusal, scripted
from shop_ai import support


def step(request: Any) -> Any:
    words = request.messages[-1]["content"]
    return refusal() if "bad" in words else {"summary": words[-14:-11], "urgent": "m1" in words}


@pytest.mark.parametrize("made", [pandas.DataFrame, polars.DataFrame, pyarrow.table])
def test_a_batch_is_a_table(made: Any) -> None:
    with scripted(step):
        found = support.triage.batches(made({"body": ["m0", "m1"]}), message="body")
    assert type(found) is type(made({}))
    assert pandas.DataFrame(found["urgent"].to_numpy())[0].tolist() == [False, True]


def test_a_batch_is_a_mapping_of_arrays() -> None:
    batch = {"message": numpy.array(["m0", "m1"], dtype=object), "id": numpy.array([7, 8])}
    with scripted(step):
        found = support.triage.batches(batch, errors="error")
    assert list(found) == ["message", "id", "summary", "urgent", "error"]
    assert found["id"] is batch["id"] and list(batch) == ["message", "id"]
    assert found["urgent"].dtype == bool and found["urgent"].tolist() == [False, True]
    assert found["error"].tolist() == [None, None]
    with scripted(step):
        found = support.triage.batches({"message": ["m1", "bad"]}, errors="error")
    assert found["urgent"].tolist() == [True, None]
    assert "the model refused" in found["error"][1]
    with scripted(step), pytest.warns(UserWarning, match="1 of 2 rows failed"):
        support.triage.batches({"message": ["m1", "bad"]})
    with pytest.raises(ConfigurationError, match="differ in length"):
        support.triage.batches({"message": ["m1"], "id": [1, 2]})
    with scripted([]):
        empty = support.triage.batches({"message": numpy.array([], dtype=object)})
    assert empty["urgent"].dtype == bool and len(empty["summary"]) == 0


def test_an_iterator_of_batches_gives_one_that_calls_each_in_its_turn() -> None:
    read = []

    def frames() -> Iterator[pandas.DataFrame]:
        for number in range(3):
            read.append(number)
            yield pandas.DataFrame({"message": [f"m{number}"]})

    with scripted(step) as model:
        found = support.triage.batches(frames())
        assert read == []
        assert next(found)["urgent"].tolist() == [False]
        assert (read, len(model.requests)) == ([0], 1)
        assert [frame["urgent"].tolist() for frame in found] == [[True], [False]]


def test_it_pickles_with_its_options_and_has_a_name() -> None:
    batches = support.triage.with_options(model="sample").batches
    assert (batches.__name__, repr(batches)) == ("triage.batches", "<triage.batches>")
    again = pickle.loads(pickle.dumps(functools.partial(batches, message="body")))
    found = again(pandas.DataFrame({"body": ["a"]}))
    assert found["summary"].tolist() == ["sample"]


def test_lists_of_one_length_stay_lists(module: Any) -> None:
    spec = "aigen: 1\nfunctions:\n  split:\n    formula: parts ~ text\n    fields:\n"
    split = module(spec + '      parts: "list[int]"\n').split
    with override(model="m"), scripted(lambda request: [1, 2]):
        found = split.batches({"text": ["a", "b"]})
    assert found["parts"].dtype == object and found["parts"].tolist() == [[1, 2], [1, 2]]
