"""From a model's name to where it is served, what it takes there, and what it costs."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, Final, cast

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.wire.catalogue import CUSTOM, PROVIDERS, Facts, Provider
from aigen.runtime.wire.messages import MEDIA_BYTES, Price, Target

_FIXED_SAMPLING: Final = re.compile(r"(?:^|/)(?:o[134](?:-|$)|gpt-5(?!.*chat)|codex)").search
_DATE: Final = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest)\Z")
FIXED: Final = frozenset(("temperature", "top_p"))
"""The settings that a fixed-sampling model refuses."""
NOT_OF_RESPONSES: Final = frozenset(("seed", "stop"))
"""The settings that the responses API refuses."""


def fixed_sampling(model: str) -> bool:
    """Whether a model refuses `temperature` and `top_p` (OpenAI's reasoning models do)."""
    return _FIXED_SAMPLING(model.partition(":")[2] or model) is not None


_OF_OPENAI: Final = frozenset(("ft",))
"""What OpenAI's own names of models have before a colon: fine-tuned ones."""


def target(
    model: str,
    base_url: str | None,
    own: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    given_server: bool = False,
) -> Target:
    """Where `provider:model`, or a bare model name, is served.

    Args:
        model: `gpt-4.1-mini`, `groq:llama-3.3-70b`, `local` or `sample`. A name before the colon
            that is no provider belongs to the model (`llama3.2:3b`).
        base_url: the setting; wins over the provider's.
        own: the setting `providers`: further servers, or other facts of known ones.
        given_server: whether the client that sends it knows a server of its own.

    Raises:
        ConfigurationError: a provider without its model, one that there is not, or one of the
            user's own without a base URL.
    """
    own = own or {}
    name, colon, rest = model.partition(":")
    if model in ("local", "sample"):
        name, colon, rest = model, ":", model
    if not (colon and (name in PROVIDERS or name in own)):
        if colon and base_url is None and not given_server and name not in _OF_OPENAI:
            # It would go to OpenAI, whoever it was meant for.
            close = difflib.get_close_matches(name, [*PROVIDERS, *own], n=1)
            hint = f'; did you mean "{close[0]}:{rest}"?' if close else ", and no base_url is set"
            raise ConfigurationError(
                f'model "{model}": there is no provider "{name}"{hint}', code="no-model"
            )
        # A bare name is the SDK's default server, or whatever the base URL says.
        name, rest = ("openai" if base_url is None else "custom"), model
    if not rest:
        raise ConfigurationError(f'model "{model}" names no model: write {name}:<model>')
    written = own.get(name)
    return _made(name, rest, base_url, written) if written else _of_table(name, rest, base_url)


def replayed(
    provider: str, model: str, called: str, own: Mapping[str, Mapping[str, Any]] | None = None
) -> Target:
    """What a recording stands for where no model is set: what is sent depends on who served it.

    Args:
        provider: who did; one that is no longer known is taken for a server of the user's own.
        model: that was asked.
        called: the model's name in requests.
        own: the setting `providers`.
    """
    written = (own or {}).get(provider, {})
    known = provider if written or provider in PROVIDERS else "custom"
    return replace(_made(known, model, "replayed", written), model=called, base_url=None)


@lru_cache(1024)
def _of_table(name: str, model: str, base_url: str | None) -> Target:
    return _made(name, model, base_url, {})


def _made(name: str, model: str, base_url: str | None, written: Mapping[str, Any]) -> Target:
    bundled = PROVIDERS.get(name, CUSTOM)
    url = base_url or written.get("base_url") or bundled.base_url
    if url is None and bundled is CUSTOM:
        raise ConfigurationError(
            f"the provider {name} has no base_url: give it one, or set base_url", code="setting"
        )
    facts = _facts(model, bundled, written)
    return Target(
        name,
        model,
        url,
        _keys(written, bundled),
        facts.get("takes", ()),
        fixed_sampling=facts.get("fixed_sampling", fixed_sampling(model)),
        limit=facts.get("limit", "max_tokens"),
        price=facts.get("price"),
        media_bytes=facts.get("media_bytes", MEDIA_BYTES),
        schema_with_tools=facts.get("schema_with_tools", False),
    )


def _facts(model: str, bundled: Provider, written: Mapping[str, Any]) -> Facts:
    """What is known of a model: its server's facts, its own, then what the user says of both."""
    known = bundled.models.get(model) or bundled.models.get(_DATE.sub("", model)) or {}
    found: Facts = {**bundled.facts, **known, **_own_facts(written)}
    for pattern, facts in written.get("models", {}).items():
        if fnmatchcase(model, pattern):
            found = {**found, **_own_facts(facts)}
    return found


def _own_facts(written: Mapping[str, Any]) -> Facts:
    found = {name: value for name, value in written.items() if name in Facts.__annotations__}
    if "takes" in found:
        found["takes"] = tuple(found["takes"])
    if "price" in found:
        price = found["price"]
        found["price"] = Price(price["input"], price["output"], price.get("cached"))
    return cast("Facts", found)


def _keys(written: Mapping[str, Any], bundled: Provider) -> tuple[str, ...]:
    key = written.get("key")
    if key is not None:
        return (key,) if isinstance(key, str) else tuple(key)
    # A key goes to the server that it is for: one of the user's own gets no other's.
    return () if written and bundled is CUSTOM else bundled.key_variables
