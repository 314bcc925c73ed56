"""Servers that speak the API, by name: where they are, where the key is, what they take."""

from __future__ import annotations

import difflib
import re
from typing import Final, NamedTuple

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.wire.messages import Target


class Provider(NamedTuple):
    """A named server.

    Attributes:
        base_url: None for the SDK's own default.
        key_variables: environment variables that may hold the key; none for a local server.
        takes: how it can be held to a schema, best first.
    """

    base_url: str | None
    key_variables: tuple[str, ...]
    takes: tuple[str, ...] = ("strict", "schema", "json_object")


PROVIDERS: Final[dict[str, Provider]] = {
    "openai": Provider(None, ("OPENAI_API_KEY",)),
    "azure": Provider(None, ("AZURE_OPENAI_API_KEY",)),
    "anthropic": Provider("https://api.anthropic.com/v1/", ("ANTHROPIC_API_KEY",), ()),
    "gemini": Provider(
        "https://generativelanguage.googleapis.com/v1beta/openai/",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        ("schema", "json_object"),
    ),
    "openrouter": Provider("https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",)),
    "groq": Provider("https://api.groq.com/openai/v1", ("GROQ_API_KEY",)),
    "mistral": Provider("https://api.mistral.ai/v1", ("MISTRAL_API_KEY",)),
    "together": Provider(
        "https://api.together.xyz/v1", ("TOGETHER_API_KEY",), ("schema", "json_object")
    ),
    "ollama": Provider("http://localhost:11434/v1", (), ("schema", "json_object")),
    "vllm": Provider("http://localhost:8000/v1", (), ("schema", "json_object")),
    "lmstudio": Provider("http://localhost:1234/v1", (), ("schema",)),
    "local": Provider(None, (), ("schema",)),
    "sample": Provider(None, (), ("schema",)),
}

_FIXED_SAMPLING: Final = re.compile(r"(?:^|/)(?:o[134](?:-|$)|gpt-5(?!.*chat)|codex)").search
FIXED: Final = frozenset(("temperature", "top_p"))
"""The settings that a fixed-sampling model refuses."""


def fixed_sampling(model: str) -> bool:
    """Whether a model refuses `temperature` and `top_p` (OpenAI's reasoning models do)."""
    return _FIXED_SAMPLING(model.partition(":")[2] or model) is not None


_OF_OPENAI: Final = frozenset(("ft",))
"""What OpenAI's own names of models have before a colon: fine-tuned ones."""


def target(model: str, base_url: str | None, *, given_server: bool = False) -> Target:
    """Where `provider:model`, or a bare model name, is served.

    Args:
        model: `gpt-4.1-mini`, `groq:llama-3.3-70b`, `local` or `sample`. A name before the colon
            that is no provider belongs to the model (`llama3.2:3b`).
        base_url: the setting; wins over the provider's.
        given_server: whether the client that sends it knows a server of its own.

    Raises:
        ConfigurationError: a provider without its model, or one that there is not.
    """
    name, colon, rest = model.partition(":")
    if model in ("local", "sample"):
        name, colon, rest = model, ":", model
    if not (colon and name in PROVIDERS):
        if colon and base_url is None and not given_server and name not in _OF_OPENAI:
            # It would go to OpenAI, whoever it was meant for.
            close = difflib.get_close_matches(name, PROVIDERS, n=1)
            hint = f'; did you mean "{close[0]}:{rest}"?' if close else ", and no base_url is set"
            raise ConfigurationError(
                f'model "{model}": there is no provider "{name}"{hint}', code="no-model"
            )
        # A bare name is the SDK's default server, or whatever the base URL says.
        name, rest = ("openai" if base_url is None else "custom"), model
    if not rest:
        raise ConfigurationError(f'model "{model}" names no model: write {name}:<model>')
    provider = PROVIDERS.get(name, PROVIDERS["openai"])
    return Target(name, rest, base_url or provider.base_url, provider.key_variables, provider.takes)
