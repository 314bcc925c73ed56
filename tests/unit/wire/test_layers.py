from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from datetime import date
from typing import Any

import pytest
import yaml
from aigen.runtime import configure, override, settings
from aigen.runtime.errors import ConfigurationError
from aigen.runtime.layers import checked, resolve
from aigen.runtime.record.content import keeps
from aigen.runtime.setting_kinds import KINDS, Settings
from aigen.runtime.variables import flow_value
from hypothesis import given
from hypothesis import strategies as st


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch) -> Any:
    import os

    for name in list(os.environ):
        if name.startswith("AIGEN_"):
            monkeypatch.delenv(name)
    yield
    configure(**dict.fromkeys(KINDS))


def resolved(
    spec: Mapping[str, Any] | None = None,
    configured: Mapping[str, Any] | None = None,
    **options: Any,
) -> Settings:
    return resolve(spec or {}, configured or {}, options)


def test_every_setting_has_a_kind_and_a_field() -> None:
    assert {field.name for field in fields(Settings)} - {"log_contents"} == set(KINDS)


def test_each_layer_is_stronger_than_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    assert resolved().model is None
    assert resolved({}, {"model": "baked"}).model == "baked"
    monkeypatch.setenv("AIGEN_MODEL", "environment")
    assert resolved({}, {"model": "baked"}).model == "environment"
    configure(model="process")
    assert resolved({}, {"model": "baked"}).model == "process"
    with settings(model="block"):
        assert resolved().model == "block"
        with settings(model="inner"):
            assert resolved().model == "inner"
        assert resolved().model == "block"
        assert resolved({"model": "spec"}).model == "spec"
        assert resolved({"model": "spec"}, model="options").model == "options"
        with override(model="override"):
            assert resolved({"model": "spec"}, model="options").model == "override"
    assert resolved().model == "process"


@pytest.mark.parametrize("model", ["sample", "local"])
def test_two_models_of_the_environment_override(monkeypatch: Any, model: str) -> None:
    monkeypatch.setenv("AIGEN_MODEL", model)
    configure(model="process")
    assert resolved({"model": "spec"}, model="options").model == model
    with override(model="emergency"):
        assert resolved({"model": "spec"}).model == "emergency"


def test_a_later_configure_adds_and_none_unsets() -> None:
    configure(model="m", temperature=0.5)
    configure(retries=3, temperature=None)
    now = resolved()
    assert (now.model, now.temperature, now.retries) == ("m", None, 3)


def test_a_block_ends_with_an_error() -> None:
    with pytest.raises(KeyError), settings(model="m"):
        raise KeyError
    assert resolved().model is None


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"modle": "x"}, 'did you mean "model"'),
        ({"zzzzzz": 1}, 'there is no setting "zzzzzz"'),
        ({"temperature": "hot"}, "temperature is a number"),
        ({"temperature": True}, "temperature is a number"),
        ({"temperature": float("nan")}, "temperature is a number"),
        ({"retries": -1}, "retries is a whole number"),
        ({"retries": 1.0}, "retries is a whole number"),
        ({"timeout": 0}, "timeout is seconds"),
        ({"transport": "pigeon"}, "auto | sdk | raw"),
        ({"base_url": "localhost:8000"}, "begins with http"),
        ({"extra_body": {"since": date(2026, 1, 1)}}, "a mapping of JSON values"),
        ({"extra_body": {"a": [b"x"]}}, "a mapping of JSON values"),
        ({"extra_body": {"a": float("nan")}}, "a mapping of JSON values"),
        ({"extra_body": {"a": "\ud800"}}, "a mapping of JSON values"),
        ({"extra_headers": {"X": 1}}, "a mapping of texts"),
        ({"extra_headers": {"X": "Bearer key\n"}}, "printable ASCII"),
        ({"extra_headers": {"X": "日"}}, "printable ASCII"),
        ({"extra_headers": {"X Note": "a"}}, "printable ASCII"),
        ({"extra_headers": {"": "a"}}, "printable ASCII"),
        ({"on_error": "ignore"}, "warn | raise"),
    ],
)
def test_what_does_not_fit_is_refused(values: dict[str, Any], says: str) -> None:
    for use in (configure, lambda **given: settings(**given).__enter__()):
        with pytest.raises(ConfigurationError) as caught:
            use(**values)
        assert says in caught.value.message
        assert caught.value.code in ("setting", "unknown-setting")


def test_no_key_in_a_message_or_repr() -> None:
    with pytest.raises(ConfigurationError) as caught:
        configure(api_key=b"sk-secret")
    assert "secret" not in str(caught.value)
    shown = repr(resolved(api_key="sk-secret", extra_headers={"Authorization": "secret"}))
    assert "secret" not in shown
    assert "api_key" in shown


@pytest.mark.parametrize(
    "values", [{"fallback": []}, {"cache_replies": False}, {"log_calls": False}, {"limits": {}}]
)
def test_what_changes_nothing_is_taken(values: dict[str, Any]) -> None:
    with settings(**values):
        resolved()


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("model", "gpt-4.1-mini", "gpt-4.1-mini"),
        ("model", '"quoted"', "quoted"),
        ("model", " 4 ", "4"),
        ("api_key", "12345", "12345"),
        ("temperature", "0.2", 0.2),
        ("temperature", ".5", 0.5),
        ("seed", "0x10", 16),
        ("timeout", "1e2", 100.0),
        ("progress", "True", True),
        ("stop", "[a, 'b c']", ["a", "b c"]),
        ("stop", "END", "END"),
        (
            "extra_body",
            '{"top_k": 3, nested: [1, {a: null}]}',
            {"top_k": 3, "nested": [1, {"a": None}]},
        ),
        ("extra_headers", "{X-Team: support}", {"X-Team": "support"}),
        ("temperature", "null", None),
        ("temperature", "  ", None),
    ],
)
def test_the_environment_is_read_as_yaml(
    monkeypatch: pytest.MonkeyPatch, name: str, text: str, value: Any
) -> None:
    monkeypatch.setenv(f"AIGEN_{name.upper()}", text)
    assert getattr(resolved(), name) == value


def test_the_environment_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIGEN_RETRIES", "many")
    with pytest.raises(ConfigurationError, match="environment: retries is a whole number"):
        resolved()
    monkeypatch.delenv("AIGEN_RETRIES")
    monkeypatch.setenv("AIGEN_MODLE", "x")
    with pytest.raises(ConfigurationError, match="did you mean AIGEN_MODEL"):
        resolved()
    monkeypatch.delenv("AIGEN_MODLE")
    monkeypatch.setenv("AIGEN_UNRELATED_THING", "x")
    resolved()


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
        ),
        max_leaves=8,
    )
)
def test_json_is_yaml(value: Any) -> None:
    text = json.dumps(value)
    if isinstance(value, (list, dict)):
        assert flow_value(text) == value


@given(st.text(alphabet="[]{},:'\" a1-.~", max_size=12))
def test_any_text_is_read(text: str) -> None:
    try:
        theirs = yaml.safe_load(text)
    except yaml.YAMLError:
        flow_value(text)
    else:
        ours = flow_value(text)
        if isinstance(ours, list) and isinstance(theirs, list):
            assert ours == theirs


def test_threads_and_tasks_have_their_own_blocks() -> None:
    seen: dict[str, str | None] = {}

    def thread() -> None:
        seen["thread"] = resolved().model
        with settings(model="inside the thread"):
            seen["own"] = resolved().model

    async def task(name: str) -> None:
        with settings(model=name):
            await asyncio.sleep(0.01)
            seen[name] = resolved().model
            seen[f"to_thread {name}"] = await asyncio.to_thread(lambda: resolved().model)

    async def both() -> None:
        with settings(model="outer"):
            await asyncio.gather(task("one"), task("two"))
            seen["outer"] = resolved().model

    with settings(model="block"):
        one = threading.Thread(target=thread)
        one.start()
        one.join()
        with ThreadPoolExecutor(1) as pool:
            seen["pool"] = pool.submit(lambda: resolved().model).result()
        asyncio.run(both())
        assert resolved().model == "block"
    assert seen["own"] == "inside the thread"
    assert seen["one"] == seen["to_thread one"] == "one"
    assert seen["two"] == seen["to_thread two"] == "two"
    assert seen["outer"] == "outer"
    # What another thread is in is not this one's; free-threaded builds hand it on.
    assert seen["thread"] in (None, "block")
    assert seen["pool"] in (None, "block")


LAYERS = {
    "all but one": ({"transcript": False}, {"question": True, "transcript": False}),
    "these alone": ({"*": False, "question": True}, {"question": True, "transcript": False}),
    "a list keeps": (["question"], {"question": True, "transcript": False}),
    "nothing": (False, {"question": False, "transcript": False}),
    "everything": (True, {"question": True, "transcript": True}),
}


@pytest.mark.parametrize("name", LAYERS)
def test_log_content_of_one_layer(name: str) -> None:
    content, wanted = LAYERS[name]
    with settings(log_content=content):
        contents = resolved().log_contents
    assert {field: keeps(contents, field) for field in wanted} == wanted


def test_every_layer_of_log_content_only_removes(monkeypatch: pytest.MonkeyPatch) -> None:
    configure(log_content={"b": False})
    with settings(log_content={"c": False}), settings(log_content=True):
        contents = resolved({"log_content": {"a": False}}, log_content=True).log_contents
    assert [keeps(contents, field) for field in "abcd"] == [False, False, False, True]
    monkeypatch.setenv("AIGEN_LOG_CONTENT", "0")
    assert not keeps(resolved(log_content=True).log_contents, "d")


def test_a_name_that_is_no_name() -> None:
    for content in ({"#private": False}, ["not a name"]):
        with pytest.raises(ConfigurationError) as caught:
            configure(log_content=content)
        assert caught.value.code == "log-content-field"
        assert caught.value.field in ("#private", "not a name")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("model", "gpt\ud800"),
        ("fallback", ["gpt", "\udfff"]),
        ("stop", "\ud800"),
        ("stop", ["a", "b\ud800"]),
        ("service_tier", "\ud800"),
        ("prompt_cache_key", "\ud800"),
        ("metadata", {"a": "\ud800"}),
        ("metadata", {"\ud800": "a"}),
        ("extra_body", {"a": ["\ud800"]}),
        ("base_url", "http://127.0.0.1/\ud800"),
        ("api_key", "\ud800"),
        ("caller", "\ud800"),
        ("reasoning", "\ud800"),
    ],
)
def test_half_a_surrogate_pair_is_no_text_to_send(name: str, value: Any) -> None:
    with pytest.raises(ConfigurationError) as refused:
        checked({name: value}, "configure()")
    assert str(refused.value).endswith(", which holds half of a surrogate pair")
    assert name in str(refused.value)


def test_a_path_may_hold_bytes_that_are_no_utf_8() -> None:
    paths = {"log_calls": "a\udcff", "cache_replies": "b\udcff"}
    assert checked(paths, "configure()") == paths
