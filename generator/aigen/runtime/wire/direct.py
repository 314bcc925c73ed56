"""The `direct` transport: connections of our own, for servers that take a plain key.

The SDK's client still says where the server is and with which headers; only the HTTP is ours:
connections of our own, whose answers httptools parses (extra `aigen[fast]`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic_core import to_json

from aigen.runtime.errors import ConfigurationError
from aigen.runtime.setting_kinds import Settings
from aigen.runtime.wire.awaited_connections import AwaitedConnections
from aigen.runtime.wire.client import (
    async_client,
    async_kept,
    client_key,
    sync_client,
    sync_kept,
)
from aigen.runtime.wire.connections import Connections
from aigen.runtime.wire.messages import Request
from aigen.runtime.wire.reading import Refused
from aigen.runtime.wire.route import Route
from aigen.runtime.wire.server import Server


def _connections(client: Any) -> Connections:
    return Connections(Route(Server(client)), _parser())


def _awaited_connections(client: Any) -> AwaitedConnections:
    connect = _library("aiohappyeyeballs").start_connection
    return AwaitedConnections(Route(Server(client)), _parser(), connect)


def _parser() -> Any:
    return _library("httptools").HttpResponseParser


def exchange(request: Request, settings: Settings, timeout: float) -> tuple[Any, str | None]:
    """Sends one request; the body as data, and the request's id.

    Raises:
        Refused: the answer is an error.
        TimeoutError: it is not whole in time.
        ConnectionError: the server cannot be reached, or the answer broke off.
        ValueError: a body that is not JSON.
        ConfigurationError: the target takes more than a plain key, or a package is missing.
    """
    key = _key(request, settings)
    session = sync_kept(key, lambda: _connections(sync_client(request.target, settings)))
    body = _encoded(request.body)
    return _answer(*session.post(request.path, body, request.headers, timeout))


async def aexchange(request: Request, settings: Settings, timeout: float) -> tuple[Any, str | None]:
    """Like `exchange`, awaited."""
    key = _key(request, settings)
    session = async_kept(key, lambda: _awaited_connections(async_client(request.target, settings)))
    body = _encoded(request.body)
    return _answer(*await session.post(request.path, body, request.headers, timeout))


def _answer(status: int, headers: Any, body: bytes) -> tuple[Any, str | None]:
    if not 200 <= status < 300:
        raise Refused(status, headers, body)
    return json.loads(body), headers.get("x-request-id")


def _key(request: Request, settings: Settings) -> Any:
    if request.target.provider == "azure":
        raise ConfigurationError(
            "transport direct takes servers with a plain key; for azure use auto", code="client"
        )
    return "direct", client_key(request.target, settings)


_write = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _encoded(body: Mapping[str, Any]) -> bytes:
    try:
        return to_json(body)
    except ValueError:  # it goes no deeper than some hundred levels
        return _write(body).encode()


def _library(name: str) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        raise ConfigurationError(
            f'transport direct needs {name}: pip install "aigen[fast]"', code="transport"
        ) from None
