"""The bundled table of servers and models: where they are, what they take, what they cost.

A configuration lays its own over it (`[tool.aigen.providers]`, `configure(providers=…)`), and what
a server says it does not take is learned while the process runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, TypedDict

from aigen.runtime.wire.messages import Price


class Facts(TypedDict, total=False):
    """What is known of a server, or of a model on it.

    `takes` is best first; `limit` is the name of the parameter that bounds a reply's tokens;
    `media_bytes` bounds all media of a request. `schema_with_tools` is only true where it is known:
    other servers ignore one of the two, or refuse both.
    """

    takes: tuple[str, ...]
    fixed_sampling: bool
    limit: str
    price: Price
    media_bytes: int
    schema_with_tools: bool


class Provider(NamedTuple):
    """A named server.

    Attributes:
        base_url: None for the SDK's own default.
        key_variables: environment variables that may hold the key; none for a local server.
        facts: of every model on it.
        models: of single models, by name without a date.
    """

    base_url: str | None
    key_variables: tuple[str, ...]
    facts: Facts
    models: Mapping[str, Facts] = MappingProxyType({})


ALL: Final = ("strict", "schema", "tool", "json_object")
"""Every way in which a server can be held to a form, best first."""


def _takes(*ways: str, **more: int) -> Facts:
    facts: Facts = {"takes": ways}
    if "media_bytes" in more:
        facts["media_bytes"] = more["media_bytes"]
    return facts


def _price(input: float, output: float, cached: float | None = None) -> Facts:
    return {"price": Price(input, output, cached)}


_OPENAI: Final[Mapping[str, Facts]] = {
    "gpt-5.2": _price(1.75, 14, 0.175),
    "gpt-5.1": _price(1.25, 10, 0.125),
    "gpt-5": _price(1.25, 10, 0.125),
    "gpt-5-mini": _price(0.25, 2, 0.025),
    "gpt-5-nano": _price(0.05, 0.4, 0.005),
    "gpt-4.1": _price(2, 8, 0.5),
    "gpt-4.1-mini": _price(0.4, 1.6, 0.1),
    "gpt-4.1-nano": _price(0.1, 0.4, 0.025),
    "gpt-4o": _price(2.5, 10, 1.25),
    "gpt-4o-mini": _price(0.15, 0.6, 0.075),
    "o4-mini": _price(1.1, 4.4, 0.275),
    "o3": _price(2, 8, 0.5),
    "o3-mini": _price(1.1, 4.4, 0.55),
    "o1": _price(15, 60, 7.5),
    # Older models: no schemas, and the first reasoning models took no tools either.
    "gpt-4o-2024-05-13": {**_takes("tool", "json_object"), **_price(5, 15)},
    "gpt-4-turbo": {**_takes("tool", "json_object"), **_price(10, 30)},
    "gpt-4": {**_takes("tool"), **_price(30, 60)},
    "gpt-3.5-turbo": {**_takes("tool", "json_object"), **_price(0.5, 1.5)},
    "o1-mini": _takes(),
    "o1-preview": _takes(),
}
_ANTHROPIC: Final[Mapping[str, Facts]] = {
    "claude-opus-4-5": _price(5, 25, 0.5),
    "claude-opus-4-1": _price(15, 75, 1.5),
    "claude-sonnet-4-5": _price(3, 15, 0.3),
    "claude-haiku-4-5": _price(1, 5, 0.1),
    "claude-3-5-haiku": _price(0.8, 4, 0.08),
}
_GEMINI: Final[Mapping[str, Facts]] = {
    "gemini-2.5-flash": _price(0.3, 2.5, 0.03),
    "gemini-2.5-flash-lite": _price(0.1, 0.4, 0.01),
}
_GROQ: Final[Mapping[str, Facts]] = {
    "openai/gpt-oss-20b": _takes(*ALL),
    "openai/gpt-oss-120b": _takes(*ALL),
    "llama-3.3-70b-versatile": _price(0.59, 0.79),
    "llama-3.1-8b-instant": _price(0.05, 0.08),
}
_FREE: Final = Price(0, 0, 0)
_NEWER: Final[Facts] = {"limit": "max_completion_tokens", "schema_with_tools": True}
"""Facts of OpenAI's models, wherever they are served."""

PROVIDERS: Final[Mapping[str, Provider]] = {
    "openai": Provider(None, ("OPENAI_API_KEY",), {**_takes(*ALL), **_NEWER}, _OPENAI),
    # A deployment's name says nothing of the model behind it.
    "azure": Provider(None, ("AZURE_OPENAI_API_KEY",), {**_takes(*ALL), **_NEWER}),
    "anthropic": Provider(
        "https://api.anthropic.com/v1/",
        ("ANTHROPIC_API_KEY",),
        # It passes over a response_format without a word.
        _takes("tool", media_bytes=24_000_000),
        _ANTHROPIC,
    ),
    "gemini": Provider(
        "https://generativelanguage.googleapis.com/v1beta/openai/",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        _takes("schema", "tool", "json_object", media_bytes=15_000_000),
        _GEMINI,
    ),
    "openrouter": Provider("https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",), _takes(*ALL)),
    "groq": Provider(
        "https://api.groq.com/openai/v1",
        ("GROQ_API_KEY",),
        _takes("tool", "json_object", media_bytes=4_000_000),
        _GROQ,
    ),
    "mistral": Provider("https://api.mistral.ai/v1", ("MISTRAL_API_KEY",), _takes(*ALL)),
    "together": Provider(
        "https://api.together.xyz/v1",
        ("TOGETHER_API_KEY",),
        _takes("schema", "tool", "json_object"),
    ),
    "ollama": Provider("http://localhost:11434/v1", (), _takes("schema", "tool", "json_object")),
    "vllm": Provider("http://localhost:8000/v1", (), _takes("schema", "tool", "json_object")),
    "lmstudio": Provider("http://localhost:1234/v1", (), _takes("schema", "tool")),
    "local": Provider(None, (), {**_takes("schema"), "price": _FREE}),
    "sample": Provider(None, (), {**_takes("schema"), "price": _FREE}),
}
"""Servers by name. Prices are the providers' list prices of single requests, in US dollars."""

CUSTOM: Final = Provider(None, ("OPENAI_API_KEY",), _takes(*ALL))
"""A server that is only known by its URL: everything is tried."""
