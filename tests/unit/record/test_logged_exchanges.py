"""What the log has of the requests and replies of a call, over real HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openai
import pytest
from aigen.runtime import configure, settings
from aigen.runtime.errors import AigenError
from aigen.runtime.record import cache
from aigen.runtime.record.entry import as_line, body_of
from servers import Server, Step, completion, message, status
from shop_ai import support

Records = Callable[[], list[dict[str, Any]]]
Serve = Callable[..., Server]
GOOD = '{"summary": "Ça étincelle.", "urgent": true}'
KEY = "sk-12345"
"""As short as a key may be that is looked for."""


def called(server: Server, **options: Any) -> None:
    given = {"model": "asked-1", "base_url": server.url, "api_key": "none", "api_retries": 0}
    support.triage.with_options(**{**given, **options})("é")


def test_a_reply_that_was_kept_used_nothing(serve: Serve, records: Records) -> None:
    cache.close()
    server = serve(completion(GOOD))
    for _ in range(2):
        called(server, cache_replies="memory")
    cache.close()
    sent, kept = [record["exchanges"][0] for record in records()]
    assert (sent["cached"], kept["cached"], len(server.requests)) == (False, True, 1)
    assert (sent["usage"]["input_tokens"], kept["usage"]["input_tokens"]) == (7, 0)
    assert sent["request_id"] == "req-1"


def test_what_servers_say_of_a_reply(serve: Serve, records: Records) -> None:
    uncounted = Step({**message(GOOD, reasoning_content="Hm."), "usage": None})
    called(serve(uncounted))
    for bad in (completion("{", finish="length"), completion(None, refusal="No.")):
        with pytest.raises(AigenError):
            called(serve(bad), retries=0)
    with pytest.raises(AigenError):
        called(serve(status(400)))
    good, cut, refused, failed = records()
    given = {"summary": 17, "urgent": 4, "reasoning": 5}
    assert good["sizes"] == {"inputs": {"message": 4}, "outputs": given}
    exchange = good["exchanges"][0]
    assert (exchange["usage"], exchange["finish"]) == (None, "stop")
    assert exchange["reply"] == {"text": GOOD, "reasoning": "Hm."}
    assert cut["exchanges"][0]["finish"] == "length"
    assert refused["exchanges"][0]["reply"] == {"text": None, "refusal": "No."}
    assert (good["model"], failed["model"], failed["exchanges"]) == ("fake-1", "asked-1", [])


@pytest.mark.parametrize(
    "given",
    [
        {"api_key": KEY},
        {"api_key": 'sk-"quoted"\\too'},
        {"extra_headers": {"Cookie": KEY}},
        {"extra_headers": {"Proxy-Authorization": f"Basic {KEY}"}},
        {"client": lambda: openai.OpenAI(api_key=KEY)},
    ],
    ids=["setting", "quotes", "cookie", "proxy", "client"],
)
@pytest.mark.parametrize("fails", [False, True])
def test_a_key_that_a_server_quotes_is_not_written(
    given: dict[str, Any], fails: bool, serve: Serve, folder: Path
) -> None:
    key = given.get("api_key") or KEY
    words = f"It is {key}."
    answer = json.dumps({"summary": words, "urgent": True})
    server = serve(status(401, words) if fails else completion(answer))
    if "client" in given:
        given = {"client": openai.OpenAI(api_key=KEY, base_url=server.url), "base_url": None}
    if fails:
        with pytest.raises(AigenError):
            called(server, **given)
    else:
        called(server, **given)
    text = "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.jsonl"))
    assert text.count("It is …") >= 1
    assert key not in text and json.dumps(key)[1:-1] not in text
    assert all(json.loads(line) for line in text.splitlines())


def test_a_key_in_quotes_leaves_a_whole_line() -> None:
    line = as_line({"said": 'x sk-"a\\b y'}, ['sk-"a\\b'])
    assert json.loads(line) == {"said": "x … y"}


def test_media_of_tools_are_sized_and_places_are_kept() -> None:
    place = "https://shop.example/" + "a" * 300
    seen = {"type": "input_image", "image_url": "data:image/png;base64," + "A" * 1000}
    body = body_of(
        {
            "model": "m",
            "input": [
                {"type": "function_call_output", "output": [seen]},
                {"role": "user", "content": [{"type": "input_image", "image_url": place}]},
            ],
        }
    )
    assert body["input"][0]["output"][0]["image_url"].endswith("… (1,022 characters)")
    assert body["input"][1]["content"][0]["image_url"] == place


def test_settings_of_the_process_are_those_of_the_record(serve: Serve, records: Records) -> None:
    configure(caller="nightly")
    try:
        with settings(caller="of the block"):
            called(serve(completion(GOOD)))
        called(serve(completion(GOOD)))
    finally:
        configure(caller=None)
    assert [record["caller"] for record in records()] == ["of the block", "nightly"]
