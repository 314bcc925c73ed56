"""`parse`: replies that were had elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from aigen.runtime.errors import (
    FilteredError,
    ProviderError,
    RefusalError,
    ReplyError,
    TruncatedError,
)
from aigen.runtime.testing import no_network, scripted
from openai.types.chat import ChatCompletion
from openai.types.responses import Response
from servers import message, response, said
from shop_ai import support

GOOD = '{"summary": "s", "urgent": true}'
TRIAGE = support.Triage(summary="s", urgent=True)

Wrap = Callable[[str | None], Any]


def chat(text: str | None, **more: Any) -> Any:
    return ChatCompletion.model_validate(message(text, **more))


def responses(text: str | None, **more: Any) -> Any:
    return Response.model_validate(response(said(text or ""), **more))


WRAPPED: dict[str, Wrap] = {
    "text": lambda text: text,
    "chat body": message,
    "chat object": chat,
    "responses body": lambda text: response(said(text or "")),
    "responses object": responses,
}


@pytest.fixture(params=WRAPPED)
def wrap(request: pytest.FixtureRequest) -> Wrap:
    return WRAPPED[request.param]


def test_every_form_of_a_reply_is_read(wrap: Wrap) -> None:
    with no_network(), scripted([]) as model:
        assert support.triage.parse(wrap(GOOD)) == TRIAGE
        assert support.mood.parse(wrap('{"result": "happy"}')) == "happy"
    assert model.requests == []


def test_it_needs_no_model_and_no_key(wrap: Wrap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert support.triage.parse(wrap(GOOD)) == TRIAGE


def test_repairs_go_as_in_a_call(wrap: Wrap) -> None:
    text = f"Here it is:\n```json\n{GOOD}\n```"
    assert support.triage.parse(wrap(text)) == TRIAGE
    with pytest.raises(ReplyError):
        support.triage.with_options(reading="strict").parse(wrap(text))


@pytest.mark.parametrize(
    "text", ["nothing", "", '{"summary": "s"}', f"{GOOD} or {GOOD[:-5]}false}}"]
)
def test_what_cannot_be_read_is_not_asked_again(wrap: Wrap, text: str) -> None:
    with scripted([]) as model, pytest.raises(ReplyError) as caught:
        support.triage.parse(wrap(text))
    assert model.requests == []
    assert (caught.value.reply, len(caught.value.attempts)) == (text, 1)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (message(None, refusal="I will not."), RefusalError),
        (chat(None, refusal="I will not."), RefusalError),
        (message(GOOD, finish="length"), TruncatedError),
        (chat(GOOD[:9], finish="length"), TruncatedError),
        (message(None, finish="content_filter"), FilteredError),
        (chat("", finish="content_filter"), FilteredError),
        (response(said("I will not.", kind="refusal")), RefusalError),
        (
            responses(
                GOOD[:9], status="incomplete", incomplete_details={"reason": "max_output_tokens"}
            ),
            TruncatedError,
        ),
        (
            responses("", status="incomplete", incomplete_details={"reason": "content_filter"}),
            FilteredError,
        ),
        (
            response(status="failed", error={"code": "server_error", "message": "bad"}),
            ProviderError,
        ),
        (response(said(GOOD), status="in_progress"), ProviderError),
        ({"choices": []}, ProviderError),
        (3, ProviderError),
    ],
)
def test_what_is_no_answer_says_so(body: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind) as caught:
        support.triage.parse(body)
    assert type(caught.value) is kind


@pytest.mark.parametrize("wrapped", [message, chat, responses])
def test_the_reply_and_its_usage_are_in_the_error(wrapped: Wrap) -> None:
    with pytest.raises(ReplyError) as caught:
        support.triage.parse(wrapped("no"))
    assert caught.value.reply == "no"
    assert (caught.value.usage.input_tokens, caught.value.usage.output_tokens) == (7, 3)


def test_reasoning_is_read_and_left_out(wrap: Wrap) -> None:
    text = '{"reasoning": "r", "summary": "s", "urgent": true}'
    assert support.triage.with_options(reasoning="cot").parse(wrap(text)) == TRIAGE
    assert support.triage.with_options(reasoning="cot").parse(wrap(GOOD)) == TRIAGE
    with pytest.raises(ReplyError):
        support.triage.with_options(reading="strict").parse(wrap(text))


def test_a_body_given_to_parse_is_not_changed() -> None:
    body = message('{"summary": "s", "urgent": true, "more": 1}')
    before = repr(body)
    assert support.triage.parse(body) == TRIAGE
    assert repr(body) == before


def test_an_object_of_the_sdk_may_hold_what_its_type_does_not_say() -> None:
    body = message([{"type": "text", "text": GOOD[:9]}, {"type": "text", "text": GOOD[9:]}])
    assert support.triage.parse(ChatCompletion.model_construct(**body)) == TRIAGE
