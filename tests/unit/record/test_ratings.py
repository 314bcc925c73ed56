"""Rating calls, and the rated calls as examples."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pytest
from aigen.runtime import AIFunction, calls, configure, rate, rated, settings
from aigen.runtime.errors import ConfigurationError
from aigen.runtime.record import calllog
from aigen.runtime.testing import scripted
from log_folder import read
from shop_ai import support

CALL = "01936b5c-0000-7000-8000-000000000000"
GOOD = {"summary": "A kettle sparks.", "urgent": True}
TWO: AIFunction[Any, Any] = AIFunction(
    json.dumps(
        {
            "format": 1,
            "name": "two",
            "module": "m",
            "description": "Of two inputs.",
            "inputs": [{"name": name, "shape": {"type": "string"}} for name in "ab"],
            "outputs": [{"name": "x", "shape": {"type": "integer"}}],
            "layout": 1,
            "ids": {"interface": "sha256:two", "version": ""},
        }
    ),
    Any,
    Any,
)


def called(message: str, function: Any = support.triage) -> str:
    with scripted([GOOD]), calls() as seen:
        function(message)
    return seen[0].id


def test_rated_calls_are_examples(folder: Path) -> None:
    right, wrong, known, twice, _unrated = (called(f"m{number}") for number in range(5))
    rate(right, "right")
    rate(wrong, False)
    rate(known, "wrong", {"urgent": False})
    rate(twice, "right")
    rate(twice, "wrong", support.Triage(summary="s", urgent=False))
    rate(str(uuid.uuid4()), "right")  # of a call that is not in this log
    rows = rated(support.triage)
    assert [(row["id"], row["verdict"], row["answer"]) for row in rows] == [
        (right, "right", GOOD),
        (wrong, "wrong", None),
        (known, "wrong", {"urgent": False}),
        (twice, "wrong", {"summary": "s", "urgent": False}),
    ]
    assert [row["inputs"] for row in rows] == [{"message": f"m{number}"} for number in range(4)]
    assert rows[0]["outputs"] == GOOD
    with scripted([GOOD]):
        assert support.triage.apply(rows[0]["inputs"]) == support.Triage(**rows[0]["answer"] or {})
    assert rated(support.mood, folder=folder) == []


def test_a_single_output_is_called_result(folder: Path) -> None:
    with scripted(["mixed", "mixed"]), calls() as seen:
        support.mood("a")
        support.mood("b")
    rate(seen[0].id, "wrong", "happy")
    rate(seen[1].id, "wrong", {"result": "happy"})
    assert [row["answer"] for row in rated(support.mood)] == [{"result": "happy"}] * 2


def test_an_answer_is_of_what_the_call_gave(folder: Path) -> None:
    call = called("a")
    for answer, says in [
        ({"urgnt": True}, "the call gave no urgnt; did you mean urgent?"),
        ({"urgent": True, "who": "me"}, "the call gave no who; it gave summary, urgent"),
        (True, "the call gave summary, urgent: give those that you know, by name"),
    ]:
        with pytest.raises(ConfigurationError) as caught:
            rate(call, "wrong", answer)
        assert says in str(caught.value)
    dropped = called("b", support.triage.with_options(log_content={"urgent": False}))
    with pytest.raises(ConfigurationError, match="did you mean urgent"):
        rate(dropped, "wrong", {"urgnt": True})
    rate(dropped, "wrong", {"urgent": False})
    assert len([record for record in read(folder) if "aigen_rating" in record]) == 1


def test_an_answer_that_nobody_could_check_is_not_lost_in_silence(
    folder: Path, tmp_path: Path
) -> None:
    call = called("a")
    rate(call, "wrong", {"urgnt": True}, folder=tmp_path / "elsewhere")
    (line,) = [path.read_bytes() for path in (tmp_path / "elsewhere").glob("*/*.jsonl")]
    (path,) = folder.glob("*/*.jsonl")
    with path.open("ab") as file:
        file.write(line)
    with pytest.warns(UserWarning, match="not of summary, urgent, which triage gives") as seen:
        assert [row["answer"] for row in rated(support.triage)] == [None]
    assert seen[0].filename == __file__


def test_a_rating_is_a_line_of_its_own(folder: Path) -> None:
    call = called("a")
    with settings(caller="Ana"):
        rating = rate(call.upper(), "wrong", {"urgent": False})
    found = {record["id"]: record for record in read(folder)}[rating]
    assert found.pop("at").endswith("Z")
    assert found == {
        "aigen_rating": 1,
        "id": rating,
        "call": call,
        "verdict": "wrong",
        "caller": "Ana",
        "answer": {"urgent": False},
    }


@pytest.mark.parametrize(
    "content", [False, {"urgent": False}, {"result": False}, {"*": False}, ["summary"]]
)
def test_an_answer_of_what_is_dropped_is_not_written(content: Any, folder: Path) -> None:
    call = called("a")
    with settings(log_content=content):
        rate(call, "wrong", {"urgent": False})
    (found,) = [record for record in read(folder) if "aigen_rating" in record]
    assert "answer" not in found


def test_calls_without_their_inputs_are_no_examples(folder: Path) -> None:
    function = support.triage.with_options(log_content={"message": False})
    rate(called("a", function), "right")
    rate(called("b", support.triage.with_options(log_content={"summary": False})), "right")
    (row,) = rated(support.triage)
    assert (row["inputs"], row["answer"]) == ({"message": "b"}, {"urgent": True})


def test_calls_with_some_of_their_inputs_are_no_examples(folder: Path) -> None:
    with scripted([{"x": 1}]), calls() as seen:
        TWO.with_options(log_content={"b": False}).apply({"a": "x", "b": "y"})
    rate(seen[0].id, "right")
    assert rated(TWO) == []
    with scripted([{"x": 1}]), calls() as seen:
        TWO.apply({"a": "x", "b": "y"})
    rate(seen[0].id, "right")
    assert [row["inputs"] for row in rated(TWO)] == [{"a": "x", "b": "y"}]


def test_where_a_rating_goes(tmp_path: Path) -> None:
    call = str(uuid.uuid4())
    with pytest.raises(ConfigurationError, match="set log_calls, or give the folder"):
        rate(call, "right")
    rate(call, "right", folder=tmp_path / "given")
    assert len(read(tmp_path / "given")) == 1
    rate(call, "wrong")  # the only log of this process
    assert len(read(tmp_path / "given")) == 2
    configure(log_calls=tmp_path / "configured")
    try:
        rate(call, "right")
    finally:
        configure(log_calls=None)
    assert len(read(tmp_path / "configured")) == 1
    assert sorted(calllog.folders()) == [tmp_path / "configured", tmp_path / "given"]
    with pytest.raises(ConfigurationError, match="rate: calls are not logged here"):
        rate(call, "right")  # there are two logs
    with pytest.raises(ConfigurationError, match="rated: calls are not logged here"):
        rated(support.triage)


@pytest.mark.parametrize(
    ("call", "verdict", "answer", "says"),
    [
        ("nonsense", "right", 1, "'nonsense' is no call's id"),
        (None, "right", 1, "None is no call's id"),
        (["x" * 100], "right", 1, "a list is no call's id"),
        (CALL, "good", 1, "right or wrong, not 'good'"),
        (CALL, "right", object(), "the answer cannot be written"),
    ],
)
def test_what_cannot_be_rated(
    call: Any, verdict: Any, answer: Any, says: str, folder: Path
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        rate(call, verdict, answer)
    assert says in str(caught.value)
    assert caught.value.code == "rating"


def test_a_log_that_cannot_be_written_or_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="cannot write into the call log"):
        rate(str(uuid.uuid4()), "right", folder=tmp_path / "file")
    with pytest.raises(ConfigurationError, match="rated: there is no call log in"):
        rated(support.triage, folder=tmp_path / "none")


def test_damaged_ratings_are_passed_over(folder: Path) -> None:
    call = called("a")
    rate(call, "right")
    (path,) = folder.glob("*/*.jsonl")
    with path.open("a") as file:
        file.write('{"aigen_rating": 1, "id": "z"}\n{"aigen_rating"\n')
        file.write(json.dumps({"aigen_rating": 1, "id": "z", "call": call, "verdict": "?"}) + "\n")
    assert [row["verdict"] for row in rated(support.triage)] == ["right"]
