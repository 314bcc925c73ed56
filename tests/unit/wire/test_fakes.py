"""The sample model, scripts, and the local model."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from aigen.runtime import AIFunction, local_is_installed
from aigen.runtime.errors import (
    ConfigurationError,
    FilteredError,
    ProviderError,
    RefusalError,
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
from aigen.runtime.values import fits
from aigen.runtime.wire import local
from aigen.runtime.wire.sample import sample
from hypothesis import given
from hypothesis import strategies as st
from test_exchange import text_function


def named(*names: str) -> list[dict[str, Any]]:
    return [{"$ref": f"#/$defs/{name}"} for name in names]


def record(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


scalars = st.sampled_from(
    [
        {"type": "string"},
        {"type": "string", "minLength": 12, "maxLength": 14},
        {"type": "string", "pattern": "^[A-Z]-[0-9]{4}$"},
        {"type": "string", "pattern": "^(foo|bar)+x?$"},
        *[
            {"type": "string", "format": name}
            for name in ("date", "date-time", "time", "uuid", "uri", "email")
        ],
        {"type": "integer"},
        {"type": "integer", "minimum": 5, "maximum": 5},
        {"type": "integer", "exclusiveMaximum": -3},
        {"type": "integer", "multipleOf": 7, "minimum": 8},
        {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        {"type": "boolean"},
        {"type": "null"},
        {"const": 3},
        {"enum": ["a", "b"]},
        {},
    ]
)
schemas = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.builds(
            lambda items, least: {"type": "array", "items": items, "minItems": least},
            inner,
            st.integers(0, 3),
        ),
        st.builds(lambda options: {"anyOf": options}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda one: {"type": "object", "additionalProperties": one}, inner),
        st.builds(
            lambda members, needed: {
                "type": "object",
                "properties": members,
                "required": sorted(needed & set(members)),
                "additionalProperties": False,
            },
            st.dictionaries(st.sampled_from("abcd"), inner, max_size=4),
            st.sets(st.sampled_from("abcd")),
        ),
    ),
    max_leaves=12,
)


@given(schemas)
def test_a_sample_fits_its_schema(schema: dict[str, Any]) -> None:
    assert fits(sample(schema), schema, {}) is None


def test_recursive_types_end() -> None:
    node = {
        "type": "object",
        "properties": {
            f"child_{number}": {"anyOf": [*named("Node"), {"type": "null"}]} for number in range(6)
        },
        "required": ["child_0"],
    }
    plus = record(left=named("Sum")[0], right=named("Sum")[0])
    total = {"anyOf": named("Plus", "Leaf")}
    defs = {"Node": node, "Sum": total, "Plus": plus, "Leaf": record(value={"type": "integer"})}
    for name in defs:
        value = sample({"$ref": f"#/$defs/{name}", "$defs": defs})
        assert fits(value, defs[name], defs) is None
        assert len(json.dumps(value)) < 1000


def test_wide_types_end() -> None:
    defs: dict[str, Any] = {
        f"T{level}": {
            "type": "object",
            "properties": dict.fromkeys("abcde", named(f"T{level + 1}")[0]),
        }
        for level in range(12)
    }
    defs["T12"] = {"type": "string"}
    assert sample({"$ref": "#/$defs/T0", "$defs": defs})


def test_a_type_without_values_says_so() -> None:
    endless = {"L": record(next=named("L")[0])}
    with pytest.raises(ConfigurationError, match="no finite value"):
        sample({"$ref": "#/$defs/L", "$defs": endless})
    with pytest.raises(ConfigurationError, match="no value for a"):
        sample(record(a={"type": "string", "pattern": "^(?=b)a$"}))


def test_a_set_holds_nothing_twice() -> None:
    levels = {"enum": ["x", "y", "z"]}
    schema = {"type": "array", "items": levels, "uniqueItems": True, "minItems": 3}
    assert sample(schema) == ["x", "y", "z"]


def echo() -> AIFunction[Any, Any]:
    return text_function().with_options(api_retries=0)


def test_steps_of_a_script() -> None:
    steps: list[Any] = [
        "hello",
        refusal(),
        cut_off("half"),
        filtered(),
        http_error(503, "busy"),
        KeyError("mine"),
        delayed(0.01, "late"),
    ]
    with scripted(steps) as model:
        assert echo().apply({"text": "a"}) == "hello"
        for kind in (RefusalError, TruncatedError, FilteredError, ProviderError, KeyError):
            with pytest.raises(kind):
                echo().apply({"text": "a"})
        assert asyncio.run(_awaited("a")) == "late"
        with pytest.raises(ConfigurationError, match="no step left for request 8"):
            echo().apply({"text": "a"})
    assert len(model.requests) == 8
    assert "a" in model.requests[0].messages[-1]["content"]


async def _awaited(text: str) -> Any:
    return await echo().aapply({"text": text})


def test_an_http_error_of_a_script_is_tried_again() -> None:
    with scripted([http_error(429), "hello"]) as model:
        assert text_function().apply({"text": "a"}) == "hello"
    assert len(model.requests) == 2


def test_a_delay_meets_the_request_timeout() -> None:
    with scripted([delayed(5, "late")]), pytest.raises(ProviderError) as caught:
        echo().with_options(request_timeout=0.05).apply({"text": "a"})
    assert caught.value.code == "timeout"


def test_a_function_of_the_request_and_threads() -> None:
    with scripted(lambda request: request.messages[-1]["content"]) as model:
        found: list[str] = []
        threads = [
            threading.Thread(target=lambda n=n: found.append(echo().apply({"text": str(n)})))
            for n in range(16)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(set(found)) == len(model.requests) == 16


def test_the_innermost_script_answers() -> None:
    with scripted(["outer"]):
        with scripted(["inner"]):
            assert echo().apply({"text": "a"}) == "inner"
        assert echo().apply({"text": "a"}) == "outer"


def test_no_network_lets_fakes_answer() -> None:
    with no_network():
        assert echo().with_options(model="sample").apply({"text": "a"})
        with scripted(["hello"]):
            assert echo().apply({"text": "a"}) == "hello"
        with pytest.raises(
            ConfigurationError, match=r"inside no_network\(\): answer it from scripted"
        ) as caught:
            echo().with_options(model="groq:m", api_key="none").apply({"text": "a"})
        assert caught.value.code == "no-network"


def test_the_sample_model_needs_no_sdk() -> None:
    program = f"""
import sys
sys.path[:0] = {sys.path!r}
from test_exchange import text_function
assert text_function().with_options(model="sample").apply({{"text": "a"}})
assert not {{"openai", "httpx", "httpx2"}} & set(sys.modules), "the SDK was imported"
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """No server of this process yet."""
    monkeypatch.setattr(local, "_state", local._State())


def test_local_without_its_weights(
    fresh: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(local, "PACKAGE", "no_such_package")
    monkeypatch.setattr(local, "data_folder", lambda: tmp_path)
    monkeypatch.setattr(local.importlib.util, "find_spec", _found)
    assert not local_is_installed()
    with pytest.raises(ConfigurationError, match="aigen local install"):
        local.address()
    (tmp_path / local.WEIGHTS).write_bytes(b"weights")
    assert local.weights() == tmp_path / local.WEIGHTS


def _found(name: str) -> Any:
    return None if name == "no_such_package" else object()


def test_local_without_its_server(fresh: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ConfigurationError, match=r"aigen\[local\]"):
        echo().with_options(model="local").apply({"text": "a"})


def test_a_local_server_that_does_not_start_says_why(
    fresh: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("xllamacpp")
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"no weights")
    monkeypatch.setattr(local, "weights", lambda: broken)
    with pytest.raises(ConfigurationError, match="did not start: "):
        local.address()
    assert capfd.readouterr() == ("", "")


@pytest.mark.skipif(not local_is_installed(), reason="the weights are not installed")
def test_one_local_server_for_all_threads(fresh: None, capfd: pytest.CaptureFixture[str]) -> None:
    found: list[str] = []
    threads = [threading.Thread(target=lambda: found.append(local.address())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1
    assert found[0].startswith("http://127.0.0.1:")
    running = local._state.running
    assert running is not None
    local._stop(running.process, running.owner)
    assert running.process.returncode is not None
    # What ended is started again.
    again = local.address()
    assert again.startswith("http://127.0.0.1:")
    running = local._state.running
    assert running is not None
    local._stop(running.process, running.owner)
    assert capfd.readouterr() == ("", "")


def test_a_script_that_ends_says_why_it_was_asked_again() -> None:
    with scripted([""]), pytest.raises(ConfigurationError) as caught:
        echo().apply({"text": "hi"})
    assert "request 2: That cannot be used: the reply is empty" in caught.value.message
    with scripted([TimeoutError("x")]), pytest.raises(ConfigurationError) as caught:
        echo().with_options(api_retries=1).apply({"text": "hi"})
    assert "failed, and was sent again" in caught.value.message


@pytest.mark.parametrize("name", ["nope:llama-3.3", "grok:llama-3.3-70b"])
def test_a_provider_that_there_is_not_is_no_model_of_openai(name: str) -> None:
    with pytest.raises(ConfigurationError, match="there is no provider"):
        echo().with_options(model=name).request({"text": "hi"})
    fine = echo().with_options(model="ft:gpt-4.1-mini:org::id").request({"text": "hi"})
    assert fine.target.provider == "openai"
    there = echo().with_options(model=name, base_url="http://127.0.0.1:1/v1")
    assert there.request({"text": "hi"}).target.model == name
