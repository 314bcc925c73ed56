"""`fn.batch`: the files of a provider's Batch API."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from aigen.runtime import override
from aigen.runtime.errors import (
    ConfigurationError,
    InterfaceInputError,
    MapError,
    ProviderError,
    RefusalError,
    ReplyError,
    TruncatedError,
)
from servers import message, response, said
from shop_ai import support

triage = support.triage.with_options(model="gpt-4.1-mini")
ROWS = [{"message": f"m{number}"} for number in range(3)]
ANSWER = '{"summary": "s", "urgent": true}'


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def result(number: int, count: int, body: Any = None, status: int = 200, **more: Any) -> Any:
    """A line as the provider gives it."""
    given = message(ANSWER) if body is None else body
    return {
        "id": f"batch_req_{number}",
        "custom_id": f"triage-{number}-of-{count}",
        "response": {"status_code": status, "request_id": "req_1", "body": given},
        "error": None,
        **more,
    }


def written(path: Path, results: list[Any]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in results), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("api", "url", "key"),
    [("chat", "/v1/chat/completions", "messages"), ("responses", "/v1/responses", "input")],
)
def test_a_request_a_row(api: Any, url: str, key: str, tmp_path: Path) -> None:
    path = tmp_path / "requests.jsonl"
    function = triage.with_options(api=api, temperature=0.5, base_url="http://127.0.0.1:1/x/v1")
    assert function.batch.write(iter(ROWS), path) == 3
    found = lines(path)
    assert [line["custom_id"] for line in found] == [f"triage-{row}-of-3" for row in range(3)]
    for row, line in zip(ROWS, found, strict=True):
        assert list(line) == ["custom_id", "method", "url", "body"]
        assert (line["method"], line["url"]) == ("POST", url)
        assert line["body"] == function.request(**row).body
        assert row["message"] in line["body"][key][-1]["content"]
    assert [each.name for each in tmp_path.iterdir()] == ["requests.jsonl"]


def test_results_are_read_in_the_order_of_the_rows(tmp_path: Path) -> None:
    replies = [message(json.dumps({"summary": f"s{n}", "urgent": False})) for n in range(20)]
    results = [result(number, 20, reply) for number, reply in enumerate(replies)]
    random.Random(7).shuffle(results)
    found = triage.batch.read(written(tmp_path / "output.jsonl", results))
    assert [row.summary for row in found] == [f"s{number}" for number in range(20)]
    assert found.calls[3] is not None
    assert (found.calls[3].usage.input_tokens, found.calls[3].model) == (7, "fake-1")


def test_answers_of_the_responses_api(tmp_path: Path) -> None:
    results = [result(0, 1, response(said(ANSWER)))]
    found = triage.batch.read(written(tmp_path / "output.jsonl", results))
    assert found[0] == support.Triage(summary="s", urgent=True)


def test_each_row_has_its_own_error(tmp_path: Path) -> None:
    refused = {"error": {"message": "too long", "code": "context_length_exceeded"}}
    spent = {"error": {"message": "no money", "code": "insufficient_quota"}}
    expired = {"code": "batch_expired", "message": "not done in time"}
    output = written(
        tmp_path / "output.jsonl",
        [
            result(0, 9),
            result(1, 9, message('{"summary": 1}')),
            result(2, 9, message(None, refusal="no")),
            result(3, 9, message("{", finish="length")),
            result(4, 9, {"choices": []}),
        ],
    )
    errors = written(
        tmp_path / "errors.jsonl",
        [
            result(5, 9, refused, 400),
            result(6, 9, spent, 429),
            {**result(7, 9), "response": None, "error": expired},
        ],
    )
    found = triage.batch.read(output, errors)
    kinds = [
        ReplyError,
        RefusalError,
        TruncatedError,
        ProviderError,
        ProviderError,
        ProviderError,
        ProviderError,
        MapError,
    ]
    assert found.values_or(None)[0] == support.Triage(summary="s", urgent=True)
    assert list(map(type, found.errors.values())) == kinds
    codes = [error.code for error in found.errors.values()]
    assert codes[4:] == ["provider", "quota", "batch", "no-result"]
    assert {error.function for error in found.errors.values()} == {"triage"}
    assert [call and call.error for call in found.calls[:5]] == [
        found.errors.get(row) for row in range(5)
    ]
    assert found.calls[5:] == [None] * 4
    assert found.errors[5].status == 400 and found.errors[5].request_id == "req_1"
    assert "row 5 with 400: too long" in str(found.errors[5])
    assert "did not answer row 7: not done in time" in str(found.errors[7])
    assert "row 8 has no result: it may stand in the batch's error file" in str(found.errors[8])
    with pytest.raises(MapError, match="8 of 9 rows failed"):
        found.raise_for_errors()


@pytest.mark.parametrize(
    ("results", "words"),
    [
        ([result(0, 2), result(0, 2)], r"jsonl:2: row 0 has a result already, at .*jsonl:1"),
        ([result(0, 2), result(1, 3)], "jsonl:2: a batch of 3 rows, and the results before it"),
        ([{**result(0, 1), "custom_id": "mood-0-of-1"}], '"mood-0-of-1" is of no row of triage'),
        ([{**result(0, 1), "custom_id": "request-1"}], "it would be triage-0-of-1"),
        ([{**result(0, 1), "custom_id": "triage-1-of-1"}], "is of no row of triage"),
        ([{**result(0, 1), "custom_id": "triage-0-of-99999999999"}], "is of no row of triage"),
        ([{**result(0, 1), "custom_id": "triage-0-of-" + "9" * 5000}], "is of no row of triage"),
        ([{"custom_id": "triage-0-of-1", "body": {}}], "no result but a request"),
        ([{"id": 1}], "jsonl:1: no result of a batch: it has no custom_id"),
        ([[1]], "it has no custom_id"),
        ([{**result(0, 1), "response": None}], "neither a response nor an error"),
    ],
    ids=lambda value: str(value)[-40:],
)
def test_what_is_no_result_is_refused_with_its_place(
    results: list[Any], words: str, tmp_path: Path
) -> None:
    path = written(tmp_path / "output.jsonl", results)
    with pytest.raises(ConfigurationError, match=words):
        triage.batch.read(path)


def test_a_file_that_was_cut_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "output.jsonl"
    path.write_text(json.dumps(result(0, 2)) + "\n\n" + json.dumps(result(1, 2))[:50])
    with pytest.raises(ConfigurationError, match=r"output.jsonl:3: no JSON"):
        triage.batch.read(path)
    path.write_bytes(json.dumps(result(0, 1)).encode() + b"\n\xff\n")
    with pytest.raises(ConfigurationError, match=r"jsonl:2: no JSON: a character is not UTF-8"):
        triage.batch.read(path)
    with pytest.raises(ConfigurationError, match="give the path of a results file"):
        triage.batch.read()
    with pytest.raises(FileNotFoundError):
        triage.batch.read(tmp_path / "none.jsonl")


def test_a_long_name_fits_into_an_id(module: Callable[[str], ModuleType], tmp_path: Path) -> None:
    name = "say_what_the_customer_of_the_shop_would_like_to_have_mended"
    function = getattr(module(f"aigen: 1\nfunctions:\n  {name}: {{formula: mend ~ text}}\n"), name)
    with override(model="m"):
        function.batch.write([{"text": "a"}], tmp_path / "in.jsonl")
    (line,) = lines(tmp_path / "in.jsonl")
    assert len(line["custom_id"]) <= 64
    answer = {**result(0, 1, message("mend it")), "custom_id": line["custom_id"]}
    assert function.batch.read(written(tmp_path / "out.jsonl", [answer]))[0] == "mend it"


def test_a_file_that_an_editor_saved_with_its_mark(tmp_path: Path) -> None:
    path = tmp_path / "output.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(result(0, 1)).encode() + b"\r\n")
    assert triage.batch.read(path)[0].urgent
    assert repr(triage.batch) == "<triage.batch>"


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with override(model="m"), pytest.raises(OSError, match="taken"):
        triage.batch.write([{"message": "a"}], tmp_path / "taken")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_a_row_that_does_not_fit_leaves_no_file(tmp_path: Path) -> None:
    path = tmp_path / "requests.jsonl"
    path.write_text("what was there")
    with pytest.raises(InterfaceInputError, match=r"row 1: triage: the input message wants"):
        triage.batch.write([{"message": "a"}, {"message": None}], path)
    with pytest.raises(ConfigurationError, match="there are no rows"):
        triage.batch.write([], path)
    with pytest.raises(ConfigurationError, match="row 0 is no mapping"):
        triage.batch.write(["a"], path)  # type: ignore[list-item]
    with pytest.raises(ConfigurationError, match=r"triage.batch.write: no model is set"):
        support.triage.batch.write(ROWS, path)
    assert path.read_text() == "what was there" and len(list(tmp_path.iterdir())) == 1


def test_levels_are_given_to_both(module: Callable[[str], ModuleType], tmp_path: Path) -> None:
    sort = module(
        "aigen: 1\nfunctions:\n  sort:\n    formula: topic ~ message\n    fields:\n"
        "      topic: {choice: {$given: topics}}\n"
    ).sort
    path = tmp_path / "requests.jsonl"
    with override(model="m"):
        sort.batch.write(ROWS[:2], path, topics=["new", "old"])
    assert lines(path)[1]["body"]["response_format"]["json_schema"]["schema"]["properties"][
        "result"
    ]["enum"] == ["new", "old"]
    results = [
        {**result(row, 2, message(json.dumps({"result": word}))), "custom_id": f"sort-{row}-of-2"}
        for row, word in enumerate(["old", "other"])
    ]
    written(path, results)
    found = sort.batch.read(path, topics=["new", "old"])
    assert found[0] == "old" and isinstance(found.errors[1], ReplyError)
    with pytest.raises(InterfaceInputError, match="topics"):
        sort.batch.read(path)


def test_keys_are_in_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-1")
    path = tmp_path / "requests.jsonl"
    function = triage.with_options(api_key="sk-secret-2", extra_headers={"x": "sk-secret-3"})
    function.batch.write(ROWS, path)
    assert "sk-secret" not in path.read_text(encoding="utf-8")
