"""What is known of servers and models, what a user lays over it, and what calls cost."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from aigen.configuration import load
from aigen.diagnostics import Diagnostics
from aigen.runtime import AIFunction, calls, configure, settings
from aigen.runtime.errors import ConfigurationError, ProviderError
from aigen.runtime.layers import resolve
from aigen.runtime.own_providers import LIMITS, TAKES, fault_in, laid_over
from aigen.runtime.setting_kinds import KINDS
from aigen.runtime.testing import scripted
from aigen.runtime.wire import faking, learned
from aigen.runtime.wire.catalogue import ALL, PROVIDERS
from aigen.runtime.wire.messages import Price, Reply, Usage
from aigen.runtime.wire.providers import target
from aigen.runtime.wire.reading import read_body

ACME: dict[str, Any] = {
    "base_url": "https://llm.example.com/v1",
    "key": "ACME_API_KEY",
    "takes": ["schema"],
    "models": {
        "large-*": {"fixed_sampling": True, "price": {"input": 1, "output": 2}},
        "large-2": {"takes": [], "limit": "max_completion_tokens", "media_bytes": 5},
    },
}


@pytest.fixture(autouse=True)
def _nothing_set() -> Any:
    learned.forget()
    yield
    configure(**dict.fromkeys(KINDS))


def function(**options: Any) -> AIFunction[Any, Any]:
    definition = {
        "format": 1,
        "layout": 1,
        "name": "f",
        "module": "m",
        "description": "",
        "inputs": [{"name": "a", "shape": {"type": "string"}}],
        "outputs": [{"name": "b", "shape": {"type": "integer"}}, {"name": "c", "shape": {}}],
        "ids": {"interface": "", "version": ""},
    }
    return AIFunction(json.dumps(definition), Any, Any).with_options(**options)


def test_the_table_says_only_what_there_is() -> None:
    assert ALL == TAKES
    for provider in PROVIDERS.values():
        for facts in (provider.facts, *provider.models.values()):
            assert set(facts.get("takes", ())) <= set(ALL)
            assert facts.get("limit", "max_tokens") in LIMITS
            price = facts.get("price")
            assert price is None or 0 <= price.input <= price.output
            assert price is None or price.cached is None or price.cached <= price.input


@pytest.mark.parametrize(
    ("model", "takes", "fixed", "limit", "priced"),
    [
        ("gpt-4.1-mini", ALL, False, "max_completion_tokens", True),
        ("gpt-4.1-mini-2025-04-14", ALL, False, "max_completion_tokens", True),
        ("gpt-4o-2024-05-13", ("tool", "json_object"), False, "max_completion_tokens", True),
        ("gpt-4", ("tool",), False, "max_completion_tokens", True),
        ("o1-mini", (), True, "max_completion_tokens", False),
        ("gpt-5", ALL, True, "max_completion_tokens", True),
        ("gpt-99", ALL, False, "max_completion_tokens", False),
        ("azure:mine", ALL, False, "max_completion_tokens", False),
        ("anthropic:claude-haiku-4-5-20251001", ("tool",), False, "max_tokens", True),
        ("groq:openai/gpt-oss-20b", ALL, False, "max_tokens", False),
        ("groq:llama-3.1-8b-instant", ("tool", "json_object"), False, "max_tokens", True),
        ("ollama:llama3.2:3b", ("schema", "tool", "json_object"), False, "max_tokens", False),
        ("local", ("schema",), False, "max_tokens", True),
    ],
)
def test_what_is_known(model: str, takes: Any, fixed: bool, limit: str, priced: bool) -> None:
    found = target(model, None)
    assert (found.takes, found.fixed_sampling, found.limit) == (takes, fixed, limit)
    assert (found.price is not None) is priced


def test_a_url_alone_takes_everything_until_it_says_otherwise() -> None:
    found = target("m", "https://llm.example.com/v1")
    assert (found.provider, found.takes, found.price) == ("custom", ALL, None)


def test_servers_of_ones_own() -> None:
    own = {"acme": ACME}
    found = target("acme:large-2", None, own)
    assert (found.base_url, found.key_variables) == (ACME["base_url"], ("ACME_API_KEY",))
    assert found.fixed_sampling and found.price == Price(1, 2)
    assert (found.takes, found.limit, found.media_bytes) == ((), "max_completion_tokens", 5)
    assert target("acme:small", None, own).takes == ("schema",)
    # A key goes nowhere but where it is for.
    assert target("b:m", None, {"b": {"base_url": "https://b.example"}}).key_variables == ()
    with pytest.raises(ConfigurationError, match="the provider b has no base_url"):
        target("b:m", None, {"b": {"takes": []}})
    with pytest.raises(ConfigurationError, match="names no model: write acme:"):
        target("acme:", None, own)


def test_facts_of_a_known_server_are_laid_over() -> None:
    own = {"openai": {"models": {"gpt-4.1": {"price": {"input": 9, "output": 9, "cached": 1}}}}}
    assert target("gpt-4.1", None, own).price == Price(9, 9, 1)
    assert target("gpt-4.1", None, own).takes == ALL
    assert target("gpt-4.1", None, own).key_variables == ("OPENAI_API_KEY",)
    assert target("gpt-4o", None, own).price == target("gpt-4o", None).price


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([], "providers is a mapping"),
        ({"a b": {}}, "'a b' is no provider's name"),
        ({"a": 5}, "providers.a is a mapping"),
        ({"a": {"bas_url": "https://x"}}, 'no key "bas_url"; did you mean "base_url"?'),
        ({"a": {"zzz": 1}}, "known: takes, "),
        ({"a": {"base_url": "x"}}, "providers.a.base_url is a URL"),
        ({"a": {"key": "sk-abc-123"}}, "the name of the environment variable"),
        ({"a": {"takes": ["json"]}}, "a list, best first, of strict, schema"),
        ({"a": {"models": {"m": {"limit": "tokens"}}}}, 'models."m".limit is max_tokens or'),
        ({"a": {"models": {"m": {"base_url": "https://x"}}}}, 'no key "base_url"'),
        ({"a": {"price": {"input": 1}}}, "US dollars a million tokens"),
        ({"a": {"price": {"input": 1, "output": -1}}}, "US dollars a million tokens"),
        ({"a": {"media_bytes": 0}}, "a whole number of 1 or more"),
        ({"a": {"fixed_sampling": 1}}, "true or false"),
    ],
)
def test_a_wrong_entry_says_where(value: Any, words: str) -> None:
    assert words in (fault_in(value) or "")
    with pytest.raises(ConfigurationError) as caught:
        configure(providers=value)
    assert words in caught.value.message
    assert "sk-abc" not in caught.value.message


def test_layers_add_to_each_other() -> None:
    baked = {"providers": {"acme": ACME}}
    configure(providers={"acme": {"takes": ["tool"]}})
    configure(providers={"b": {"base_url": "https://b.example"}})
    with settings(providers={"acme": {"models": {"large-2": {"takes": ["schema"]}}}}):
        found = resolve({}, baked, {}).providers
    assert found is not None
    assert found["acme"]["base_url"] == ACME["base_url"]
    assert found["acme"]["takes"] == ["tool"]
    assert set(found["acme"]["models"]) == {"large-*", "large-2"}
    assert found["acme"]["models"]["large-2"] == {"takes": ["schema"]}
    assert "b" in found
    assert laid_over({}, {"a": {}}) == {"a": {}}
    assert ACME["takes"] == ["schema"]


def test_a_project_configures_them(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.aigen.settings]\nmodel = "acme:m"\n'
        '[tool.aigen.providers.acme]\nbase_url = "https://llm.example.com/v1"\n',
        encoding="utf-8",
    )
    found = Diagnostics()
    configured = load(tmp_path, found).settings
    assert not list(found)
    assert configured["providers"]["acme"]["base_url"] == "https://llm.example.com/v1"
    assert target(configured["model"], None, configured["providers"]).provider == "acme"
    (tmp_path / "pyproject.toml").write_text(
        '[tool.aigen]\nout = "ai"\n[tool.aigen.providers.acme]\ntake = []\n', encoding="utf-8"
    )
    load(tmp_path, found)
    (fault,) = found
    assert (fault.code, fault.span and fault.span.line) == ("AIG707", 3)
    assert 'did you mean "takes"?' in fault.message


def test_sampling_is_left_out_with_one_warning() -> None:
    fixed = function(
        model="acme:large-7", providers={"acme": ACME}, temperature=0.5, max_output_tokens=9
    )
    with pytest.warns(UserWarning, match="large-7 refuses temperature"):
        body = fixed.request(a="x").body
    assert "temperature" not in body and body["max_tokens"] == 9
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "temperature" not in fixed.request(a="x").body


REPLY = '{"b": 1, "c": 2}'


def cost(*replies: Reply, model: str = "gpt-4.1") -> float | None:
    with scripted(replies) as _, calls() as seen:
        function(model=model)(a="x")
    return seen[0].cost


def test_what_a_call_costs() -> None:
    used = Usage(1_000_000, 100_000, 400_000)
    assert cost(Reply(REPLY, usage=used)) == pytest.approx(0.6 * 2 + 0.4 * 0.5 + 0.1 * 8)
    again = cost(Reply("no", usage=used), Reply(REPLY, usage=used))
    assert again == pytest.approx(2 * (0.6 * 2 + 0.4 * 0.5 + 0.1 * 8))
    assert cost(Reply(REPLY, usage=used), model="gpt-99") is None
    assert cost(Reply(REPLY, usage=Usage(10, 10)), model="groq:llama-3.1-8b-instant") == (
        pytest.approx((10 * 0.05 + 10 * 0.08) / 1_000_000)
    )
    with calls() as seen:
        function(model="sample")(a="x")
    assert seen[0].cost == 0


def test_what_was_not_counted_makes_the_cost_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    used = Usage(1_000_000, 100_000)
    replies = [Reply("no"), Reply(REPLY, usage=used), Reply("no", usage=used), Reply(REPLY)]
    monkeypatch.setattr(faking, "scripts", [lambda request: faking.Answer(replies.pop(0))])
    with calls() as seen:
        function(model="gpt-4.1")(a="x")
        function(model="gpt-4.1")(a="x")
    assert [(call.cost, call.usage) for call in seen] == [(None, used)] * 2


def test_a_price_without_one_for_cached_input() -> None:
    assert Price(1, 2).of(Usage(2_000_000, 1_000_000, 1_000_000)) == 4


def test_cached_tokens_are_counted() -> None:
    chat = {
        "choices": [{"message": {"content": "a"}}],
        "usage": {
            "prompt_tokens": 9,
            "completion_tokens": 2,
            "prompt_tokens_details": {"cached_tokens": 4},
        },
    }
    assert read_body(chat).usage == Usage(9, 2, 4)
    responses = {
        "object": "response",
        "status": "completed",
        "output": [{"type": "message", "content": [{"type": "output_text", "text": "a"}]}],
        "usage": {
            "input_tokens": 9,
            "output_tokens": 2,
            "input_tokens_details": {"cached_tokens": 4},
        },
    }
    assert read_body(responses).usage == Usage(9, 2, 4)
    assert Usage(1, 2, 3) + Usage(1, 1, 1) == Usage(2, 3, 4)


@pytest.mark.parametrize(
    ("status", "words", "refused"),
    [
        (400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'", ["max_tokens"]),
        (400, "max_completion_tokens is not supported; use max_tokens", []),
        (400, "max_tokens is too large: 9", []),
        (500, "max_tokens is not supported", []),
    ],
)
def test_which_parameter_an_answer_refuses(status: int, words: str, refused: list[str]) -> None:
    problem = ProviderError(words, status=status)
    assert learned.refused_parameters(problem, {"max_tokens": 9}) == refused
