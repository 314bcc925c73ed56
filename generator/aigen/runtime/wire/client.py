"""The shared client: one `openai` client a process, one async client an event loop.

`openai` is imported at the first call. After a fork everything is made again, for a connection that
two processes share gives one the other's answers; and an async client belongs to its loop.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.layers import Settings
from aigen.runtime.wire.messages import Target

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI


class _Clients:
    """The clients of this process, by what they were made from."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.sync: dict[Any, OpenAI] = {}
        self.loops: WeakKeyDictionary[Any, dict[Any, AsyncOpenAI]] = WeakKeyDictionary()
        # A ready object that a user gave: where it was first used.
        self.homes: dict[int, tuple[Any, int, Any]] = {}


_clients = _Clients()


def _forget() -> None:
    # The child must not close the parent's connections, so what it inherits is only let go of.
    global _clients, _inherited
    _inherited = (_inherited, _clients)
    homes = _clients.homes
    _clients = _Clients()
    _clients.homes = homes


_inherited: Any = None
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def sync_client(target: Target, settings: Settings) -> OpenAI:
    """The process's client for a target.

    Raises:
        ConfigurationError: no key, or a given client that is not a sync one.
    """
    key = _key(target, settings)
    found = _clients.sync.get(key)
    if found is not None:
        return found
    if settings.client is not None and not callable(settings.client):
        return cast("OpenAI", _ready(settings.client, "OpenAI", None))
    with _clients.lock:
        found = _clients.sync.get(key)
        if found is None:
            found = _clients.sync[key] = _made(target, settings, "OpenAI")
    return found


def async_client(target: Target, settings: Settings) -> AsyncOpenAI:
    """This event loop's client for a target.

    Raises:
        ConfigurationError: no key, or a given client that is not an async one.
    """
    loop = asyncio.get_running_loop()
    if settings.client is not None and not callable(settings.client):
        return cast("AsyncOpenAI", _ready(settings.client, "AsyncOpenAI", loop))
    of_loop = _clients.loops.get(loop)
    if of_loop is None:
        of_loop = _clients.loops[loop] = {}
    key = _key(target, settings)
    found = of_loop.get(key)
    if found is None:
        found = of_loop[key] = _made(target, settings, "AsyncOpenAI")
    return found


def _key(target: Target, settings: Settings) -> Any:
    if settings.client is not None:
        return id(settings.client), settings.client
    return target.provider, target.base_url, _api_key(target, settings)


def _api_key(target: Target, settings: Settings) -> str | None:
    if settings.api_key:
        return settings.api_key
    for name in target.key_variables:
        if value := os.environ.get(name):
            return value
    return None


def _made(target: Target, settings: Settings, kind: str) -> Any:
    import openai

    factory: Callable[[], Any] | None = settings.client
    if factory is not None:
        client = factory()
        wanted = getattr(openai, kind)
        if isinstance(client, wanted):
            return _without_retries(client)
        # The other kind from the same factory: its own settings carry over.
        return _other_kind(client, kind)
    key = _api_key(target, settings)
    if key is None:
        if target.key_variables and target.provider != "custom":
            wanted = " or ".join(target.key_variables)
            raise ConfigurationError(
                f"no key for {target.provider}: set {wanted}, or the setting api_key",
                code="no-key",
            )
        # A server on this machine asks for none, and the SDK insists on one.
        key = "none"
    options: dict[str, Any] = {"api_key": key, "max_retries": 0}
    if target.provider == "azure":
        return _azure(kind, options, target)
    if target.base_url is not None:
        options["base_url"] = target.base_url
    return getattr(openai, kind)(**options)


def _azure(kind: str, options: dict[str, Any], target: Target) -> Any:
    import openai

    endpoint = target.base_url or os.environ.get("AZURE_OPENAI_ENDPOINT")
    if not endpoint:
        raise ConfigurationError(
            "azure needs AZURE_OPENAI_ENDPOINT, or the setting base_url", code="no-endpoint"
        )
    made = getattr(openai, "AsyncAzureOpenAI" if kind == "AsyncOpenAI" else "AzureOpenAI")
    version = os.environ.get("OPENAI_API_VERSION", "2024-10-21")
    return made(azure_endpoint=endpoint, api_version=version, **options)


def _other_kind(client: Any, kind: str) -> Any:
    import openai

    pairs: dict[str, tuple[tuple[Any, Any], ...]] = {
        "AsyncOpenAI": ((openai.AzureOpenAI, None), (openai.OpenAI, openai.AsyncOpenAI)),
        "OpenAI": ((openai.AsyncAzureOpenAI, None), (openai.AsyncOpenAI, openai.OpenAI)),
    }
    for given, wanted in pairs[kind]:
        if isinstance(client, given) and wanted is not None:
            return wanted(
                api_key=client.api_key,
                base_url=client.base_url,
                organization=client.organization,
                project=client.project,
                default_headers=client._custom_headers,
                max_retries=0,
            )
    raise ConfigurationError(
        f"this call needs an {kind}, and the client setting gives {type(client).__name__}",
        code="client",
    )


def _without_retries(client: Any) -> Any:
    # Retries are ours: two layers of them multiply.
    return client if client.max_retries == 0 else client.with_options(max_retries=0)


def _ready(client: Any, kind: str, loop: Any) -> Any:
    import openai

    if not isinstance(client, getattr(openai, kind)):
        call = "an awaited call" if kind == "AsyncOpenAI" else "a call"
        raise ConfigurationError(
            f"{call} needs an openai.{kind}, and the client setting is {type(client).__name__}: "
            f"give a factory, client=lambda: …",
            code="client",
        )
    _, process, home = _clients.homes.setdefault(id(client), (client, os.getpid(), loop))
    if process != os.getpid() or home is not loop:
        where = "before fork()" if process != os.getpid() else "on another event loop"
        raise ConfigurationError(
            f"the client given as a setting was used {where}: give a factory, client=lambda: …",
            code="client",
        )
    return _without_retries(client)
