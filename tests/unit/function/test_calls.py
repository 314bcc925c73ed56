"""A generated function: what it says of itself, its calls, its replies."""

from __future__ import annotations

import asyncio
import functools
import gc
import inspect
import pickle
import shutil
import subprocess
import sys
import typing
from pathlib import Path
from typing import Any

import pytest
from aigen.runtime import calls, configure, on_call, override, settings
from aigen.runtime.definition import FORMAT
from aigen.runtime.errors import (
    AigenError,
    ConfigurationError,
    FilteredError,
    InterfaceInputError,
    ProviderError,
    RefusalError,
    ReplyError,
    TruncatedError,
)
from aigen.runtime.testing import (
    cut_off,
    delayed,
    filtered,
    http_error,
    no_network,
    refusal,
    scripted,
)
from shop_ai import support

GOOD = {"summary": "A kettle sparks.", "urgent": True}


def test_it_is_a_function_to_those_who_look() -> None:
    assert str(inspect.signature(support.triage)).startswith("(message: ")
    assert typing.get_type_hints(support.triage)["return"] is support.Triage
    assert support.triage.__name__ == "triage"
    assert support.triage.__module__ == "shop_ai.support"
    assert "Read the support ticket." in (support.triage.__doc__ or "")
    assert functools.partial(support.triage, message="a").keywords == {"message": "a"}


def test_it_prints_as_its_formula() -> None:
    lines = repr(support.triage).splitlines()
    assert lines[0] == "<ai function> summary + urgent ~ message"
    assert lines[1].strip() == "Read the support ticket."
    assert lines[-1].strip() == "model: (the default)"
    assert repr(support.triage.with_options(model="m")).endswith("model: m")


def test_it_pickles_with_its_options() -> None:
    assert pickle.loads(pickle.dumps(support.triage)) is support.triage
    found = pickle.loads(pickle.dumps(support.triage.with_options(model="m", retries=3)))
    assert found._options == {"model": "m", "retries": 3}


@pytest.mark.parametrize("inputs", [{}, {"message": None}, {"message": "a", "more": 1}])
def test_what_does_not_bind_is_not_sent(inputs: dict[str, Any]) -> None:
    with scripted([]) as model, calls() as seen, pytest.raises(InterfaceInputError):
        support.triage.apply(inputs)
    assert model.requests == []
    assert isinstance(seen[0].error, InterfaceInputError)
    assert seen[0].inputs is None


def test_every_form_of_a_call() -> None:
    with scripted(lambda request: GOOD):
        expected = support.Triage(**GOOD)
        assert support.triage("It sparks.") == expected
        assert support.triage.apply({"message": "It sparks."}) == expected
        assert asyncio.run(support.triage.aio("It sparks.")) == expected
        assert asyncio.run(support.triage.aapply({"message": "It sparks."})) == expected


@pytest.mark.parametrize(
    ("text", "repairs"),
    [
        ('{"summary": "s", "urgent": true}', ()),
        ('```json\n{"summary": "s", "urgent": true}\n```', ("code fence removed",)),
        ('Here: {"summary": "s", "urgent": true}. Done.', ("text around the JSON removed",)),
        ('{"summary": "s", "urgent": true, "why": 1}', ("dropped why",)),
    ],
)
def test_repairs_are_recorded(text: str, repairs: tuple[str, ...]) -> None:
    with scripted([text, text]), calls() as seen:
        assert support.triage("a") == support.Triage(summary="s", urgent=True)
        assert seen[-1].repairs == repairs
        if repairs:
            with pytest.raises(ReplyError):
                support.triage.with_options(reading="strict", retries=0)("a")


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('{"summary": "s", "summary": "t", "urgent": true}', 'the key "summary" is there twice'),
        (
            '{"summary": "s", "urgent": true} or {"summary": "t", "urgent": true}',
            "2 different answers stand in the reply; give one",
        ),
        ('{"summary": "s"}', "urgent"),
        ('{"summary": "s", "urgent": null}', "urgent should be true or false"),
        ("", "the reply is empty"),
        ("[" * 5000, "the reply is nested too deeply"),
    ],
)
def test_an_unreadable_reply_is_asked_for_again(text: str, wrong: str) -> None:
    with scripted([text, GOOD]) as model:
        assert support.triage("a").urgent
    said, asked = model.requests[1].messages[-2:]
    assert (said["role"], said["content"]) == ("assistant", text or "(no text)")
    assert asked["role"] == "user"
    assert "cannot be used: " in asked["content"] and wrong in asked["content"]
    with scripted([text] * 3), pytest.raises(ReplyError) as caught:
        support.triage.with_options(retries=2)("a")
    assert len(caught.value.attempts) == 3
    assert caught.value.usage.output_tokens > 0


def test_refusals_and_filters_are_not_asked_again() -> None:
    for step, kind in ((refusal("no"), RefusalError), (filtered(), FilteredError)):
        with scripted([step]) as model, pytest.raises(kind):
            support.triage("a")
        assert len(model.requests) == 1


def test_a_reply_that_is_cut_off_gets_twice_the_budget_once() -> None:
    function = support.triage.with_options(max_output_tokens=50, model="gpt-4.1-mini")
    with scripted([cut_off('{"summary'), GOOD]) as model:
        assert function("a").urgent
    assert [request.body["max_completion_tokens"] for request in model.requests] == [50, 100]
    with scripted([cut_off("{"), cut_off("{")]), pytest.raises(TruncatedError):
        function("a")
    with scripted([cut_off("{")]), pytest.raises(TruncatedError):
        support.triage("a")


def test_steps_that_wait_or_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("random.uniform", lambda low, high: 0.0)
    with scripted([http_error(500), delayed(0.01, GOOD)]) as model:
        assert support.triage("a").urgent
    assert len(model.requests) == 2
    with scripted([http_error(404)]), pytest.raises(ProviderError) as caught:
        support.triage("a")
    assert caught.value.status == 404


def test_auto_steps_down_and_remembers() -> None:
    def step(request: Any) -> Any:
        held = request.body.get("response_format") or {}
        if held.get("type") == "json_schema":
            return ProviderError("response_format json_schema is not supported", status=400)
        return '{"summary": "s", "urgent": true}'

    function = support.triage.with_options(model="m", base_url="http://one.example/v1")
    with scripted(step) as model:
        function("a")
        first = len(model.requests)
        function("a")
        assert len(model.requests) == first + 1
        with pytest.raises(ProviderError):
            function.with_options(adapter="json")("a")
        assert "response_format" not in function.with_options(adapter="prompted").request("a").body


def test_precedence(monkeypatch: pytest.MonkeyPatch) -> None:
    def model() -> str:
        return str(support.triage.request("a").body["model"])

    monkeypatch.setenv("AIGEN_MODEL", "environment")
    assert model() == "environment"
    try:
        configure(model="configured")
        assert model() == "configured"
        with settings(model="block"):
            assert model() == "block"
            function = support.triage.with_options(model="option")
            assert function.request("a").body["model"] == "option"
            with override(model="above"):
                assert function.request("a").body["model"] == "above"
        monkeypatch.setenv("AIGEN_MODEL", "sample")
        assert function.request("a").target.provider == "sample"
    finally:
        configure(model=None)


def test_a_dropped_value_is_not_quoted() -> None:
    with scripted([]):
        for block, quoted in (({}, True), ({"log_content": False}, False)):
            with settings(**block), pytest.raises(InterfaceInputError) as caught:
                support.refund.apply({"message": "m", "price": "secret", "final_sale": True})
            assert ("secret" in str(caught.value)) is quoted


def test_calls_and_hooks() -> None:
    found: list[Any] = []
    remove = on_call(found.append)
    try:
        with scripted([GOOD, refusal()]), calls() as seen:
            support.triage("a")
            with pytest.raises(RefusalError):
                support.triage("a")
    finally:
        remove()
    assert found == seen
    assert seen[0].value.urgent and seen[0].usage.input_tokens > 0
    assert isinstance(seen[1].error, RefusalError)
    assert seen[0].id < seen[1].id or seen[0].id[:13] == seen[1].id[:13]


def test_a_hook_that_raises_changes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    found: list[Any] = []

    def fails(call: Any) -> None:
        raise LookupError("of the hook")

    removes = [on_call(fails), on_call(found.append)]
    try:
        with scripted([GOOD, GOOD]):
            assert support.triage("a").urgent
            for remove in (*removes, *removes):  # twice is as good as once
                remove()
            assert support.triage("b").urgent
    finally:
        for remove in removes:
            remove()
    assert [call.inputs["message"] for call in found] == ["a"]
    assert "an on_call hook failed" in caplog.text and "of the hook" in caplog.text


def test_every_block_around_a_call_sees_it_and_none_after() -> None:
    with scripted([GOOD] * 3):
        with calls() as outer:
            support.triage("a")
            with calls() as inner:
                support.triage("b")
        support.triage("c")
    assert [call.inputs["message"] for call in outer] == ["a", "b"]
    assert [call.inputs["message"] for call in inner] == ["b"]


def test_what_calls_come_to_is_said_quietly(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG", logger="aigen")
    with scripted([GOOD, refusal("I will not.")]):
        support.triage("a")
        with pytest.raises(RefusalError):
            support.triage("b")
    said = [(record.levelname, record.name, record.getMessage()) for record in caplog.records]
    assert [each[:2] for each in said] == [("DEBUG", "aigen"), ("INFO", "aigen")]
    assert said[0][2].startswith("triage answered in")
    assert "I will not." in said[1][2]


@pytest.mark.parametrize("form", ["plain", "awaited", "streamed", "awaited stream"])
def test_every_error_of_a_call_names_its_function(form: str) -> None:
    async def awaited() -> Any:
        if form == "awaited":
            return await support.triage.aio("a")
        return await support.triage.astream("a").result()

    steps: list[Any] = [http_error(401), delayed(5, GOOD), refusal(), cut_off("{"), "no"]
    for step in steps:
        one = override(timeout=0.2, retries=0, api_retries=0)
        with scripted([step]), one, pytest.raises(AigenError) as caught:
            if form.startswith("awaited"):
                asyncio.run(awaited())
            elif form == "plain":
                support.triage("a")
            else:
                support.triage.stream("a").result()
        assert caught.value.function == "triage"


def test_what_is_no_hook() -> None:
    with pytest.raises(ConfigurationError, match="a hook takes a call; 3 cannot be called"):
        on_call(3)  # type: ignore[arg-type]


def test_no_network() -> None:
    with no_network(), pytest.raises(ConfigurationError) as caught:
        support.triage.with_options(model="m")("a")
    assert caught.value.code == "no-network"


def test_the_sample_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIGEN_MODEL", "sample")
    assert isinstance(support.triage("a"), support.Triage)
    assert support.mood("a") in ("happy", "unhappy", "mixed")


def test_calls_make_no_classes() -> None:
    """Classes and validators are made by a build: a service that runs for months keeps no more."""

    def classes() -> int:
        gc.collect()
        # Not `isinstance`: stand-ins of the SDK import what they are when asked for their class.
        return sum(issubclass(type(each), type) for each in gc.get_objects())

    def call(count: int) -> None:
        with scripted(lambda _: GOOD):
            for _ in range(count):
                support.triage("a")
                support.triage.parse("{'summary': 's', 'urgent': True,}")
                with support.triage.stream("a") as stream:
                    stream.result()

    call(2)
    before = classes()
    call(50)
    assert classes() <= before


def test_a_package_of_a_later_format_says_what_to_do(tmp_path: Path) -> None:
    """What is generated states its format; what is older keeps working."""
    samples = Path(support.__file__).parent
    shutil.copytree(samples, tmp_path / "later_ai", ignore=shutil.ignore_patterns("__pycache__"))
    first = tmp_path / "later_ai" / "__init__.py"
    text = first.read_text(encoding="utf-8")
    assert f"require_format({FORMAT})" in text
    first.write_text(text.replace(f"({FORMAT})", f"({FORMAT + 1})"), encoding="utf-8")
    command = [sys.executable, "-c", "import later_ai"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 1
    line = ran.stderr.splitlines()[-1]
    assert f"generated in format {FORMAT + 1}" in line and "pip install --upgrade aigen" in line
