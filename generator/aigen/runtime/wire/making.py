"""Making an `openai` client: from a target and its key, or by the user's factory."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal, TypeAlias
from urllib.parse import urlsplit

from aigen.runtime.errors import AigenError, ConfigurationError
from aigen.runtime.own_providers import URL, is_url
from aigen.runtime.setting_kinds import Settings
from aigen.runtime.wire.messages import Target

Kind: TypeAlias = Literal["OpenAI", "AsyncOpenAI"]


def api_key(target: Target, settings: Settings) -> str | None:
    """The key for a target, from the settings or its variables; None where there is none."""
    if settings.api_key:
        return settings.api_key.strip()
    for name in target.key_variables:
        # A key from a file often ends in a newline, which no header takes.
        if value := os.environ.get(name, "").strip():
            return value
    return None


def given(setting: Any, kind: Kind) -> Any:
    """What the `client` setting gives for a kind of call.

    Args:
        setting: a factory, a ready client, or a pair of either: for calls and for awaited calls.
        kind: which is wanted.
    """
    return setting[kind == "AsyncOpenAI"] if isinstance(setting, tuple) else setting


def made(target: Target, settings: Settings, kind: Kind) -> Any:
    """A new client.

    Raises:
        ConfigurationError: no key, a factory that fails or gives the wrong kind, or connections
            that cannot be made.
    """
    if settings.client is not None:
        return of_kind(_called(given(settings.client, kind)), kind, convert=True)
    import openai

    options: dict[str, Any] = {"api_key": _usable_key(target, settings), "max_retries": 0}
    if target.provider == "azure":
        return _azure(kind, options, target)
    url, query = _parted(target.base_url or os.environ.get("OPENAI_BASE_URL"))
    if url:
        options["base_url"] = url
    options["http_client"] = _connections(kind, settings, query)
    return getattr(openai, kind)(**options)


def _parted(url: str | None) -> tuple[str, str]:
    """A base URL and its query, behind which the SDK would write the path.

    Raises:
        ConfigurationError: the environment names one that is none.
    """
    if not url:
        return "", ""
    if not is_url(url):
        raise ConfigurationError(f"OPENAI_BASE_URL should be {URL}", code="setting")
    parts = urlsplit(url)
    return parts._replace(query="", fragment="").geturl(), parts.query


def _connections(kind: Kind, settings: Settings, query: str) -> Any:
    """The SDK's own connections, of which as many are kept as there may be.

    The SDK opens 1,000 and keeps 100 of them: with more calls in flight than that, every further
    one is made anew.

    Args:
        kind: of the client.
        settings: of the call.
        query: of every request.

    Raises:
        ConfigurationError: a package is missing, or a proxy of the environment cannot be used.
    """
    import openai

    limits = http_library().Limits(max_connections=1000, max_keepalive_connections=1000)
    if kind == "AsyncOpenAI" and settings.transport == "aiohttp":
        return _over_aiohttp(limits, query)
    known = _certificates(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))
    make = openai.DefaultHttpxClient if kind == "OpenAI" else openai.DefaultAsyncHttpxClient
    try:
        return make(limits=limits, verify=known, params=query)
    except (ImportError, ValueError) as problem:
        raise ConfigurationError(
            f"the environment names a proxy that cannot be used: {problem}", code="transport"
        ) from None


@lru_cache(4)
def _certificates(*_variables: str | None) -> Any:
    """The HTTP library's own choice, by the variables that it looks at; to read them takes long."""
    return http_library().create_ssl_context()


def _over_aiohttp(limits: Any, query: str) -> Any:
    import openai

    try:
        return openai.DefaultAioHttpClient(limits=limits, params=query)
    except RuntimeError:
        raise ConfigurationError(
            'transport aiohttp needs a package: pip install "aigen[fast]"', code="transport"
        ) from None


def http_library() -> Any:
    """The HTTP library of the SDK: httpx2 since its version 3."""
    import openai

    return sys.modules["httpx2" if int(openai.__version__.partition(".")[0]) >= 3 else "httpx"]


def without_retries(client: Any) -> Any:
    """The client, or one over its connections, that does not retry: two layers multiply."""
    if getattr(client, "max_retries", 0) == 0:
        return client
    if not _is_traced(client):
        return client.with_options(max_retries=0)
    # A copy would not have what is wrapped round the client's own `create`.
    client.max_retries = 0
    return client


def _is_traced(client: Any) -> bool:
    """Whether the resources of this one client are not the SDK's own any more."""
    return any(
        not type(resource).__module__.startswith("openai.") or "create" in vars(resource)
        for resource in (client.chat.completions, getattr(client, "responses", None))
        if resource is not None
    )


def of_kind(client: Any, kind: Kind, *, convert: bool = False) -> Any:
    """A client that a call can use.

    Args:
        client: an SDK client, or what a tracing package wrapped round one.
        kind: which is wanted.
        convert: whether a plain client of the other kind is made into this one.

    Raises:
        ConfigurationError: it is of the other kind, or no client.
    """
    import openai

    if isinstance(client, getattr(openai, kind)):
        return client
    other = openai.OpenAI if kind == "AsyncOpenAI" else openai.AsyncOpenAI
    if not isinstance(client, (openai.OpenAI, openai.AsyncOpenAI)):
        if hasattr(getattr(client, "chat", None), "completions"):
            return client
    elif convert and type(client) is other and _has_own_connections(client):
        return getattr(openai, kind)(
            api_key=client.api_key,
            base_url=client.base_url,
            organization=client.organization,
            project=client.project,
            timeout=client.timeout,
            default_headers=client._custom_headers,
            default_query=client._custom_query,
            max_retries=0,
        )
    call = "an awaited call" if kind == "AsyncOpenAI" else "a call"
    raise ConfigurationError(
        f"{call} needs an openai.{kind}, and the client setting gives {type(client).__name__}; "
        "give a pair of factories, client=(lambda: OpenAI(…), lambda: AsyncOpenAI(…))",
        code="client",
    )


def _has_own_connections(client: Any) -> bool:
    """Whether the SDK made its connections: proxies and certificates of a user's do not carry."""
    return type(client._client).__module__.startswith("openai.")


def _called(factory: Callable[[], Any]) -> Any:
    try:
        return factory()
    except AigenError:
        raise
    except Exception as problem:
        raise ConfigurationError(
            f"the factory of the client setting failed: {problem}", code="client"
        ) from problem


def _usable_key(target: Target, settings: Settings) -> str:
    key = api_key(target, settings)
    if key is None:
        if target.key_variables and target.provider != "custom":
            raise ConfigurationError(
                f"no key for {target.provider}: set {' or '.join(target.key_variables)}, "
                "or the setting api_key",
                code="no-key",
            )
        # A server on this machine asks for none, and the SDK insists on one.
        return "none"
    if not (key.isascii() and key.isprintable()):
        # Sent, it would come back in an error's text.
        raise ConfigurationError(
            f"the key for {target.provider} holds characters that no key has", code="no-key"
        )
    return key


def _azure(kind: Kind, options: dict[str, Any], target: Target) -> Any:
    import openai

    endpoint = target.base_url or os.environ.get("AZURE_OPENAI_ENDPOINT")
    if not endpoint:
        raise ConfigurationError(
            "azure needs AZURE_OPENAI_ENDPOINT, or the setting base_url", code="no-endpoint"
        )
    make = openai.AsyncAzureOpenAI if kind == "AsyncOpenAI" else openai.AzureOpenAI
    version = os.environ.get("OPENAI_API_VERSION", "2024-10-21")
    return make(azure_endpoint=endpoint, api_version=version, **options)
